"""Requests about samples that were: recordings and pages."""

import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from hilctl.params import BadValues, Problem, nearest
from hilctl.recording.layout import SUFFIX, Header
from hilctl.service.service import Asked, Service
from hilctl.service.shelf import read_span
from hilctl.service.tasks import Pace, Result, Task, finished
from hilctl.signals import NAMES, Mode
from hilctl.wire.encode import columns_of
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

PAGE = 1 << 20  # bytes of a page
_SNAPSHOT_S = 1.0  # a recording without the law's state is better than none


def record(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Starts or stops a recording."""
    if given.args.action == "start":
        return (yield from start_recording(s, given.args.name))
    if not s.recorder.active:
        raise Refused(Code.WRONG_MODE, "nothing is being recorded; `hilctl record start` begins", "action")
    if s.rig.recording.required and s.watch.mode != Mode.OFF:
        s.lease.need(asked.who.id, asked.token, "to stop a recording that recording.required asks for, while armed,")
    yield from take_rows(s)
    state = yield from finished(s.recorder.stop())
    s.shelf.add(state)
    s.tell("recording", action="stop", path=state.path, first=state.first, flushed=state.flushed, by=asked.sender)
    return {
        "path": state.path,
        "first": state.first,
        "flushed": state.flushed,
        "state": state.state,
        "reason": state.reason,
    }


def take_rows(s: Service) -> Task[None]:
    """Waits until every row that the loop has made so far has come in: a recording ends after what was waited for."""
    goal = s.core.link.status.rows if s.core.ended is None else 0
    while s.core.history.end < goal and s.core.ended is None:
        yield Pace.FAST


def start_recording(s: Service, name: str) -> Task[Result]:
    """Opens a file in the rig's folder and records from the law's state on."""
    if s.recorder.active:
        raise Refused(Code.WRONG_MODE, f"already recording to {s.recorder.state.path}; stop that first", "action")
    path = _path(s.places.recordings, name)
    tick, state = -1, b""
    first = s.core.history.end
    if s.core.ended is None:
        snapshot = yield from _snapshot(s)
        if snapshot is not None:
            tick, first, state = snapshot
    rig, identity = s.rig, s.identity
    header = Header(
        rig.name,
        rig.text,
        identity.run,
        identity.schema,
        s.rate_hz,
        identity.clock,
        s.store.epoch,
        s.store.values(),
        tick,
        state,
        required=rig.recording.required,
    )
    opened = s.recorder.start(path, header, first)
    rows = s.core.history.rows(first, s.core.history.end)
    if len(rows):
        s.recorder.rows(first, rows)
    try:
        began = yield from finished(opened)
    except (OSError, ValueError, RuntimeError) as error:
        s.tell("recording_failed", path=str(path), reason=str(error))
        raise Refused(Code.BAD_VALUE, f"cannot record to {path}: {error}", "recording.folder") from None
    wall = {} if s.virtual else {"wall": s.wall.now._asdict()}
    s.tell("recording", action="start", path=began.path, first=first, **wall)
    return {"path": began.path, "first": first, "flushed": began.flushed}


def _snapshot(s: Service) -> Task[tuple[int, int, bytes] | None]:
    """The law's state: its tick, the sequence number of the first row that follows from it, and its bytes."""
    s.core.link.snapshot()
    deadline_s = time.monotonic() + _SNAPSHOT_S
    while time.monotonic() < deadline_s and s.core.ended is None:
        ready = s.core.link.snapshot_ready()
        if ready is not None:
            return int(ready.tick), int(ready.row), bytes(ready.state)
        yield Pace.FAST
    return None


def _path(folder: Path, name: str) -> Path:
    """A file in the rig's folder: of this name, or a new one by the date."""
    if name:
        name = name.removesuffix(SUFFIX)
        if name.startswith(".") or not all(c.isalnum() or c in "-_." for c in name):
            limit = "must be letters, digits, dashes, dots and underscores: a file in the rig's recording folder"
            raise BadValues([Problem("name", name, limit)])
        return folder / (name + SUFFIX)
    date = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{date}{suffix}{SUFFIX}" for suffix in ("", *(f"-{i}" for i in range(2, 1000))))
    return next(path for n in names if not (path := folder / n).exists())


def fetch(s: Service, asked: Asked, given: Arguments) -> Task[Result] | Result:
    """A page of samples."""
    args, channels = given.args, tuple(given.open["channels"]) or NAMES
    problems = [Problem("channels", c, "no such channel", nearest(c, NAMES)) for c in channels if c not in NAMES]
    if problems:
        raise BadValues(problems)
    if args.keep:
        _may_keep(s, asked)
    history, recorder = s.core.history, s.recorder
    end = min(args.last + 1, history.end)
    stop = min(end, args.first + args.every * max(1, PAGE // (8 * len(channels))))
    if args.first >= history.first or args.first >= end:
        if args.keep:
            s.core.hold(max(min(stop, history.end), args.first))
        elif s.core.held is not None and s.lease.allows(asked.who.id, asked.token):
            s.core.hold(None)
        return _page(history.rows(args.first, stop, args.every), args, end, history.end, channels)
    if recorder.active and args.first >= recorder.state.first >= 0:
        return _from_file(s, s.recorder.read(args.first, stop, args.every), args, end, channels)
    span = s.shelf.find(args.first)
    if span is not None:
        read = s.files.submit(read_span, span, args.first, min(stop, span.last + 1), args.every)
        return _from_file(s, read, args, end, channels)
    told = f"sample {args.first} was purged; memory begins at {history.first}, and {s.shelf.told()}"
    raise Refused(Code.GONE, told, "first")


def _from_file(s: Service, reading: "Future[Any]", args: Any, end: int, channels: tuple[str, ...]) -> Task[Result]:
    try:
        rows = yield from finished(reading)
    except OSError as error:
        raise Refused(Code.GONE, f"sample {args.first} was purged, and its recording cannot be read: {error}",
                      "first") from None  # fmt: skip
    if not len(rows):
        raise Refused(Code.GONE, f"sample {args.first} was lost", "first")
    return _page(rows, args, end, s.core.history.end, channels)


def _page(rows: Any, args: Any, end: int, newest: int, channels: tuple[str, ...]) -> Result:
    next_ = args.first + len(rows) * args.every
    return {
        "first": args.first,
        "count": len(rows),
        "every": args.every,
        "next": next_ if next_ < end else None,
        "end": newest,
        "columns": columns_of(rows, channels),
    }


def _may_keep(s: Service, asked: Asked) -> None:
    if not s.virtual:
        raise Refused(Code.BAD_VALUE, "real time waits for no one; keep is for the virtual clock", "keep")
    s.lease.need(asked.who.id, asked.token, "fetch with keep")
