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
    """A ring of samples and a longer one of extremes. One thread writes, others read."""

    def __init__(
        self, names: Sequence[str], rate_hz: float, *, most_bytes: int = _BYTES, span_s: float = SPAN_S
    ) -> None:
        self.names, self.rate_hz = tuple(names), rate_hz
        self._row = {name: row for row, name in enumerate(self.names)}
        folds = int(span_s * rate_hz) // FOLD + 2
        kept = max(2, min(folds, most_bytes // (4 * FOLD * len(self.names))))
        self._kept, self._folds = kept * FOLD, folds
        # Nothing is read but what was written since `first`, so nothing is filled: 150 MB would take half a second.
        self._flat = np.empty((len(self.names), kept * FOLD), np.float32)
        self._low = np.empty((len(self.names), folds), np.float32)
        self._high = np.empty((len(self.names), folds), np.float32)
        self._lock = threading.Lock()
        self.first = 0  # tick of the first sample ever; what was overwritten since is not left out
        self.end = 0  # the tick behind the newest sample

    def rows(self, names: Sequence[str]) -> list[int]:
        """Where these channels stand; a channel that is not there raises KeyError."""
        return [self._row[name] for name in names]

    @property
    def full_first(self) -> int:
        """The oldest tick that is still there at the full rate."""
        return max(self.first, _whole(self.end) - self._kept)

    @property
    def fold_first(self) -> int:
        """The oldest tick of which the extremes are there."""
        return max(self.first, _whole(self.end) - self._folds * FOLD)

    def put(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """The samples of a block, which name their ticks."""
        ticks = columns["tick"]
        if not len(ticks):
            return
        shape = len(self.names), len(ticks)
        every = [columns[name] for name in self.names]  # joined and made single in one go: ten times faster than each
        block = np.concatenate(every, dtype=np.float32, casting="same_kind").reshape(shape)
        first, last = int(ticks[0]), int(ticks[-1])
        with self._lock:
            if not self.end or first >= self.end + self._folds * FOLD or last < self.fold_first:
                self._begin(first)
            self._clear(last + 1)
            if last - first + 1 == len(ticks) and first >= self.full_first:
                self._append(first, block)
                return
            inside = ticks >= self.full_first
            self._flat[:, ticks[inside] % self._kept] = block[:, inside]
            self._extremes(max(first, self.full_first), last)

    def extremes(self, rows: Sequence[int], first: int, step: int, count: int) -> Floats:
        """Lowest and highest of each column of `step` ticks, [channel, column, 2]; nan where nothing is known.

        `step` is a power of two, `first` a multiple of it.
        """
        with self._lock:
            if step < FOLD:
                each = step
                low = high = _piece(self._flat, rows, first, count * step, self.full_first, self.end)
            else:
                each, oldest, end = step // FOLD, self.fold_first // FOLD, _whole(self.end) // FOLD
                low, high = (
                    _piece(ring, rows, first // FOLD, count * each, oldest, end) for ring in (self._low, self._high)
                )
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
            ticks = np.arange(max(first, self.full_first), min(last + 1, self.end))
            found: Floats = self._flat[row, ticks % self._kept]
            return found

    def newest(self) -> dict[str, float]:
        """The newest sample."""
        with self._lock:
            if not self.end:
                return {}
            column = self._flat[:, (self.end - 1) % self._kept]
            return dict(zip(self.names, column.tolist(), strict=True))

    def _begin(self, first: int) -> None:
        self.first = self.end = first // FOLD * FOLD  # from where `_clear` begins
        self._clear(first + 1)
        self.first = self.end = first

    def _clear(self, end: int) -> None:
        """Places that are used again hold nothing until they are written, by whole folds: a missed tick stays a gap."""
        since, to = _whole(self.end), _whole(end)
        self.end = max(self.end, end)
        for ring, size, begin, stop in (
            (self._flat, self._kept, max(since, to - self._kept), to),
            (self._low, self._folds, since // FOLD, to // FOLD),
            (self._high, self._folds, since // FOLD, to // FOLD),
        ):
            if stop > begin:
                at = begin % size
                ring[:, at : at + stop - begin] = np.nan
                ring[:, : max(0, at + stop - begin - size)] = np.nan

    def _append(self, first: int, block: Floats) -> None:
        """Samples without a gap, fold by fold: no ring ends inside one."""
        done, count = 0, block.shape[1]
        while done < count:
            tick = first + done
            some = min(FOLD - tick % FOLD, count - done)
            part, place, fold = block[:, done : done + some], tick % self._kept, tick // FOLD % self._folds
            self._flat[:, place : place + some] = part
            low, high = self._low[:, fold], self._high[:, fold]
            np.fmin(low, np.fmin.reduce(part, axis=1), out=low)
            np.fmax(high, np.fmax.reduce(part, axis=1), out=high)
            done += some

    def _extremes(self, first: int, last: int) -> None:
        """Of the folds that these ticks touched."""
        folds = np.arange(first // FOLD, last // FOLD + 1)
        block = self._flat.reshape(len(self.names), -1, FOLD)[:, folds % (self._kept // FOLD), :]
        self._low[:, folds % self._folds] = np.fmin.reduce(block, axis=2)
        self._high[:, folds % self._folds] = np.fmax.reduce(block, axis=2)


def _piece(ring: Floats, rows: Sequence[int], first: int, count: int, oldest: int, end: int) -> Floats:
    """A stretch of these rows of a ring: nan before `oldest`, and from `end` on."""
    found = np.full((len(rows), count), np.nan, np.float32)
    at, until, size = max(first, oldest), min(first + count, end), ring.shape[1]
    while at < until:
        place = at % size
        some = min(until - at, size - place)
        found[:, at - first : at - first + some] = ring[rows, place : place + some]
        at += some
    return found


def _whole(end: int) -> int:
    """Up to the end of the fold that this tick ends in."""
    return -(-end // FOLD) * FOLD
