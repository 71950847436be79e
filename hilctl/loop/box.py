"""The newest rows in memory that outlives the service: the core holds it, and saves it when the service is gone.

The core gets the descriptor and does not map it: nothing of it is locked. The service writes its rows there as it takes
them out of the ring, so that together with what is left in the ring they are all there is. Beside them lies what the
service knows of the run, as bytes of its own; two copies, of which one is always whole.
"""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.loop import layout
from hilctl.loop.layout import INTAKES, ROWS
from hilctl.loop.memory import Memory
from hilctl.loop.ring import LOST, WRITTEN
from hilctl.signals import SAMPLE

WIDTH = SAMPLE.itemsize // 8 + layout.readings(1).dtype.itemsize // 8  # words of a row: a sample and its readings
SUFFIX = ".box"
_HEAD, _STORY = 4096, 1 << 23  # bytes: three numbers; what the service knows, each copy
_ROWS_AT = _HEAD + 2 * _STORY
_PIECE = 1 << 14  # rows that are copied at a time
_END, _SIDE = 0, 1  # the numbers: rows so far, the copy that is whole, then the length of each copy


class Box:
    """The service's side."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.end, self._side = capacity, 0, 0
        self.fd = os.memfd_create("hilctl-box", os.MFD_CLOEXEC)
        os.ftruncate(self.fd, _ROWS_AT + capacity * WIDTH * 8)

    def append(self, table: npt.NDArray[np.int64]) -> None:
        """More rows, as a table of words."""
        keep = table[-self.capacity :]
        at = (self.end + len(table) - len(keep)) % self.capacity
        head = min(len(keep), self.capacity - at)
        os.pwrite(self.fd, keep[:head].data, _ROWS_AT + at * WIDTH * 8)
        if head < len(keep):
            os.pwrite(self.fd, keep[head:].data, _ROWS_AT)
        self.end += len(table)
        self._put(_END, self.end)

    def tell(self, story: bytes) -> None:
        """What the service knows by now, in place of what it knew before; one that is too long is left out."""
        if len(story) > _STORY:
            return
        side = 1 - self._side
        os.pwrite(self.fd, story, _HEAD + side * _STORY)
        self._put(2 + side, len(story))
        self._put(_SIDE, side)
        self._side = side

    def _put(self, place: int, value: int) -> None:
        os.pwrite(self.fd, value.to_bytes(8, "little"), 8 * place)

    def close(self) -> None:
        """Gives it back."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def save(fd: int, memory: Memory, folder: Path, run: int, capacity: int) -> Path:
    """All of it, with what is left in the ring, into a file; the core does so once the rig is off."""
    end, side, *lengths = np.frombuffer(os.pread(fd, 32, 0), np.int64).tolist()
    written, slots = int(memory.words[ROWS + WRITTEN]), len(memory.rows)
    first, ring = max(0, end - capacity), max(end, written - slots)
    status = memory.loop.status
    facts = {
        "first": first, "count": end - first, "ring": ring, "ring_count": written - ring, "width": WIDTH,
        "story": lengths[side], "taken": int(memory.words[INTAKES + WRITTEN] + memory.words[INTAKES + LOST]),
        **{name: status[name].item() for name in ("trip", "trip_tick", "trip_value", "trip_limit", "trip_action")},
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    unfinished, path = folder / f"{run:x}.unfinished", folder / f"{run:x}{SUFFIX}"
    with unfinished.open("wb") as file:
        file.write(json.dumps(facts).encode() + b"\n")
        file.write(os.pread(fd, lengths[side], _HEAD + side * _STORY))
        for at in range(first, end, _PIECE):
            for row, count in _parts(at, min(_PIECE, end - at), capacity):
                file.write(os.pread(fd, count * WIDTH * 8, _ROWS_AT + row * WIDTH * 8))
        for at in range(ring, written):
            row = at % slots
            file.write(memory.rows[row].tobytes() + memory.readings[row].tobytes())
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)
    return path


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
