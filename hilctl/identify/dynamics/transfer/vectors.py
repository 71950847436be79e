"""Vector fitting: poles that move towards those of the data (Gustavsen and Semlyen 1999).

    σ(s) H(s) = Σ r_i/(s - p_i)       σ(s) = 1 + Σ c_i/(s - p_i)

is linear in r and c; the zeros of σ are the next poles. An unstable one is mirrored. A pair of complex poles has the
real bases 1/(s - p) + 1/(s - p*) and j/(s - p) - j/(s - p*).
"""

import numpy as np

from hilctl.identify.dynamics.transfer.model import Complexes, Reals

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
        columns = np.hstack([basis, -gain[:, None] * basis]) * weight[:, None]
        rows, right = (np.concatenate([each.real, each.imag]) for each in (columns, gain * weight))
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
