"""A file that is shorter than it says of itself, opened all the same.

When the power goes, the first block may be on the disk, with the new length in it, and the end of the file not yet.
HDF5 opens no such file. What was synced is there nevertheless; what is missing is read as zeros.
"""

import mmap
import os
from pathlib import Path

import h5py

from hilctl.recording.flushes import valid

_EOF_AT = 40  # in the first block, where HDF5 says how long the file is: format of the superblock, version 0
_CUT_OFF = "truncated file"  # in the words of HDF5


class _Padded:
    """What h5py wants of a file that is only read."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._size = int.from_bytes(self._bytes[_EOF_AT : _EOF_AT + 8], "little")
        self._at = 0

    @property
    def there(self) -> int:
        """Bytes that the file has."""
        return len(self._bytes)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence] + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, into: memoryview) -> int:
        view = memoryview(into).cast("B")
        data = self._bytes[self._at : self._at + len(view)]
        view[: len(data)] = data
        view[len(data) :] = bytes(len(view) - len(data))
        self._at += len(view)
        return len(view)

    def read(self, size: int = -1) -> bytes:
        into = bytearray(size if size >= 0 else self._size - self._at)
        self.readinto(memoryview(into))
        return bytes(into)

    def flush(self) -> None:
        pass


def opened(path: Path) -> h5py.File:
    """The file. One that was written to its end, or synced to more than is there, was cut off later: an error."""
    try:
        # Without the lock: what was killed never gave it back, and what is still written may be read up to its last
        # flush.
        return h5py.File(path, "r", locking=False)
    except OSError as error:
        if _CUT_OFF not in str(error):
            raise
        try:
            padded = _Padded(path)
            file = h5py.File(padded, "r")
            whole = not file.attrs["complete"] and valid(file["flushes"][:])[0]["size"] <= padded.there
        except Exception:  # whatever a file without its end makes of h5py
            raise error from None
        if not whole:
            file.close()
            raise
        return file
