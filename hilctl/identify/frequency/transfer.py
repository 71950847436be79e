"""A transfer function of real coefficients, kept in s/w0 so that its numbers stay near one.

H(s) = exp(-s delay) Σ n_k (s/w0)^k / Σ d_k (s/w0)^k          d of the order, n of at most one less
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm

from sim.servo import Hold

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

    def simulate(self, driven: npt.ArrayLike, dt_s: float, hold: Hold = Hold.first) -> Reals:
        """The output at each sample, from rest, for an input that goes as `hold` says between samples; exact.

        A delay counts as what it is between samples too: the input is read that much earlier.
        """
        u = np.asarray(driven, np.float64)
        phi, push = self._straight(u, dt_s) if hold is Hold.first else self._stairs(u, dt_s)
        out = np.zeros(self.order)
        out[: len(self.n)] = self.n / self.d[-1]
        state, y = np.zeros(self.order), np.zeros(len(u))
        for k in range(len(u) - 1):
            state = phi @ state + push[k]
            y[k + 1] = out @ state
        return y

    def _straight(self, u: Reals, dt_s: float) -> tuple[Reals, Reals]:
        """The states' step, and what the input adds to it, going straight."""
        if self.delay_s:
            t = np.arange(len(u)) * dt_s
            u = np.interp(t - self.delay_s, t, u, left=0.0)
        phi, still, ahead = self._step(dt_s)
        return phi, u[:-1, None] * (still - ahead) + u[1:, None] * ahead

    def _stairs(self, u: Reals, dt_s: float) -> tuple[Reals, Reals]:
        """The same standing still: a stair that is late by part of a sample changes within one."""
        whole = math.floor(self.delay_s / dt_s + 1e-9)
        late_s = max(self.delay_s - whole * dt_s, 0.0)
        phi, still, _ = self._step(dt_s)
        behind = self._step(dt_s - late_s)[1]
        before = np.concatenate([np.zeros(whole + 1), u])[: len(u)]
        now = np.concatenate([np.zeros(whole), u])[: len(u)]
        return phi, now[:-1, None] * behind + before[:-1, None] * (still - behind)

    def _step(self, dt_s: float) -> tuple[Reals, Reals, Reals]:
        """Over a time: of the states, of an input that stands at 1, and of one that rises from 0 to 1."""
        order, h = self.order, dt_s * self.w0
        a = np.diag(np.ones(order - 1), 1)
        a[-1] = -self.d[:-1] / self.d[-1]
        whole = np.zeros((order + 2, order + 2))
        whole[:order, :order], whole[order - 1, order], whole[order, order + 1] = a * h, h, 1.0
        both = expm(whole)
        return both[:order, :order], both[:order, order], both[:order, order + 1]
