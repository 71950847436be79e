"""What a motion asks of the valve: the command of the feed-forward, as the loop computes it from the active settings.

The inverse model asks for more than the motion's flow: the pressure has to turn with acceleration and friction, and
what the valve's lag takes off is put on top. Where that passes `limits.command`, the command is cut, and the table
does worse than without the inverse model (a valve of 350 rad/s, corners of 0.02 s at 0.1 m/s: 59 → 299 µm rms).

Looked at are the stretches of a plan; each begins WARM_S early, for friction to have its past.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hilctl.law.feed import LINEAR, rt_feed_linear, rt_feed_prepare, rt_lead_ticks
from hilctl.law.inverse import (
    INVERSE,
    rt_inverse_advance,
    rt_inverse_command,
    rt_inverse_early_s,
    rt_inverse_side,
    rt_inverse_stop,
)
from hilctl.law.motions.planning import Plan
from hilctl.law.reference import HISTORY, MOTION, POINT, rt_history_get, rt_history_put, rt_reference
from hilctl.law.settings import PID_FEEDBACK, RIG_FEEDBACK, SETTINGS
from hilctl.params import record_of
from hilctl.rt import jit, record_type

WARM_S = 0.05
DEMAND: Any = record_of(
    [
        ("opening", np.float64),  # the greatest command,
        ("opening_s", np.float64),  # when,
        ("slew_per_s", np.float64),  # and its fastest change
        ("slew_s", np.float64),
    ]
)
WORK: Any = record_of(
    [("linear", LINEAR), ("inverse", INVERSE), ("history", HISTORY), ("head", POINT), ("ahead", POINT)]
)


class Demand(NamedTuple):
    """Of a whole motion."""

    opening: float  # the greatest command, without the null
    opening_s: float  # when
    slew_per_s: float  # its fastest change
    slew_s: float


def demand(plan: Plan, settings: Any) -> Demand | None:
    """The demand of a plan under settings as the loop reads them; None where no inverse model is active."""
    if settings.law.feed.inverse <= 0.0 or settings.law.feedback == RIG_FEEDBACK:
        return None
    most, work = np.zeros(1, DEMAND)[0], np.zeros(1, WORK)[0]
    for first, last in _ticks(plan, float(settings.dt_s)):
        rt_demand(plan.motion, plan.knots, settings, first, last, round(WARM_S / settings.dt_s), work, most)
    return Demand(*(float(value) for value in most.item()))


def _ticks(plan: Plan, dt_s: float) -> Iterator[tuple[int, int]]:
    """The first and the last tick of what is looked at, in order, and nothing twice."""
    done = -1
    for first_s, last_s, _ in sorted(plan.stretches):
        first, last = max(int(first_s / dt_s), done + 1), int(np.ceil(last_s / dt_s)) + 1
        if last > first:
            yield first, last
            done = last


def _signature() -> Any:
    whole, real = record_type(np.dtype(np.int64)), record_type(np.dtype(np.float64))
    motion, settings, work, most = (record_type(kind) for kind in (MOTION, SETTINGS, WORK, DEMAND))
    return record_type(np.dtype(np.int64))(motion, real[::1], settings, whole, whole, whole, work, most)


@jit(_signature, cached=True)
def rt_demand(motion: Any, knots: Any, now: Any, first: int, last: int, warm: int, work: Any, most: Any) -> int:
    """Widens `most` by the ticks from `first` to `last` of a motion, after `warm` before them; `work` is scratch."""
    machine, feed, dt_s = now.machine, now.law.feed, now.dt_s
    rt_feed_prepare(machine, now.friction.viscous, feed, dt_s, work.linear)
    overlap = 0.5 * now.law.valve.inverse * (machine.overlap_a + machine.overlap_b)
    cross_s = feed.cross_s if overlap > 0.0 else 0.0
    lead = rt_lead_ticks(work.linear.preview_ticks, feed.extra_preview_s, feed.smooth_s, cross_s, dt_s)
    rt_inverse_stop(work.inverse)
    begin = first - warm
    for tick in range(begin - 2 * warm, begin + lead):
        rt_reference(motion, knots, max(tick * dt_s, 0.0), work.head)
        rt_history_put(work.history, tick, work.head)
    before = 0.0
    for tick in range(begin, last + 1):
        rt_reference(motion, knots, max((tick + lead) * dt_s, 0.0), work.head)
        rt_history_put(work.history, tick + lead, work.head)
        rt_inverse_advance(machine, now.friction, np.nan, np.nan, feed.smooth_s, feed.cross_s, work.history,
                           tick + lead, tick, dt_s, work.inverse)
        rt_history_get(work.history, tick, work.linear.preview_ticks, dt_s, work.ahead)
        linear = 0.0 if now.law.feedback == PID_FEEDBACK else rt_feed_linear(work.linear, work.ahead)
        opening = linear + feed.inverse * (
            rt_inverse_command(tick, feed.extra_preview_s, dt_s, work.inverse) - linear
        )
        early_s = rt_inverse_early_s(machine, now.friction, work.ahead.a_m_s2, work.inverse)
        side = rt_inverse_side(tick, feed.extra_preview_s + early_s, dt_s, work.inverse)
        spool = (1.0 - overlap) * opening + overlap * side
        slew_per_s = abs(spool - before) / dt_s
        before = spool
        if tick <= first:
            continue
        if abs(spool) > most.opening:
            most.opening, most.opening_s = abs(spool), tick * dt_s
        if slew_per_s > most.slew_per_s:
            most.slew_per_s, most.slew_s = slew_per_s, tick * dt_s
    return 0
