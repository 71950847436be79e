"""The files of compiled code: one for each function and key, in the user's cache.

A file is complete or absent: it is written beside its place and then renamed, and begins with a checksum of the rest.
The files used least recently are removed when all of them exceed `LIMIT_BYTES`; never one that a running process has
loaded, which keeps it locked. The cache is a convenience: whatever fails here, the function is compiled.
"""

import fcntl
import functools
import hashlib
import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A compiled loop has 1.6 MB; all that the tests of one version compile, 36 MB: several checkouts must fit side by side.
LIMIT_BYTES = 512 * 2**20
_WRITTEN_WITHIN_S = 3600.0  # a file still unfinished after that has lost its writer
_ENDING, _UNFINISHED, _LOCK = ".compiled", ".part", ".lock"
WAIT_S = 120.0  # for another process that compiles the same: twice what the loop takes on a busy machine
_LOOK_S = 0.02

log = logging.getLogger(__name__)
_compiling: set[str] = set()  # by this process, alone
_in_use: list[int] = []  # descriptors; each holds the lock of a file that this process has loaded


def root() -> Path:
    """systemd's CacheDirectory, or the user's cache."""
    base = os.environ.get("CACHE_DIRECTORY")
    if base:
        return Path(base.split(":")[0])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hilctl"


@functools.cache
def folder() -> Path | None:
    """Where the files are, or a temporary folder if that cannot be written; None if that cannot either."""
    for top in (root(), Path(tempfile.gettempdir()) / f"hilctl-cache-{os.getuid()}"):
        place = top / "functions"
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            owner = place.stat()
        except OSError:
            continue
        # what is loaded from here is run: nobody else may write it
        private = owner.st_uid == os.getuid() and not owner.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if private and os.access(place, os.W_OK):
            return place
    log.warning("compiled code cannot be kept: neither %s nor a temporary folder is ours to write", root())
    return None


def holds(prefix: str) -> bool:
    """Whether there is a file whose name begins so."""
    place = folder()
    return place is not None and any(place.glob(f"{prefix}*{_ENDING}"))


def read(name: str, *, in_use: bool = True) -> bytes | None:
    """What was kept under this name; None if nothing was, or if the file is damaged, which removes it. With `in_use`
    the file stays as long as this process runs."""
    place = folder()
    if place is None:
        return None
    path = place / f"{name}{_ENDING}"
    try:
        text = _in_use_from_now(path) if in_use else path.read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    if hashlib.sha256(text[size:]).digest() != text[:size]:
        log.warning("%s in %s is damaged, its function is compiled again", name, place)
        remove(name)
        return None
    try:
        os.utime(path)
    except OSError:
        pass  # it only looks older than it is
    return text[size:]


def write(name: str, data: bytes, *, in_use: bool = True) -> None:
    """Keeps the data under this name, if it can, and removes what was not used for longest."""
    place = folder()
    if place is None:
        return
    part = place / f"{name}.{os.urandom(4).hex()}{_UNFINISHED}"
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.write_bytes(hashlib.sha256(data).digest() + data)
        if in_use:
            _in_use_from_now(part)
        part.replace(place / f"{name}{_ENDING}")
        _thin_out(place)
    except OSError as error:
        log.warning("compiled code cannot be kept, the next start compiles again: %s", error)
        _unlink(part)


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Waits until no other process compiles what will have this name; within, others wait for this one.

    Two programs that start at once would otherwise both compile for a minute. The wait has an end, after which both
    compile. A thread does not wait for another one of its process, which may wait for the compiler that it has.
    """
    place = folder()
    if place is None or name in _compiling:
        yield
        return
    _compiling.add(name)
    path, file = place / f"{name}{_LOCK}", -1
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _lock(file)
    except OSError:
        pass  # no place, or a file system without locks
    try:
        yield
    finally:
        _compiling.discard(name)
        if file >= 0:
            _unlink(path)
            os.close(file)


def _lock(file: int) -> None:
    """Locks it, or gives up after `WAIT_S`."""
    until_s = time.monotonic() + WAIT_S
    while time.monotonic() < until_s:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOOK_S)
        else:
            return


def remove(name: str) -> None:
    """Forgets what was kept under this name."""
    place = folder()
    if place is not None:
        _unlink(place / f"{name}{_ENDING}")


def _thin_out(place: Path) -> None:
    """Removes what lost its writer, and of the rest what was not used for longest, until it fits."""
    kept = []
    for entry in os.scandir(place):
        try:
            info = entry.stat()
        except OSError:
            continue  # another process has removed it
        if entry.name.endswith(_ENDING):
            kept.append((info.st_mtime, info.st_size, Path(entry.path)))
        elif info.st_mtime < time.time() - _WRITTEN_WITHIN_S:
            _unlink(Path(entry.path))
    size = sum(size for _, size, _ in kept)
    for _, length, path in sorted(kept):
        if size <= LIMIT_BYTES:
            break
        if not _is_in_use(path):
            _unlink(path)
            size -= length


def _in_use_from_now(path: Path) -> bytes:
    """What is in the file, which stays open and locked until this process ends."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    _in_use.append(file)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
    except OSError:
        pass  # a file system without locks: if the file is thinned out, the next start compiles
    return os.read(file, os.fstat(file).st_size)


def _is_in_use(path: Path) -> bool:
    """Whether a running process has loaded it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # there are no locks here
    finally:
        os.close(file)
    return False


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be removed: %s", path, error)
