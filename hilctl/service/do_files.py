"""Requests about files: which recordings there are; pieces of them, and of the files of jobs.

Read on a thread: a disk may be slow.
"""

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Any

from hilctl.params import BadValues, Problem
from hilctl.recording.apart import Head, heads
from hilctl.recording.damaged import Damaged
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
    written = {active, *map(str, s.unfinished)}
    listed = yield from finished(s.files.submit(_listed, s.places.recordings, written))
    spans = {span.path.name: (span.first, span.last) for span in s.shelf}
    if active:
        spans[Path(active).name] = (s.recorder.state.first, s.recorder.state.flushed)
    return {"recordings": [{**one, "samples": spans.get(one["name"])} for one in listed]}


def _listed(folder: Path, written: set[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            status = path.lstat()
        except OSError:
            continue  # it has just been moved away
        if stat.S_ISREG(status.st_mode):
            found.append({
                "name": path.name, "bytes": status.st_size, "changed_ns": status.st_mtime_ns,
                "active": str(path) in written,
            })  # fmt: skip
    return sorted(found, key=lambda one: -int(one["changed_ns"]))[:_MOST]


def download(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """A piece of one, or of a job's file."""
    name, offset = given.args.name, given.args.offset
    if given.args.job:
        return (yield from _of_job(s, given.args.job, name, offset))
    path = _path_of(s, name)
    if s.recorder.active and str(path) == s.recorder.state.path:
        told = f"{name} is being recorded; `hilctl record stop` first, or `fetch` its samples"
        raise Refused(Code.WRONG_MODE, told, "name")
    _need_whole(s, path)
    try:
        return (yield from _sent(s, path, name, offset))
    except OSError as error:
        raise Refused(Code.GONE, f"{name}: {error.strerror}; `hilctl recordings` lists what there is", "name") from None


def _of_job(s: Service, number: int, name: str, offset: int) -> Task[Result]:
    folder, inside = s.jobs.folder(s.jobs.get(number)), PurePosixPath(name)
    if inside.is_absolute() or not inside.parts or ".." in inside.parts:
        raise BadValues([Problem("name", name, f"must be a file in the folder of job {number}, as `job` lists them")])
    try:
        return (yield from _sent(s, folder / inside, name, offset, within=folder))
    except OSError as error:
        told = f"{name}: {error.strerror}; `hilctl job show {number}` lists what there is"
        raise Refused(Code.GONE, told, "name") from None


def _sent(s: Service, path: Path, name: str, offset: int, within: Path | None = None) -> Task[Result]:
    size, data = yield from finished(s.files.submit(_piece, path, offset, within))
    end = offset + len(data)
    return {"name": name, "offset": offset, "bytes": size, "data": data, "next": end if end < size and data else None}


def _path_of(s: Service, name: str) -> Path:
    if not name.endswith(SUFFIX) or Path(name).name != name or name.startswith("."):
        raise BadValues([Problem("name", name, f"must be a file of the recording folder, NAME{SUFFIX}")])
    return s.places.recordings / name


def delete(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Removes one; judged by what it says of itself, and last by whether it is being recorded by now."""
    name = given.args.name
    path, keep = _path_of(s, name), f"to delete it all the same, remove {name} on the rig PC"
    _need_ended(s, path)
    try:
        found, size = yield from finished(s.files.submit(_head, path))
    except FileNotFoundError:
        told = f"{name}: no such recording; `hilctl recordings` lists what there is"
        raise Refused(Code.GONE, told, "name") from None
    except (OSError, Damaged) as error:
        told = f"{name} cannot be read, so nobody can tell whether it was required: {error}; {keep}"
        raise Refused(Code.WRONG_MODE, told, "name") from None
    if found.required:
        told = f"{name} was made because recording.required asks for it, and stays; {keep}"
        raise Refused(Code.WRONG_MODE, told, "recording.required")
    # One that begins now takes another name: a file is never written over. One that has just begun is not complete.
    _need_ended(s, path, just_begun=found.run == s.identity.run and not found.complete)
    try:
        yield from finished(s.files.submit(path.unlink))
    except OSError as error:
        raise Refused(Code.GONE, f"{name}: {error.strerror}; {keep}", "name") from None
    s.shelf.forget(path)
    s.tell("recording", action="delete", path=str(path), bytes=size, by=asked.sender)
    return {"name": name, "bytes": size}


def _need_whole(s: Service, path: Path) -> None:
    if path in s.unfinished:
        raise Refused(Code.WRONG_MODE, f"{path.name} is being written; {s.unfinished[path]}", "name")


def _need_ended(s: Service, path: Path, *, just_begun: bool = False) -> None:
    _need_whole(s, path)
    if s.recorder.active and (just_begun or str(path) == s.recorder.state.path):
        raise Refused(Code.WRONG_MODE, f"{path.name} is being recorded; `hilctl record stop` first", "name")


def _head(path: Path) -> tuple[Head, int]:
    """What it says of itself, and its size."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise FileNotFoundError(2, "no such recording")
    (head,) = heads([path])
    if isinstance(head, Exception):
        raise head
    return head, status.st_size


def _piece(path: Path, offset: int, within: Path | None) -> tuple[int, bytes]:
    if within is not None and not path.resolve().is_relative_to(within.resolve()):
        raise FileNotFoundError(2, "no such file")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(2, "no such file")
        return status.st_size, os.pread(descriptor, PAGE, min(offset, status.st_size))
    finally:
        os.close(descriptor)
