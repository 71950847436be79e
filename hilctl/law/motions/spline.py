"""From an uploaded history to the coefficients of a spline that begins and ends at rest.

Resampling: a cubic spline through the samples, evaluated every h. A coarser h than the samples' is preceded by a
low-pass at 0.4/h. Filters are zero-phase.

Acceleration: the cubic uniform B-spline with coefficients b through the samples is the second derivative of the
quintic one with coefficients c where

    c[i+1] - 2 c[i] + c[i-1] = h² b[i]

so the motion follows from b by two sums, without integration error. A base line is taken from b, and the rest is
multiplied by a taper w that begins and ends with zero, which joins rest at both ends exactly, jerk included:

    w(i) (b[i] - k0 P0 - k1 P1 - k2 P2 - k3 P3)          P, the Legendre polynomials over the record

with the k that make the sum of all of this 0 (it ends at rest), and the sum of its i-fold too (where it began, if asked
for), and of all these the smallest mean square of velocity: what integration makes of a sensor's offset is gone.

Displacement: the quintic B-spline through the samples; c is blended to its first and last value over the taper. The
drift is the straight line from the first to the last sample.
"""

from typing import NamedTuple

import numpy as np

from hilctl.law.motions.planning import Reals
from hilctl.law.motions.requests import Waveform
from hilctl.law.motions.samples import Samples
from hilctl.law.reference.wave import KNOTS
from hilctl.params import BadValues, Problem

_EDGE = 5  # equal coefficients at either end: the first and last instant are at rest
_POLES_DIE_AFTER = 48  # knots; the quintic prefilter's slowest pole is 0.43, 0.43^48 < 1e-17
_FINEST_S = 1e-3
# To a picometre: where the history rests the spline then rests too. What the prefilter leaves there changes its sign
# from knot to knot, and the inverse model crosses the valve's overlap at every change.
_DIGITS = 12


class Spline(NamedTuple):
    """Coefficients of a uniform quintic B-spline in displacement."""

    knots: Reals
    knot_s: float
    offset_s: float  # the history's first sample is at this time of the motion's body


def fit(samples: Samples, request: Waveform) -> Spline:
    """The spline of a history as the request wants it, not yet centred."""
    h, y = _resampled(samples, request)
    taper = _taper(len(y), request.taper_s / h)
    if samples.quantity == "acceleration":
        c, offset = _from_acceleration(y, h, taper, request.return_to_start), 2
    else:
        c, offset = _from_displacement(y, taper, request.return_to_start), _EDGE - 2
    c *= request.scale
    if request.peak_m:
        peak_m = peak(c)
        if peak_m == 0.0:
            raise BadValues([Problem("peak_m", request.peak_m, "cannot scale a history that does not move")])
        c *= request.peak_m / peak_m
    return Spline(np.ascontiguousarray(c), h, offset * h)


def _resampled(samples: Samples, request: Waveform) -> tuple[float, Reals]:
    from scipy.interpolate import CubicSpline

    usual_s, length_s = samples.interval_s, float(samples.times_s[-1])
    wanted_s = request.knot_s or max(usual_s, _FINEST_S)
    count = max(round(length_s / wanted_s), 8)
    if wanted_s < _FINEST_S or count + 1 > KNOTS - 2 * _EDGE:
        least_s = max(_FINEST_S, length_s / (KNOTS - 2 * _EDGE - 2))
        raise BadValues([Problem("knot_s", wanted_s, f"must be at least {least_s:.4g} s for this history")])
    h = length_s / count
    fine_count = round(length_s / min(usual_s, h))
    dt = length_s / fine_count
    y = np.asarray(CubicSpline(samples.times_s, samples.values)(np.linspace(0, length_s, fine_count + 1)))
    low_hz = request.low_pass_hz
    if h > 1.5 * usual_s:
        low_hz = min(low_hz or np.inf, 0.4 / h)
    y = _filtered(y, dt, float(low_hz), request.high_pass_hz)
    if fine_count != count:
        y = np.asarray(CubicSpline(np.linspace(0, length_s, fine_count + 1), y)(np.linspace(0, length_s, count + 1)))
    return h, y


