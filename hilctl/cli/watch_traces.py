"""The last seconds of some channels: minimum and maximum of each of some hundred bins; every sample counts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

BINS = 480  # of the seconds that are shown; a group of them becomes one column of dots
MOST_GROUPS = BINS


class Traces:
    """Bins of so many ticks each, in a ring. A bin in which no sample lies, or no number, is NaN.

    Time is counted in ticks: on the virtual clock it stands still with the rig; missed ticks leave a hole.
    """

    def __init__(self, names: Sequence[str], rate_hz: float, seconds: float) -> None:
        self.names = tuple(names)
        self.ticks = max(1, round(seconds * rate_hz / BINS))  # of one bin
        self.seconds = BINS * self.ticks / rate_hz
        self.newest: dict[str, Any] = {}
        self._last = -1  # the newest bin, counted since tick 0
        self._low = np.full((len(self.names), 2 * BINS), np.nan)
        self._high = self._low.copy()

    def take(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Samples that follow those before; `tick` is one of the columns."""
        ticks = columns["tick"]
        if not len(ticks):
            return
        bins = ticks // self.ticks
        if bins[0] < self._last:  # the run is another one
            self._last = -1
            self._low[:], self._high[:] = np.nan, np.nan
        self._open(int(bins[0]), int(bins[-1]))
        together = np.stack([columns[name] for name in self.names]).astype(np.float64, copy=False)
        starts = np.concatenate(([0], np.flatnonzero(np.diff(bins)) + 1))
        kept = bins[starts] > self._last - self._low.shape[1]  # where the loop stood still for longer than a window
        at = bins[starts][kept] % self._low.shape[1]
        self._low[:, at] = np.fmin(self._low[:, at], np.fmin.reduceat(together, starts, axis=1)[:, kept])
        self._high[:, at] = np.fmax(self._high[:, at], np.fmax.reduceat(together, starts, axis=1)[:, kept])
        self.newest = {name: columns[name][-1].item() for name in self.names}

    def _open(self, first: int, last: int) -> None:
        """Empties the bins that begin."""
        size = self._low.shape[1]
        begin = max(self._last + 1, last - size + 1) if self._last >= 0 else first
        at = np.arange(begin, last + 1) % size
        self._low[:, at], self._high[:, at] = np.nan, np.nan
        self._last = max(self._last, last)

    def groups(self, count: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Minima and maxima, a row a channel, of so many groups of bins, the newest one last.

        Groups begin at multiples of their size: while time goes on, what is drawn moves and does not flicker.
        """
        count = min(count, MOST_GROUPS)
        size = -(-BINS // count)
        end = self._last // size + 1
        at = np.arange((end - count) * size, end * size)
        low, high = self._low[:, at % self._low.shape[1]], self._high[:, at % self._low.shape[1]]
        none = (at < 0) | (at > self._last)
        low[:, none], high[:, none] = np.nan, np.nan
        starts = np.arange(0, len(at), size)
        return np.fmin.reduceat(low, starts, axis=1), np.fmax.reduceat(high, starts, axis=1)
