"""What one browser shows of the samples: columns of extremes, sent once each, and values between two cursors.

A column is a power of two of ticks, and begins at a multiple of it: scrolling never changes what a column holds, and a
spike of one sample is in one at every width. The last column is sent again until it is whole; all others once.
"""

import struct
from typing import NamedTuple

import numpy as np

from hilctl.panel.samples import Samples

COLUMNS = 1000  # at least half as many are shown, never more
MOST_TRACES = 8
_PAIRS = 4000  # points of the plane of two channels

# kind, generation, traces, columns; first column, ticks a column, end, and the window's first tick and length
HEADER = struct.Struct("<4I5d")
TIME, PLANE = 1, 2


class Shown(NamedTuple):
    """A window of time, in ticks."""

    first: int
    last: int  # the tick behind it


def step_of(ticks: int) -> int:
    """Ticks of a column."""
    step = 1
    while ticks > step * COLUMNS:
        step *= 2
    return step


class View:
    """Follows the newest samples, or stands at a window. The browser gets what it has not got."""

    def __init__(self, channels: tuple[str, ...], ticks: int, generation: int, at: Shown | None = None) -> None:
        self.channels, self.generation, self.at = channels, generation, at
        self.ticks = max(2, at.last - at.first if at else ticks)
        self._step = step_of(self.ticks)
        self._next = 0  # first column that was not sent whole
        self._end = -1

    def frame(self, samples: Samples) -> bytes | None:
        """What is new; None where nothing is."""
        end = samples.end
        if end == self._end or (self.at is not None and 0 <= self.at.last <= self._end):
            return None
        first, last = (self.at.first, min(self.at.last, end)) if self.at else (end - self.ticks, end)
        begin = max(0, first // self._step, self._next)
        count = max(0, -(-last // self._step) - begin)
        self._next, self._end = last // self._step, end
        values = samples.extremes(samples.rows(self.channels), begin * self._step, self._step, count)
        head = HEADER.pack(
            TIME, self.generation, len(self.channels), count, begin, self._step, end, first, self.ticks
        )  # fmt: skip
        return head + values.tobytes()


def plane(samples: Samples, pair: tuple[str, str], at: Shown, generation: int) -> bytes:
    """One channel over another: every sample where they are few, else of each column those where either is extreme."""
    x, y = (samples.between(row, at.first, at.last - 1) for row in samples.rows(pair))
    keep = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    x, y = x[keep], y[keep]
    if len(x) > _PAIRS:
        whole = len(x) // (_PAIRS // 4)
        cut = len(x) // whole * whole
        base = np.arange(0, cut, whole)
        chosen = [f(v[:cut].reshape(-1, whole), axis=1) + base for v in (x, y) for f in (np.argmin, np.argmax)]
        order = np.unique(np.concatenate([*chosen, np.arange(cut, len(x))]))
        x, y = x[order], y[order]
    head = HEADER.pack(PLANE, generation, 2, len(x), 0.0, 1.0, samples.end, at.first, at.last - at.first)
    return head + np.stack((x, y), 1).tobytes()