def _filtered(y: Reals, dt: float, low_hz: float, high_hz: float) -> Reals:
    from scipy.signal import butter, sosfiltfilt

    for key, hz, order, kind in (("low_pass_hz", low_hz, 4, "lowpass"), ("high_pass_hz", high_hz, 2, "highpass")):
        if not hz:
            continue
        if hz >= 0.49 / dt:
            raise BadValues([Problem(key, hz, f"must be below {0.49 / dt:.4g} Hz for samples every {dt:.4g} s")])
        pad = min(len(y) - 1, int(3 / (hz * dt)))
        y = np.asarray(sosfiltfilt(butter(order, hz, kind, fs=1 / dt, output="sos"), y, padlen=pad))
    return y


def _taper(count: int, over: float) -> Reals:
    """1 inside, to 0 at both ends over so many knots (two at least, a third of the record at most)."""
    over = min(max(over, 2.0), count / 3)
    s = np.clip(np.arange(count) / over, 0, 1)
    rise = s**4 * (35 + s * (-84 + s * (70 - 20 * s)))
    return np.asarray(rise * rise[::-1])


def _from_acceleration(a: Reals, h: float, taper: Reals, back: bool) -> Reals:
    from scipy.linalg import solve_banded

    n = len(a)
    bands = np.array([np.full(n, 1 / 6), np.full(n, 4 / 6), np.full(n, 1 / 6)])
    b = _without_drift(np.asarray(solve_banded((1, 1), bands, a)) * taper, taper, back)
    v = np.cumsum(b)
    c = np.concatenate([np.zeros(_EDGE), np.cumsum(v), np.zeros(_EDGE - 2)]) * (h * h)
    c[-_EDGE:] = 0.0 if back else c[n + _EDGE - 2]
    return c


def _without_drift(b: Reals, taper: Reals, back: bool) -> Reals:
    n = len(b)
    s = np.linspace(-1, 1, n)
    shapes = np.stack([taper * np.polynomial.legendre.Legendre.basis(k)(s) for k in range(4)], axis=1) / n
    ends = np.stack([np.ones(n), s]) if back else np.ones((1, n))
    # All k that hold the ends: one of them, plus what the ends do not see.
    seen = ends @ shapes
    one = np.linalg.lstsq(seen, ends @ b, rcond=None)[0]
    unseen = np.linalg.svd(seen)[2][len(seen) :].T
    speed = np.cumsum(b - shapes @ one)
    rest = np.linalg.lstsq(np.cumsum(shapes @ unseen, axis=0), speed, rcond=None)[0]
    b = b - shapes @ (one + unseen @ rest)
    # Once more, because the sums above round.
    return np.asarray(b - shapes @ np.linalg.lstsq(seen, ends @ b, rcond=None)[0])


def _from_displacement(x: Reals, taper: Reals, back: bool) -> Reals:
    from scipy.linalg import solve_banded

    if back:
        x = x - (x[-1] - x[0]) * np.linspace(0, 1, len(x))
    edge = _POLES_DIE_AFTER  # what the system's own edges do to c is gone by then
    padded = np.concatenate([np.full(edge, x[0]), x, np.full(edge, x[-1])])
    n = len(padded)
    row = np.array([1.0, 26.0, 66.0, 26.0, 1.0]) / 120
    bands = np.repeat(row[:, None], n, axis=1)
    c = np.asarray(solve_banded((2, 2), bands, padded))[edge:-edge]
    half = len(c) // 2
    held = np.concatenate([np.full(half, x[0]), np.full(len(c) - half, x[-1])])
    c = held + (c - held) * taper
    return np.round(np.concatenate([np.full(_EDGE, x[0]), c, np.full(_EDGE, x[-1])]), _DIGITS)


def peak(c: Reals) -> float:
    """The greatest displacement that the spline reaches, to 1e-5: coarsely everywhere, finely where great."""
    intervals = np.lib.stride_tricks.sliding_window_view(c, 6)
    coarse = np.max(np.abs(intervals @ _basis(np.linspace(0, 1, 9))), axis=1)
    great = intervals[coarse >= 0.95 * np.max(coarse)]
    return float(np.max(np.abs(great @ _basis(np.linspace(0, 1, 401)))))


def _basis(s: Reals) -> Reals:
    """Weights of the six coefficients at s between two knots; see hilctl.law.reference.wave."""
    rows = [
        [1, 26, 66, 26, 1, 0],
        [-5, -50, 0, 50, 5, 0],
        [10, 20, -60, 20, 10, 0],
        [-10, 20, 0, -20, 10, 0],
        [5, -20, 30, -20, 5, 0],
        [-1, 5, -10, 10, -5, 1],
    ]
    return np.asarray(np.array(rows, np.float64).T @ s ** np.arange(6)[:, None] / 120)
