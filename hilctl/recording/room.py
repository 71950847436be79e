"""Room on the disk: how long a file may get, how much must stay free, and which old files make room."""

import os
from pathlib import Path
from typing import NamedTuple

from hilctl.errors import HilctlError
from hilctl.recording.apart import Head, heads
from hilctl.recording.layout import ALWAYS, SUFFIX

MB = 1_000_000
_SPARE = 1 << 20  # bytes left free on the disk: HDF5 cannot close a file in order on a full one


class DiskFull(HilctlError, OSError):
    """Too little room is left to write on and still close the file in order."""


class Piece(NamedTuple):
    """When a file is followed by the next one; 0: never."""

    bytes: int = 0
    rows: int = 0

    def full(self, size: int, rows: int) -> bool:
        """Whether it is long enough."""
        return 0 < self.bytes <= size or 0 < self.rows <= rows


class Room(NamedTuple):
    """What is kept free, and what is kept of the recordings that always run."""

    free_bytes: int = 0
    keep_bytes: int = 0  # 0: however many
    keep_rows: int = 0

    def need(self, folder: Path) -> None:
        """DiskFull where too little is free."""
        free = free_bytes(folder)
        if free < self.free_bytes:
            told = f"only {free / MB:.1f} MB are free on the disk of {folder}, recording.free_mb is"
            raise DiskFull(f"{told} {self.free_bytes / MB:g}; remove old recordings, or change recording.folder")


ONE_FILE, ALL_ROOM = Piece(), Room()


def need_of(size: int) -> int:
    """Bytes that must be free before so many are written."""
    return 2 * size + _SPARE


def free_bytes(place: Path) -> int:
    """What may still be written there."""
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


class Pieces:
    """The files of recordings that always run, in a folder; the oldest go. It remembers how many rows each has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[Path, int] = {}
        self._known: dict[Path, None] = {}  # in the order in which they were made; a clock may be set back

    def closed(self, path: Path, rows: int) -> None:
        """How long one is that was written here: nobody has to read it for that."""
        self._rows[path] = rows

    def trim(self, room: Room, active: Path) -> list[Path]:
        """Removes what is more than is kept, and what is in the way; which files those were."""
        found = self._found(active)
        sizes = {path: _size(path) for path in (*found, active)}
        gone: list[Path] = []
        while found and (
            (0 < room.keep_bytes < sum(sizes.values()))
            or (0 < room.keep_rows <= self._count(found[1:]))
            or free_bytes(self.folder) < room.free_bytes
        ):
            oldest = found.pop(0)
            oldest.unlink(missing_ok=True)
            del sizes[oldest]
            self._rows.pop(oldest, None)
            gone.append(oldest)
        return gone

    def _found(self, active: Path) -> list[Path]:
        """The oldest first."""
        paths = [p for p in self.folder.glob(f"{ALWAYS}*{SUFFIX}") if p not in self._known and p.is_file()]
        self._known |= dict.fromkeys(sorted(paths, key=lambda p: (p.stat().st_mtime_ns, p.name)))
        self._known = {path: None for path in self._known if path.is_file()}
        return [path for path in self._known if path != active]

    def _count(self, paths: list[Path]) -> int:
        fresh = [path for path in paths if path not in self._rows]
        for path, head in zip(fresh, heads(fresh), strict=True):
            self._rows[path] = head.rows if isinstance(head, Head) else 0
        return sum(self._rows[path] for path in paths)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
