"""The service's side of an external reference: coefficients into the bank that the loop reads (law/reference/external).

Each word has one writer, and what is written before a word is visible before it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.law.reference.external import (
    DRY,
    FIRST,
    HEAD,
    HERE,
    RING,
    SENT,
    SENT_ACCELERATION,
    SENT_END,
    SENT_SPEED,
    SUPPORT,
)
from hilctl.loop.outside import order

_KEPT = 64  # coefficients behind the head that are not written over: more than a stall of the loop takes it back


class Bank:
    """The bank of one external reference, while its motion runs. `told` is given all that is written."""

    def __init__(self, knots: Any, told: Callable[[npt.NDArray[np.float64]], None] = lambda coefficients: None) -> None:
        self._knots, self._told = knots, told

    @property
    def room(self) -> int:
        """How many coefficients can be written."""
        return int(RING - _KEPT - (self._knots[SENT] - max(self._knots[HEAD], 0.0)))

    @property
    def ahead(self) -> float:
        """In intervals: how far the head can go with what is there."""
        return float(max(self._knots[SENT] - SUPPORT + 1 - max(self._knots[HEAD], 0.0), 0.0))

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
        self._told(coefficients)
        knots, first = self._knots, int(self._knots[SENT])
        knots[FIRST + ((first + np.arange(len(coefficients))) & (RING - 1))] = coefficients
        knots[SENT_SPEED], knots[SENT_ACCELERATION] = v_m_s, a_m_s2
        order()
        knots[SENT] = first + len(coefficients)

    def end(self) -> None:
        """Nothing more comes."""
        order()
        self._knots[SENT_END] = 1.0


def written(knots: npt.NDArray[np.float64]) -> bytes:
    """All of a bank that has been written."""
    return bytes(knots[: FIRST + min(int(knots[SENT]), RING)].tobytes())
