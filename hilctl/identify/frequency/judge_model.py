"""Whether a model holds on what it was not fitted to: how much it explains, what it leaves over, and its step response.

    fit = 100 (1 - |y - ym| / |y - mean(y)|)          in per cent: equation 29 of Zhao and Wang (2013)

*What it leaves over*: is it noise, and has it nothing to do with the input?

For residuals e and an input u of N samples, both without their means,

    r_k = Σ e_t e_{t+k} / Σ e²                        white: each is within ± z/√N as often as z says
    Q   = N (N + 2) Σ r_k² / (N - k), k = 1 … L       white: chi-square with L degrees of freedom (Ljung and Box 1978)
    c_k = Σ u_t e_{t+k} / (|u| |e|)                   independent: standard error sqrt(Σ_j r_e(j) r_u(j) / N), not 1/√N

A servo's input is anything but white, so the second bound has to know how both are coloured (Bartlett). c_k at
k >= 0 is dynamics that the model lacks; at k < 0 the input follows the residual, as in a closed loop.

The noise of a rig need not be white: coloured residuals that have nothing to do with the input mean coloured noise, and
a model that is right all the same. Intervals that were computed for white noise are then too narrow.

*A step*: how fast, how far beyond, how long until it stays, measured and modelled.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.signal import correlate
from scipy.stats import chi2, norm

from hilctl.params import BadValues, Problem
from hilctl.results.response import Reals


def fit_percent(measured: npt.ArrayLike, modelled: npt.ArrayLike) -> float:
    """Of one signal; may be real or complex, and below zero where the model is worse than the mean."""
    y: npt.NDArray[Any] = np.asarray(measured)
    ym: npt.NDArray[Any] = np.asarray(modelled)
    if y.shape != ym.shape:
        raise ValueError(f"measured has shape {y.shape}, modelled {ym.shape}: they must be alike")
    spread = float(np.linalg.norm(y - y.mean()))
    if not spread > 0.0:
        raise ValueError("measured never changes: there is nothing to fit")
    return 100 * (1 - float(np.linalg.norm(y - ym)) / spread)


LAGS = 25
_COLOUR = 10  # times the lags: how far correlations of coloured signals are summed


class Whiteness(NamedTuple):
    """Residuals against themselves, at lags 1 to L."""

    correlation: Reals
    bound: float  # two-sided, at the level, for one lag
    p_value: float  # of all lags together, were they white
    outside: float  # share of the lags outside the bound
    white: bool


class Independence(NamedTuple):
    """Residuals against the input, at lags -L to L."""

    lags: npt.NDArray[np.int64]
    correlation: Reals
    bound: float  # two-sided, at the level, for one lag
    outside: float  # share of the lags from 0 on that lie outside
    worst: float  # greatest of those from 0 on, over its standard error
    independent: bool  # so is the worst of them, at the level for all together


def whiteness(residuals: npt.ArrayLike, *, level: float = 0.99) -> Whiteness:
    """Whether the residuals are white."""
    e = _centred("residuals", residuals)
    count = len(e)
    r = _correlated(e, e)[count - 1 :] / float(e @ e)
    k = np.arange(1, LAGS + 1)
    q = count * (count + 2) * float(np.sum(r[k] ** 2 / (count - k)))
    p_value = float(chi2.sf(q, LAGS))
    bound = float(norm.ppf((1 + level) / 2)) / np.sqrt(count)
    return Whiteness(r[k], float(bound), p_value, float(np.mean(np.abs(r[k]) > bound)), p_value > 1 - level)


def independence(residuals: npt.ArrayLike, driven: npt.ArrayLike, *, level: float = 0.99) -> Independence:
    """Whether the residuals have nothing to do with the input."""
    e, u = _centred("residuals", residuals), _centred("driven", driven)
    if len(e) != len(u):
        raise BadValues([Problem("driven", f"{len(u)} samples", f"must be as long as the residuals, {len(e)}")])
    count = len(e)
    middle, far = count - 1, min(count - 1, _COLOUR * LAGS)
    r_e, r_u = (_correlated(each, each)[middle - far : middle + far + 1] / float(each @ each) for each in (e, u))
    shrink = 1 - np.abs(np.arange(-far, far + 1)) / (far + 1)  # what is far away is mostly chance
    error = float(np.sqrt(max(np.sum(r_e * r_u * shrink), 0.1) / count))
    k = np.arange(-LAGS, LAGS + 1)
    c = _correlated(u, e)[middle + k] / float(np.linalg.norm(u) * np.linalg.norm(e))
    ahead = np.abs(c[LAGS:]) / error
    bound = float(norm.ppf((1 + level) / 2)) * error
    every = float(norm.ppf((1 + level ** (1 / (LAGS + 1))) / 2))
    return Independence(
        k, c, bound, float(np.mean(ahead * error > bound)), float(ahead.max()), bool(ahead.max() <= every)
    )


def _correlated(one: Reals, other: Reals) -> Reals:
    """Σ one_t other_{t+k} for k from -(N-1) to N-1."""
    return np.asarray(correlate(other, one, method="fft"))


def _centred(key: str, values: npt.ArrayLike) -> Reals:
    x = np.asarray(values, np.float64)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise BadValues([Problem(key, f"shape {x.shape}", "must be a series of finite samples")])
    if len(x) < 4 * LAGS:
        raise BadValues([Problem(key, f"{len(x)} samples", f"must be {4 * LAGS} at least", "record longer")])
    if not np.ptp(x) > 0:
        raise BadValues([Problem(key, float(x[0]), "must change", "a model without any error was given")])
    return np.asarray(x - x.mean())


BAND = 0.05  # of the step: within it a response has settled
_LAST = 0.1  # of the record: shows where it ends
_FIRST = 0.02  # of the record before the step at least: shows where it begins


class Figures(NamedTuple):
    """Of one response. None: the record does not show it."""

    delay_s: float | None  # to 10 % of the step
    rise_s: float | None  # from 10 to 90 %
    overshoot_percent: float
    settling_s: float | None  # until it stays within ±5 %
    final: float  # what a unit of the input's step makes at the end


class StepComparison(NamedTuple):
    """Both, on the same record."""

    measured: Figures
    modelled: Figures
    fit_percent: float
    largest_error: float  # over the measured step
    noise: float  # rms of the measured signal before the step, over the measured step


def compare_steps(
    driven: npt.ArrayLike, measured: npt.ArrayLike, modelled: npt.ArrayLike, rate_hz: float
) -> StepComparison:
    """From a record in which the input steps once and the output comes to rest."""
    u, y, ym = (np.asarray(each, np.float64) for each in (driven, measured, modelled))
    if not (u.shape == y.shape == ym.shape and u.ndim == 1 and len(u) >= 16):
        raise BadValues([Problem("measured", f"shape {y.shape}", f"must be as long as driven, {u.shape}, 16 at least")])
    size, at = _step_of(u)
    begin = float(y[:at].mean()) if at > _FIRST * len(y) else float(y[0])
    whole = float(y[-max(1, int(_LAST * len(y))) :].mean()) - begin
    if not abs(whole) > 0:
        raise BadValues([Problem("measured", whole, "must end elsewhere than it began", "step further")])
    noise = float(y[:at].std()) / abs(whole) if at > 2 else 0.0
    return StepComparison(
        _figures(y, at, size, rate_hz), _figures(ym, at, size, rate_hz), fit_percent(y, ym),
        float(np.abs(y - ym).max() / abs(whole)), noise,
    )  # fmt: skip


def _step_of(u: Reals) -> tuple[float, int]:
    """How large the input's step is, and the first sample of it."""
    low, high = float(u[0]), float(u[-1])
    if low == high:
        raise BadValues([Problem("driven", low, "must end elsewhere than it began", "give a record with one step")])
    beyond = (u - low) / (high - low) > 0.5
    at = int(np.argmax(beyond))
    if not beyond[at:].all():
        raise BadValues([Problem("driven", "several steps", "must step once", "cut the record between the steps")])
    return high - low, at


def _figures(y: Reals, at: int, size: float, rate_hz: float) -> Figures:
    begin = float(y[:at].mean()) if at > _FIRST * len(y) else float(y[0])
    whole = float(y[-max(1, int(_LAST * len(y))) :].mean()) - begin
    if whole == 0.0:
        return Figures(None, None, 0.0, None, 0.0)
    part = (y[at:] - begin) / whole
    tenth, most = _first(part, 0.1), _first(part, 0.9)
    outside = np.flatnonzero(np.abs(part - 1) > BAND)
    last = int(outside[-1]) + 1 if len(outside) else 0
    settled = float(last) if last <= (1 - _LAST) * len(part) else None
    return Figures(
        None if tenth is None else tenth / rate_hz,
        None if tenth is None or most is None else (most - tenth) / rate_hz,
        100 * max(0.0, float(part.max()) - 1), None if settled is None else settled / rate_hz, whole / size,
    )  # fmt: skip


def _first(part: Reals, level: float) -> float | None:
    """Where it first passes a level, in samples, between two of them."""
    above = part >= level
    if not above.any():
        return None
    k = int(np.argmax(above))
    return float(k) if k == 0 else k - 1 + float((level - part[k - 1]) / (part[k] - part[k - 1]))
