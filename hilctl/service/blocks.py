"""A block of samples as MessagePack, made with as few copies as possible.

At 10 kHz and 65 channels a block has 100 kB and is sent fifty times a second: copying it is most of what telemetry
costs. So the rows are turned into columns once, in memory that is used again, and joined with the columns' names, which
are packed once. The bytes are those that MessagePack makes of the dictionary with `columns_of` these rows.
"""

import msgpack
import numpy as np
import numpy.typing as npt

from hilctl.signals import NAMES

_WORD = 8  # bytes


class Blocks:
    """Packs `{run, schema, first, count, columns}`."""

    def __init__(self, run: str, schema: str) -> None:
        packer = msgpack.Packer()  # one for all: a new one asks the kernel for memory
        self._pack = packer.pack
        start = ("run", run, "schema", schema, "first")
        self._before_first = packer.pack_map_header(5) + b"".join(self._pack(part) for part in start)
        self._before_count = self._pack("count")
        self._before_columns = self._pack("columns") + packer.pack_map_header(len(NAMES))
        # The head; then in turn a name, how its binary begins, the binary.
        self._parts: list[bytes | memoryview] = [b""]
        self._parts += [part for name in NAMES for part in (self._pack(name), b"", b"")]
        self._words = np.empty(0, np.int64)

    def pack(self, first: int, words: npt.NDArray[np.int64]) -> bytes:
        """The block of these rows, of which `first` is the first one's number."""
        count, width = words.shape
        if self._words.size < count * width:
            self._words = np.empty(count * width, np.int64)
        columns = self._words[: count * width]
        columns.reshape(width, count)[:] = words.T
        together, size = columns.data.cast("B"), _WORD * count
        parts = self._parts
        parts[0] = b"".join(
            (self._before_first, self._pack(first), self._before_count, self._pack(count), self._before_columns)
        )
        parts[2::3] = [_binary_of(size)] * width
        parts[3::3] = [together[at : at + size] for at in range(0, size * width, size)]
        return b"".join(parts)


def _binary_of(size: int) -> bytes:
    """How a binary of so many bytes begins: its kind and its size, in as few bytes as that needs."""
    kind, width = (0xC4, 1) if size < 1 << 8 else (0xC5, 2) if size < 1 << 16 else (0xC6, 4)
    return bytes((kind,)) + size.to_bytes(width, "big")
