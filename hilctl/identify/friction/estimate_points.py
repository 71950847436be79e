"""From windows to points of the friction curve: each speed and direction apart, and both together.

A point's force is the mean of its windows, each weighed by its samples. Its standard error is the larger of what the
sensors' noise gives and what blocks of the force itself show: sliding adds noise of its own. What both directions
share (weight, a biased pressure pair, a biased accelerometer) is (F+ + F-)/2, the rest (F+ - F-)/2 with signed forces.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hilctl.experiment.facts import Facts
from hilctl.experiment.record import Mask
from hilctl.identify.friction.estimate_windows import Window
from hilctl.results.friction import Pair, Point

Reals = npt.NDArray[np.float64]
BLOCKS = 8  # of a window; their spread is that of the mean where noise is white or fast


def points(windows: Sequence[Window], force: Reals, there: Mask, facts: Facts) -> list[Point]:
    """One for each direction that has windows which count; forward first. `there`: the ticks whose force counts."""
    found = []
    for way in (1, -1):
        own = [w for w in windows if w.direction == way and not w.reason]
        if own:
            found.append(_point(way, own, way * force, there, facts))
    return found


def _point(way: int, windows: Sequence[Window], force: Reals, there: Mask, facts: Facts) -> Point:
    counts = np.array([w.count - w.rejected for w in windows], float)
    total = float(counts.sum())
    mean = float(counts @ np.array([w.force_n for w in windows])) / total
    blocks = []
    for w in windows:
        part = slice(w.first, w.first + w.count)
        for own, had in zip(np.array_split(force[part], BLOCKS), np.array_split(there[part], BLOCKS), strict=True):
            blocks += [own[had].mean()] if had.any() else []
    shown = float(np.std(blocks, ddof=1)) / math.sqrt(len(blocks))
    return Point(
        direction=way, speed_m_s=float(counts @ np.array([w.speed_m_s for w in windows])) / total, force_n=mean,
        std_n=max(shown, facts.force_noise_n / math.sqrt(total)), windows=len(windows), samples=int(total),
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
