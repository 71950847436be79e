"""MATLAB's -v7.3: HDF5 with a block of 512 bytes before it, and a class on every variable.

Every channel is a column vector of its name. What MATLAB calls N × 1 is 1 × N in HDF5, which counts dimensions the
other way round. `hilctl_about` is text: `jsondecode(hilctl_about)` in MATLAB, `jsondecode(char(hilctl_about))` in
Octave, which reads a text as numbers.
"""

import time
from pathlib import Path

import h5py
import numpy as np

from hilctl.recording.disk import Disk
from hilctl.recording.export.about import About
from hilctl.recording.export.formats import Block

_HEAD = 512
_CHUNK = 1 << 13  # values
_CACHE = 1 << 17  # bytes a variable: there are some seventy
_CLASSES = {"f8": b"double", "i8": b"int64"}


class Mat:
    """The file lies on `Disk`, as recordings do: HDF5 does not survive a disk that is full."""

    def __init__(self, path: Path, about: About) -> None:
        self._disk = Disk(path)
        self._file = h5py.File(self._disk, "w", userblock_size=_HEAD, rdcc_nbytes=_CACHE)
        self._columns = {}
        for column in about.columns:
            made = self._file.create_dataset(column.name, (1, 0), column.kind, maxshape=(1, None), chunks=(1, _CHUNK))
            made.attrs["MATLAB_class"] = np.bytes_(_CLASSES[column.kind])
            made.attrs["unit"], made.attrs["meaning"] = column.unit, column.meaning
            self._columns[column.name] = made
        self._text("hilctl_about", about.text)
        self._raise()

    def _text(self, name: str, text: str) -> None:
        letters = np.frombuffer(text.encode("utf-16-le"), np.uint16)
        made = self._file.create_dataset(name, data=letters.reshape(-1, 1))
        made.attrs["MATLAB_class"], made.attrs["MATLAB_int_decode"] = np.bytes_(b"char"), np.int32(2)

    def write(self, block: Block) -> None:
        """Adds rows."""
        for name, column in block.columns.items():
            made = self._columns[name]
            before = made.shape[1]
            made.resize((1, before + len(column)))
            made[0, before:] = column
        self._raise()

    def close(self) -> None:
        """Ends it, and writes what MATLAB knows it by."""
        self._file.close()
        made = time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime())
        text = f"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: {made} HDF5 schema 1.00 ."
        self._disk.seek(0)
        self._disk.write(memoryview(text.encode().ljust(124) + b"\x00\x02IM" + bytes(_HEAD - 128)))
        self._disk.close()
        self._raise()

    def drop(self) -> None:
        """Closes it."""
        self._file.close()
        self._disk.close()

    def _raise(self) -> None:
        if self._disk.error is not None:
            raise self._disk.error


def open_file(path: Path, about: About) -> Mat:
    """A new file."""
    return Mat(path, about)
