"""Variable projection: the exact yardstick. The least sum of squares within the bounds, wherever it lies.

For given vs, delta and dv the best of the other words follow from a linear problem (`best_linear`), so what is to be
searched has one dimension, vs, or two. A grid in ln vs is dense enough to miss no valley: over a step the falling
branch of the curve moves by less than its own width, which is 1/delta. Every valley of the grid is followed to its
bottom (`polish`), and the deepest is the answer.
"""

import math
from typing import Any

import numpy as np

from hilctl.identify.friction.fit_polish import polish
from hilctl.identify.friction.fit_solve import best_linear
from hilctl.identify.friction.model_curve import DELTA, POWER, VS
from hilctl.rt.jit import jit

STEP = 0.4  # of the grid in ln vs, times delta
STEP_FREE = 0.15  # where delta is searched, too
SHAPES = 10  # of the grid in delta or dv
LEAST_GRID = 6
VALLEYS = 12  # followed at most; the deepest first


@jit()
def grid_size(low: Any, high: Any) -> int:
    """How many values of vs are tried."""
    if not high[VS] > low[VS]:
        return 1
    step = STEP_FREE if high[DELTA] > low[DELTA] else min(STEP / low[DELTA], 0.3)
    return max(int(math.log(high[VS] / low[VS]) / step) + 2, LEAST_GRID)


@jit()
def between(low: float, high: float, k: int, count: int) -> float:
    """The k-th of `count` values in geometric steps."""
    if count == 1 or not high > low:
        return low
    value: float = low * (high / low) ** (k / (count - 1))
    return min(max(value, low), high)


@jit()
def project(data: Any, low: Any, high: Any, x: Any) -> float:
    """Puts the best words into x and returns their sum of squares."""
    across = grid_size(low, high)
    shape = POWER if high[POWER] > low[POWER] else DELTA
    down = SHAPES if high[shape] > low[shape] else 1
    sums, work = np.empty((across, down)), np.empty((12, 3))
    trial = low.copy()
    for k in range(down):
        trial[shape] = between(low[shape], high[shape], k, down)
        for i in range(across):
            trial[VS] = between(low[VS], high[VS], i, across)
            sums[i, k] = best_linear(data, trial, low, high, work)
    least = math.inf
    for _ in range(VALLEYS):
        at_i, at_k, lowest = -1, -1, math.inf
        for i in range(across):
            for k in range(down):
                if sums[i, k] < lowest and _is_valley(sums, i, k):
                    at_i, at_k, lowest = i, k, sums[i, k]
        if at_i < 0:
            break
        trial[:] = low
        trial[shape] = between(low[shape], high[shape], at_k, down)
        trial[VS] = between(low[VS], high[VS], at_i, across)
        best_linear(data, trial, low, high, work)
        total = polish(data, low, high, trial)
        if total < least:
            least = total
            x[:] = trial
        sums[at_i, at_k] = -math.inf  # followed: neither it nor its neighbours are the lowest once more
    return least


@jit()
def _is_valley(sums: Any, i: int, k: int) -> bool:
    """No neighbour on the grid is lower."""
    across, down = sums.shape
    for near_i in range(max(i - 1, 0), min(i + 2, across)):
        for near_k in range(max(k - 1, 0), min(k + 2, down)):
            if sums[near_i, near_k] < sums[i, k]:
                return False
    return bool(sums[i, k] > -math.inf)


@jit(lambda: "float64(float64[:, ::1], float64[::1], float64[::1], float64[::1])", cached=True)
def varpro(data: Any, low: Any, high: Any, x: Any) -> float:
    """The least sum of squares within the bounds; its words are written to x."""
    return project(data, low, high, x)
