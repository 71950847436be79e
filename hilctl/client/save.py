"""Keeps what was set over the wire, in a file that the rig file can include."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hilctl.errors import WrongUse
from hilctl.wire.toml import SAVED, toml_of


class Asks(Protocol):
    """The part of a client that saving needs."""

    def ask(self, op: str, **args: Any) -> dict[str, Any]:
        """Any operation."""

    def changes(self, first: int = 0, last: int = 0) -> dict[str, Any]:
        """The sets of parameters, and the files of the rig."""


class Saved(NamedTuple):
    """A file that was written."""

    path: str
    keys: list[str]
    included: bool  # by the rig file, already
    rig_file: str

    @property
    def line(self) -> str:
        """What the rig file must say to include it."""
        name = os.path.relpath(self.path, Path(self.rig_file).parent)
        return f"include = [{toml_of(name)}]"


def save(rig: Asks, path: str | Path) -> Saved:
    """Writes what differs from the rig file, whole or not at all. Where the rig file includes this file, its other
    values are kept."""
    target = Path(path).resolve()
    files = [Path(name) for name in rig.changes(last=0)["files"]]
    if target == files[0]:
        raise WrongUse(f"{target} is the rig file itself; name another file, which it can include")
    _need_ours(target)
    place = files.index(target) if target in files else 0
    made = rig.ask("toml", replaces=place)
    write_whole(target, made["text"])
    return Saved(str(target), made["keys"], place > 0, str(files[0]))


def _need_ours(target: Path) -> None:
    if not target.exists():
        return
    try:
        with target.open(encoding="utf-8") as file:
            ours = file.read(len(SAVED)) == SAVED
    except UnicodeDecodeError:
        ours = False
    if not ours:
        raise WrongUse(f"{target} exists, and was not written by `hilctl set --save`; name another file")


def write_whole(target: Path, text: str) -> None:
    """A file with this text, on the disk; or, whatever happens meanwhile, the file that was there before."""
    try:
        _write(target, text)
    except OSError as error:  # named by the file that was asked for, not by the draft
        raise OSError(error.errno, error.strerror, str(target)) from None


def _write(target: Path, text: str) -> None:
    new = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with new.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
