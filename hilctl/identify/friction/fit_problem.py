"""A law and a hypothesis about the directions, fitted to points: one block of words, or one a direction.

    alike   one set of words for both directions
    offset  one set, and a force that does not turn with the direction
    apart   a set a direction
"""

import math
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.friction.fit_points import Points
from hilctl.identify.friction.fit_varpro import varpro
from hilctl.identify.friction.model_curve import DIRECTION, FC, FS, OFFSET, ROOT_WEIGHT, SIGMA, VS, WORDS, rows_of
from hilctl.identify.friction.model_laws import Form
from hilctl.identify.friction.model_ranges import Ranges

AT_END = 1e-9  # of a range: a word so near to an end has met it


class Directions(StrEnum):
    """What the directions have in common."""

    ALIKE = "alike"
    OFFSET = "offset"
    APART = "apart"


class Scaled(NamedTuple):
    """Points as the compiled functions read them: forces in units of the greatest, weights of mean 1/n."""

    data: Any
    unit_n: float
    sd_unit_n: float  # the standard deviation that stands for 1 in the residuals
    groups: Any  # a number for each speed, see Points
    scales: Any  # forces that all points share with a scale, one standard deviation a row
    speed_scale_sd: float
    own_variance: float  # of a residual, weighted, by the points' own deviations; 0 where none are known

    def units(self) -> Any:
        """What turns scaled words into SI."""
        out = np.ones(WORDS)
        out[[FC, FS, SIGMA, OFFSET]] = self.unit_n
        return out

    def where(self, chosen: Any) -> Any:
        """The data of some points; the weights stay comparable."""
        return np.ascontiguousarray(self.data[:, chosen])


def scaled(points: Points, offset_n: float = 0.0) -> Scaled:
    """The points, folded onto positive speeds; an offset that is known is taken off."""
    speed, d = np.abs(points.speed_m_s), points.direction
    force = d * (points.force_n - offset_n)
    unit = float(np.abs(force).max())
    weights = points.sd_n**-2.0
    weights /= weights.sum()
    sd_unit = math.sqrt(1.0 / np.mean(points.sd_n**-2.0))
    data = np.ascontiguousarray([speed, np.log(speed), force / unit, np.sqrt(weights), d])
    shared = np.reshape(points.scales_n, (-1, points.size)) * d / unit
    own = (sd_unit / unit) ** 2 / points.size if points.sd_known else 0.0
    return Scaled(data, unit, sd_unit, points.groups(), shared, points.speed_scale_sd, own)


class Block(NamedTuple):
    """One set of words on its points."""

    chosen: Any  # which of all points
    data: Any
    low: Any
    high: Any
    x: Any  # scaled
    squares: float

    def free(self) -> list[int]:
        """Words that were searched."""
        return [int(j) for j in np.flatnonzero(self.high > self.low)]

    def at_bound(self) -> dict[int, int]:
        """Free words that ended at an end of their range: -1 the lower, 1 the upper."""
        room = AT_END * (self.high - self.low)
        lower = {j: -1 for j in self.free() if self.x[j] <= self.low[j] + room[j]}
        upper = {j: 1 for j in self.free() if self.x[j] >= self.high[j] - room[j]}
        return {**lower, **upper}

    def jacobian(self, words: list[int]) -> Any:
        """Weighted derivatives of the curve by these words (vs itself, not its logarithm)."""
        return root_jacobian(self.data, self.x, words)

    def residuals(self) -> Any:
        """Scaled forces less the curve, unweighted."""
        return unweighted(self.data, self.x)


class Fitted(NamedTuple):
    """A law fitted under a hypothesis."""

    form: Form
    directions: Directions
    blocks: tuple[Block, ...]
    squares: float
    words: int  # parameters in all
    points: int

    @property
    def freedom(self) -> int:
        """Degrees of freedom that are left for the scatter."""
        return self.points - self.words

    @property
    def variance(self) -> float:
        """Of a residual, scaled and weighted like the squares."""
        return self.squares / self.freedom


def fit_form(form: Form, directions: Directions, scaled: Scaled, ranges: Ranges, chosen: Any) -> Fitted | None:
    """The best of this law under this hypothesis; None where the points are too few for it."""
    d = scaled.data[DIRECTION]
    parts = [chosen & (d > 0), chosen & (d < 0)] if directions == Directions.APART else [chosen]
    offset = scaled.unit_n if directions == Directions.OFFSET else 0.0
    blocks = []
    for part in parts:
        low, high = form.bounds(ranges, scaled.unit_n, offset)
        free = int(np.count_nonzero(high > low))
        if len(np.unique(scaled.groups[part])) < form.speeds or np.count_nonzero(part) <= free:
            return None
        if directions == Directions.OFFSET and (np.all(d[part] > 0) or np.all(d[part] < 0)):
            return None
        data, x = scaled.where(part), np.zeros(WORDS)
        least = varpro(data, low, high, x)
        if not math.isfinite(least):
            return None
        blocks.append(Block(part, data, low, high, x, least))
    words = sum(len(block.free()) for block in blocks)
    return Fitted(form, directions, tuple(blocks), sum(b.squares for b in blocks), words, int(np.count_nonzero(chosen)))


def unweighted(data: Any, x: Any) -> Any:
    """Folded forces less the curve."""
    return _rows(data, x)[0]


def root_jacobian(data: Any, x: Any, words: list[int]) -> Any:
    """Weighted derivatives of the curve by these words."""
    rows = _rows(data, x)[1]
    if x[VS] > 0:
        rows[:, VS] /= x[VS]
    return rows[:, words] * data[ROOT_WEIGHT][:, None]


def _rows(data: Any, x: Any) -> tuple[Any, Any]:
    """Residuals, and derivatives by every word."""
    out, rows = np.empty(data.shape[1]), np.empty((data.shape[1], WORDS))
    rows_of(data, x, rows, out)
    return out, rows
