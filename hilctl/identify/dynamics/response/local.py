"""Least squares over a few lines, of which the first unknown is what is wanted: the heart of every local polynomial."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

SINGULAR = 1e-3  # the part of a column, of size about one, that those before it do not make


class Leading(NamedTuple):
    """The first unknown, or one for each column of what was fitted."""

    value: Any
    grows: float  # its variance, as a share of the noise's
    left: npt.NDArray[np.complex128]  # what the basis does not explain
    spare: int  # equations beyond the unknowns

    @property
    def noise(self) -> float:
        """Mean |left|², one column."""
        return float(np.sum(np.abs(self.left) ** 2) / self.spare)


def leading(basis: npt.NDArray[Any], y: npt.NDArray[np.complex128]) -> Leading:
    """LinAlgError where the columns of the basis are linearly dependent."""
    q, triangle = np.linalg.qr(basis)
    if np.abs(np.diag(triangle)).min() < SINGULAR:
        raise np.linalg.LinAlgError("the columns of the basis are linearly dependent")
    inner = np.conj(q.T) @ y
    found = np.linalg.solve(triangle, inner)
    first = np.linalg.solve(np.conj(triangle.T), np.eye(len(triangle))[0])
    return Leading(found[0], float(np.sum(np.abs(first) ** 2)), y - q @ inner, len(y) - len(triangle))
