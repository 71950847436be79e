"""A motion as a picture: its lowest and highest values in equal parts of its time, so that no peak is lost.

What is evaluated is bounded, however long the motion is. The body is cut into `_FINE` pieces, and at the parts' ends:

    sine, chirp  every cycle of a piece, or the first and the last where there are many; both ramps
    triangle     every corner, or those of the first period of a piece; a straight has its extremes at its ends
    waveform     as finely as the check looks at it: the number of its knots is bounded
    external     where it begins: its positions are not known

and lead-in and lead-out as finely as the check looks at them.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hilctl.law.motions.checking import GaveUp
from hilctl.law.motions.planning import Plan, Reals, whole_s
from hilctl.law.reference.motion import ENDLESS_S, Kind

PERIODS = 3  # of a motion without end that are shown
COLUMNS = {"position_m": "x_m", "velocity_m_s": "v_m_s", "acceleration_m_s2": "a_m_s2"}

_FINE = 2000
_PER_CYCLE, _PER_MOVE = 100, 200  # as the check looks at them
_PER_CORNER = 20  # its peak is in its middle, its acceleration a plateau about that
_WHOLE = 4  # cycles of a piece that are all looked at; of more, the first and the last
_AT_ONCE = 200_000  # instants, about 0.1 s


def preview(plan: Plan, points: int, going: Callable[[], bool] = lambda: True) -> dict[str, Reals]:
    """`t_s` and the columns: pairs of the lowest and the highest value in each of points/2 equal parts of the time.

    The lowest stands first where the value rises from the begin of a part to its end, else the highest. GaveUp, when
    it is `going` no longer.
    """
    span_s = shown_s(plan)
    count = max(1, points // 2) if span_s > 0.0 else 1
    ends = plan.points(np.linspace(0.0, span_s, count + 1))
    low = {name: np.minimum(ends[field][:-1], ends[field][1:]) for name, field in COLUMNS.items()}
    high = {name: np.maximum(ends[field][:-1], ends[field][1:]) for name, field in COLUMNS.items()}
    for times in _instants(plan, span_s, count):
        for done in range(0, len(times), _AT_ONCE):
            if not going():
                raise GaveUp
            some = times[done : done + _AT_ONCE]
            found = plan.points(some)
            part = np.minimum((some * (count / span_s)).astype(np.int64), count - 1)
            for name, field in COLUMNS.items():
                np.minimum.at(low[name], part, found[field])
                np.maximum.at(high[name], part, found[field])
    columns: dict[str, Reals] = {"t_s": np.asarray((np.arange(2 * count) + 0.5) * (span_s / (2 * count)), np.float64)}
    for name, field in COLUMNS.items():
        rises = ends[field][1:] >= ends[field][:-1]
        pairs = np.where(rises, (low[name], high[name]), (high[name], low[name]))
        columns[name] = np.ascontiguousarray(pairs.T).ravel()
    return columns


def shown_s(plan: Plan) -> float:
    """How much of a motion is shown: all of it, or its start and its first periods."""
    motion = plan.motion
    if motion.body_s < ENDLESS_S:
        return whole_s(motion)
    if motion.kind == Kind.EXTERNAL:
        return 0.0
    before_s = motion.sine.rise_s if motion.kind == Kind.SINE else 0.5 * motion.triangle.corner_s
    return float(motion.lead.duration_s + before_s + PERIODS * plan.facts["period_s"])


def _instants(plan: Plan, span_s: float, parts: int) -> Iterator[Reals]:
    """Where the extremes may be, within the time that is shown; in runs of a bounded length."""
    motion = plan.motion
    lead_s, body_s = float(motion.lead.duration_s), float(motion.body_s)
    end_s = min(lead_s + body_s, span_s)
    for first_s, last_s in ((0.0, lead_s), (end_s, span_s)):
        if last_s > first_s:
            yield np.linspace(first_s, last_s, _PER_MOVE + 1)
    if motion.kind == Kind.WAVEFORM:
        yield from (np.arange(first, last, step) for first, last, step in plan.stretches)
        return
    ends = np.clip(np.linspace(0.0, span_s, parts + 1), lead_s, end_s)
    edges = np.unique(np.concatenate((ends, np.linspace(lead_s, end_s, _FINE + 1)))) - lead_s
    if motion.kind in (Kind.SINE, Kind.CHIRP):
        made = _waves(motion, edges)
    elif motion.kind == Kind.TRIANGLE:
        made = _corners(motion.triangle, body_s, edges)
    else:
        return
    for times in made:
        yield np.clip(lead_s + times, lead_s, end_s)


def _waves(motion: Any, edges: Reals) -> Iterator[Reals]:
    """Every cycle of each piece, or the first and the last; and the ramps, that may be shorter than a cycle."""
    shape = motion.sine if motion.kind == Kind.SINE else motion.chirp
    begin, end = edges[:-1], edges[1:]
    first_hz, last_hz = _frequency(motion, begin), _frequency(motion, end)
    cycles = (end - begin) * np.maximum(first_hz, last_hz)
    many = cycles > _WHOLE
    if not many.all():
        yield _rows(begin[~many], end[~many], max(2, math.ceil(_PER_CYCLE * np.max(cycles[~many]))))
    yield _rows(begin[many], begin[many] + 1.0 / first_hz[many], _PER_CYCLE)
    yield _rows(end[many] - 1.0 / last_hz[many], end[many], _PER_CYCLE)
    yield np.linspace(0.0, shape.rise_s, _PER_MOVE + 1)
    if motion.body_s < ENDLESS_S:
        yield np.linspace(motion.body_s - shape.fall_s, motion.body_s, _PER_MOVE + 1)


def _frequency(motion: Any, times_s: Reals) -> Reals:
    """As hilctl.law.reference.chirp has it."""
    if motion.kind == Kind.SINE:
        return np.full(len(times_s), float(motion.sine.frequency_hz))
    chirp = motion.chirp
    if chirp.growth_per_s == 0.0:
        return np.asarray(chirp.start_hz + chirp.rate_hz_s * times_s)
    return np.asarray(chirp.start_hz * np.exp(chirp.growth_per_s * times_s))


def _corners(triangle: Any, body_s: float, edges: Reals) -> Iterator[Reals]:
    """Every corner that is shown; where pieces are longer than two periods, those of the first period of each."""
    corner_s, straight_s = float(triangle.corner_s), float(triangle.straight_s)
    half_s, ramp_s = straight_s + corner_s, 0.5 * corner_s
    yield np.linspace(0.0, ramp_s, _PER_CORNER + 1)
    if body_s < ENDLESS_S:
        yield np.linspace(body_s - ramp_s, body_s, _PER_CORNER + 1)
    first_s = ramp_s + straight_s  # where the first corner begins; the next one half a period later
    last = max(0, math.floor((min(edges[-1], body_s - ramp_s) - first_s) / half_s - 1e-9))
    if last > 4 * len(edges):
        after = np.ceil((edges[:-1] - first_s) / half_s)
        corners = np.unique(np.clip(np.concatenate((after, after + 1.0)), 0.0, last))
    else:
        corners = np.arange(last + 1.0)
    begin_s = first_s + half_s * corners
    yield _rows(begin_s, begin_s + corner_s, _PER_CORNER)


def _rows(begin_s: Reals, end_s: Reals, steps: int) -> Reals:
    """So many even steps from each begin to its end."""
    return np.asarray(begin_s[:, None] + (end_s - begin_s)[:, None] * np.linspace(0.0, 1.0, steps + 1)).ravel()
