"""Which points do not belong: those whose distance from what the others say is no chance.

From the robust fit's clean points on, again and again: a least squares fit of the points that are in; each point's
residual over its own standard error, the point itself left out; in is who passes. With n points the limit is the one
that clean normal data pass, all of them, in 99 of 100 campaigns: little is lost where nothing is wrong.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.friction.fit_problem import Directions, Fitted, Scaled, fit_form, root_jacobian, unweighted
from hilctl.identify.friction.fit_robust import robust
from hilctl.identify.friction.model_curve import DIRECTION, WORDS
from hilctl.identify.friction.model_laws import Form
from hilctl.identify.friction.model_ranges import Ranges

FALSE_ALARM = 0.01  # a campaign
CLEAN = 2.5  # robust standard deviations: with these points it begins
EXACTLY = 1e-9  # of the greatest force: nobody measures finer, so nothing below is an outlier
DELTAS = np.array([0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0])  # starts
FEWEST = 10  # points a direction: with fewer, an outlier is indistinguishable from the curve
ROUNDS = 12


class Judged(NamedTuple):
    """A fit's verdict on every point."""

    inside: Any
    studentised: Any  # each residual over its standard error, the point left out
    limit: float
    leverage: Any  # of the points inside; nan for the others


def clean_start(scaled: Scaled, ranges: Ranges, offset: bool, form: Form) -> Any | None:
    """The points near the robust curve, each direction by itself where there are enough; None where there are not."""
    d = scaled.data[DIRECTION]
    sides = [d > 0, d < 0]
    if all(np.count_nonzero(side) >= FEWEST for side in sides if np.any(side)):
        parts = [side for side in sides if np.any(side)]
        offset = False
    elif len(d) >= FEWEST:
        parts = [np.ones(len(d), bool)]
    else:
        return None
    clean = np.zeros(len(d), bool)
    for part in parts:
        data = scaled.where(part)
        low, high = form.bounds(ranges, scaled.unit_n, scaled.unit_n if offset and len(parts) == 1 else 0.0)
        x, r = np.zeros(WORDS), np.zeros(data.shape[1])
        scale = robust(data, low, high, DELTAS[:1] if form.smooth else DELTAS, int(np.count_nonzero(high > low)), x, r)
        clean[part] = np.abs(r) <= CLEAN * max(scale, EXACTLY)
    return clean


def judged(fitted: Fitted, scaled: Scaled) -> Judged:
    """Every point against a fit of those that are in it."""
    from scipy.stats import t

    size = scaled.data.shape[1]
    studentised, leverage, d = np.zeros(size), np.full(size, np.nan), scaled.data[DIRECTION]
    root = math.sqrt(1.0 / size) * EXACTLY
    for block in fitted.blocks:
        side = np.ones(size, bool) if len(fitted.blocks) == 1 else d == block.data[DIRECTION, 0]
        moving = [j for j in block.free() if j not in block.at_bound()]
        data = scaled.where(side)
        jacobian = root_jacobian(data, block.x, moving)
        inside = block.chosen[side]
        h = _leverages(jacobian, inside)
        r = data[3] * unweighted(data, block.x)
        # The variance without the point itself, for points that are in it.
        h_in = np.minimum(h, 1.0 - 1e-9)
        without = (fitted.squares - r**2 / (1.0 - h_in)) / max(fitted.freedom - 1, 1)
        variance = np.where(inside, np.maximum(without, 0.0) * (1.0 - h_in), fitted.variance * (1.0 + h))
        studentised[side] = r / np.sqrt(variance + root**2)
        leverage[side] = np.where(inside, h, np.nan)
    limit = float(t.ppf(1.0 - FALSE_ALARM / (2 * size), max(fitted.freedom - 1, 1)))
    return Judged(np.abs(studentised) <= limit, studentised, limit, leverage)


def _leverages(jacobian: Any, inside: Any) -> Any:
    """x (X^T X)^-1 x of every row, X being the rows inside."""
    norms = np.linalg.norm(jacobian[inside], axis=0)
    norms[norms == 0] = 1.0
    scaled = jacobian / norms
    inverse = np.linalg.pinv(scaled[inside].T @ scaled[inside], rcond=1e-12, hermitian=True)
    return np.einsum("ij,jk,ik->i", scaled, inverse, scaled)


def settled(scaled: Scaled, ranges: Ranges, start: Any, offset: bool, form: Form) -> Any:
    """The points that belong to the most flexible curve they can carry, from a start. `form`: the most flexible law."""
    chosen = start
    for _ in range(ROUNDS):
        fitted = flexible(scaled, ranges, chosen, offset, form)
        if fitted is None:
            return start
        inside = judged(fitted, scaled).inside
        if np.array_equal(inside, chosen):
            break
        chosen = inside
    return chosen


def flexible(scaled: Scaled, ranges: Ranges, chosen: Any, offset: bool, form: Form) -> Fitted | None:
    """The most flexible law on these points, the directions apart where they have the points."""
    both = Directions.OFFSET if offset else Directions.ALIKE
    for directions in (Directions.APART, both, Directions.ALIKE):
        d = scaled.data[DIRECTION][chosen]
        if directions == Directions.APART and min(np.count_nonzero(d > 0), np.count_nonzero(d < 0)) < FEWEST:
            continue
        fitted = fit_form(form, directions, scaled, ranges, chosen)
        if fitted is not None and fitted.freedom > 1:
            return fitted
    return None
