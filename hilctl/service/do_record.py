"""Requests about samples that were: recordings and pages."""

from concurrent.futures import Future
from typing import Any

from hilctl.params import BadValues, Problem, nearest
from hilctl.recording.damaged import Damaged
from hilctl.service import filing
from hilctl.service.service import Asked, Service
from hilctl.service.shelf import read_span
from hilctl.service.tasks import Result, Task, finished
from hilctl.signals import NAMES, Mode
from hilctl.wire.encode import columns_of
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

PAGE = 1 << 20  # bytes of a page


def record(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Starts or stops a recording."""
    if given.args.action == "start":
        return (yield from filing.start(s, given.args.name))
    if s.rig.recording.required and s.recorder.active and not s.recorder.state.always and s.watch.mode != Mode.OFF:
        s.lease.need(asked.who.id, asked.token, "to stop a recording that recording.required asks for, while armed,")
    state = yield from filing.stop(s)
    s.tell("recording", action="stop", path=state.path, first=state.first, flushed=state.flushed, by=asked.sender)
    return {
        "path": state.path,
        "first": state.first,
        "flushed": state.flushed,
        "state": state.state,
        "reason": state.reason,
    }


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
    except (OSError, Damaged) as error:
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
