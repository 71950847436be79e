"""Every channel by tick: at the full rate, and its extremes over every 64 ticks for longer.

A place belongs to a tick, so a tick that was missed, or whose block was lost, is a gap and nothing moves together.
Numbers are single floats: for eyes. What has to be exact is fetched from the service.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FOLD = 64  # ticks of which only the extremes are kept when their samples are overwritten
SPAN_S = 600.0  # of the extremes
_BYTES = 128 << 20  # of the samples at the full rate

Floats = npt.NDArray[np.float32]


class Samples:
    """A ring of samples and a longer one of extremes. One thread writes, others read.

    Both are kept by folds, each with all channels together: a block touches a few pages of memory.
    """

    def __init__(
        self, names: Sequence[str], rate_hz: float, *, most_bytes: int = _BYTES, span_s: float = SPAN_S
    ) -> None:
        self.names, self.rate_hz = tuple(names), rate_hz
        self._row = {name: row for row, name in enumerate(self.names)}
        width, self._folds = len(self.names), int(span_s * rate_hz) // FOLD + 2
        self._kept = max(2, min(self._folds, most_bytes // (4 * FOLD * width)))
        # Nothing is read but what was written since `first`, so nothing is filled: 150 MB would take half a second.
        self._full = np.empty((self._kept, width, FOLD), np.float32)
        self._low = np.empty((self._folds, width), np.float32)
        self._high = np.empty((self._folds, width), np.float32)
        self._lock = threading.Lock()
        self.first = 0  # tick of the first sample ever; what was overwritten since is not left out
        self.end = 0  # the tick behind the newest sample

    def rows(self, names: Sequence[str]) -> list[int]:
        """Where these channels stand; a channel that is not there raises KeyError."""
        return [self._row[name] for name in names]

    @property
    def full_first(self) -> int:
        """The oldest tick that is still there at the full rate."""
        return max(self.first, (_folds(self.end) - self._kept) * FOLD)

    @property
    def fold_first(self) -> int:
        """The oldest tick of which the extremes are there."""
        return max(self.first, (_folds(self.end) - self._folds) * FOLD)

    def put(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """The samples of a block, which name their ticks."""
        ticks = columns["tick"]
        if not len(ticks):
            return
        every = [columns[name] for name in self.names]
        block = np.concatenate(every, dtype=np.float32, casting="same_kind").reshape(len(every), len(ticks))
        first, last = int(ticks[0]), int(ticks[-1])
        with self._lock:
            if not self.end or first >= self.end + self._folds * FOLD or last < self.fold_first:
                self._begin(first)
            self._clear(last + 1)
            if last - first + 1 == len(ticks) and first >= self.full_first:
                self._append(first, block)
            else:
                inside = ticks >= self.full_first
                at = ticks[inside]
                self._full[at // FOLD % self._kept, :, at % FOLD] = block[:, inside].T
                self._extremes(max(first, self.full_first), last)

    def extremes(self, rows: Sequence[int], first: int, step: int, count: int) -> Floats:
        """Lowest and highest of each column of `step` ticks, [channel, column, 2]; nan where nothing is known.

        `step` is a power of two, `first` a multiple of it.
        """
        with self._lock:
            if step < FOLD:
                each, low = step, self._samples(rows, first, first + count * step)
                high = low
            else:
                each = step // FOLD
                low, high = (self._folded(ring, rows, first // FOLD, count * each) for ring in (self._low, self._high))
        found = np.empty((len(rows), count, 2), np.float32)
        if each == 1:
            found[:, :, 0], found[:, :, 1] = low, high
        else:
            shape = (len(rows), count, each)
            np.fmin.reduce(low.reshape(shape), axis=2, out=found[:, :, 0])
            np.fmax.reduce(high.reshape(shape), axis=2, out=found[:, :, 1])
        return found

    def between(self, row: int, first: int, last: int) -> Floats:
        """One channel at the full rate, `first` to `last` included, as far as it is still there; gaps are nan."""
        with self._lock:
            first, end = max(first, self.full_first), min(last + 1, self.end)
            found: Floats = self._samples([row], first, max(first, end))[0]
            return found

    def newest(self) -> dict[str, float]:
        """The newest sample."""
        with self._lock:
            if not self.end:
                return {}
            tick = self.end - 1
            values = self._full[tick // FOLD % self._kept, :, tick % FOLD]
            return dict(zip(self.names, values.tolist(), strict=True))

    def _begin(self, first: int) -> None:
        self.first = self.end = first // FOLD * FOLD  # from where `_clear` begins
        self._clear(first + 1)
        self.first = self.end = first

    def _clear(self, end: int) -> None:
        """Places that are used again hold nothing until they are written, by whole folds: a missed tick stays a gap."""
        since, to = _folds(self.end), _folds(end)
        self.end = max(self.end, end)
        for ring in (self._full, self._low, self._high) if to > since else ():
            for fold in range(max(since, to - len(ring)), to):
                ring[fold % len(ring)] = np.nan

    def _append(self, first: int, block: Floats) -> None:
        """Samples without a gap."""
        done, count = 0, block.shape[1]
        while done < count:
            fold, at = divmod(first + done, FOLD)
            some = min(FOLD - at, count - done)
            part = block[:, done : done + some]
            self._full[fold % self._kept, :, at : at + some] = part
            low, high = self._low[fold % self._folds], self._high[fold % self._folds]
            np.fmin(low, np.fmin.reduce(part, axis=1), out=low)
            np.fmax(high, np.fmax.reduce(part, axis=1), out=high)
            done += some

    def _extremes(self, first: int, last: int) -> None:
        """Of the folds that these ticks touched."""
        folds = np.arange(first // FOLD, last // FOLD + 1)
        block = self._full[folds % self._kept]
        self._low[folds % self._folds] = np.fmin.reduce(block, axis=2)
        self._high[folds % self._folds] = np.fmax.reduce(block, axis=2)

    def _samples(self, rows: Sequence[int], first: int, end: int) -> Floats:
        """At the full rate, [channel, tick]; nan where nothing is known."""
        found = np.full((len(rows), end - first), np.nan, np.float32)
        since, until = max(first, self.full_first), min(end, self.end)
        if since < until:
            begin = since // FOLD
            flat = _stretch(self._full, rows, begin, _folds(until)).transpose(1, 0, 2).reshape(len(rows), -1)
            found[:, since - first : until - first] = flat[:, since - begin * FOLD : until - begin * FOLD]
        return found

    def _folded(self, ring: Floats, rows: Sequence[int], first: int, count: int) -> Floats:
        """Extremes, [channel, fold]; nan where nothing is known."""
        found = np.full((len(rows), count), np.nan, np.float32)
        since, until = max(first, self.fold_first // FOLD), min(first + count, _folds(self.end))
        if since < until:
            found[:, since - first : until - first] = _stretch(ring, rows, since, until).T
        return found


def _stretch(ring: Floats, rows: Sequence[int], first: int, end: int) -> Floats:
    """These rows of so many folds of a ring, which may begin again within them."""
    at, count = first % len(ring), end - first
    parts = (ring[at : at + count], ring[: max(0, at + count - len(ring))])
    return np.concatenate([part[:, rows] for part in parts])


def _folds(end: int) -> int:
    """How many hold all ticks before this one."""
    return -(-end // FOLD)
