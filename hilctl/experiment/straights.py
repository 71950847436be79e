"""Where a triangle's reference goes straight: at its speed, up or down."""

import numpy as np
import numpy.typing as npt

_ON_SPEED = 1e-6  # a reference within this share of its speed is on a straight


def straights(reference_m_s: npt.NDArray[np.float64], speed_m_s: float, shortest: int) -> list[slice]:
    """The straights of at least so many samples."""
    on = np.abs(np.abs(reference_m_s) - speed_m_s) < _ON_SPEED * speed_m_s
    edges = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(np.int8), [0]))))
    return [slice(int(first), int(end)) for first, end in edges.reshape(-1, 2) if end - first >= shortest]
