"""A transfer function of real coefficients, kept in s/w0 so that its numbers stay near one.

    H(s) = exp(-s delay) Σ n_k (s/w0)^k / Σ d_k (s/w0)^k          d of the order, n of at most one less
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm

Reals = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]


class Transfer(NamedTuple):
    """Coefficients from the constant one up, in powers of s/w0."""

    n: Reals
    d: Reals
    w0: float  # rad/s
    delay_s: float = 0.0

    @property
    def order(self) -> int:
        """Of the denominator."""
        return len(self.d) - 1

    @property
    def poles(self) -> Complexes:
        """In 1/s, the slowest first."""
        found = np.roots(self.d[::-1]).astype(np.complex128) * self.w0
        return found[np.argsort(np.abs(found), kind="stable")]

    @property
    def zeros(self) -> Complexes:
        """In 1/s, the slowest first; leading coefficients that are nothing beside the others make none."""
        there = np.flatnonzero(np.abs(self.n) > 1e-9 * np.abs(self.n).max())
        found = np.roots(self.n[: there[-1] + 1][::-1] if len(there) else []).astype(np.complex128) * self.w0
        return found[np.argsort(np.abs(found), kind="stable")]

    @property
    def stable(self) -> bool:
        """Every pole has a negative real part."""
        return bool((self.poles.real < 0).all())

    @property
    def numerator(self) -> Reals:
        """Of s in 1/s, from the highest power down."""
        return np.asarray((self.n / self.w0 ** np.arange(len(self.n)))[::-1])

    @property
    def denominator(self) -> Reals:
        """Of s in 1/s, from the highest power down."""
        return np.asarray((self.d / self.w0 ** np.arange(len(self.d)))[::-1])

    def gain(self, hz: npt.ArrayLike) -> Complexes:
        """The complex gain at each frequency."""
        s = 2j * np.pi * np.asarray(hz, np.float64) / self.w0
        value = np.polynomial.polynomial.polyval(s, self.n) / np.polynomial.polynomial.polyval(s, self.d)
        return np.asarray(value * np.exp(-s * self.w0 * self.delay_s))

    def simulate(self, driven: npt.ArrayLike, dt_s: float) -> Reals:
        """The output at each sample, from rest, for an input that goes straight between samples; exact.

        A delay counts as what it is between samples too: the input is read that much earlier.
        """
        u = np.asarray(driven, np.float64)
        if self.delay_s:
            t = np.arange(len(u)) * dt_s
            u = np.interp(t - self.delay_s, t, u, left=0.0)
        order, h = self.order, dt_s * self.w0
        a = np.diag(np.ones(order - 1), 1)
        a[-1] = -self.d[:-1] / self.d[-1]
        whole = np.zeros((order + 2, order + 2))
        whole[:order, :order], whole[order - 1, order], whole[order, order + 1] = a * h, h, 1.0
        both = expm(whole)
        phi, now, ahead = both[:order, :order], both[:order, order] - both[:order, order + 1], both[:order, order + 1]
        push = u[:-1, None] * now + u[1:, None] * ahead
        out = np.zeros(order)
        out[: len(self.n)] = self.n / self.d[-1]
        state, y = np.zeros(order), np.zeros(len(u))
        for k in range(len(u) - 1):
            state = phi @ state + push[k]
            y[k + 1] = out @ state
        return y
