"""Which program computes: runs of two versions must not stand in one table."""

import hashlib
import importlib
import platform
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hilctl import __version__
from hilctl.errors import HilctlError

_ROOTS = ("hilctl", "firmware_bridge", "sim")
_OTHERS = ("numba", "llvmlite", "numpy", "scipy")


class OtherProgram(HilctlError):
    """A worker runs another version than the one that plans."""

    def __init__(self, mine: Mapping[str, str], theirs: Mapping[str, str], where: str) -> None:
        self.mine, self.theirs, self.where = dict(mine), dict(theirs), where
        keys = [key for key in mine if mine[key] != theirs.get(key)]
        said = ", ".join(f"{key} {theirs.get(key, 'absent')} instead of {mine[key]}" for key in keys)
        super().__init__(f"{where} runs another version: {said}; install the same on both, or leave that worker out")

    def __reduce__(self) -> "tuple[type[OtherProgram], tuple[dict[str, str], dict[str, str], str]]":
        return OtherProgram, (self.mine, self.theirs, self.where)


@cache
def program() -> dict[str, str]:
    """Versions of all that the results follow from; `sources` is a hash of this program's own files."""
    found = {"hilctl": __version__, "sources": _sources(), "python": platform.python_version()}
    for name in _OTHERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def _sources() -> str:
    digest = hashlib.sha256()
    for root in _ROOTS:
        place = Path(importlib.import_module(root).__file__ or "").parent
        for file in sorted(place.rglob("*.py")):
            digest.update(f"{root}/{file.relative_to(place)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def need_same(expected: Mapping[str, str], where: str) -> None:
    """OtherProgram where this program is another one."""
    if program() != dict(expected):
        raise OtherProgram(expected, program(), where)


def asked() -> "Callable[[], dict[str, str]]":
    """A function that tells a process's program. It travels by its code, so that any version there can be asked."""

    def ask() -> dict[str, str]:
        try:
            from hilctl.study.program import program

            return program()
        except ImportError:
            pass
        try:
            from hilctl import __version__

            return {"hilctl": str(__version__), "sources": "without studies"}
        except ImportError:
            return {"hilctl": "absent"}

    return ask
