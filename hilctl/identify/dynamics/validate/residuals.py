"""What a model left over: is it noise, and has it nothing to do with the input?

For residuals e and an input u of N samples, both without their means,

    r_k = Σ e_t e_{t+k} / Σ e²                        white: each is within ± z/√N as often as z says
    Q   = N (N + 2) Σ r_k² / (N - k), k = 1 … L       white: chi-square with L degrees of freedom (Ljung and Box 1978)
    c_k = Σ u_t e_{t+k} / (|u| |e|)                   independent: standard error sqrt(Σ_j r_e(j) r_u(j) / N), not 1/√N

A servo's input is anything but white, so the second bound has to know how both are coloured (Bartlett). c_k at
k >= 0 is dynamics that the model lacks; at k < 0 the input follows the residual, as in a closed loop.

The noise of a rig need not be white: coloured residuals that have nothing to do with the input mean coloured noise, and
a model that is right all the same. Intervals that were computed for white noise are then too narrow.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2, norm

from hilctl.params import BadValues, Problem

Reals = npt.NDArray[np.float64]

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


def whiteness(residuals: npt.ArrayLike, *, lags: int = LAGS, level: float = 0.99) -> Whiteness:
    """Whether the residuals are white."""
    e = _centred("residuals", residuals, lags)
    count = len(e)
    r = _correlated(e, e)[count - 1 :] / float(e @ e)
    k = np.arange(1, lags + 1)
    q = count * (count + 2) * float(np.sum(r[k] ** 2 / (count - k)))
    p_value = float(chi2.sf(q, lags))
    bound = float(norm.ppf((1 + level) / 2)) / np.sqrt(count)
    return Whiteness(r[k], float(bound), p_value, float(np.mean(np.abs(r[k]) > bound)), p_value > 1 - level)


def independence(
    residuals: npt.ArrayLike, driven: npt.ArrayLike, *, lags: int = LAGS, level: float = 0.99
) -> Independence:
    """Whether the residuals have nothing to do with the input."""
    e, u = _centred("residuals", residuals, lags), _centred("driven", driven, lags)
    if len(e) != len(u):
        raise BadValues([Problem("driven", f"{len(u)} samples", f"must be as long as the residuals, {len(e)}")])
    count = len(e)
    middle, far = count - 1, min(count - 1, _COLOUR * max(lags, LAGS))
    r_e, r_u = (_correlated(each, each)[middle - far : middle + far + 1] / float(each @ each) for each in (e, u))
    shrink = 1 - np.abs(np.arange(-far, far + 1)) / (far + 1)  # what is far away is mostly chance
    error = float(np.sqrt(max(np.sum(r_e * r_u * shrink), 0.1) / count))
    k = np.arange(-lags, lags + 1)
    c = _correlated(u, e)[middle + k] / float(np.linalg.norm(u) * np.linalg.norm(e))
    ahead = np.abs(c[lags:]) / error
    bound = float(norm.ppf((1 + level) / 2)) * error
    every = float(norm.ppf((1 + level ** (1 / (lags + 1))) / 2))
    return Independence(
        k, c, bound, float(np.mean(ahead * error > bound)), float(ahead.max()), bool(ahead.max() <= every)
    )


def _correlated(one: Reals, other: Reals) -> Reals:
    """Σ one_t other_{t+k} for k from -(N-1) to N-1."""
    size = 2 * len(one)
    product = np.conj(np.fft.rfft(one, size)) * np.fft.rfft(other, size)
    around = np.fft.irfft(product, size)
    return np.asarray(np.concatenate([around[-(len(one) - 1) :], around[: len(one)]]))


def _centred(key: str, values: npt.ArrayLike, lags: int) -> Reals:
    x = np.asarray(values, np.float64)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise BadValues([Problem(key, f"shape {x.shape}", "must be a series of finite samples")])
    if not 1 <= lags <= len(x) // 4:
        raise BadValues([Problem("lags", lags, f"must be 1 to a quarter of the {len(x)} samples", "record longer")])
    if not np.ptp(x) > 0:
        raise BadValues([Problem(key, float(x[0]), "must change", "a model without any error was given")])
    return np.asarray(x - x.mean())
