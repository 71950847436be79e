"""How sure the words are: covariance, 95 % intervals, what trades off against what.

The linear interval is x ± t s, with the covariance s² (J^T W J)^-1 of the words that met no bound. Where the profile
(below) ends elsewhere by more than a tenth of it, or a bound is near, the profile's is given.

The scatter s is that of the points about the curve, with the quantile t of so few; where the points' own deviations are
known, it is no less than these with the normal quantile: a few points may lie on their curve by luck.

The sensors' scales shift all points together, which no scatter shows. Each moves the words by what it does to the least
squares, and the speeds' scale moves vs and sigma as their units; this is added to covariance and intervals.

A profile goes as far as a word may before the best that the others can do no longer fits: with the word held at each
value, the others are fitted again, until the sum of squares exceeds what the data's scatter allows. It needs no
linearity: it is right for vs and delta, for bent valleys, and beside a bound.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment.scales import SURE
from hilctl.identify.friction.fit_polish import polish
from hilctl.identify.friction.fit_problem import Block, Fitted, Scaled
from hilctl.identify.friction.model_curve import DELTA, OFFSET, POWER, ROOT_WEIGHT, SIGMA, VS, WORDS
from hilctl.rt.jit import jit

CONFIDENCE = 0.95
AGREE = 0.1  # of the half-width
LEAST_STRIDE = 1e-9  # of a range


class Interval(NamedTuple):
    """One word, in SI."""

    word: int
    value: float
    low: float
    high: float
    by: str  # linear or profile
    sd: float  # of the linear theory; nan where it has none
    at_bound: int  # -1, 0, 1
    open_low: bool  # the data give no end on this side: it is the range's
    open_high: bool


class Sureness(NamedTuple):
    """Of one block."""

    intervals: tuple[Interval, ...]
    names: tuple[int, ...]  # words in the covariance
    covariance: Any  # SI
    condition: float  # of the Jacobian with columns of length 1
    weakest: Any  # relative changes of the words, one standard deviation along the direction that is known least


def sureness(fitted: Fitted, block: Block, scaled: Scaled) -> Sureness:
    """Intervals and covariance of one block; the scatter is that of the whole fit."""
    from scipy.stats import norm, t

    units = scaled.units()
    quantile = float(t.ppf(0.5 + CONFIDENCE / 2, fitted.freedom))
    own = float(norm.ppf(0.5 + CONFIDENCE / 2)) / quantile
    variance = max(fitted.variance, own**2 * scaled.own_variance, 0.0)
    ends = block.at_bound()
    moving = [j for j in block.free() if j not in ends]
    jacobian = block.jacobian(moving)
    lengths = np.linalg.norm(jacobian, axis=0)
    seen = lengths > 0
    moving, jacobian, lengths = [j for j, s in zip(moving, seen, strict=True) if s], jacobian[:, seen], lengths[seen]
    _, values, vt = np.linalg.svd(jacobian / lengths, full_matrices=False) if moving else (None, np.ones(1), None)
    condition = float(values[0] / values[-1]) if values[-1] > 0 else math.inf
    covariance, weakest, shifts = np.zeros((0, 0)), np.zeros(0), np.zeros((0, 1))
    if vt is not None:
        root = vt.T / np.maximum(values, 1e-12 * values[0]) / lengths[:, None]
        shifts = _shifts(block, moving, root @ root.T @ jacobian.T, scaled)
        covariance = variance * root @ root.T + shifts @ shifts.T
        weakest = _weakest(root, block.x[moving], math.sqrt(variance))
    allowed = block.squares + variance * quantile**2
    intervals = []
    for word in block.free():
        sd, shift = math.nan, 0.0
        if word in moving:
            at = moving.index(word)
            shift = float(np.linalg.norm(shifts[at]))
            sd = math.sqrt(max(covariance[at, at] - shift**2, 0.0))
        intervals.append(_interval(block, word, sd, shift, quantile, allowed, float(units[word]), ends.get(word, 0)))
    scale = units[moving]
    return Sureness(tuple(intervals), tuple(moving), covariance * np.outer(scale, scale), condition, weakest)


def _shifts(block: Block, moving: list[int], inverse: Any, scaled: Scaled) -> Any:
    """What one standard deviation of each scale moves the words by; a column each. `inverse`: of the least squares."""
    forces = inverse @ (scaled.scales[:, block.chosen] * block.data[ROOT_WEIGHT]).T
    speeds = np.zeros(WORDS)
    speeds[VS], speeds[SIGMA] = block.x[VS], block.x[SIGMA] * block.x[POWER]
    return np.column_stack([forces, scaled.speed_scale_sd * speeds[moving]])


def _weakest(root: Any, values: Any, sd: float) -> Any:
    """The greatest of the relative errors' principal directions, as relative changes."""
    relative = sd * root / np.where(values != 0, values, 1.0)[:, None]
    u, s, _ = np.linalg.svd(relative)
    return u[:, 0] * s[0]


def _interval(
    block: Block, word: int, sd: float, shift: float, quantile: float, allowed: float, unit: float, bound: int
) -> Interval:
    """`sd`: of the scatter alone; `shift`: of the scales."""
    value, low, high = float(block.x[word]), float(block.low[word]), float(block.high[word])
    half = quantile * sd
    reached = [_profile_end(block, word, sign, half, allowed) for sign in (-1.0, 1.0)]
    is_open = reached[0] <= low and _natural(word) != low, reached[1] >= high
    straight = math.isfinite(half) and all(abs(abs(end - value) - half) <= AGREE * half for end in reached)
    ends = (value - half, value + half) if straight else (reached[0], reached[1])
    by = "linear" if straight else "profile"
    if shift > 0.0:
        least = _natural(word) if _natural(word) <= value else -math.inf
        below, above = (math.hypot(end - value, SURE * shift) for end in ends)
        ends = (max(value - below, least), value + above)
    sd = math.hypot(sd, shift)
    return Interval(word, value * unit, ends[0] * unit, ends[1] * unit, by, sd * unit, bound, *is_open)


def _natural(word: int) -> float:
    """The lower end that the word itself has: no friction is less than none."""
    return math.nan if word in (VS, DELTA, POWER, OFFSET) else 0.0


def _profile_end(block: Block, word: int, sign: float, half: float, allowed: float) -> float:
    """One end of the profile."""
    width, value = float(block.high[word] - block.low[word]), float(block.x[word])
    stride = half if math.isfinite(half) else 0.01 * width
    if word in (VS, DELTA, POWER):
        stride = min(stride / value, 0.5)
    stride = max(min(0.5 * stride, 0.2 * width), LEAST_STRIDE * width)
    return float(profile_end(block.data, block.low, block.high, block.x, word, allowed, sign * stride))


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
