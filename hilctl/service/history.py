"""The newest samples in memory, by sequence number: what `fetch` serves, and where telemetry reads from."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.signals import SAMPLE
from hilctl.wire.errors import Code, Refused


class History:
    """A ring of rows. `first` to `end` (excluded) are held. Memory is touched, and so taken, only as rows come."""

    def __init__(self, capacity: int) -> None:
        self._rows: npt.NDArray[Any] = np.empty(capacity, SAMPLE)
        self._capacity = capacity
        self.first = self.end = 0

    @property
    def free(self) -> int:
        """Rows that fit before the oldest is overwritten."""
        return self._capacity - (self.end - self.first)

    @property
    def capacity(self) -> int:
        """Rows that are held at most."""
        return self._capacity

    def append(self, rows: npt.NDArray[Any], first: int | None = None) -> None:
        """Adds rows in order. `first` above `end` means that rows in between were lost: what is older is dropped."""
        if first is not None and first != self.end:
            self.first = self.end = first
        keep = rows[-self._capacity :]
        self.end += len(rows)
        at = (self.end - len(keep)) % self._capacity
        head = min(len(keep), self._capacity - at)
        self._rows[at : at + head] = keep[:head]
        self._rows[: len(keep) - head] = keep[head:]
        self.first = max(self.first, self.end - self._capacity)

    def rows(self, first: int, end: int, every: int = 1) -> npt.NDArray[Any]:
        """A copy of the rows from `first` to `end` (excluded); `gone` where the oldest were overwritten."""
        if first < self.first:
            raise Refused(Code.GONE, f"sample {first} was purged; memory begins at {self.first}", "first")
        end = min(end, self.end)
        if first >= end:
            return self._rows[:0].copy()
        at, count = first % self._capacity, end - first
        head = min(count, self._capacity - at)
        if head == count:
            return self._rows[at : at + count : every].copy()
        whole = np.concatenate((self._rows[at:], self._rows[: count - head]))
        return whole[::every]

    def last(self) -> Any:
        """The newest row, None when there is none."""
        return self._rows[(self.end - 1) % self._capacity] if self.end > self.first else None

    def find_tick(self, tick: int) -> int | None:
        """Sequence number of the first row at or after this tick; None when it has not come, or was purged."""
        low, high = self.first, self.end
        if low == high or self._tick(high - 1) < tick:
            return None
        while low < high:
            middle = (low + high) // 2
            if self._tick(middle) < tick:
                low = middle + 1
            else:
                high = middle
        return low

    def _tick(self, sequence: int) -> int:
        return int(self._rows["tick"][sequence % self._capacity])
