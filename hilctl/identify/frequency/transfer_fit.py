"""Transfer functions of several orders on one response, and which order the data ask for.

Each order is searched from vector fitting's poles, and from the order below with one pole more, wherever that is best:
so no order explains less than the one below it. BIC weighs what an order explains against its two numbers more:

    BIC = 2M ln(cost / 2M) + 2 order ln(2M)         of M complex gains

*Vector fitting*: poles that move towards those of the data (Gustavsen and Semlyen 1999).

    σ(s) H(s) = Σ r_i/(s - p_i)       σ(s) = 1 + Σ c_i/(s - p_i)

is linear in r and c; the zeros of σ are the next poles. An unstable one is mirrored. A pair of complex poles has the
real bases 1/(s - p) + 1/(s - p*) and j/(s - p) - j/(s - p*).

*The search*: poles as sections that cannot become unstable, zeros solved for.

    D(s) = Π (s² + 2 z_i w_i s + w_i²) (s + p)          w, z, p > 0: their logarithms are what is searched, bounded

With the poles given the numerator is linear, so it is solved for at each step (variable projection), and the search has
as many unknowns as the order. A pair of real poles is a section with z >= 1. The error that is made small is that of
the complex gain, divided by its standard error.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.identify.frequency.transfer import Transfer
from hilctl.params import BadValues, Problem
from hilctl.results.response import Complexes, Reals, Response

ROUNDS = 20


def first_poles(order: int, low: float, high: float) -> Complexes:
    """Weakly damped pairs spread over the band, and a real pole where the order is odd; 1/s."""
    w = np.geomspace(low, high, order // 2)
    pairs = np.repeat(-0.1 * w + 1j * w, 2)
    pairs[1::2] = np.conj(pairs[1::2])
    return np.asarray(pairs if order % 2 == 0 else np.append(pairs, -np.sqrt(low * high) + 0j))


def relocate(poles: Complexes, s: Complexes, gain: Complexes, weight: Reals) -> Complexes:
    """The stable poles after ROUNDS of fitting."""
    for _ in range(ROUNDS):
        basis, a, b = _real_bases(poles, s)
        columns: Complexes = np.asarray(np.hstack([basis, -gain[:, None] * basis]) * weight[:, None])
        rows, right = _parts(columns), _parts(gain * weight)
        size = np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
        c = (np.linalg.lstsq(rows / size, right, rcond=None)[0] / size)[len(poles) :]
        found = np.linalg.eigvals(a - np.outer(b, c)).astype(np.complex128)
        poles = _ordered(-np.abs(found.real) + 1j * found.imag)
    return poles


def _ordered(poles: Complexes) -> Complexes:
    """Pairs first, each with its conjugate behind it, then what is real."""
    size = np.abs(poles)
    upper = poles[poles.imag > 1e-9 * size]
    real = poles[np.abs(poles.imag) <= 1e-9 * size].real + 0j
    return np.concatenate([np.column_stack([upper, np.conj(upper)]).ravel(), real])


def _real_bases(poles: Complexes, s: Complexes) -> tuple[Complexes, Reals, Reals]:
    """The bases at s, and the state matrix and input vector that they belong to."""
    n = len(poles)
    basis, a, b = np.empty((len(s), n), np.complex128), np.zeros((n, n)), np.ones(n)
    i = 0
    while i < n:
        p = poles[i]
        if p.imag > 0:
            one, other = 1 / (s - p), 1 / (s - np.conj(p))
            basis[:, i], basis[:, i + 1] = one + other, 1j * (one - other)
            a[i : i + 2, i : i + 2] = [[p.real, p.imag], [-p.imag, p.real]]
            b[i], b[i + 1] = 2.0, 0.0
            i += 2
        else:
            basis[:, i], a[i, i] = 1 / (s - p), p.real
            i += 1
    return basis, a, b


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


HIGHEST = 12
_EXTRA = (0.3, 3.0)  # times the middle of the band: where a pole more is tried


class Fitted(NamedTuple):
    """One order."""

    order: int
    transfer: Transfer
    amplitude_percent: float  # equation 29 on the magnitudes, as the paper judges
    percent: float  # the same on the complex gain, weighted as it was fitted: grows with the order
    bic: float


class Family(NamedTuple):
    """All orders, and the one of least BIC."""

    fits: tuple[Fitted, ...]
    best: Fitted

    def of(self, order: int) -> Fitted:
        """That order's."""
        return next(each for each in self.fits if each.order == order)


def fit_transfer(response: Response, orders: Sequence[int] = range(4, 10)) -> Family:
    """Stable transfer functions of these orders."""
    _check(response, orders)
    w = 2 * np.pi * response.hz
    w0 = float(np.sqrt(w[0] * w[-1]))
    s = np.asarray(1j * w, np.complex128)
    gain, weight = response.gain, weights_of(response)
    found: dict[int, Refined] = {}
    for order in range(min(orders), max(orders) + 1):
        poles = relocate(first_poles(order, w[0], w[-1]), s, gain, weight)
        starts = [sections_of(poles, w0)]
        if order - 1 not in found:
            starts.append(sections_of(first_poles(order, w[0], w[-1]), w0))
        else:
            below = found[order - 1].sections
            starts += [with_pole(below, np.log(factor)) for factor in _EXTRA]
        found[order] = min((refine(each, w, gain, weight, w0) for each in starts), key=lambda one: one.cost)
    fits = tuple(judged(response, found[order].transfer, weight) for order in sorted(set(orders)))
    return Family(fits, min(fits, key=lambda one: one.bic))


def judged(response: Response, transfer: Transfer, weight: Reals) -> Fitted:
    """How well a transfer function fits."""
    shown = transfer.gain(response.hz)
    cost = float(np.sum(np.abs(weight * (response.gain - shown)) ** 2))
    middle = np.sum(weight**2 * response.gain) / np.sum(weight**2)
    spread = float(np.sum(np.abs(weight * (response.gain - middle)) ** 2))
    count = 2 * len(response.hz)
    bic = count * float(np.log(max(cost, 1e-300) / count)) + 2 * transfer.order * float(np.log(count))
    percent = 100 * (1 - float(np.sqrt(cost / max(spread, 1e-300))))
    return Fitted(transfer.order, transfer, fit_percent(response.magnitude, np.abs(shown)), percent, bic)


def weights_of(response: Response) -> Reals:
    """One over the standard error, a median over five lines: each is known to some ten per cent only."""
    padded = np.pad(response.variance, 2, mode="edge")
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    return np.asarray(1 / np.sqrt(np.maximum(smooth, 1e-12 * np.max(np.abs(response.gain)) ** 2)))


def _check(response: Response, orders: Sequence[int]) -> None:
    lines = len(response.hz)
    problems = []
    if not len(orders):
        problems.append(Problem("orders", list(orders), "must name at least one order"))
    problems += [
        Problem("orders", order, f"must be 1 to {HIGHEST}") for order in orders if not 1 <= order <= HIGHEST
    ]
    if len(orders) and lines < 2 * max(orders):
        limit = f"must be {2 * max(orders)} at least for order {max(orders)}"
        problems.append(Problem("response", f"{lines} frequencies", limit, "measure more, or ask for lower orders"))
    if lines and not (np.isfinite(response.gain).all() and (np.diff(response.hz) > 0).all() and response.hz[0] > 0):
        problems.append(Problem("response", "these gains", "must be finite, at frequencies above 0 that grow"))
    if problems:
        raise BadValues(problems)
