"""Profile intervals: how far a word may go before the best that the others can do no longer fits.

With the word held at each value, the others are fitted again; the interval ends where the sum of squares exceeds what
the data's scatter allows. It needs no linearity: it is right for vs and delta, for bent valleys, and beside a bound.
"""

import math
from typing import Any

from hilctl.identify.friction.fit_polish import polish
from hilctl.identify.friction.model_curve import DELTA, POWER, VS
from hilctl.rt.jit import jit

GROWS, STRIDES, HALVINGS = 1.6, 60, 32


@jit()
def held_at(data: Any, low: Any, high: Any, x: Any, word: int, value: float) -> float:
    """The least sum of squares near x with a word held; x goes there."""
    old_low, old_high = low[word], high[word]
    low[word] = high[word] = x[word] = value
    total = polish(data, low, high, x)
    low[word], high[word] = old_low, old_high
    return total


@jit(
    lambda: "float64(float64[:, ::1], float64[::1], float64[::1], float64[::1], int64, float64, float64)", cached=True
)
def profile_end(data: Any, low: Any, high: Any, best: Any, word: int, allowed: float, stride: float) -> float:
    """Where the sum of squares passes `allowed`, going from the best in the stride's direction; the bound if nowhere.

    A stride of vs, delta or dv is relative.
    """
    low, high, x = low.copy(), high.copy(), best.copy()
    relative = word in (VS, DELTA, POWER)
    bound = high[word] if stride > 0.0 else low[word]
    inside, outside = best[word], bound
    for k in range(STRIDES):
        value = inside * math.exp(stride) if relative else inside + stride
        last = k == STRIDES - 1 or (value >= bound if stride > 0.0 else value <= bound)
        outside = bound if last else value
        if held_at(data, low, high, x, word, outside) > allowed:
            break
        if last:
            return float(bound)
        inside = outside
        stride *= GROWS
    for _ in range(HALVINGS):
        middle = math.sqrt(inside * outside) if relative else 0.5 * (inside + outside)
        if held_at(data, low, high, x, word, middle) > allowed:
            outside = middle
        else:
            inside = middle
    return float(0.5 * (inside + outside))
