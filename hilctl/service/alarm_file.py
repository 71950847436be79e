"""Alarms that nobody has acknowledged, in the rig's state directory: the next run raises them again.

The file is written whole, by a thread of its own, and is on the disk before `alarms` is answered. A disk that fails
changes nothing else: the event `alarms_failed` says why they are not kept. A file that cannot be read is moved aside,
and one entry of it that makes no sense is left out; both are warnings in the log.
"""

import json
import logging
import os
import stat
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec

from hilctl.recording.disk import sync_folder
from hilctl.wire.op import LAST

log = logging.getLogger(__name__)

NAME, OF_TWIN = "alarms.json", "alarms-twin.json"  # what was simulated never asks for a person at the rig
MOST = 256  # in the file, the newest
_FORM = 1
_LARGEST = 1 << 20  # bytes
_AGAIN_S = 1.0  # after a write that failed

LONGEST = 2000  # characters of a text
Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Number = Annotated[int, msgspec.Meta(ge=-LAST, le=LAST)]


class Kept(msgspec.Struct, frozen=True):
    """An alarm as the file has it."""

    kind: Text
    key: Text
    text: Text
    tick: Number  # of its run
    time_ns: Number
    last_ns: Number
    count: Number
    run: Text  # that raised it


class _File(msgspec.Struct):
    form: Annotated[int, msgspec.Meta(ge=1)]
    raised: list[msgspec.Raw]


class Listed(Protocol):
    """The list that is kept."""

    version: int  # another number, another list

    def kept(self) -> list[Kept]:
        """What of it is to be kept, the oldest first."""


class AlarmFile:
    """The wire thread's side; a thread of its own does what may wait for the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""  # why they are not kept
        self._thread = ThreadPoolExecutor(1, "alarms")
        self._writes: Future[str] | None = None
        self._writing = self._kept = 0  # versions of the list
        self._due_s = 0.0

    def read(self) -> list[Kept]:
        """Those that earlier runs left, the newest."""
        try:
            found = _read(self.path)
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:  # of msgspec too
            aside = self.path.with_name(f"{self.path.name}.spoilt")
            try:
                self.path.replace(aside)
                then = f"moved to {aside.name}"
            except OSError:
                then = "left there"
            log.warning("%s: no alarms of earlier runs can be read from it, and it is %s: %s", self.path, then, error)
            return []
        return found[-MOST:]

    def look(self, alarms: Listed) -> None:
        """Keeps the list as it is now, as soon as the disk has taken the one before."""
        if self._writes is not None:
            if not self._writes.done():
                return
            self.problem, self._writes = self._writes.result(), None
            if self.problem:
                self._due_s = time.monotonic() + _AGAIN_S
            else:
                self._kept = self._writing
        if alarms.version != self._kept and (not self.problem or time.monotonic() >= self._due_s):
            self._writing = alarms.version
            self._writes = self._thread.submit(_written, self.path, alarms.kept()[-MOST:])

    def has(self, version: int) -> bool:
        """Whether this version of the list is on the disk."""
        return self._kept >= version

    def close(self, alarms: Listed) -> None:
        """Keeps the last version, if the disk takes it now."""
        if alarms.version != self._kept:
            self._thread.submit(_written, self.path, alarms.kept()[-MOST:])
        self._thread.shutdown()


def _read(path: Path) -> list[Kept]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("it is no file")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST} bytes")
    found = []
    for raw in msgspec.json.decode(data, type=_File).raised:
        try:
            found.append(msgspec.json.decode(raw, type=Kept))
        except ValueError as error:
            log.warning("%s: an alarm of an earlier run is left out: %s", path, error)
    return found


def _written(path: Path, alarms: list[Kept]) -> str:
    """Whole or not at all, and on the disk; why not, where it is not."""
    draft = path.with_name(f".{path.name}.new")
    body: dict[str, Any] = {"form": _FORM, "raised": [msgspec.structs.asdict(alarm) for alarm in alarms]}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(json.dumps(body, indent=1, ensure_ascii=False))
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        return f"{type(error).__name__}: {error.strerror or error}"
    return ""
