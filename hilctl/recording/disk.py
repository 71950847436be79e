"""The file under HDF5: one that never fails, as far as HDF5 can tell.

A write that fails in the middle leaves HDF5 with a file that it can neither close nor forget, and takes the process
down (segmentation fault, measured with HDF5 2.0 on a full disk). So errors of the disk end here: the first one is
kept for the recorder to find, and from then on nothing is written any more. What stands in the file is what the last
good flush left.

An fsync that fails is the worst of them: Linux tells it once, takes the pages that it could not write for clean, and
lets the next fsync succeed without them (Rebello et al., "Can applications recover from fsync failures?", USENIX ATC
2020). So it is never tried again on the same file.
"""

import errno
import os
from pathlib import Path

from hilctl.errors import HilctlError
from hilctl.recording.order import Order
from hilctl.recording.writing import hold


class NotSafe(HilctlError, OSError):
    """The disk did not take what the kernel held for it: what was written since the last good `sync` may be gone."""


class Disk:
    """A new file, as h5py wants a file-like object."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        hold(self._fd)
        self._folder = path.parent
        self._named = False  # whether the folder, too, is on the disk with the file's name
        self._at = 0
        self._end = 0  # nothing that the kernel has yet speaks of what is behind
        self._order = Order(lambda at, size: os.pread(self._fd, size, at))
        self.error: OSError | None = None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Where the next read or write begins."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: os.fstat(self._fd).st_size}[whence]
        self._at = base + offset
        return self._at

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return os.fstat(self._fd).st_size

    def tell(self) -> int:
        """Where the next read or write begins."""
        return self._at

    def readinto(self, into: memoryview) -> int:
        """Fills the buffer; zeros where the file has nothing, as after a write that failed."""
        view, done = memoryview(into).cast("B"), 0
        while done < len(view):
            data = os.pread(self._fd, len(view) - done, self._at + done)
            if not data:
                view[done:] = bytes(len(view) - done)
                break
            view[done : done + len(data)] = data
            done += len(data)
        self._order.over(self._at, view)
        self._at += len(view)
        return len(view)

    def read(self, size: int = -1) -> bytes:
        """The next bytes; h5py asks for this method and uses `readinto`."""
        into = bytearray(size if size >= 0 else os.fstat(self._fd).st_size - self._at)
        self.readinto(memoryview(into))
        return bytes(into)

    def write(self, data: memoryview) -> int:
        """Writes all of it, or keeps the error. What goes over something waits until `settle`."""
        view = memoryview(data).cast("B")
        if self._at < self._end:
            self._order.keep(self._at, view)
        else:
            self._put(self._at, view)
        self._at += len(view)
        return len(view)

    def settle(self) -> None:
        """The kernel has all that was written; between any two of its writes the file is whole."""
        phases = list(self._order.phases())
        for number, phase in enumerate(phases):
            if number:
                self.sync()
            for at, data in phase:
                self._put(at, memoryview(data))
        self._end = self.size

    def _put(self, at: int, view: memoryview) -> None:
        done = 0
        while self.error is None and done < len(view):
            try:
                done += os.pwrite(self._fd, view[done:], at + done)
            except OSError as error:
                self.error = error

    def truncate(self, size: int | None = None) -> int:
        """Sets the file's size."""
        size = self._at if size is None else size
        if self.error is None:
            try:
                os.ftruncate(self._fd, size)
            except OSError as error:
                self.error = error
        return size

    def flush(self) -> None:
        """What was written is the kernel's already: it outlives this process, not the power."""

    def sync(self) -> None:
        """From the kernel onto the disk; an error is kept like one of `write`."""
        if self.error is not None:
            return
        try:
            os.fsync(self._fd)
            if not self._named:
                sync_folder(self._folder)
                self._named = True
        except OSError as error:
            self.error = NotSafe(error.errno, f"fsync: {os.strerror(error.errno or errno.EIO)}")

    def close(self) -> None:
        """Gives the file back."""
        os.close(self._fd)


def sync_folder(folder: Path) -> None:
    """A new file's name, onto the disk; some network file systems know no such thing, and say so."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)
