"""Subspaces of small whole numbers: found in floating-point ones, and written down plainly."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

LARGEST = 12  # numerator and denominator of what counts as a small fraction
APART = 1e-4  # of a fraction: the spaces come from singular vectors, good to 1e-7 or so


def echelon(rows: Any) -> Reals:
    """The reduced row echelon form of independent rows: it depends on their span alone. Pivots come first by column."""
    work = np.array(rows, float)
    at = 0
    for column in range(work.shape[1]):
        if at == len(work):
            break
        best = at + int(np.argmax(np.abs(work[at:, column])))
        if abs(work[best, column]) < 1e-6:
            continue
        work[[at, best]] = work[[best, at]]
        work[at] /= work[at, column]
        for other in range(len(work)):
            if other != at:
                work[other] -= work[other, column] * work[at]
        at += 1
    return work[:at]


def whole(row: Any) -> tuple[int, ...] | None:
    """The row times the least number that makes it whole; None where it is none of small fractions."""
    fractions = []
    for value in row:
        near = Fraction(float(value)).limit_denominator(LARGEST)
        if abs(float(near) - value) > APART or abs(near.numerator) > LARGEST:
            return None
        fractions.append(near)
    common = math.lcm(*(f.denominator for f in fractions))
    return tuple(int(f * common) for f in fractions)


def whole_rows(rows: Any) -> tuple[tuple[int, ...], ...]:
    """Whole rows that span what these do, as far as there are such; the rest is left out."""
    if not len(rows):
        return ()
    found = (whole(row) for row in echelon(rows))
    return tuple(row for row in found if row is not None)


def crosswise(rows: Sequence[Sequence[int]], count: int) -> dict[int, tuple[int, ...]]:
    """Whole rows at right angles to all of these, that span everything that is: one for each column without a pivot.

    By that column: it stands in no other of these rows.
    """
    exact = [[Fraction(v) for v in row] for row in rows]
    pivots: list[int] = []
    for column in range(count):
        at = len(pivots)
        here = next((i for i in range(at, len(exact)) if exact[i][column]), None)
        if here is None:
            continue
        exact[at], exact[here] = exact[here], exact[at]
        exact[at] = [v / exact[at][column] for v in exact[at]]
        for other in range(len(exact)):
            if other != at:
                exact[other] = [v - exact[other][column] * p for v, p in zip(exact[other], exact[at], strict=True)]
        pivots.append(column)
    out = {}
    for column in (c for c in range(count) if c not in pivots):
        row = [Fraction(int(c == column)) for c in range(count)]
        for at, pivot in enumerate(pivots):
            row[pivot] = -exact[at][column]
        common = math.lcm(*(f.denominator for f in row))
        out[column] = tuple(int(f * common) for f in row)
    return out


def common_space(spaces: Sequence[Reals]) -> Reals:
    """Orthonormal rows of what lies in every one of these spaces (orthonormal columns each)."""
    size = spaces[0].shape[0]
    if any(space.shape[1] == 0 for space in spaces):
        return np.zeros((0, size))
    outside = sum((np.eye(size) - space @ space.T for space in spaces), np.zeros((size, size)))
    values, vectors = np.linalg.eigh(outside)
    return np.asarray(vectors[:, values < 1e-8].T)
