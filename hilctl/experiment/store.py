"""The files of an experiment: the plan in its directory, and files of arrays with a head.

A file is complete or absent: it is written under another name, flushed to the disk, and renamed.
"""

import io
import json
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar
from zipfile import BadZipFile

import msgspec
import numpy as np

from hilctl.errors import SPOILT, HilctlError


class Headed(Protocol):
    """A plan, with the version of its format."""

    @property
    def format(self) -> int:
        """The version."""
        ...


Plan = TypeVar("Plan", bound=Headed)


class _Version(msgspec.Struct):
    """What a plan of any version says."""

    format: Any = None


class StoreError(HilctlError):
    """The directory does not hold what was asked for. The message says what it holds and what to do."""


def begin(plan: Path, header: Headed, holds: str) -> None:
    """Writes the plan of a new directory; StoreError where it has one."""
    if plan.exists():
        raise StoreError(f"{plan.parent} already holds a {holds}; continue it (--resume), or name another directory")
    plan.parent.mkdir(parents=True, exist_ok=True)
    write(plan, as_json(header))


def opened(plan: Path, type_: type[Plan], version: int, holds: str) -> Plan:
    """The plan of a directory that was begun; StoreError where there is none."""
    try:
        content = plan.read_bytes()
        found = msgspec.json.decode(content, type=_Version).format
        if found not in (None, version):
            raise StoreError(f"{plan} has format {found}, this version of hilctl reads {version}: the version that "
                             f"wrote it goes on with it; or begin a new {holds} in another folder")  # fmt: skip
        return msgspec.json.decode(content, type=type_)
    except FileNotFoundError:
        raise StoreError(f"{plan.parent} holds no {holds}: it has no {plan.name}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise StoreError(f"{plan} cannot be read: {error}; begin a new {holds}") from None


def as_json(value: Any) -> bytes:
    """For a person to read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def write(path: Path, content: bytes) -> None:
    """Complete or not at all, even if the power fails."""
    beside = path.with_name(f".{path.name}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)  # half a file on a full disk is useless
        raise OSError(error.errno, error.strerror, str(path)) from None
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class NotKept(HilctlError):
    """The file holds something else. The message says what was expected."""


def save(path: str | Path, head: Mapping[str, Any], arrays: Mapping[str, Any], *, packed: bool = True) -> None:
    """Writes the file, complete or not at all. The head's `format` is its version."""
    content = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(content, head=np.array(json.dumps(head)), **arrays)
    write(Path(path), content.getvalue())


def load(path: str | Path, version: int, holds: str, again: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Head and arrays. NotKept, with what it should hold and what to repeat, where it is another file."""
    with Path(path).open("rb") as file:
        try:
            with np.load(file) as held:
                head = json.loads(str(held["head"]))
                arrays = {name: held[name] for name in held.files if name != "head"}
            found = head.get("format")
        except (*SPOILT, BadZipFile, zlib.error, struct.error) as error:
            raise NotKept(f"{path} holds no {holds}: {error}; {again} again") from error
    if found != version:
        raise NotKept(f"{path} is of format {found}, this version reads {version}; {again} again")
    return head, arrays
