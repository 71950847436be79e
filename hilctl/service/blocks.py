"""A block of samples as MessagePack, made with as few copies as possible.

At 10 kHz and 65 channels a block has 100 kB and is sent fifty times a second: copying it is most of what telemetry
costs. So the rows are turned into columns once, in memory that is used again, and joined with the columns' names, which
are packed once. The bytes are those that MessagePack makes of the dictionary with `columns_of` these rows.
"""

import msgpack
import numpy as np
import numpy.typing as npt

from hilctl.service.wall import Offset
from hilctl.signals import NAMES

_WORD = 8  # bytes
_LAYOUTS = 64  # kept


class Blocks:
    """Packs `{run, schema, wall, first, count, columns}`."""

    def __init__(self, run: str, schema: str) -> None:
        packer = msgpack.Packer()  # one for all: a new one asks the kernel for memory
        self._pack = packer.pack
        self._start = packer.pack_map_header(6) + b"".join(self._pack(part) for part in ("run", run, "schema", schema))
        self._wall: Offset | None = None
        self._date()
        self._before_count = self._pack("count")
        self._before_columns = self._pack("columns") + packer.pack_map_header(len(NAMES))
        self._names = [self._pack(name) for name in NAMES]
        self._words = np.empty(0, np.int64)
        self._layouts: dict[int, tuple[npt.NDArray[np.int64], list[bytes | memoryview]]] = {}

    def date(self, wall: Offset | None) -> None:
        """What the next blocks say of the wall clock; None: nothing, on the virtual clock."""
        if wall != self._wall:
            self._wall = wall
            self._date()

    def _date(self) -> None:
        wall = self._wall._asdict() if self._wall is not None else None
        self._before_first = self._start + b"".join(self._pack(part) for part in ("wall", wall, "first"))

    def pack(self, first: int, words: npt.NDArray[np.int64]) -> bytes:
        """The block of these rows, of which `first` is the first one's number."""
        count = len(words)
        columns, parts = self._layouts.get(count) or self._layout(count)
        columns[:] = words.T
        parts[0] = b"".join(
            (self._before_first, self._pack(first), self._before_count, self._pack(count), self._before_columns)
        )
        return b"".join(parts)

    def _layout(self, count: int) -> tuple[npt.NDArray[np.int64], list[bytes | memoryview]]:
        """Where the columns of so many rows are gathered, and the parts of their block: the head; then in turn a name
        with how its binary begins, and the binary. A loop brings a few sizes again and again; to lay them out once
        saves a third of what a block costs."""
        width, size = len(self._names), _WORD * count
        if len(self._layouts) == _LAYOUTS or self._words.size < count * width:
            self._layouts.clear()
            self._words = np.empty(max(self._words.size, count * width), np.int64)
        columns = self._words[: count * width]
        together, begins = columns.data.cast("B"), _binary_of(size)
        parts: list[bytes | memoryview] = [b""]
        for k, name in enumerate(self._names):
            parts += [name + begins, together[k * size : (k + 1) * size]]
        self._layouts[count] = columns.reshape(width, count), parts
        return self._layouts[count]


def _binary_of(size: int) -> bytes:
    """How a binary of so many bytes begins: its kind and its size, in as few bytes as that needs."""
    kind, width = (0xC4, 1) if size < 1 << 8 else (0xC5, 2) if size < 1 << 16 else (0xC6, 4)
    return bytes((kind,)) + size.to_bytes(width, "big")
