"""A stable transfer function of least squares: poles as sections that cannot become unstable, zeros solved for.

    D(s) = Π (s² + 2 z_i w_i s + w_i²) (s + p)          w, z, p > 0: their logarithms are what is searched, bounded

With the poles given the numerator is linear, so it is solved for at each step (variable projection), and the search has
as many unknowns as the order. A pair of real poles is a section with z >= 1. The error that is made small is that of
the complex gain, divided by its standard error.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from hilctl.identify.dynamics.transfer.model import Complexes, Reals, Transfer

Z_LOW, Z_HIGH = 1e-3, 30.0
BEYOND = 30.0  # times the band: no pole is sought farther
_STEPS = 100


class Refined(NamedTuple):
    """What a search ended at."""

    transfer: Transfer
    sections: Reals  # logarithms of w_i/w0, z_i, …, and p/w0 where the order is odd
    cost: float  # sum of the squared, weighted errors


def refine(sections: Reals, w: Reals, gain: Complexes, weight: Reals, w0: float) -> Refined:
    """From these sections on."""
    s = np.asarray(1j * w / w0, np.complex128)
    low, high = bounds(len(sections), w / w0)
    begin = np.clip(sections, low + 1e-9, high - 1e-9)
    wanted = _parts(gain * weight)

    problem = _Projected(s, weight, wanted)
    found = least_squares(
        problem.error, begin, problem.slope, bounds=(low, high), xtol=1e-8, ftol=1e-9, gtol=1e-12, max_nfev=_STEPS
    )
    return Refined(_solved(found.x, s, gain, weight, w0), found.x, float(2 * found.cost))


class _Projected:
    """What is left when the numerator is solved for, and its derivatives (Golub and Pereyra 1973).

    r = y - Q Q^T y for the bases Phi = Q R, c = R^-1 Q^T y      dr = -(I - Q Q^T) dPhi c - Q R^-T dPhi^T r
    """

    def __init__(self, s: Complexes, weight: Reals, wanted: Reals) -> None:
        self.s, self.weight, self.wanted = s, weight[:, None], wanted

    def error(self, at: Reals) -> Reals:
        q, _ = np.linalg.qr(_parts(_bases(at, self.s) * self.weight))
        return np.asarray(self.wanted - q @ (q.T @ self.wanted))

    def slope(self, at: Reals) -> Reals:
        q, r = np.linalg.qr(_parts(_bases(at, self.s) * self.weight))
        inner = q.T @ self.wanted
        left = self.wanted - q @ inner
        back = np.linalg.pinv(r)
        c = back @ inner
        out = np.empty((len(left), len(at)))
        for k, (columns, each) in enumerate(_slopes(at, self.s)):
            changed = _parts(each * self.weight)
            moved = changed @ c[columns]
            out[:, k] = -(moved - q @ (q.T @ moved)) - q @ (back[columns].T @ (changed.T @ left))
        return out


def bounds(count: int, band: Reals) -> tuple[Reals, Reals]:
    """Of the logarithms."""
    low, high = np.log(band[0] / BEYOND), np.log(band[-1] * BEYOND)
    pair = np.array([[low, np.log(Z_LOW)], [high, np.log(Z_HIGH)]])
    lows, highs = (np.append(np.tile(each, count // 2), each[:1] if count % 2 else []) for each in pair)
    return lows, highs


def sections_of(poles: Complexes, w0: float) -> Reals:
    """The sections of stable poles, real ones two by two."""
    upper = poles[poles.imag > 0]
    real = np.sort(-poles[poles.imag == 0].real)
    out: list[float] = []
    for p in upper:
        out += [np.log(abs(p) / w0), np.log(max(-p.real / abs(p), Z_LOW))]
    for one, other in zip(real[: len(real) // 2 * 2 : 2], real[1::2], strict=True):
        out += [np.log(np.sqrt(one * other) / w0), np.log((one + other) / (2 * np.sqrt(one * other)))]
    if len(real) % 2:
        out.append(np.log(real[-1] / w0))
    return np.array(out)


def with_pole(sections: Reals, logarithm: float) -> Reals:
    """One order more: another real pole, beside the one that is there or alone."""
    if len(sections) % 2 == 0:
        return np.append(sections, logarithm)
    one, other = np.exp(sections[-1]), np.exp(logarithm)
    pair = [np.log(one * other) / 2, np.log((one + other) / (2 * np.sqrt(one * other)))]
    return np.append(sections[:-1], pair)


def _bases(sections: Reals, s: Complexes) -> Complexes:
    """Two for each pair, one for a real pole: their sums are every numerator of one degree less."""
    columns = []
    for i in range(0, len(sections) - 1, 2):
        w, z = np.exp(sections[i]), np.exp(sections[i + 1])
        below = s**2 + 2 * z * w * s + w**2
        columns += [w**2 / below, w * s / below]
    if len(sections) % 2:
        p = np.exp(sections[-1])
        columns.append(p / (s + p))
    return np.stack(columns, 1)


def _slopes(sections: Reals, s: Complexes) -> Iterator[tuple[slice, Complexes]]:
    """For each logarithm: which bases depend on it, and their derivatives."""
    for i in range(0, len(sections) - 1, 2):
        w, z = np.exp(sections[i]), np.exp(sections[i + 1])
        below = s**2 + 2 * z * w * s + w**2
        bases = np.stack([w**2 / below, w * s / below], 1)
        damped = (2 * z * w * s / below)[:, None]
        yield slice(i, i + 2), bases * (np.array([2.0, 1.0]) - damped - 2 * (w**2 / below)[:, None])
        yield slice(i, i + 2), -bases * damped
    if len(sections) % 2:
        p = np.exp(sections[-1])
        yield slice(len(sections) - 1, len(sections)), (p * s / (s + p) ** 2)[:, None]


def _solved(sections: Reals, s: Complexes, gain: Complexes, weight: Reals, w0: float) -> Transfer:
    """The numerator over the product of all sections."""
    factors = [
        np.array([np.exp(2 * sections[i]), 2 * np.exp(sections[i] + sections[i + 1]), 1.0])
        for i in range(0, len(sections) - 1, 2)
    ]
    if len(sections) % 2:
        factors.append(np.array([np.exp(sections[-1]), 1.0]))
    d = np.ones(1)
    for each in factors:
        d = np.convolve(d, each)
    scale = float(np.exp(np.mean(np.log(np.abs(d[[0, -1]])))))
    d = d / scale
    powers = s[:, None] ** np.arange(len(d) - 1)
    basis = _parts(powers / np.polynomial.polynomial.polyval(s, d)[:, None] * weight[:, None])
    size = np.linalg.norm(basis, axis=0)
    n = np.linalg.lstsq(basis / size, _parts(gain * weight), rcond=None)[0] / size
    return Transfer(n, d, w0)


def _parts(values: Complexes) -> Reals:
    return np.concatenate([values.real, values.imag])
