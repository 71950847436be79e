"""An external reference: positions that a client sends while the table moves, a fixed interval apart.

The service turns them into coefficients of the spline of wave.py, and writes these into the motion's bank, which is a
ring here, behind a few words that both sides read:

    service   how many coefficients there are, whether the last one is written, the peaks of what was sent
    loop      the same as it has seen them, once a tick; how far head and table have come, in intervals, and whether the
              reference ran dry

A word is written after what it speaks of. The first five coefficients are the place where the table rests, and
interval u needs the coefficients u to u + 5. So the motion begins at rest, and rests until enough of it is there.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.point import rt_rest
from hilctl.law.reference.wave import KNOTS, rt_between
from hilctl.params import record_of
from hilctl.rt import jit
from hilctl.rt.atomics import fence

# The words, by their place in the bank.
COUNT, ENDED, PEAK_SPEED, PEAK_ACCELERATION, HEAD, HERE, DRY = range(7)
SENT, SENT_END, SENT_SPEED, SENT_ACCELERATION = range(8, 12)  # the service's
FIRST = 16  # the place of the ring
RING = KNOTS // 2  # a power of two
SUPPORT = 6  # coefficients that a point needs
AT_REST = SUPPORT - 1  # coefficients before the first one that was sent

EXTERNAL: "np.dtype[Any]" = record_of(
    [
        ("interval_s", np.float64),
        ("least", np.int64),  # coefficients that must be there before it begins
        ("begun", np.int64),
    ]
)


@jit()
def rt_external(external: Any, knots: Any, t_s: float, out: Any) -> int:
    """At `t_s`: 1 when it rests at its end. Beyond what has come, the last of it."""
    last = int(knots[COUNT]) - SUPPORT
    if last < 0 or t_s <= 0.0:
        rt_rest(out, knots[FIRST])
        return 0
    u = t_s / external.interval_s
    i = min(math.floor(u), last)
    if u >= last + 1 and knots[ENDED] != 0.0:
        rt_rest(out, knots[FIRST + ((last + AT_REST) & (RING - 1))])
        return 1
    rt_between(
        knots[FIRST + (i & (RING - 1))], knots[FIRST + ((i + 1) & (RING - 1))], knots[FIRST + ((i + 2) & (RING - 1))],
        knots[FIRST + ((i + 3) & (RING - 1))], knots[FIRST + ((i + 4) & (RING - 1))],
        knots[FIRST + ((i + 5) & (RING - 1))], min(u - i, 1.0), 1.0 / external.interval_s, out,
    )  # fmt: skip
    return 0


@jit()
def rt_external_see(knots: Any) -> bool:
    """Takes over what the service has sent by now, for the whole tick; whether that is anything new."""
    ended = knots[SENT_END]
    fence()  # with the end, the count is the last one
    count = knots[SENT]
    fence()  # what was counted was written
    speed, acceleration = knots[SENT_SPEED], knots[SENT_ACCELERATION]
    same = knots[COUNT] == count and knots[ENDED] == ended
    same = same and knots[PEAK_SPEED] == speed and knots[PEAK_ACCELERATION] == acceleration
    knots[COUNT], knots[ENDED], knots[PEAK_SPEED], knots[PEAK_ACCELERATION] = count, ended, speed, acceleration
    return not same


@jit()
def rt_external_waits(external: Any, knots: Any) -> bool:
    """It has not begun, for too little of it is there."""
    return bool(external.begun == 0 and knots[COUNT] < external.least and knots[ENDED] == 0.0)


@jit()
def rt_external_lacks(external: Any, knots: Any, t_s: float) -> bool:
    """What the point at `t_s` needs has not come."""
    return bool(knots[ENDED] == 0.0 and math.floor(t_s / external.interval_s) + SUPPORT > knots[COUNT])
