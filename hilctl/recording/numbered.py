"""Samples by sequence number: where they stand in a recording's file."""

from typing import Any

import numpy as np
import numpy.typing as npt


def numbered(samples: Any, held: int, segments: Any, first: int, end: int, every: int) -> npt.NDArray[Any]:
    """Every so many of the `held` samples from `first` to `end` (excluded); stops where a gap begins."""
    index = int(np.searchsorted(segments["sequence"], first, "right")) - 1
    low = high = 0
    if index >= 0:
        row0, sequence0 = int(segments["row"][index]), int(segments["sequence"][index])
        stop = int(segments["row"][index + 1]) if index + 1 < len(segments) else held
        low = row0 + first - sequence0
        high = min(stop, row0 + end - sequence0)
    return np.asarray(samples[low : max(low, high) : every] if low < high else samples[:0])
