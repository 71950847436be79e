"""From the opening that the controller wants to the command that the amplifier gets: overlap, null, dither, hysteresis.

    spool    (1 - d) u + d [S + g (S(b) - S)]        u = u_ff + b, feed-forward and feedback
             g = tanh(max(|b*| - |o|, 0)/SOFT)
    command  spool + null + dither + h/2 sgn(its change)

S is the side of the overlap on which the feed-forward is, ahead of time: of the inverse model from crossing.py, of the
linear one its sign, over the time of a crossing. Feedback takes the spool to its own side, S(b), as far as it
asks for more than the opening o that the feed-forward gives at the time at which the feedback acts: never further, for
a feed-forward that dies away changes its side at openings of nothing. b* is b less SLACK either way: what little
feedback there is at rest is noise, and must not jump. It moves the spool within the overlap. The linear feed-forward
takes rounded edges for sharp: it knows no friction, and the flow that comes early is what friction needs as it turns.

The overlap may differ from side to side: d is that of the side for the gain, and their mean for the way across, since
the null is halfway between both edges.

Last of all comes half of the hysteresis h in the direction in which the command changes, which takes up the valve's
play. The dither keeps noise from deciding on that direction, and moves the spool where h is less than it is assumed to
be. A dither added later would undo the play's inverse. A quarter of the rate is as fast as a sine with four samples
goes; half and a third of the rate were worse on the reference rig. A quarter of a slow rate is near the oil's mode,
where a dither shakes the table more than friction does (0.5 Hz at a rate of 400 Hz: distortion of 314 % with it, 20 %
without): there is none then.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.law.edges import rt_side
from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit

SLACK, SOFT = 2e-3, 1e-3  # openings: feedback that does not cross, and in which it crosses (reference rig, 2026-11-25)
DITHER = 0.01  # amplitude where the valve has hysteresis or a threshold, and the rig file names none
QUARTER = 0.25  # of the rate: the dither's frequency where the rig file names none
# Of the supply, as a load pressure: a dither that takes more by the model is left out, unless the rig file names it.
# The presets at 1 and 2 kHz take 0.03 to 0.12 %, at 400 Hz 1.1 %, at 200 Hz 11 %.
SHAKES = 0.0035


class ValveStage(Params):
    """What the valve needs."""

    inverse: Annotated[
        float, number(0, 1, "", "share of the overlap and hysteresis of [machine] that the command makes up for")
    ] = 1.0
    crossing_s: Annotated[
        float, number(1e-4, 0.05, "s", "time over which the linear feed-forward crosses the overlap (tau)")
    ] = 7e-4
    crossing_min: Annotated[
        float, number(1e-5, 0.1, "", "narrowest crossing of the linear feed-forward, as an opening (eps_min)")
    ] = 2e-4
    null_bias: Annotated[float, number(-0.2, 0.2, "", "command at which the valve is closed; arming refines it")] = 0.0
    dither: Annotated[
        float | None,
        number(0, 0.05, "", "amplitude of the dither; unset: 0.01 where machine.hysteresis or threshold is not 0, "
                            "and it would not shake the table"),
    ] = None
    rest: Annotated[
        float, number(0, 0.05, "", "most that feedback leaves, as an opening, of a table that would swing at rest")
    ] = 5e-3
    dither_hz: Annotated[float, number(0, 1000, "Hz", "frequency of the dither; 0: a quarter of the rate")] = 0.0


VALVE = record_of(
    [
        ("opening", np.float64),
        ("more", np.float64),  # overlap, either side, beyond that of the machine: learned (adapt.py)
        ("linear", np.float64),  # the linear feed-forward,
        ("rate", np.float64),  # and how fast it changes
        ("phase", np.float64),
        ("asked", np.float64),  # the command before the play's inverse,
        ("way", np.float64),  # and the sign of its last change
    ]
)


@jit()
def rt_valve_feed(c: Any, linear: float, dt_s: float, s: Any) -> float:
    """The side of the linear feed-forward, for an opening that changes as fast as this."""
    s.rate += 0.5 * (abs(linear - s.linear) / dt_s - s.rate)
    s.linear = linear
    return math.tanh(linear / max(s.rate * c.crossing_s, c.crossing_min))


@jit()
def rt_valve_stage(c: Any, machine: Any, opening: float, feed: float, ahead: float, side: float, null: float,
                   dt_s: float, s: Any) -> float:  # fmt: skip
    """The command for an opening, still without limits. Of the feed-forward: `feed`, its share in the opening; `ahead`,
    the opening that it gives when the feedback acts; `side`, its S.
    """
    s.opening = opening
    up = c.inverse * max(machine.overlap_a + s.more, 0.0)
    down = c.inverse * max(machine.overlap_b + s.more, 0.0)
    spool = opening + null
    if up + down > 0.0:
        back = opening - feed
        taken = math.tanh(max(abs(back) - SLACK - abs(ahead), 0.0) / SOFT)
        overlap = 0.5 * (machine.overlap_a + machine.overlap_b)
        side += taken * (rt_side(back, overlap, machine.edge_rounding) - side)
        spool += 0.5 * (up + down) * side - (up if opening > 0.0 else down) * opening
    if c.dither > 0.0:
        s.phase += 2.0 * math.pi * c.dither_hz * dt_s
        if s.phase > 2.0 * math.pi:
            s.phase -= 2.0 * math.pi * math.floor(s.phase / (2.0 * math.pi))
        spool += c.dither * math.sin(s.phase)
    if spool != s.asked:
        s.way = math.copysign(1.0, spool - s.asked)
        s.asked = spool
    return float(spool + 0.5 * c.inverse * machine.hysteresis * s.way)
