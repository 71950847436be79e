"""Many equations in one small triangle, for least squares: R of [J r], by orthogonal steps.

R'R = [J r]'[J r]: its first n columns stand for J and its last for r in everything that least squares asks, and nothing
of J's precision is lost. J'J instead would lose every direction below 1e-8 of the strongest. LAPACK's QR of as tall a
matrix makes a whole evaluation 1.3 to 1.9 times as long (31 120 equations, nine columns; November 2026), so the steps
are compiled here, block by block.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.results.response import Reals
from hilctl.rt.jit import jit

_BLOCK = 128  # equations at a time: they stay in the nearest cache


def triangle_of(jacobian: Reals, residual: Reals) -> Reals:
    """The triangle of one set of equations, (n + 1, n + 1)."""
    count = jacobian.shape[1] + 1
    out = np.zeros((count, count))
    columns = np.empty((count, len(residual)))
    columns[:-1], columns[-1] = jacobian.T, residual
    _absorb(columns, out)
    return out


def stacked(triangles: list[Reals]) -> Reals:
    """The triangle of several sets."""
    out = triangles[0].copy()
    for one in triangles[1:]:
        _absorb(np.ascontiguousarray(one.T), out)
    return out


def _signature() -> str:
    return "void(float64[:, ::1], float64[:, ::1])"


@jit(_signature, cached=True)
def _absorb(columns: Any, out: Any) -> None:
    """Householder's steps, block by block; `columns` is used up, `out` the triangle that grows by them."""
    count, rows = columns.shape
    for begin in range(0, rows, _BLOCK):
        end = min(begin + _BLOCK, rows)
        for k in range(count):
            first, own = out[k, k], columns[k, begin:end]
            square = 0.0
            for i in range(own.size):
                square += own[i] * own[i]
            if square == 0.0:
                continue
            length = np.sqrt(first * first + square)
            if first > 0.0:
                length = -length
            lead = first - length  # of the mirror's normal; the rest of it is `own`
            factor = 2.0 / (lead * lead + square)
            out[k, k] = length
            for j in range(k + 1, count):
                other = columns[j, begin:end]
                total = lead * out[k, j]
                for i in range(own.size):
                    total += own[i] * other[i]
                total *= factor
                out[k, j] -= total * lead
                for i in range(own.size):
                    other[i] -= total * own[i]


class Memory:
    """The last triangles: scipy asks for residuals and derivatives apart."""

    def __init__(self, made: Callable[[Reals], Reals]) -> None:
        self._made = made
        self._last: dict[bytes, Reals] = {}

    def triangle(self, q: Reals) -> Reals:
        """That of these parameters."""
        key = q.tobytes()
        if key not in self._last:
            if len(self._last) >= 2:
                self._last.pop(next(iter(self._last)))
            self._last[key] = self._made(q)
        return self._last[key]

    def residuals(self, q: Reals) -> Reals:
        """As many as it has columns."""
        return np.asarray(self.triangle(q)[:, -1])

    def slopes(self, q: Reals) -> Reals:
        """Theirs by the parameters."""
        return np.asarray(self.triangle(q)[:, :-1])
