"""The travel of the table while friction turns: none, if friction jumps.

After a reversal friction goes from -f to +f. If it jumps, the table stands while the oil is compressed; if it is a
spring, the table moves, 2 zs ln 3 = 22 µm between half and half on the reference rig. Position over force is a
straight line through the middle of that way. Its slope is the compliance there, measured at each reversal of each
block of cycles; their scatter tells how well it is known.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.facts import Facts
from hilctl.identify.presliding.estimate_cycles import Cycles, Reals
from hilctl.identify.presliding.estimate_loop import FINE, Loop, loop_of

MIDDLE = 0.5  # of the level, either way
WHOLE = 0.95  # of the level: friction turns all the way
LEAST_POINTS = 3
BLOCKS = 4


class Travel(NamedTuple):
    """Between minus and plus half of the level."""

    level_n: float
    travel_m: float
    error_m: float  # standard error
    reversals: int  # those looked at

    @property
    def stiffness_n_m(self) -> float:
        """Across the middle."""
        return 2 * MIDDLE * self.level_n / self.travel_m if self.travel_m > 0 else math.inf


def travel_of(swings: Sequence[Cycles], facts: Facts) -> Travel:
    """Over all swings that are large enough for friction to turn fully."""
    loops = [[loop_of(c.part(i, BLOCKS), facts) for i in range(BLOCKS)] for c in swings]
    heights = [float(np.median([0.5 * np.ptp(_smooth(loop.force_n)) for loop in blocks])) for blocks in loops]
    level = heights[max(range(len(swings)), key=lambda i: swings[i].amplitude_m)]
    found: list[tuple[float, int]] = []
    for number, blocks in enumerate(loops):
        if heights[number] < WHOLE * level:
            continue
        found += [(value, number) for loop in blocks for value in compliances(loop, level)]
    values = np.array([value for value, _ in found]) * 2 * MIDDLE * level
    if len(values) < 2:
        return Travel(level, math.nan, math.inf, len(values))
    floor = min(loop.noise_m for blocks in loops for loop in blocks) / math.sqrt(len(values))
    error = max(float(np.std(values, ddof=1)) / math.sqrt(len(values)), floor)
    return Travel(level, float(np.mean(values)), error, len(values))


def compliances(loop: Loop, level_n: float) -> list[float]:
    """At each reversal: travel over force through the middle of friction's turn."""
    x, force = loop.x_m[::FINE], loop.force_n
    middle = 0.5 * (float(np.max(_smooth(force))) + float(np.min(_smooth(force))))
    out = []
    for way in (1.0, -1.0):
        rows = _turn(way * (force - middle) / level_n)
        if len(rows) >= LEAST_POINTS:
            f = force[rows] - force[rows].mean()
            out.append(float(f @ (x[rows] - x[rows].mean()) / (f @ f)))
    return out


def _turn(share: Reals) -> npt.NDArray[np.intp]:
    """The points from the last one below -MIDDLE to the next above MIDDLE; none where friction does not turn so far.

    On the way it may cross the middle to and fro: noise does that, also where friction turns the other way.
    """
    n = len(share)
    outside = np.flatnonzero(np.abs(share) > MIDDLE)
    before = np.roll(outside, 1)
    for i, j in zip(before, outside, strict=True):
        if share[i] < 0 < share[j]:
            return np.arange(i, j + (n if j < i else 0) + 1) % n
    return np.arange(0)


def _smooth(force: Reals) -> Reals:
    """Over five points, so that a level is not its noise."""
    return np.asarray(np.mean([np.roll(force, i) for i in range(-2, 3)], axis=0))
