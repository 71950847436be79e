"""The newest samples in memory, by sequence number: what `fetch` serves, and where telemetry reads from.

Rows are copied as tables of eight-byte words: numpy copies records field by field, a hundred times slower.
"""

import contextlib
import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from firmware_bridge.driver import READINGS
from hilctl.loop.box import Box
from hilctl.signals import NAMES, SAMPLE
from hilctl.wire.errors import Code, Refused

_READINGS = READINGS.itemsize // 8  # words


def _memory(rows: int, words: int) -> npt.NDArray[np.int64]:
    """Memory that the kernel gives as it is first touched, two megabytes at a time where it can: by pages, the first
    minutes cost three times as much processor time as all the rest (measured at 10 kHz)."""
    memory = mmap.mmap(-1, rows * words * 8, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.int64).reshape(rows, words)


def _as_rows(words: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    rows: npt.NDArray[Any] = words.view(SAMPLE).reshape(len(words))
    return rows


class History:
    """A ring of rows, each a sample and what the driver gave. `first` to `end` (excluded) are held. Memory is touched,
    and so taken, only as rows come. With a black box it is the box's, which outlives this process."""

    def __init__(self, capacity: int, box: Box | None = None) -> None:
        self._box = box
        if box is not None:
            self._words, self._readings = box.samples, box.readings
        else:
            self._words, self._readings = _memory(capacity, len(NAMES)), _memory(capacity, _READINGS)
        self._rows = _as_rows(self._words)
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

    def append(self, words: npt.NDArray[np.int64], readings: npt.NDArray[np.int64]) -> None:
        """Adds rows in order, as tables of words."""
        capacity, box = self._capacity, self._box
        at = self.end % capacity
        over = at + len(words)
        self.end = end = self.end + len(words)
        if box is not None and box.there < capacity:
            box.need(end)
        if over <= capacity:
            self._words[at:over] = words
            self._readings[at:over] = readings
        else:
            self._put(self._words, words)
            self._put(self._readings, readings)
        if end - self.first > capacity:
            self.first = end - capacity
        if box is not None:
            box.hold(end)

    def _put(self, ring: npt.NDArray[np.int64], words: npt.NDArray[np.int64]) -> None:
        """Where the ring turns."""
        keep = words[-self._capacity :]
        at = (self.end - len(keep)) % self._capacity
        head = self._capacity - at
        ring[at : at + len(keep)] = keep[:head]
        ring[: max(len(keep) - head, 0)] = keep[head:]

    def rows(self, first: int, end: int, every: int = 1) -> npt.NDArray[Any]:
        """A copy of the rows from `first` to `end` (excluded); `gone` where the oldest were overwritten."""
        self._need(first)
        end = min(end, self.end)
        at, count = first % self._capacity, max(0, end - first)
        head = min(count, self._capacity - at)
        if head == count:
            return _as_rows(self._words[at : at + count : every].copy())
        whole = np.concatenate((self._words[at:], self._words[: count - head]))
        return _as_rows(np.ascontiguousarray(whole[::every]))

    def table(self, first: int, end: int) -> npt.NDArray[np.int64]:
        """The same as a table of words, each sample with its readings beside it; `end` is not beyond the newest."""
        self._need(first)
        out = np.empty((max(0, end - first), len(NAMES) + _READINGS), np.int64)
        at = first % self._capacity
        head = min(len(out), self._capacity - at)
        for ring, into in ((self._words, out[:, : len(NAMES)]), (self._readings, out[:, len(NAMES) :])):
            into[:head] = ring[at : at + head]
            into[head:] = ring[: len(out) - head]
        return out

    def glance(self, first: int, most: int) -> npt.NDArray[np.int64]:
        """Rows from `first` on, at most so many, as a table of words: without a copy, up to where the ring turns."""
        at = first % self._capacity
        return self._words[at : at + min(most, self.end - first)]

    def _need(self, first: int) -> None:
        if first < self.first:
            raise Refused(Code.GONE, f"sample {first} was purged; memory begins at {self.first}", "first")

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
