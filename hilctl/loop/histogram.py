"""Histograms of durations, kept by the loop: 16 bins to the doubling, since the start and over the last ten seconds.

A bin is 4 to 6 % wide, so a quantile is known that closely; reading one interpolates and is off by less. The last ten
seconds are ten slices of one second, the oldest of which is cleared when a new second begins.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.rt.jit import jit

PER_DOUBLING = 16
FIRST_EXPONENT = 4  # below 16 ns everything is one bin: a clock is read no faster
LAST_EXPONENT = 35  # above 34 s everything is one bin
BINS = (LAST_EXPONENT - FIRST_EXPONENT) * PER_DOUBLING + 2
SLICES = 10


@jit()
def rt_bin(duration_ns: int) -> int:
    """The bin of a duration."""
    if duration_ns < 1 << FIRST_EXPONENT:
        return 0
    if duration_ns >= 1 << LAST_EXPONENT:
        return BINS - 1
    fraction, exponent = math.frexp(float(duration_ns))  # fraction in [0.5, 1)
    doubling = exponent - 1 - FIRST_EXPONENT
    return 1 + doubling * PER_DOUBLING + int((fraction * 2.0 - 1.0) * PER_DOUBLING)


@jit()
def rt_count(stage: Any, duration_ns: int, second: int) -> None:
    """Counts one duration; `second` says which slice is current."""
    k, now = rt_bin(duration_ns), second % SLICES
    stage.total[k] += 1
    stage.slices[now, k] += 1
    stage.most = max(stage.most, duration_ns)
    stage.slice_most[now] = max(stage.slice_most[now], duration_ns)


@jit()
def rt_clear_slices(stage: Any, last: int, second: int) -> None:
    """Clears the slices of the seconds after `last` up to `second`."""
    for k in range(max(last + 1, second - SLICES + 1), second + 1):
        stage.slices[k % SLICES] = 0
        stage.slice_most[k % SLICES] = 0


class Quantiles(NamedTuple):
    """What a histogram says, in nanoseconds; zeros when it is empty."""

    number: int  # of durations
    p50_ns: float
    p99_ns: float
    p999_ns: float
    max_ns: int


def edges_ns() -> npt.NDArray[np.float64]:
    """The lower edge of each bin, and the upper edge of the last but one."""
    doublings = np.arange(FIRST_EXPONENT, LAST_EXPONENT)
    inner = (2.0**doublings)[:, None] * (1 + np.arange(PER_DOUBLING) / PER_DOUBLING)
    return np.concatenate(([0.0], inner.ravel(), [2.0**LAST_EXPONENT]))


_EDGES_NS = edges_ns()


def quantiles(bins: npt.NDArray[np.int64], most_ns: int) -> Quantiles:
    """p50, p99, p99.9 and the greatest, each interpolated within its bin and never above the greatest."""
    count = int(bins.sum())
    if count == 0:
        return Quantiles(0, 0.0, 0.0, 0.0, 0)
    below = np.concatenate(([0], np.cumsum(bins)))
    upper = np.append(_EDGES_NS[1:], float(most_ns))

    def at(share: float) -> float:
        rank = share * count
        k = int(np.searchsorted(below, rank, side="left")) - 1
        k = min(max(k, 0), BINS - 1)
        part = (rank - below[k]) / max(int(bins[k]), 1)
        return float(min(_EDGES_NS[k] + part * (upper[k] - _EDGES_NS[k]), most_ns))

    return Quantiles(count, at(0.5), at(0.99), at(0.999), int(most_ns))


def since_start(stage: Any) -> Quantiles:
    """Of a stage's record, everything."""
    return quantiles(np.array(stage.total), int(stage.most))


def last_ten_seconds(stage: Any) -> Quantiles:
    """Of a stage's record, the last ten seconds."""
    return quantiles(np.array(stage.slices).sum(axis=0), int(np.max(stage.slice_most)))
