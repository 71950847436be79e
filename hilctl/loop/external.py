"""The service's side of an external reference: coefficients into the bank that the loop reads (law/reference/external).

Each word has one writer, and what is written before a word is visible before it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.law.reference.external import (
    COUNT,
    DRY,
    ENDED,
    FIRST,
    HEAD,
    HERE,
    PEAK_ACCELERATION,
    PEAK_SPEED,
    RING,
    SUPPORT,
)
from hilctl.loop.outside import order

_KEPT = 64  # coefficients behind the head that are not written over: more than a stall of the loop takes it back


class Bank:
    """The bank of one external reference, while its motion runs."""

    def __init__(self, knots: Any) -> None:
        self._knots = knots

    @property
    def room(self) -> int:
        """How many coefficients can be written."""
        return int(RING - _KEPT - (self._knots[COUNT] - max(self._knots[HEAD], 0.0)))

    @property
    def ahead(self) -> float:
        """In intervals: how far the head can go with what is there."""
        return float(max(self._knots[COUNT] - SUPPORT + 1 - max(self._knots[HEAD], 0.0), 0.0))

    @property
    def here(self) -> float:
        """In intervals since the beginning: where the reference is now; the head is ahead of it."""
        return float(self._knots[HERE])

    @property
    def dry(self) -> bool:
        """Whether it ended because nothing more had come."""
        return bool(self._knots[DRY] != 0.0)

    def write(self, coefficients: npt.NDArray[np.float64], v_m_s: float, a_m_s2: float) -> None:
        """More coefficients, for which there is room, and the peaks of the whole so far."""
        knots, first = self._knots, int(self._knots[COUNT])
        knots[FIRST + ((first + np.arange(len(coefficients))) & (RING - 1))] = coefficients
        knots[PEAK_SPEED], knots[PEAK_ACCELERATION] = v_m_s, a_m_s2
        order()
        knots[COUNT] = first + len(coefficients)

    def end(self) -> None:
        """Nothing more comes."""
        order()
        self._knots[ENDED] = 1.0
