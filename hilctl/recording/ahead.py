"""Keeps the disk busy while the processor computes: what is read next is fetched, what was written is on its way.

Without it the kernel fetches little ahead, keeps what was written for half a minute, and the export waits for the disk
at its end. It is advice: nothing depends on it.
"""

import os
from pathlib import Path
from typing import Self

_AHEAD = 1 << 26  # bytes


class Reading:
    """A file that is read from its begin to its end."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._size = os.fstat(self._fd).st_size
        self._asked = 0

    def at(self, share: float) -> None:
        """So much of it was read."""
        goal = min(self._size, int(share * self._size) + _AHEAD)
        if goal > self._asked:
            os.posix_fadvise(self._fd, self._asked, goal - self._asked, os.POSIX_FADV_WILLNEED)
            self._asked = goal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)


class Writing:
    """A file that grows."""

    def __init__(self, path: Path) -> None:
        self._path, self._sent = path, 0

    def grown(self) -> None:
        """Sends what is new to the disk, and keeps it from filling the host's memory."""
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # some formats make their file at the end
        try:
            size = os.fstat(fd).st_size
            if size - self._sent >= _AHEAD:
                os.posix_fadvise(fd, self._sent, size - self._sent, os.POSIX_FADV_DONTNEED)
                self._sent = size
        finally:
            os.close(fd)
