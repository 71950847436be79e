"""How far the table goes while friction turns: nothing, if it jumps.

After a reversal friction goes from -f to +f. If it jumps, the table stands while the oil is compressed; if it is a
spring, the table moves, 2 zs ln 3 = 22 µm between half and half on the reference rig. Position over force is a
straight line through the middle of that way. Its slope is the compliance there, measured at each reversal of each
block of cycles; their scatter tells how well it is known.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hilctl.identify.presliding.cycles import Cycles, Reals
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.loop import FINE, Loop, loop_of

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
    """Over all swings that are large enough for friction to turn whole."""
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
        share = way * (force - middle) / level_n
        # the turn that goes this way: from the last point below to the first one above
        rising = np.flatnonzero((np.roll(share, 1) < 0) & (share >= 0))
        if not len(rising):
            continue
        at = int(rising[0])
        n = len(share)
        first, last = at - 1, at
        while share[first % n] > -MIDDLE and at - first < n // 2:
            first -= 1
        while share[last % n] < MIDDLE and last - at < n // 2:
            last += 1
        rows = np.arange(first, last + 1) % n
        if len(rows) >= LEAST_POINTS:
            f = force[rows] - force[rows].mean()
            out.append(float(f @ (x[rows] - x[rows].mean()) / (f @ f)))
    return out


def _smooth(force: Reals) -> Reals:
    """Over five points, so that a level is not its noise."""
    return np.asarray(np.mean([np.roll(force, i) for i in range(-2, 3)], axis=0))
