"""What stands where a reading was lost, for estimators that need a value at every tick.

A cubic spline through the readings on both sides is far off a wave of ten ticks where three in a row are lost.
The whole record says more: what a reading usually is, given the `_ORDER` before and behind it, by the linear prediction
that fits the record best. The lost ones are those with which the record is predicted best (A. J. E. M. Janssen and
others, Adaptive interpolation of discrete-time signals that can be modeled as autoregressive processes, 1986). The
prediction is fitted to the record with the spline in the gaps, then once more to what came of it.

What jumps within a gap nobody can tell. A prediction that has learned from the corners of a motion follows noise on its
straights: beside each gap both are tried on what is there, and the better one is taken. Where much is lost, the
prediction would be that of the spline, so that stays, and of what is computed and not measured it is never made.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hilctl.experiment.policy import SHARE

Reals = npt.NDArray[np.float64]

_FEWEST = 4  # readings, for a cubic
_ORDER = 32  # readings on either side; 16 does worse at a tenth of the loop's rate, 64 no better
_TURNS = 2
_RECORD = 8 * _ORDER  # readings, for a prediction
_LONGEST = _ORDER // 2  # ticks in a row
_APART = 6  # ticks between a gap and what is tried beside it; values on either side of a spline
_ENDS = 15  # samples that say where the record begins and ends
_DOUBT = 2.0  # times the squares: two gaps beside one tell no finer
_TOUCH = 1e-12  # of the power: keeps the prediction of a record without noise finite


def bridged(values: Reals, gone: npt.NDArray[np.bool_], gaps: Sequence[slice]) -> Reals:
    """With a value where it is gone, which is in these gaps; beyond the first and last reading, that."""
    there = np.flatnonzero(~gone & np.isfinite(values))
    if not gone.any() or len(there) < _FEWEST:
        return values
    out = _splined(values, gone, there)
    if len(there) < max(_RECORD, (1 - SHARE) * len(values)):
        return out
    inside = [gap for gap in gaps if gap.start >= _ORDER and gap.stop <= len(out) - _ORDER]
    inside = [gap for gap in inside if gap.stop - gap.start <= _LONGEST]
    line = np.linspace(np.mean(out[:_ENDS]), np.mean(out[-_ENDS:]), len(out))
    moved = out - line
    if not inside or not np.any(moved):
        return out
    predicted = moved.copy()
    for _ in range(_TURNS):
        weights = _error_filter(predicted)
        for gap in inside:
            predicted[gap] = _predicted(predicted, gap, weights)
    for gap in inside:
        if _is_better(predicted, moved, gap, gone, weights):
            out[gap] = predicted[gap] + line[gap]
    return out


def _is_better(predicted: Reals, splined: Reals, gap: slice, gone: npt.NDArray[np.bool_], weights: Reals) -> bool:
    """Whether the prediction is no farther than the spline from what is there before and behind the gap."""
    by_prediction = by_spline = 0.0
    away = gap.stop - gap.start + _APART
    for beside in (slice(gap.start - away, gap.start - _APART), slice(gap.stop + _APART, gap.stop + away)):
        inside = beside.start >= _ORDER and beside.stop <= len(predicted) - _ORDER
        if inside and not gone[beside].any():
            there = predicted[beside]
            by_prediction += float(np.sum((_predicted(predicted, beside, weights) - there) ** 2))
            by_spline += float(np.sum((_local(splined, beside) - there) ** 2))
    return by_prediction <= _DOUBT * by_spline


def _local(values: Reals, gap: slice) -> Reals:
    """The spline through a few values on either side."""
    from scipy.interpolate import CubicSpline

    at = np.r_[gap.start - _APART : gap.start, gap.stop : gap.stop + _APART]
    return np.asarray(CubicSpline(at, values[at])(np.arange(gap.start, gap.stop)))


def _splined(values: Reals, gone: npt.NDArray[np.bool_], there: npt.NDArray[np.int64]) -> Reals:
    from scipy.interpolate import CubicSpline

    out = values.copy()
    inside = np.flatnonzero(gone)
    inside = inside[(inside > there[0]) & (inside < there[-1])]
    out[inside] = CubicSpline(there, values[there])(inside)
    out[: there[0]], out[there[-1] + 1 :] = values[there[0]], values[there[-1]]
    return out


def _predicted(values: Reals, gap: slice, weights: Reals) -> Reals:
    """What leaves the least error of prediction in the gap and behind it."""
    both = np.correlate(weights, weights, "full")  # an error squared, by the distance of two values in it
    count = gap.stop - gap.start
    near = values[gap.start - _ORDER : gap.stop + _ORDER].copy()
    near[_ORDER : _ORDER + count] = 0.0
    distance = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    found = -np.linalg.solve(both[_ORDER:][distance], np.convolve(near, both, "valid"))
    return np.asarray(found, np.float64)


def _error_filter(values: Reals) -> Reals:
    """1, and less what the readings before say: what is left is the error of prediction."""
    from scipy.linalg import solve_toeplitz

    size = 1 << (2 * len(values) - 1).bit_length()
    lines = np.fft.rfft(values, size)
    alike = np.fft.irfft(lines * np.conj(lines), size)[: _ORDER + 1]
    alike[0] *= 1 + _TOUCH
    return np.concatenate([[1.0], -solve_toeplitz(alike[:-1], alike[1:])])
