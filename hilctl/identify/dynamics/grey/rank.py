"""How many directions the data fix: singular values of the derivatives, each column brought to length one.

Directions that are not identifiable from the data show as singular values at the level of rounding, many decades below
the rest; directions that are badly determined do not.
"""

from typing import NamedTuple

import numpy as np

from hilctl.identify.dynamics.grey.model import Reals

GAP = 1e6  # between two neighbouring singular values: below it, nothing is fixed
_ROUNDING = 1e-16


class Rank(NamedTuple):
    """What derivatives say."""

    rank: int
    singular_values: tuple[float, ...]
    gap: float  # across the rank; to the level of rounding where all directions are fixed
    null: Reals  # orthonormal columns, in units of `lengths`
    lengths: Reals  # of the derivatives' columns

    def null_in(self, scale: Reals) -> Reals:
        """The directions that are not fixed, as orthonormal columns in units of `scale`."""
        lengths = np.where(self.lengths > 0, self.lengths, 1.0)
        turned = self.null / (lengths * scale)[:, None]
        if not turned.shape[1]:
            return turned
        return np.asarray(np.linalg.qr(turned / np.abs(turned).max(0))[0])


def rank_of(jacobian: Reals) -> Rank:
    """Of a Jacobian, or of the triangle that stands for it."""
    lengths = np.linalg.norm(jacobian, axis=0)
    count = len(lengths)
    _, found, right = np.linalg.svd(jacobian / np.where(lengths > 0, lengths, 1.0))
    values = np.zeros(count)
    values[: len(found)] = found[:count]
    floor = max(values[0], 1.0) * _ROUNDING
    steps = np.append(values[1:], 0.0)
    gaps = values / np.maximum(steps, floor)
    wide = [k for k in range(count - 1) if gaps[k] >= GAP]
    rank = wide[0] + 1 if wide else count
    return Rank(rank, tuple(values.tolist()), float(gaps[rank - 1]), right[rank:].T.copy(), lengths)
