"""What was flushed, and whether all of it is there: how long each part of a file was, with checksums.

The kernel may have brought any part of what was written since the last sync onto the disk when the power goes: the
lengths and not the samples, or every other page of them. So the last few flushes stand in the file: each has the
lengths and the file's size at the last sync before it, the lengths now, and a checksum of what came in between. Of a
file that was not closed, the newest flush counts of which all is there; if there is none, what had been synced.
"""

import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import SPOILT
from hilctl.recording.layout import GROWING

KEPT = 16
_PARTS = len(GROWING)
FLUSH: "np.dtype[Any]" = np.dtype(
    [("number", "i8"), ("size", "i8")]
    + [(name, "i8", _PARTS) for name in ("safe", "length", "sum")]  # by part, as GROWING names them
    + [("own", "i8")]  # sum of this record itself
)

Part = Callable[[str, int, int], npt.NDArray[Any]]  # rows of a part of the file, from one number to another


def _bytes_of(rows: npt.NDArray[Any]) -> Any:
    """What is summed. Of texts h5py gives bytes where it was given text."""
    if rows.dtype.hasobject:
        texts = ([cell.decode() if isinstance(cell, bytes) else cell for cell in row] for row in rows.tolist())
        return "\n".join([*map(json.dumps, texts), ""]).encode()
    return np.ascontiguousarray(rows).view(np.uint8).data


def _own(flush: Any) -> int:
    return zlib.crc32(flush.tobytes()[: -FLUSH["own"].itemsize])


class Flushes:
    """The writer's account."""

    def __init__(self) -> None:
        self.newest = np.zeros(1, FLUSH)[0]
        self._changed = True

    def add(self, name: str, before: int, rows: npt.NDArray[Any]) -> None:
        """These rows follow the first so many of this part."""
        flush, part = self.newest, GROWING.index(name)
        flush["length"][part] = before + len(rows)
        flush["sum"][part] = zlib.crc32(_bytes_of(rows), int(flush["sum"][part]))
        self._changed = True

    def next(self) -> tuple[int, Any] | None:
        """Where the next one goes, and what; None where nothing was added since."""
        if not self._changed:
            return None
        self._changed = False
        flush = self.newest
        flush["number"] += 1
        flush["own"] = _own(flush)
        return int(flush["number"]) % KEPT, flush

    def synced(self, size: int) -> None:
        """All that was added is on the disk, in a file of so many bytes."""
        self.newest["size"] = size
        self.newest["safe"] = self.newest["length"]
        self.newest["sum"] = 0


def valid(flushes: npt.NDArray[Any]) -> list[Any]:
    """Those that were written and are whole themselves, the newest first."""
    good = [flush for flush in flushes if flush["number"] and flush["own"] == _own(flush)]
    return sorted(good, key=lambda flush: -int(flush["number"]))


def lengths(flushes: npt.NDArray[Any], part: Part, closed: bool) -> dict[str, int]:
    """How much of each part counts; nothing of those of which the file does not say it."""
    good = valid(flushes)
    whole = next((flush["length"] for flush in good if closed or _whole(flush, part)), good[0]["safe"] if good else [])
    return dict(zip(GROWING, map(int, whole), strict=False))


def _whole(flush: Any, part: Part) -> bool:
    """Whether everything is there that came since the sync before it."""
    for name, safe, length, told in zip(GROWING, *(flush[n].tolist() for n in ("safe", "length", "sum")), strict=True):
        try:
            rows = part(name, safe, length) if length > safe else None
            if rows is not None and (len(rows) != length - safe or zlib.crc32(_bytes_of(rows)) != told):
                return False
        except SPOILT:
            return False
    return True
