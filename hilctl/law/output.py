"""The last word on the command: finite, within its limit and slew, and the mode's own override.

The ramp to null has no feedback that would damp what it excites. A ramp of the flow by a deceleration d lets the mass
swing on its oil: the table's own goes to 2 d, and back. So half of the command is ramped at once, and the other half
as much later as half a period of the hydraulic mode: the two swings cancel, and together they reach d.
"""

import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

OUTPUT = record_of(
    [
        ("command", np.float64),  # what the next exchange sends
        ("refused", np.float64),  # asked for minus given: the integrators unwind by it
        ("saturated", np.int64),
        ("saturated_s", np.float64),
        ("not_finite", np.int64),
        ("ramp_from", np.float64),  # the last command before the ramp to null
        ("ramp_s", np.float64),  # since then
        ("ramped", np.float64, (2,)),  # how much of each half is gone
    ]
)


@jit()
def rt_limit(wanted: float, centre: float, reach: float, slew_per_s: float, dt_s: float, periods: int, o: Any) -> None:
    """Clamps to `reach` about `centre` and to the slew. A command that is not finite keeps the last one.

    A command changes once a tick, however many periods were skipped before: the slew is that of one period.
    """
    if not math.isfinite(wanted):
        o.not_finite = 1
        wanted = o.command
    else:
        o.not_finite = 0
    given = min(max(wanted, max(centre - reach, -1.0)), min(centre + reach, 1.0))
    o.saturated = 1 if given != wanted else 0
    step = slew_per_s * dt_s
    given = min(max(given, o.command - step), o.command + step)
    o.refused = wanted - given
    o.saturated_s = o.saturated_s + dt_s * periods if o.saturated != 0 else 0.0
    o.command = given


@jit()
def rt_half_swing_s(machine: Any) -> float:
    """Half a period of the hydraulic mode."""
    return math.pi * math.sqrt(machine.m * machine.Vt / (4.0 * machine.beta)) / float(machine.A)


@jit()
def rt_ramp_start(o: Any) -> None:
    """A ramp would begin here."""
    o.ramp_from, o.ramp_s = o.command, 0.0
    o.ramped[0] = o.ramped[1] = 0.0


@jit()
def rt_ramp_to(target: float, rate_per_s: float, apart_s: float, step_s: float, dt_s: float, o: Any) -> bool:
    """One step of the ramp to null, in two halves, `apart_s` after each other. True when it has arrived.

    `dt_s` have passed since the last step; each half goes on by `step_s` of them at the most.
    """
    o.refused, o.saturated, o.saturated_s = 0.0, 0, 0.0
    o.ramp_s += dt_s
    half, rate = 0.5 * abs(target - o.ramp_from), 0.5 * rate_per_s
    o.ramped[0] = min(o.ramped[0] + rate * step_s, half)
    o.ramped[1] = min(o.ramped[1] + rate * min(step_s, max(o.ramp_s - apart_s, 0.0)), half)
    if o.ramped[1] >= half:
        o.command = target
        return True
    o.command = o.ramp_from + math.copysign(o.ramped[0] + o.ramped[1], target - o.ramp_from)
    return False
