"""The newest rows in memory that outlives the service: the core holds it, and saves it when the service is gone.

It is the service's own memory of rows (service/history.py), in a file without a name. The core gets the descriptor and
does not map it: nothing of it is locked. Together with what is left in the ring these rows are all there is. Beside
them lies what the service knows of the run, as bytes of its own; two copies, of which one is always whole.
"""

import contextlib
import json
import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl import __version__
from hilctl.loop import layout
from hilctl.loop.layout import INTAKES, ROWS
from hilctl.loop.memory import Memory
from hilctl.loop.ring import LOST, WRITTEN
from hilctl.signals import SAMPLE

SAMPLE_WORDS, READINGS_WORDS = SAMPLE.itemsize // 8, layout.given(1).dtype.itemsize // 8
WIDTH = SAMPLE_WORDS + READINGS_WORDS  # words of a row: a sample and its readings
SUFFIX = ".box"
_HEAD, _STORY = 4096, 1 << 23  # bytes: a few numbers; what the service knows, each copy
_ROWS_AT = _HEAD + 2 * _STORY
_PIECE = 1 << 14  # rows that are copied at a time
_TORN = 1 << 15  # rows that may have been half written over when the service died; of small memories a quarter
_END, _SIDE = 0, 1  # the numbers: rows so far, the copy that is whole, then the length of each copy
_NUMBERS = 4
_POPULATE, _AHEAD = 23, 1 << 11  # MADV_POPULATE_WRITE; rows: a megabyte's pages are asked for at once, not one by one


class Box:
    """The service's side: a ring of so many rows, as two tables of words."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self._side = capacity, 0
        self.fd = os.memfd_create("hilctl-box", os.MFD_CLOEXEC)
        os.ftruncate(self.fd, _ROWS_AT + capacity * WIDTH * 8)
        self._memory = mmap.mmap(self.fd, _ROWS_AT + capacity * WIDTH * 8)
        self._numbers = memoryview(self._memory)[: 8 * _NUMBERS].cast("q")
        self.samples = self._table(_ROWS_AT, SAMPLE_WORDS)
        self.readings = self._table(_readings_at(capacity), READINGS_WORDS)
        self.there = 0  # rows whose pages are there

    def _table(self, at: int, words: int) -> npt.NDArray[np.int64]:
        return np.frombuffer(self._memory, np.int64, self.capacity * words, at).reshape(self.capacity, words)

    def need(self, end: int) -> None:
        """Has the pages of the rows up to this number, and of some more."""
        if end <= self.there:
            return
        first, self.there = self.there, min(max(end, self.there + _AHEAD), self.capacity)
        for at, words in ((_ROWS_AT, SAMPLE_WORDS), (_readings_at(self.capacity), READINGS_WORDS)):
            begin = (at + first * words * 8) // mmap.PAGESIZE * mmap.PAGESIZE
            with contextlib.suppress(OSError, ValueError):  # an older kernel: they come one by one
                self._memory.madvise(_POPULATE, begin, at + self.there * words * 8 - begin)

    def hold(self, end: int) -> None:
        """Rows up to this number are in the tables."""
        self._numbers[_END] = end

    def tell(self, story: bytes) -> None:
        """What the service knows by now, in place of what it knew before; one that is too long is left out."""
        if len(story) > _STORY:
            return
        side = 1 - self._side
        at = _HEAD + side * _STORY
        self._memory[at : at + len(story)] = story
        self._numbers[2 + side] = len(story)
        self._numbers[_SIDE] = self._side = side

    def close(self) -> None:
        """Gives the descriptor back; the memory goes with the last array over it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _readings_at(capacity: int) -> int:
    """Where the readings begin, behind the samples."""
    return _ROWS_AT + capacity * SAMPLE_WORDS * 8


def save(fd: int, memory: Memory, folder: Path, run: int, newest: int) -> Path:
    """So many of its newest rows, with what is left in the ring, into a file; the core does so once the rig is off."""
    end, side, *lengths = np.frombuffer(os.pread(fd, 8 * _NUMBERS, 0), np.int64).tolist()
    capacity = (os.fstat(fd).st_size - _ROWS_AT) // (WIDTH * 8)
    written, slots = int(memory.words[ROWS + WRITTEN]), len(memory.rows)
    whole = min(end, capacity - min(_TORN, capacity // 4))
    first, ring = end - min(newest, whole), max(end, written - slots)
    status = memory.loop.status
    facts = {
        "first": first, "count": end - first, "ring": ring, "ring_count": written - ring, "width": WIDTH,
        "hilctl": __version__, "story": lengths[side],
        "taken": int(memory.words[INTAKES + WRITTEN] + memory.words[INTAKES + LOST]),
        **{name: status[name].item() for name in ("trip", "trip_tick", "trip_value", "trip_limit", "trip_action")},
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    unfinished, path = folder / f"{run:x}.unfinished", folder / f"{run:x}{SUFFIX}"
    with unfinished.open("wb") as file:
        file.write(json.dumps(facts).encode() + b"\n")
        file.write(os.pread(fd, lengths[side], _HEAD + side * _STORY))
        for at in range(first, end, _PIECE):
            for row, count in _parts(at, min(_PIECE, end - at), capacity):
                sides = ((_ROWS_AT, SAMPLE_WORDS), (_readings_at(capacity), READINGS_WORDS))
                file.write(np.hstack([_read(fd, begin, words, row, count) for begin, words in sides]).tobytes())
        for at in range(ring, written):
            row = at % slots
            file.write(memory.rows[row].tobytes() + memory.readings[row].tobytes())
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)
    return path


def _read(fd: int, begin: int, words: int, row: int, count: int) -> npt.NDArray[np.int64]:
    data = os.pread(fd, count * words * 8, begin + row * words * 8)
    return np.frombuffer(data, np.int64).reshape(count, words)


def _parts(first: int, count: int, capacity: int) -> list[tuple[int, int]]:
    """Rows of a ring, as one stretch or two."""
    at = first % capacity
    head = min(count, capacity - at)
    return [(at, head), (0, count - head)] if head < count else [(at, head)]


def saved(path: Path) -> tuple[dict[str, Any], bytes, list[tuple[int, npt.NDArray[np.int64]]]]:
    """What a core has saved: facts, what the service knew, and the rows, with their numbers."""
    with path.open("rb") as file:
        facts: dict[str, Any] = json.loads(file.readline())
        story = file.read(facts["story"])
        at, width = file.tell(), facts["width"]
    count = facts["count"] + facts["ring_count"]
    words: Any = np.empty((0, width), np.int64)
    if count:
        words = np.memmap(path, np.int64, "r", offset=at, shape=(count, width))
    return facts, story, [(facts["first"], words[: facts["count"]]), (facts["ring"], words[facts["count"] :])]
