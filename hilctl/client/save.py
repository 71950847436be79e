"""Keeps what was set over the wire, in a file that the rig file can include."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hilctl.errors import HilctlError
from hilctl.wire.toml import SAVED, toml_of

if TYPE_CHECKING:
    from hilctl.client.client import Client


class NotOurs(HilctlError, ValueError):
    """The file is another one, which saving would destroy."""


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


def save(rig: "Client", path: str | Path) -> Saved:
    """Writes what differs from the rig file, whole or not at all. Where the rig file includes this file, it keeps what
    it said besides."""
    target = Path(path).resolve()
    files = [Path(name) for name in rig.changes(last=0)["files"]]
    if target == files[0]:
        raise NotOurs(f"{target} is the rig file itself; give another file, which it can include")
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
        raise NotOurs(f"{target} exists, and was not written by `hilctl set --save`; give another file")


def write_whole(target: Path, text: str) -> None:
    """A file with this text, on the disk; or, whatever happens meanwhile, the file that was there before."""
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
