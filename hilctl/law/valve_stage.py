"""From the opening that the law wants to the command that the amplifier gets: overlap, null, dither.

    command = (1 - d) u + d tanh(u / eps) + null + dither        eps = max(|du/dt| tau, eps_min)

The overlap's inverse must not chatter about zero, nor smear a crossing over more than `tau`: its width follows the
speed at which the command crosses. It acts on the total opening, feed-forward and feedback together.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit


class ValveStage(Params):
    """What the valve needs."""

    dead_band: Annotated[float, number(0, 0.2, "", "overlap that the command jumps over (d)")] = 0.0
    crossing_s: Annotated[float, number(1e-4, 0.05, "s", "time over which a crossing is smoothed (tau)")] = 7e-4
    crossing_min: Annotated[float, number(1e-5, 0.1, "", "narrowest crossing, as an opening (eps_min)")] = 1e-3
    null_bias: Annotated[float, number(-0.2, 0.2, "", "command at which the valve is closed; arming refines it")] = 0.0
    dither: Annotated[float, number(0, 0.05, "", "amplitude of the dither")] = 0.0
    dither_hz: Annotated[float, number(1, 1000, "Hz", "frequency of the dither")] = 120.0


VALVE = record_of([("opening", np.float64), ("rate", np.float64), ("phase", np.float64)])


@jit()
def rt_valve_stage(c: Any, opening: float, null: float, dt_s: float, s: Any) -> float:
    """The command for an opening, still without limits."""
    s.rate += 0.5 * (abs(opening - s.opening) / dt_s - s.rate)  # two ticks: noise must not set the width by itself
    s.opening = opening
    command = opening
    if c.dead_band > 0.0:
        eps = max(s.rate * c.crossing_s, c.crossing_min)
        command = (1.0 - c.dead_band) * opening + c.dead_band * math.tanh(opening / eps)
    if c.dither > 0.0:
        s.phase += 2.0 * math.pi * c.dither_hz * dt_s
        if s.phase > 2.0 * math.pi:
            s.phase -= 2.0 * math.pi * math.floor(s.phase / (2.0 * math.pi))
        command += c.dither * math.sin(s.phase)
    return command + null
