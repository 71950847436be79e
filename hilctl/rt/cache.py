"""Where compiled code is kept between runs.

numba notices that a cached function's own file changed, but not that a function which it calls, in another file, did:
it then silently runs the old one. So the directory is named by everything that compiled code is made from.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

# What holds constants that compiled code freezes, besides the files that import hilctl.rt.
_DECLARATIONS = ("hilctl/params/", "hilctl/signals.py", "hilctl/machine.py")
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
        place = root / "compiled" / name
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.utime(place)
        except OSError:
            continue
        if os.access(place, os.W_OK):
            _thin(place)
            return place
    return Path(tempfile.mkdtemp(prefix="hilctl-cache-"))


def is_warm(function: str) -> bool:
    """Whether this function's compiled code, of this version, stands in the cache."""
    place = cache_root() / "compiled" / _fingerprint()
    return place.is_dir() and any(place.glob(f"*/*{function}*.nbc"))


def _thin(current: Path) -> None:
    others = sorted((p for p in current.parent.iterdir() if p != current), key=lambda p: p.stat().st_mtime)
    for old in others[: max(0, len(others) - _KEPT)]:
        shutil.rmtree(old, ignore_errors=True)


def _sources() -> list[Path]:
    house = Path(__file__).resolve().parents[2]
    folders = [house / "hilctl", house / "firmware_bridge", house / "sim"]
    files = {p for folder in folders if folder.is_dir() for p in folder.rglob("*.py")}
    for driver in importlib.metadata.entry_points(group="hilctl.drivers"):
        package = driver.module.split(".")[0]
        if package in ("hilctl", "firmware_bridge", "sim"):
            continue
        spec = importlib.util.find_spec(package)
        for folder_name in (spec.submodule_search_locations or []) if spec else []:
            files |= set(Path(folder_name).rglob("*.py"))
        if spec and spec.origin:
            files.add(Path(spec.origin))
    return sorted(files)


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    for path in _sources():
        text = path.read_bytes()
        if b"hilctl.rt" in text or any(part in path.as_posix() for part in _DECLARATIONS):
            digest.update(f"{path}\n".encode() + text)
    return digest.hexdigest()[:16]
