"""A transfer function of real coefficients, kept in s/w0 so that its numbers stay near one.

    H(s) = Σ n_k (s/w0)^k / Σ d_k (s/w0)^k          d of the order, n of at most one less
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.signal import lsim

from hilctl.results.response import Complexes, Reals
from hilctl.servo import Hold


class Transfer(NamedTuple):
    """Coefficients from the constant one up, in powers of s/w0."""

    n: Reals
    d: Reals
    w0: float  # rad/s

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
        return np.asarray(np.polynomial.polynomial.polyval(s, self.n) / np.polynomial.polynomial.polyval(s, self.d))

    def simulate(self, driven: npt.ArrayLike, dt_s: float, hold: Hold = Hold.first) -> Reals:
        """The output at each sample, from rest, for an input that goes as `hold` says between samples; exact."""
        u = np.asarray(driven, np.float64)
        a, out = np.diag(np.ones(self.order - 1), 1), np.zeros((1, self.order))
        a[-1] = -self.d[:-1] / self.d[-1]
        out[0, : len(self.n)] = self.n / self.d[-1]
        states = (a, np.eye(self.order)[:, -1:], out, np.zeros((1, 1)))
        return np.asarray(lsim(states, u, np.arange(len(u)) * dt_s * self.w0, interp=hold is Hold.first)[1])
