"""One speed: windows, gates and points from the samples of its triangle.

A point's force is the mean of its windows, each weighed by its samples. Its standard error is the larger of what the
sensors' noise gives and what blocks of the force itself show: sliding adds noise of its own. What both directions
share (weight, a biased pressure pair, a biased accelerometer) is (F+ + F-)/2, the rest (F+ - F-)/2 with signed forces.
What the sensors' scales may add is kept apart from the standard error: all points share it.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hilctl.experiment.facts import OFFSETS, Facts
from hilctl.experiment.record import Mask, Record
from hilctl.experiment.scales import scale_sd
from hilctl.experiment.sensors import CHANNEL_OF, SENSED
from hilctl.identify.friction.estimate_windows import Window, cut, faster_m_s, force, had, timed
from hilctl.identify.friction.judge_expected import Expected
from hilctl.identify.friction.judge_windows import judge
from hilctl.identify.friction.plan import Leg
from hilctl.results.friction import Pair, Point

Reals = npt.NDArray[np.float64]
SCALES = ("pressure_a", "pressure_b", "acceleration")  # that enter a force
BLOCKS = 8  # of a window; their spread is that of the mean where noise is white or fast
HIDDEN = 3.0  # times their spread: more noise than that they would show, but for one window of 500


class Measured(Struct, frozen=True):
    """One speed, finished."""

    index: int
    leg: Leg
    ticks: int  # of the loop that it took, pauses not counted
    oil_degc: float | None
    mass_kg: float  # with which m a was taken off
    windows: list[Window]
    points: list[Point]
    pair: Pair | None
    scales_n: list[list[float]]  # of each point: what a standard deviation of each scale adds to its force
    lost: float = 0.0  # share of the readings
    again: Sequence[str] = ()  # why it was driven before, and did not count
    faster_m_s: float = 0.0  # than asked, at most

    @property
    def discarded(self) -> list[Window]:
        """The windows that do not count; each says why."""
        return [w for w in self.windows if w.reason]


def aligned(record: Record, facts: Facts, offsets: Mapping[str, float]) -> Record:
    """With the offsets at the campaign's begin instead of those: zeroing between two speeds shifts no point."""
    out = dict(record)
    for key, (name, channel) in zip(OFFSETS, CHANNEL_OF.items(), strict=True):
        out[channel] = record[channel] + facts[f"sensors.{name}.gain"] * (offsets[key] - facts[key])
    return Record(out, record.rate_hz)


def evaluate(
    index: int, leg: Leg, record: Record, facts: Facts, expected: Expected, again: Sequence[str] = ()
) -> Measured:
    """From its triangle, just driven or stored."""
    samples = timed(record.bridged, facts)
    windows = cut(samples, leg, facts, expected)
    judge(windows, leg.speed_m_s, facts, expected)
    found = points(windows, force(samples, facts), had(samples), facts)
    oil = float(np.mean(samples["oil_temperature_degc"])) if len(samples["tick"]) else math.nan
    return Measured(
        index, leg, record.ticks, oil if math.isfinite(oil) else None, float(facts["machine.m"]), windows, found,
        pair(found), scales(windows, facts), record.losses(SENSED).share, again,
        faster_m_s(samples, leg, facts, expected),
    )  # fmt: skip


def points(windows: Sequence[Window], force: Reals, there: Mask, facts: Facts) -> list[Point]:
    """One for each direction that has windows which count; forward first. `there`: the ticks whose force counts."""
    return [_point(way, own, way * force, there, facts) for way, own in _by_direction(windows)]


def scales(windows: Sequence[Window], facts: Facts) -> list[list[float]]:
    """For each of these points: what a standard deviation of each scale adds to its force; see SCALES."""
    area, sds = facts["machine.A"], [scale_sd(facts.values, sensor) for sensor in SCALES]
    found = []
    for way, own in _by_direction(windows):
        parts = [[way * area * w.pressure_a_pa, -way * area * w.pressure_b_pa, -w.inertia_n] for w in own]
        found.append([float(one) for one in np.average(parts, axis=0, weights=_counts(own)) * sds])
    return found


def _by_direction(windows: Sequence[Window]) -> list[tuple[int, list[Window]]]:
    """Those that count; forward first, and no direction without any."""
    counted = [(way, [w for w in windows if w.direction == way and not w.reason]) for way in (1, -1)]
    return [(way, own) for way, own in counted if own]


def _counts(windows: Sequence[Window]) -> Reals:
    return np.array([w.count - w.rejected for w in windows], float)


def _point(way: int, windows: Sequence[Window], force: Reals, there: Mask, facts: Facts) -> Point:
    counts = _counts(windows)
    total = float(counts.sum())
    mean = float(counts @ np.array([w.force_n for w in windows])) / total
    blocks = []
    for w in windows:
        part = slice(w.first, w.first + w.count)
        for own, fresh in zip(np.array_split(force[part], BLOCKS), np.array_split(there[part], BLOCKS), strict=True):
            blocks += [own[fresh].mean()] if fresh.any() else []
    shown = float(np.std(blocks, ddof=1)) / math.sqrt(len(blocks))
    # At rest the noise also holds dither and hunting, which a table in motion need not show.
    noise = facts.force_noise_n / math.sqrt(total)
    noise = min(noise, HIDDEN * shown) if shown > 0.0 else noise
    return Point(
        direction=way, speed_m_s=float(counts @ np.array([w.speed_m_s for w in windows])) / total, force_n=mean,
        std_n=max(shown, noise), windows=len(windows), samples=int(total),
    )  # fmt: skip


def pair(found: Sequence[Point]) -> Pair | None:
    """Both directions together; None where one is missing."""
    forward = next((p for p in found if p.direction > 0), None)
    backward = next((p for p in found if p.direction < 0), None)
    if forward is None or backward is None:
        return None
    return Pair(
        speed_m_s=0.5 * (forward.speed_m_s + backward.speed_m_s), force_n=0.5 * (forward.force_n + backward.force_n),
        std_n=0.5 * math.hypot(forward.std_n, backward.std_n), offset_n=0.5 * (forward.force_n - backward.force_n),
    )  # fmt: skip
