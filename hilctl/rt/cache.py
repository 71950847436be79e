"""Where compiled code is kept between runs.

numba notices that a cached function's own file changed, but not that a function which it calls, in another file, did:
it then silently runs the old one. So the directory is named by everything that compiled code is made from: ours, and
below it, for a function of another package (a driver's), every other package of this process that declares any.
"""

import functools
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
from pathlib import Path

# What holds constants that compiled code freezes, besides the files that import hilctl.rt.
_DECLARATIONS = ("hilctl/params/", "hilctl/signals.py", "hilctl/machine.py")
_HOUSE = ("hilctl", "firmware_bridge", "sim")
_KEPT = 4


def cache_root() -> Path:
    """systemd's CacheDirectory, or the user's cache, or a temporary folder where neither can be written."""
    base = os.environ.get("CACHE_DIRECTORY")
    if base:
        return Path(base.split(":")[0])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hilctl"


def cache_directory() -> Path:
    """The directory for this code and these versions, made if need be; older ones are thinned out."""
    name = _fingerprint()
    for root in (cache_root(), Path(tempfile.gettempdir()) / f"hilctl-cache-{os.getuid()}"):
        place = _made(root / "compiled" / name)
        if place is not None:
            return place
    return Path(tempfile.mkdtemp(prefix="hilctl-cache-"))


@functools.cache
def place() -> Path:
    """Ours, found once in a process: it runs what it has read, whatever becomes of the files."""
    return cache_directory()


@functools.cache
def place_of_others(packages: frozenset[str]) -> Path:
    """Where functions are kept that are made from these packages, besides ours."""
    digest = hashlib.sha256()
    for package in sorted(packages):
        for path in _files_of(package):
            digest.update(f"{path}\n".encode() + path.read_bytes())
    return _made(place() / "others" / digest.hexdigest()[:16]) or place()


def is_ours(module: str) -> bool:
    """Whether a module belongs to what `place` is named by."""
    return module.partition(".")[0] in _HOUSE


def is_warm(function: str) -> bool:
    """Whether the compiled code of this function of ours, of this version, stands in the cache."""
    return any(place().glob(f"*/*{function}*.nbc"))


def _made(directory: Path) -> Path | None:
    """The directory, if it can be written to; those that were used before it are thinned out."""
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(directory)
    except OSError:
        return None
    if not os.access(directory, os.W_OK):
        return None
    _thin(directory)
    return directory


def _thin(current: Path) -> None:
    others = sorted((p for p in current.parent.iterdir() if p != current), key=_used)
    for old in others[: max(0, len(others) - _KEPT)]:
        shutil.rmtree(old, ignore_errors=True)


def _used(directory: Path) -> float:
    """When it was last used; long ago, if another process has just thinned it out."""
    try:
        return directory.stat().st_mtime
    except OSError:
        return 0.0


def _sources() -> list[Path]:
    house = Path(__file__).resolve().parents[2]
    return [file for folder in _HOUSE for file in _below(house / folder)]


def _files_of(package: str) -> list[Path]:
    """All of another package that is imported: its folders, or its one file."""
    found = sys.modules.get(package)
    folders = getattr(found, "__path__", None)
    if folders is not None:
        return [file for folder in folders for file in _below(Path(folder))]
    file = getattr(found, "__file__", None)
    return [Path(file)] if file else []


def _below(folder: Path) -> list[Path]:
    return sorted(Path(top, name) for top, _, names in os.walk(folder) for name in names if name.endswith(".py"))


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    for path in _sources():
        text = path.read_bytes()
        if b"hilctl.rt" in text or any(part in path.as_posix() for part in _DECLARATIONS):
            digest.update(f"{path}\n".encode() + text)
    return digest.hexdigest()[:16]
