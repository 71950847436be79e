"""Requests about recordings as files: which there are, and their bytes. Read on a thread: a disk may be slow."""

import os
import stat
from pathlib import Path
from typing import Any

from hilctl.params import BadValues, Problem
from hilctl.recording.layout import SUFFIX
from hilctl.service.do_record import PAGE
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Result, Task, finished
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

_MOST = 1024


def recordings(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """The files in the rig's folder."""
    active = s.recorder.state.path if s.recorder.active else ""
    return {"recordings": (yield from finished(s.files.submit(_listed, s.places.recordings, active)))}


def _listed(folder: Path, active: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            status = path.lstat()
        except OSError:
            continue  # it has just been moved away
        if stat.S_ISREG(status.st_mode):
            found.append({
                "name": path.name, "bytes": status.st_size, "changed_ns": status.st_mtime_ns,
                "active": str(path) == active,
            })  # fmt: skip
    return sorted(found, key=lambda one: -int(one["changed_ns"]))[:_MOST]


def download(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """A piece of one."""
    name, offset = given.args.name, given.args.offset
    path = s.places.recordings / name
    if not name.endswith(SUFFIX) or Path(name).name != name or name.startswith("."):
        raise BadValues([Problem("name", name, f"must be a file of the recording folder, NAME{SUFFIX}")])
    if s.recorder.active and str(path) == s.recorder.state.path:
        told = f"{name} is being recorded; `hilctl record stop` first, or `fetch` its samples"
        raise Refused(Code.WRONG_MODE, told, "name")
    try:
        size, data = yield from finished(s.files.submit(_piece, path, offset))
    except OSError as error:
        raise Refused(Code.GONE, f"{name}: {error.strerror}; `hilctl recordings` lists what there is", "name") from None
    end = offset + len(data)
    return {"name": name, "offset": offset, "bytes": size, "data": data, "next": end if end < size and data else None}


def _piece(path: Path, offset: int) -> tuple[int, bytes]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(2, "no such recording")
        return status.st_size, os.pread(descriptor, PAGE, min(offset, status.st_size))
    finally:
        os.close(descriptor)
