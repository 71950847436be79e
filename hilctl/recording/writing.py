"""Whether a file is being written now: its writer holds a lock, which ends with the process, however that ends.

It is a lock of the open file description, of which HDF5 knows nothing (its own is a flock): a program that looks into
a file that is being written is not kept out.
"""

import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

_LAYOUT = "hhqqi4x"  # struct flock: type, origin, start, length, process


def hold(descriptor: int) -> None:
    """It is being written until the descriptor is closed. File systems without locks know nothing of it."""
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(_LAYOUT, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))


def being_written(path: Path) -> bool:
    """Whether somebody holds it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        asked = struct.pack(_LAYOUT, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        kind: int = struct.unpack(_LAYOUT, fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked))[0]
        return kind != fcntl.F_UNLCK
    except OSError:
        return False
    finally:
        os.close(descriptor)
