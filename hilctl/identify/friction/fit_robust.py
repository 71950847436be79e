"""A start that gross outliers cannot spoil, and the scale of what scatters besides them.

At each point of a grid in vs and delta the linear words are fitted by least absolute values (weights 1/|r|, again and
again), and that point counts whose residuals have the least median: up to nearly half of the points may be anything.
From the best start of each delta, Tukey's loss with that scale held is followed to its bottom,

    u = (1 - (r / 4.685 s)^2)^2,    zero beyond 4.685 s

whose least squares lose 5 % to those of data without outliers. The residuals here are in units of the points' standard
deviations: s would be 1 if these were true.
"""

import math
from typing import Any

import numpy as np

from hilctl.identify.friction.fit_polish import polish
from hilctl.identify.friction.fit_solve import best_linear
from hilctl.identify.friction.fit_varpro import between
from hilctl.identify.friction.model_curve import DELTA, ROOT_WEIGHT, VS, WORDS, derivatives
from hilctl.rt.jit import jit

TUKEY = 4.685  # 95 % efficient for normal errors
MAD = 1.4826  # the median of |r| to the standard deviation of normal errors
ABSOLUTE_ROUNDS, TUKEY_ROUNDS = 12, 40
SETTLED = 1e-9  # relative change of Tukey's loss
STEP = 0.25  # of the grid in ln vs
NOTHING = 1e-12  # of the greatest force: no residual counts as smaller


@jit()
def residuals(data: Any, x: Any, row: Any, out: Any) -> None:
    """Every point's, in units of its standard deviation as far as the weights are right."""
    ln_vs = math.log(x[VS]) if x[VS] > 0.0 else 0.0
    root = math.sqrt(data.shape[1])
    for i in range(data.shape[1]):
        out[i] = root * data[ROOT_WEIGHT, i] * derivatives(data, i, x, ln_vs, row)


@jit()
def median_scale(r: Any, words: int) -> float:
    """From the median of |r|, without the points that so many words can fit exactly."""
    ordered = np.sort(np.abs(r))
    count = ordered.size - words
    at = words + count // 2
    middle = ordered[at] if count % 2 else 0.5 * (ordered[at] + ordered[at - 1])
    return float(max(MAD * middle, NOTHING))


@jit()
def least_absolute(data: Any, weighted: Any, x: Any, low: Any, high: Any, r: Any, row: Any, work: Any) -> None:
    """The linear words by least absolute values, for the shape in x; residuals go to r."""
    weighted[ROOT_WEIGHT] = data[ROOT_WEIGHT]
    for k in range(ABSOLUTE_ROUNDS):
        best_linear(weighted, x, low, high, work)
        residuals(data, x, row, r)
        if k == ABSOLUTE_ROUNDS - 1:
            break
        total = 0.0
        for i in range(r.size):
            total += abs(r[i])
        least = 1e-4 * total / r.size + NOTHING
        for i in range(r.size):
            weighted[ROOT_WEIGHT, i] = data[ROOT_WEIGHT, i] / math.sqrt(max(abs(r[i]), least))


@jit()
def follow_tukey(data: Any, weighted: Any, x: Any, low: Any, high: Any, scale: float, r: Any, row: Any) -> float:
    """Tukey's loss to its bottom from x, the scale held; the mean loss there, 1 for a point far out."""
    before = math.inf
    for _ in range(TUKEY_ROUNDS):
        residuals(data, x, row, r)
        loss = 0.0
        for i in range(r.size):
            share = r[i] / (TUKEY * scale)
            u = max(1.0 - share * share, 0.0)
            loss += 1.0 - u * u * u
            weighted[ROOT_WEIGHT, i] = data[ROOT_WEIGHT, i] * u
        loss /= r.size
        if before - loss <= SETTLED * loss:
            return float(loss)
        before = loss
        polish(weighted, low, high, x)
    return float(before)


@jit(
    lambda: "float64(float64[:, ::1], float64[::1], float64[::1], float64[::1], int64, float64[::1], float64[::1])",
    cached=True,
)
def robust(data: Any, low: Any, high: Any, deltas: Any, words: int, x: Any, r: Any) -> float:
    """The robust fit into x, its residuals into r; returns their scale. `words` are those that are free."""
    weighted, work, row = data.copy(), np.empty((12, 3)), np.empty(WORDS)
    across = max(int(math.log(high[VS] / low[VS]) / STEP) + 2, 3) if high[VS] > low[VS] else 1
    starts, scales = np.empty((deltas.size, WORDS)), np.empty(deltas.size)
    held_low, held_high, trial = low.copy(), high.copy(), low.copy()
    for k in range(deltas.size):
        scales[k] = math.inf
        held_low[DELTA] = held_high[DELTA] = trial[DELTA] = deltas[k]
        for i in range(across):
            trial[VS] = between(low[VS], high[VS], i, across)
            least_absolute(data, weighted, trial, held_low, held_high, r, row, work)
            scale = median_scale(r, words)
            if scale < scales[k]:
                scales[k] = scale
                starts[k] = trial
    scale, best = scales.min(), math.inf
    for k in range(deltas.size):
        loss = follow_tukey(data, weighted, starts[k], low, high, scale, r, row)
        if loss < best:
            best = loss
            x[:] = starts[k]
    residuals(data, x, row, r)
    return median_scale(r, words)
