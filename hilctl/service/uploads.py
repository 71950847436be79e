"""Files that clients have sent for their jobs: sent in pieces, whole or not at all, the newest few.

    state/RIG/jobs/uploads/NAME         `upload:NAME` in the options of a job
    state/RIG/jobs/uploads/.NAME.part   while it comes
"""

import os
import re
from pathlib import Path

from hilctl.params import BadValues, Problem
from hilctl.wire import places
from hilctl.wire.errors import Code, Refused

KEPT = 16
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class Uploads:
    """On the disk: only the thread that may wait for it calls these."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, size: int, offset: int, data: bytes) -> int:
        """The next piece; how many bytes have come. The first one begins a new file, the last one makes it whole."""
        if not _NAME.fullmatch(name):
            what = "must be a file's name alone: letters, digits, dot, dash, underscore, no dot at its beginning"
            raise BadValues([Problem("name", name, what)])
        places.own_directory(self.folder.parent)
        places.own_directory(self.folder)
        draft = self.folder / f".{name}.part"
        have = draft.stat().st_size if offset and draft.exists() else 0
        if offset != have:
            raise Refused(Code.BAD_VALUE, f"offset {offset}, expected {have}: pieces come in order", "offset")
        if offset + len(data) > size:
            raise Refused(Code.TOO_LARGE, f"more than the {size} bytes that were announced", "data")
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_APPEND if offset else os.O_TRUNC)
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            if offset + len(data) == size:
                os.fsync(file.fileno())
        if offset + len(data) == size:
            draft.replace(self.folder / name)
            self._forget()
        return offset + len(data)

    def _forget(self) -> None:
        """The oldest, and what was begun and never ended."""
        found = sorted(self.folder.iterdir(), key=lambda path: path.lstat().st_mtime_ns, reverse=True)
        for path in found[KEPT:]:
            path.unlink(missing_ok=True)
