"""What a motion asks of the valve: command, spool and load pressure, as the loop computes them from its parameters.

The inverse model asks for more than the motion's flow: the pressure has to turn with acceleration and friction, and
what the valve's lag takes off is put on top. Where the command passes `limits.command` it is cut, and where the spool
would have to go faster than `machine.slew_per_s` it comes late: the table then does worse than without the inverse
model (a valve of 350 rad/s, corners of 0.02 s at 0.1 m/s: 59 → 299 µm rms).

Looked at are the stretches of a plan; each begins WARM_S early, for friction to have its past. Where they are longer
than WHOLE_S together, they are looked at around the greatest speed, acceleration and jerk and the sharpest reversal of
each of about PARTS parts.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hilctl.law.feed import LINEAR, rt_feed_linear, rt_feed_prepare, rt_lead_ticks, rt_pressure_for
from hilctl.law.inverse import (
    INVERSE,
    RING,
    rt_inverse_advance,
    rt_inverse_command,
    rt_inverse_early_s,
    rt_inverse_pressure,
    rt_inverse_side,
    rt_inverse_stop,
)
from hilctl.law.motions.planning import Plan
from hilctl.law.reference import HISTORY, MOTION, POINT, rt_history_get, rt_history_put, rt_reference
from hilctl.law.settings import PID_FEEDBACK, RIG_FEEDBACK, SETTINGS
from hilctl.params import record_of
from hilctl.rt import jit, record_type

WARM_S = 0.05
WHOLE_S, PARTS = 120.0, 60
AROUND_S = 0.5  # either way
_INSTANTS = 1000  # of a part, at which these are looked for
DEMAND: Any = record_of(
    [
        ("opening", np.float64),  # the greatest command,
        ("opening_s", np.float64),  # when,
        ("slew_per_s", np.float64),  # its fastest change,
        ("slew_s", np.float64),
        ("spool_per_s", np.float64),  # the greatest speed of the spool,
        ("spool_s", np.float64),
        ("late", np.float64),  # by how much of full opening it is late where machine.slew_per_s holds it back,
        ("late_s", np.float64),
        ("pressure_pa", np.float64),  # and the greatest load pressure
        ("pressure_s", np.float64),
    ]
)
WORK: Any = record_of(
    [
        ("linear", LINEAR),
        ("inverse", INVERSE),
        ("history", HISTORY),
        ("head", POINT),
        ("ahead", POINT),
        ("path", np.float64),  # where the spool is to be,
        ("spool", np.float64),  # and where it is
        ("fastest", np.float64),  # in this tick: the path's speed,
        ("late", np.float64),  # and what the spool is late by
    ]
)


class Demand(NamedTuple):
    """Of a whole motion."""

    opening: float  # the greatest command, without the null
    opening_s: float  # when
    slew_per_s: float  # its fastest change
    slew_s: float
    spool_per_s: float  # the greatest speed of the spool, in openings a second
    spool_s: float
    late: float  # what it is late by, in openings, where it cannot go as fast
    late_s: float
    pressure_pa: float  # the greatest load pressure
    pressure_s: float


def demand(plan: Plan, settings: Any, share: float = 1.0) -> Demand | None:
    """The demand of a plan under settings as the loop reads them, with this share of the inverse model that is active.

    None where nothing is fed forward: the rig closes its own loop, or the PID is alone.
    """
    law = settings.law
    if law.feedback == RIG_FEEDBACK or (law.feedback == PID_FEEDBACK and share * law.feed.inverse <= 0.0):
        return None
    taken = settings.copy()
    taken.law.feed.inverse *= share
    most, work = np.zeros(1, DEMAND)[0], np.zeros(1, WORK)[0]
    for first, last in _ticks(plan, float(settings.dt_s)):
        rt_demand(plan.motion, plan.knots, taken, first, last, round(WARM_S / settings.dt_s), work, most)
    return Demand(*(float(value) for value in most.item()))


def _ticks(plan: Plan, dt_s: float) -> Iterator[tuple[int, int]]:
    """The first and the last tick of what is looked at, in order, and nothing twice."""
    done = -1
    for first_s, last_s in _spans(plan):
        first, last = max(int(first_s / dt_s), done + 1), int(np.ceil(last_s / dt_s)) + 1
        if last > first:
            yield first, last
            done = last


def _spans(plan: Plan) -> Iterator[tuple[float, float]]:
    stretches = sorted(plan.stretches)
    if sum(last_s - first_s for first_s, last_s, _ in stretches) <= WHOLE_S:
        yield from ((first_s, last_s) for first_s, last_s, _ in stretches)
        return
    for first_s, last_s, _ in stretches:
        edges = np.linspace(first_s, last_s, 1 + max(1, PARTS // len(stretches)))
        for begin_s, end_s in itertools.pairwise(edges):
            times_s = np.linspace(begin_s, end_s, _INSTANTS)
            points = plan.points(times_s)
            turns = np.diff(np.sign(points["v_m_s"]), append=0.0) != 0.0
            marks = (points["v_m_s"], points["a_m_s2"], points["j_m_s3"], turns * points["a_m_s2"])
            for at in sorted({int(np.argmax(np.abs(mark))) for mark in marks}):
                yield max(times_s[at] - AROUND_S, begin_s), min(times_s[at] + AROUND_S, end_s)


def _signature() -> Any:
    whole, real = record_type(np.dtype(np.int64)), record_type(np.dtype(np.float64))
    motion, settings, work, most = (record_type(kind) for kind in (MOTION, SETTINGS, WORK, DEMAND))
    return record_type(np.dtype(np.int64))(motion, real[::1], settings, whole, whole, whole, work, most)


@jit(_signature, cached=True)
def rt_demand(motion: Any, knots: Any, now: Any, first: int, last: int, warm: int, work: Any, most: Any) -> int:
    """Widens `most` by the ticks from `first` to `last` of a motion, after `warm` before them; `work` is scratch."""
    machine, feed, dt_s, share = now.machine, now.law.feed, now.dt_s, now.law.feed.inverse
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
        rt_history_get(work.history, tick, 0.0, dt_s, work.ahead)
        pressure_pa = rt_pressure_for(work.linear, now.friction, work.ahead)
        rt_history_get(work.history, tick, work.linear.preview_ticks, dt_s, work.ahead)
        opening = 0.0 if now.law.feedback == PID_FEEDBACK else rt_feed_linear(work.linear, work.ahead)
        path, side, early_s = opening, 0.0, 0.0
        if share > 0.0:
            rt_inverse_advance(machine, now.friction, np.nan, np.nan, feed.smooth_s, feed.cross_s, work.history,
                               tick + lead, tick, dt_s, work.inverse)
            opening += share * (rt_inverse_command(tick, feed.extra_preview_s, dt_s, work.inverse) - opening)
            early_s = rt_inverse_early_s(machine, now.friction, work.ahead.a_m_s2, work.inverse)
            side = share * rt_inverse_side(tick, feed.extra_preview_s + early_s, dt_s, work.inverse)
            pressure_pa += share * (rt_inverse_pressure(tick, work.inverse) - pressure_pa)
        _rt_spool(tick, path, share, early_s, overlap, machine.slew_per_s, tick <= first, dt_s, work)
        command = (1.0 - overlap) * opening + overlap * side
        slew_per_s = abs(command - before) / dt_s
        before = command
        if tick <= first:
            continue
        if abs(command) > most.opening:
            most.opening, most.opening_s = abs(command), tick * dt_s
        if slew_per_s > most.slew_per_s:
            most.slew_per_s, most.slew_s = slew_per_s, tick * dt_s
        if work.fastest > most.spool_per_s:
            most.spool_per_s, most.spool_s = work.fastest, tick * dt_s
        if work.late > most.late:
            most.late, most.late_s = work.late, tick * dt_s
        if abs(pressure_pa) > most.pressure_pa:
            most.pressure_pa, most.pressure_s = abs(pressure_pa), tick * dt_s
    return 0


@jit()
def _rt_spool(tick: int, path: float, share: float, early_s: float, overlap: float, slew_per_s: float, begins: bool,
              dt_s: float, w: Any) -> None:
    """The spool's path through a tick without what makes up for the valve's lag, as the mean over the tick: a command
    that is held shows no more of it. How fast that is, and how late a spool that goes no faster than `slew_per_s`.
    """
    s, mask = w.inverse, RING - 1
    if share > 0.0:
        early, opening, side = round(early_s * s.steps / dt_s), 0.0, 0.0
        for g in range(tick * s.steps, (tick + 1) * s.steps):
            opening += s.opening[g & mask] / s.steps
            side += s.crossing.side[(g + early) & mask] / s.steps
        path += share * (opening - path)
        path = (1.0 - overlap) * path + share * overlap * side
    w.fastest = abs(path - w.path) / dt_s
    w.path = path
    w.spool = path if begins else w.spool + min(max(path - w.spool, -slew_per_s * dt_s), slew_per_s * dt_s)
    w.late = abs(path - w.spool)
