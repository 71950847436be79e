"""Recordings as the service begins, continues and ends them: asked for, required by the rig file, or always running.

One of these works at a time. Each file begins with the law's full state, and with the row that follows from it.
"""

import time
from pathlib import Path
from typing import TypeVar

from hilctl.law.requests import RequestKind
from hilctl.params import BadValues, Problem
from hilctl.recording.layout import ALWAYS, SUFFIX, Header, Known
from hilctl.recording.recorder import State
from hilctl.recording.room import MB, Piece, Room
from hilctl.rig import Rig
from hilctl.service.inputs import TYPES
from hilctl.service.lost import ACTIONS, until_taken
from hilctl.service.service import Service
from hilctl.service.tasks import Pace, Result, Task, finished
from hilctl.signals import Trip
from hilctl.wire.errors import Code, Refused

_SNAPSHOT_S = 1.0  # a recording without the law's state is better than none
_PIECES = 8  # of what `recording.always` keeps
_T = TypeVar("_T")


def room_of(rig: Rig) -> Room:
    """What is kept free and what is kept, as the rig file says."""
    kept = rig.recording.always
    rows = int(3600 * kept.hours / rig.dt_s)
    return Room(int(MB * rig.recording.free_mb), int(MB * kept.mb) * (_PIECES - 1) // _PIECES, rows)


def _piece(s: Service, *, always: bool) -> Piece:
    """How long a file may get."""
    given = s.rig.recording
    size, seconds = int(MB * given.rotate_mb), given.rotate_s
    if always:
        size = min(filter(None, (size, int(MB * given.always.mb) // _PIECES)), default=0)
        seconds = min(filter(None, (seconds, 3600 * given.always.hours / _PIECES)), default=0.0)
    return Piece(size, round(seconds * s.rate_hz))


def one_at_a_time(s: Service, task: Task[_T]) -> Task[_T]:
    """Waits for the one before."""
    while s.filing:
        yield Pace.FAST
    s.filing = True
    try:
        return (yield from task)
    finally:
        s.filing = False


def start(s: Service, name: str) -> Task[Result]:
    """A recording that somebody asks for; it takes over from the one that always runs, without a gap."""
    return (yield from one_at_a_time(s, _start(s, name)))


def _start(s: Service, name: str) -> Task[Result]:
    running = s.recorder.state
    if s.recorder.active and not running.always:
        raise Refused(Code.WRONG_MODE, f"already recording to {running.path}; stop that first", "action")
    path = _path(s.places.recordings, name)
    try:
        yield from _go_on(s, path) if s.recorder.active else _begin(s, path)
    except (OSError, ValueError, RuntimeError) as error:
        s.tell("recording_failed", path=str(path), reason=str(error))
        raise Refused(Code.BAD_VALUE, f"cannot record to {path}: {error}", "recording.folder") from None
    began = s.recorder.state
    wall = {} if s.virtual else {"wall": s.wall.now._asdict()}
    s.tell("recording", action="start", path=began.path, first=began.first, **wall)
    return {"path": began.path, "first": began.first, "flushed": began.flushed}


def stop(s: Service) -> Task[State]:
    """Ends it; the one that always runs goes on from there. How it stood at its end."""
    return (yield from one_at_a_time(s, _stop(s)))


def _stop(s: Service) -> Task[State]:
    if not s.recorder.active or s.recorder.state.always:
        raise Refused(Code.WRONG_MODE, "nothing is being recorded; `hilctl record start` begins", "action")
    yield from take_rows(s)
    if s.rig.recording.always.enabled:
        try:
            before = yield from _go_on(s, _always_path(s), always=True)
            return before._replace(state="off")
        except (OSError, ValueError, RuntimeError) as error:
            s.tell("recording_failed", path=str(_always_path(s)), reason=str(error))
    state = yield from finished(s.recorder.stop())
    s.shelf.add(state)
    return state


def take_rows(s: Service) -> Task[None]:
    """Waits until every row that the loop has made so far has come in: a recording ends after what was waited for."""
    goal = s.core.link.status.rows if s.core.ended is None else 0
    while s.core.history.end < goal and s.core.ended is None:
        yield Pace.FAST


def run_always(s: Service) -> Task[bool]:
    """Begins the recording that always runs; whether it does. The caller reports a failure."""
    if s.filing or s.recorder.active:
        return True
    try:
        yield from one_at_a_time(s, _begin(s, _always_path(s), always=True))
    except (OSError, ValueError, RuntimeError):
        return False
    state = s.recorder.state
    s.tell("recording", action="start", path=state.path, first=state.first, by="recording.always")
    return True


def rotate(s: Service) -> Task[bool]:
    """The next file, without a gap; whether there is one. Where it cannot be opened the old one goes on."""
    if s.filing or not s.recorder.active:
        return True
    state = s.recorder.state
    always = state.always
    try:
        path = _always_path(s) if always else None
        yield from one_at_a_time(s, _go_on(s, path, always=always, continues=Path(state.path).name))
    except (OSError, ValueError, RuntimeError) as error:
        s.tell("recording", action="rotate_failed", path=state.path, reason=str(error))
        return False
    now = s.recorder.state
    s.tell("recording", action="rotate", path=now.path, first=now.first, continues=now.continues)
    return True


def after_failure(s: Service) -> Task[Result]:
    """A recording that the rig file requires has ended by itself: what the rig file then wants."""
    policy = s.rig.recording.lost
    if policy in ACTIONS:
        yield from until_taken(s, RequestKind.TRIP, trip=Trip.RECORDING_LOST, action=ACTIONS[policy])
    return {}


def _begin(s: Service, path: Path, *, always: bool = False) -> Task[State]:
    """Records from the law's state on."""
    known = yield from _rows_up_to(s, (yield from _known(s)))
    first = known.row if known is not None else s.core.history.end
    header = header_of(s, known, always=always)
    opened = s.recorder.start(path, header, first, _piece(s, always=always), always=always)
    rows = s.core.history.table(first, s.core.history.end)
    if len(rows):
        s.recorder.rows(first, rows)
    if known is not None:
        s.recorder.input(known)
        for one in s.inputs.since(known.taken):
            s.recorder.input(one)
    return (yield from finished(opened))


def _go_on(s: Service, path: Path | None, *, always: bool = False, continues: str = "") -> Task[State]:
    """The recording that runs goes on in another file, without a gap; how the one before stood at its end."""
    s.recorder.hold_back()
    known = yield from _rows_up_to(s, (yield from _known(s, s.core.history.end)))
    first = known.row if known is not None else -1
    header = header_of(s, known, always=always, continues=continues)
    before = yield from finished(s.recorder.rotate(path, header, first, _piece(s, always=always), always=always))
    s.shelf.add(before)
    return before


def header_of(s: Service, known: Known | None, *, always: bool, continues: str = "") -> Header:
    """What a file says about itself that begins with this state."""
    rig, identity = s.rig, s.identity
    return Header(
        rig.name,
        rig.text,
        identity.run,
        identity.schema,
        s.rate_hz,
        identity.clock,
        s.store.epoch,
        s.store.values(),
        known.tick if known is not None else -1,
        known.state if known is not None else b"",
        continues,
        wall=None if s.virtual else s.wall.now._asdict(),
        rig_files=tuple((str(file.path), file.text) for file in s.store.file.files),
        required=rig.recording.required and not always,
        types=TYPES,
    )


def _known(s: Service, least: int = 0) -> Task[Known | None]:
    """The controller's state as it is now. One that was asked for before, and belongs before the row `least`, is let
    pass."""
    before, deadline_s = s.inputs.states, time.monotonic() + _SNAPSHOT_S
    if s.core.ended is None:
        s.inputs.ask()
    while time.monotonic() < deadline_s and s.core.ended is None:
        if s.inputs.states > before:
            known = s.inputs.known
            if known is not None and known.row >= least:
                return known
            before = s.inputs.states
            s.inputs.ask()
        yield Pace.FAST
    return None


def _rows_up_to(s: Service, known: Known | None) -> Task[Known | None]:
    """This state, once the rows before it have come: they lie behind the loop's by a round. Else they would be taken
    for rows that follow from it."""
    deadline_s = time.monotonic() + _SNAPSHOT_S
    while known is not None and s.core.history.end < known.row:
        if s.core.ended is not None or time.monotonic() > deadline_s:
            return None
        yield Pace.FAST
    return known


def _always_path(s: Service) -> Path:
    return _dated(s.places.recordings, ALWAYS)


def _path(folder: Path, name: str) -> Path:
    """A file in the rig's folder: of this name, or a new one by the date."""
    if not name:
        return _dated(folder, "")
    name = name.removesuffix(SUFFIX)
    if name.startswith(".") or not all(c.isalnum() or c in "-_." for c in name):
        limit = "must be letters, digits, dashes, dots and underscores: a file in the rig's recording folder"
        raise BadValues([Problem("name", name, limit)])
    if name.startswith(ALWAYS):
        raise BadValues([Problem("name", name, f"must not begin with {ALWAYS}: recording.always removes such files")])
    return folder / (name + SUFFIX)


def _dated(folder: Path, before: str) -> Path:
    date = before + time.strftime("%Y%m%d-%H%M%S")
    names = (f"{date}{suffix}{SUFFIX}" for suffix in ("", *(f"-{i}" for i in range(2, 1000))))
    return next(path for n in names if not (path := folder / n).exists())
