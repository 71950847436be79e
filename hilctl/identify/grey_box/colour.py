"""The colour of what a model leaves over: how strong it is at each frequency, and how well that is known.

Mains hum and the like stand out as lines far above their neighbours, and are taken off as sines first. The rest is
what white noise becomes behind 1/a(z), a as Burg (1967) finds it, its order by BIC: none for white noise.
"""

from typing import NamedTuple

import numpy as np

from hilctl.results.response import Reals

MOST = 60  # coefficients, of a series that is long enough
PATIENCE = 20  # coefficients that explain nothing, before more are tried no longer
SHORT = 10  # samples for each coefficient at least
STANDS_OUT = 60.0  # a line's power over the median of its neighbours': of noise one in 1e9 lines does
LINES = 8  # at most
ROUNDS = 3  # of putting noise in the place of noise
WARM = 2000  # samples of it before it counts
_NEAR, _FAR = 3, 14  # neighbours, from the line, that it is held against


class Sine(NamedTuple):
    """A line."""

    turn: float  # rad per sample
    power: float  # mean square


class Colour(NamedTuple):
    """Of one series."""

    coefficients: Reals  # a, beginning with 1
    variance: float  # of the white noise behind it
    samples: int
    sines: tuple[Sine, ...]

    @property
    def order(self) -> int:
        """0: white."""
        return len(self.coefficients) - 1

    def transfer(self, size: int) -> Reals:
        """1/a at the frequencies of a real transform of `size`; complex."""
        return np.asarray(1 / np.fft.rfft(self.coefficients, size))

    def doubt(self) -> Reals:
        """The coefficients' covariance."""
        from scipy.linalg import solve_toeplitz

        size = 1 << max(12, int(np.ceil(np.log2(8 * self.samples))))
        alike = np.fft.irfft(np.abs(self.transfer(size)) ** 2, size)[: self.order]
        return np.asarray(solve_toeplitz(alike, np.eye(self.order))) / self.samples


def colour_of(misses: Reals, taken: Reals) -> Colour:
    """Of residuals; `taken`, [sample, direction]: where the fit has taken the noise.

    There noise of the same colour is put in its place, so that the missing part does not count as a colour.
    """
    rest, sines = _without_sines(misses)
    count = len(misses)
    left, size, _ = np.linalg.svd(taken, full_matrices=False)
    normal = np.random.default_rng(0).standard_normal(WARM + count)
    coefficients, variance = np.ones(1), float(rest @ rest) / max(count - float(size @ size), 1.0)
    for _ in range(ROUNDS):
        like = coloured(np.sqrt(variance) * normal, coefficients)[WARM:]
        before = coefficients
        coefficients, variance = _burg(rest + left @ (size * (left.T @ like)), min(MOST, count // SHORT))
        if len(before) == len(coefficients) == 1:
            break
    return Colour(coefficients, variance, count, sines)


def coloured(white: Reals, coefficients: Reals) -> Reals:
    """Behind 1/a."""
    from scipy.signal import lfilter

    return np.asarray(lfilter([1.0], coefficients, white))


def _burg(series: Reals, most: int) -> tuple[Reals, float]:
    """Coefficients and variance, of the order that BIC asks for."""
    count = len(series)
    ahead, behind, a = series, series, np.ones(1)
    variance = max(float(series @ series) / count, np.finfo(float).tiny)
    least, found, power = count * np.log(variance), a, variance
    for order in range(1, most + 1):
        one, other = ahead[1:], behind[:-1]
        both = float(one @ one + other @ other)
        if not both > 0.0:
            break
        k = -2 * float(one @ other) / both
        a = np.append(a, 0.0)
        a = a + k * a[::-1]
        ahead, behind = one + k * other, other + k * one
        variance *= 1 - k * k
        if not variance > 0.0:
            break
        score = count * np.log(variance) + order * np.log(count)
        if score < least:
            least, found, power = score, a, variance
        elif order > len(found) + PATIENCE:
            break
    return found, power


def _without_sines(series: Reals) -> tuple[Reals, tuple[Sine, ...]]:
    """What is left without the lines, and these."""
    rest, found = series, []
    for _ in range(LINES):
        turn = _line(rest)
        if turn is None:
            break
        rest, power, turn = _taken(rest, turn)
        found.append(Sine(turn, power))
    return rest, tuple(found)


def _line(series: Reals) -> float | None:
    """Where the strongest line stands, if there is one; in rad per sample."""
    count = len(series)
    if count < 8 * _FAR:
        return None
    power = np.abs(np.fft.rfft(series * np.hanning(count))) ** 2
    near = np.r_[-_FAR : -_NEAR + 1, _NEAR : _FAR + 1]
    at = np.arange(_FAR, len(power) - _FAR)
    usual = np.median(power[at[:, None] + near], axis=1)
    over = power[at] / np.maximum(usual, np.finfo(float).tiny)
    best = int(np.argmax(over))
    if not over[best] > STANDS_OUT:
        return None
    low, here, high = np.log(power[at[best] - 1 : at[best] + 2])
    return float(2 * np.pi * (at[best] + 0.5 * (low - high) / (low - 2 * here + high)) / count)


def _taken(series: Reals, turn: float) -> tuple[Reals, float, float]:
    """Less the sine near `turn` that explains most: its mean square, and where it is."""
    t = np.arange(len(series)) - 0.5 * (len(series) - 1)
    for _ in range(3):
        wave, across = np.cos(turn * t), np.sin(turn * t)
        (c, s), *_ = np.linalg.lstsq(np.stack([wave, across], 1), series, rcond=None)
        slope = t * (s * wave - c * across)
        (c, s, step), *_ = np.linalg.lstsq(np.stack([wave, across, slope], 1), series, rcond=None)
        turn += float(np.clip(step, -0.5 / len(t), 0.5 / len(t)))
    sine = c * np.cos(turn * t) + s * np.sin(turn * t)
    return series - sine, 0.5 * float(c * c + s * s), turn
