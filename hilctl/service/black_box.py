"""The black box: at a trip, what memory holds of the time before it, and some seconds after it, in a file of its own.

The file is a recording like any other, so that export, replay and report read it, and holds besides what caused the
trip, what followed, the status, and the log. The rows are copied piece by piece between the service's other work, and
written by a thread of its own, which may wait for its disk: first those before the trip, then those after it, as they
come. `black_box` is reported once all of it is on the disk.
"""

import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hilctl.recording.layout import SUFFIX, TRIP, Change, Header
from hilctl.service.filing import header_of, room_of
from hilctl.service.service import Service
from hilctl.service.status import status_of
from hilctl.service.tasks import Pace, Result, Task, finished
from hilctl.signals import Trip

log = logging.getLogger(__name__)

_ROWS = 4096  # at a time: some megabytes, a millisecond
_LINES = 200  # of the log
_ORDERLY = Trip.SHUTDOWN.name.lower()  # an end that was asked for is no trip to be explained


class BlackBox:
    """What is being written; a trip while the time after another one still runs is part of that one's file."""

    def __init__(self) -> None:
        self._until_tick = -1
        self._writing = 0
        self._thread: ThreadPoolExecutor | None = None
        self._closing = False  # no more rows come

    def tripped(self, s: Service, tick: int, cause: dict[str, Any]) -> None:
        """A trip that has just been seen."""
        given = s.rig.recording.black_box
        if given.before_s <= 0.0 or tick <= self._until_tick or cause["trip"] == _ORDERLY:
            return
        self._until_tick = tick + math.ceil(given.after_s * s.rate_hz)
        self._writing += 1
        self._thread = self._thread or ThreadPoolExecutor(1, "black box")
        s.tasks.own("the black box", self._run(s, self._thread, tick, cause))

    def _run(self, s: Service, thread: ThreadPoolExecutor, tick: int, cause: dict[str, Any]) -> Task[Result]:
        path = box_path(s.places.recordings)
        after = f"recording.black_box.after_s = {s.rig.recording.black_box.after_s:g} s after the trip"
        try:
            with s.writing(path, f"the black box is whole about {after}, and the event `black_box` says so"):
                rows = yield from _Box(s, thread, tick, self._until_tick).write(path, cause, lambda: self._closing)
            s.tell("black_box", path=str(path), trip=cause["trip"], rows=rows)
        except (OSError, ValueError, RuntimeError) as error:
            log.error("the black box of %s, %s: %s", cause["trip"], path, error)
            s.tell("black_box_failed", path=str(path), trip=cause["trip"], reason=str(error))
        finally:
            self._writing -= 1
        return {}

    def close(self, s: Service) -> None:
        """Finishes what is being written, when the core has ended."""
        self._closing = True
        while self._writing:
            s.tasks.step()
            time.sleep(0.001)
        if self._thread is not None:
            self._thread.shutdown()


class _Box:
    """One trip's."""

    def __init__(self, s: Service, thread: ThreadPoolExecutor, tick: int, until_tick: int) -> None:
        self._s, self._thread, self._tick, self._until_tick = s, thread, tick, until_tick
        self._since_tick = tick - math.ceil(s.rig.recording.black_box.before_s * s.rate_hz)
        found = s.core.history.find_tick(self._since_tick)
        first = s.core.history.first if found is None else found
        # Rather a few seconds earlier, where the controller's state is known: from there on a replay is exact.
        rows = [one.row for one in s.inputs.states_from(s.core.history.first) if one.row <= first]
        self._first = self._at = rows[-1] if rows else first
        held = s.core.history.rows(self._first, self._first + 1)
        self._epoch = int(held["epoch"][0]) if len(held) else s.store.epoch
        self._rows = self._taken = 0
        self._known_row = -1

    def write(self, path: Path, cause: dict[str, Any], closing: Callable[[], bool]) -> Task[int]:
        """All of it; how many rows."""
        s, told = self._s, {"tick": self._tick, "cause": cause, "status": status_of(self._s)}
        known = s.inputs.states_from(self._first)
        self._taken = known[0].taken if known else 0
        header = header_of(s, known[0] if known else None, always=False)
        values = header.parameters | {c.key: c.old for c in reversed(self._changes())}
        header, room = header._replace(parameters=values, epoch=self._epoch), room_of(s.rig)
        writer = yield from self._on_thread(_open, path, header, self._first, room)
        try:
            while True:
                over = closing() or s.core.ended is not None or _stands(s)
                if (yield from self._rows_so_far(writer)):
                    continue
                if over or s.watch.tick >= self._until_tick:
                    break
                yield Pace.SLOW
            events = [event for event in s.events.since(0) if event.tick >= self._since_tick]
            told["consequences"] = [event.plain() for event in events if event.tick >= self._tick]
            told["status_after"], told["log"] = status_of(s), s.logbook.newest(_LINES)
            yield from self._on_thread(_finish, writer, events, self._changes(), told)
        except BaseException:
            self._thread.submit(writer.close, "failed")
            raise
        return self._rows

    def _rows_so_far(self, writer: Any) -> Task[bool]:
        """The next rows, with what a replay needs beside them; whether there were any."""
        history = self._s.core.history
        self._at = max(self._at, history.first)
        end = min(self._at + _ROWS, history.end)
        last = history.find_tick(self._until_tick + 1)
        end = end if last is None else min(end, last)
        known = [one for one in self._s.inputs.states_from(self._first) if self._known_row < one.row <= end]
        taken = self._s.inputs.since(self._taken) if self._known_row >= 0 or known else []
        if end <= self._at and not known:
            return False
        rows = history.table(self._at, end)
        yield from self._on_thread(writer.write, [(self._at, rows)], [], [], [*known, *taken])
        self._rows, self._at = self._rows + len(rows), end
        self._known_row = known[-1].row if known else self._known_row
        self._taken = taken[-1].number + 1 if taken else self._taken
        return True

    def _on_thread(self, work: Callable[..., Any], *arguments: Any) -> Task[Any]:
        return (yield from finished(self._thread.submit(work, *arguments)))

    def _changes(self) -> list[Change]:
        """Of parameters, since the first row."""
        sets = [done for done in self._s.store.done if done.epoch > self._epoch]
        return [
            Change(done.epoch, done.author.tick, done.author.time_ns, done.author.client, done.author.origin,
                   edit.key, edit.old, edit.new)
            for done in sets
            for edit in done.edits
        ]  # fmt: skip


def _open(path: Path, header: Header, first: int, room: Any) -> Any:
    from hilctl.recording.writer import Writer

    path.parent.mkdir(parents=True, exist_ok=True)
    room.need(path.parent)
    return Writer(path, header, first)


def _finish(writer: Any, events: Any, changes: Any, told: dict[str, Any]) -> None:
    writer.write([], events, changes)
    writer.describe_trip(told)
    writer.close()


def _stands(s: Service) -> bool:
    """On the virtual clock no time passes: there will be no rows until something is asked for."""
    status = s.core.link.status
    return bool(s.virtual and status.standing and status.rows == s.core.history.end)


def box_path(folder: Path) -> Path:
    """A new file in the folder of the recordings."""
    date = TRIP + time.strftime("%Y%m%d-%H%M%S")
    names = (f"{date}{suffix}{SUFFIX}" for suffix in ("", *(f"-{i}" for i in range(2, 1000))))
    return next(path for n in names if not (path := folder / n).exists())
