"""The recorder thread: takes rows, events and changes from the wire thread, and owns the file.

The wire thread never waits for a disk. What may wait is bounded: rows beyond it are lost and counted in real time; on
the virtual clock the service asks `room` first and lets the loop wait. When writing fails the recording ends, marked,
and control goes on. When only the disk's word fails (`NotSafe`), it goes on in a new file, and begins there with all
that the old one may have lost. When too little of the disk is free, it ends in order, with all that came before.

A file that is long enough is `full`: the service then asks for the law's state, and meanwhile rows wait (`hold_back`),
so that the next file begins with the very row that follows from it (`rotate`).
"""

import atexit
import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.recording.batch import Batch, nothing
from hilctl.recording.disk import NotSafe
from hilctl.recording.layout import SUFFIX, Change, Event, Header, Known, Taken
from hilctl.recording.room import ALL_ROOM, ONE_FILE, DiskFull, Piece, Pieces, Room, free_bytes, need_of

if TYPE_CHECKING:
    from hilctl.recording.writer import Writer

_HELD_ROWS = 1 << 18  # a second on the virtual clock, at most

log = logging.getLogger(__name__)


class State(NamedTuple):
    """How the recording stands. Every row up to the sequence number `flushed` that was not counted as `lost` is on the
    disk: not even a power cut can take it."""

    state: str  # "off", "on", "failed"
    path: str = ""
    first: int = -1  # of this file
    flushed: int = -1
    lost: int = 0
    reason: str = ""
    continues: str = ""  # the file before
    always: bool = False  # it is the one of recording.always


class Recorder:
    """One recording at a time."""

    def __init__(self, flush_s: float, queue_rows: int, room: Room = ALL_ROOM) -> None:
        self.state = State("off")
        self.full = False  # the file is long enough
        self.removed: deque[Path] = deque()  # old files of recordings that always run, for the service to tell
        self._flush_s, self._queue_rows = flush_s, queue_rows
        self._condition = threading.Condition()
        self._jobs: list[Callable[[], None]] = []
        self._waiting = nothing()
        self._waiting_rows = 0
        self._accepting = self._held = False
        self._ended = False
        # What only the recorder's thread touches.
        self._writer: Writer | None = None
        self._name, self._part = Path(), 1  # as it was asked for, and the number of this file
        self._piece, self._room, self._pieces = ONE_FILE, room, Pieces(Path())
        self._lost_in_others = 0  # rows that were lost to the files before this one
        self._header: Header | None = None  # as the next file would have it
        self._unsafe = nothing()  # written, but not yet on the disk
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        # HDF5 closes what is open when the process ends: after Python, through a file that is Python's, which crashes.
        atexit.register(self.close)

    # What the wire thread calls.

    def start(
        self, path: Path, header: Header, first: int, piece: Piece = ONE_FILE, *, always: bool = False
    ) -> "Future[State]":
        """Opens a file; samples count from `first`, and may be given at once. `piece`: how long a file may get."""
        with self._condition:
            self._accepting, self.full = True, False
            self.state = self.state._replace(lost=0)
        return self._submit(lambda: self._open(path, header, first, piece, always=always))

    def hold_back(self) -> None:
        """From here on rows wait, until `rotate`."""
        with self._condition:
            self._held = True

    def rotate(
        self, path: Path | None, header: Header, first: int, piece: Piece | None = None, *, always: bool = False
    ) -> "Future[State]":
        """Goes on in another file: of this name, or of this one's with a number. It begins with the row `first`; with
        what has not been written yet, where that is negative. The state of the file before; OSError where none can be
        opened, and then the old one goes on."""
        return self._submit(lambda: self._rotate(path, header, first, piece, always=always))

    def stop(self) -> "Future[State]":
        """Writes what waits and closes the file in order."""
        with self._condition:
            self._accepting = False
        return self._submit(self._finish)

    def read(self, first: int, end: int, every: int) -> "Future[npt.NDArray[Any]]":
        """Rows from the file, by sequence number."""
        return self._submit(lambda: self._read(first, end, every))

    def rows(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Takes rows (kept, not copied) for the file; too many waiting are lost and counted."""
        with self._condition:
            if not self._accepting:
                return
            if self._waiting_rows + len(rows) > self._most:
                self._report(lost=self.state.lost + len(rows))
                return
            self._waiting.blocks.append((first, rows))
            self._waiting_rows += len(rows)

    def event(self, event: Event) -> None:
        """Takes an event."""
        with self._condition:
            if self._accepting:
                self._waiting.events.append(event)

    def change(self, change: Change) -> None:
        """Takes a parameter change."""
        with self._condition:
            if self._accepting:
                self._waiting.changes.append(change)

    def input(self, input: Taken | Known) -> None:
        """Takes what a replay needs beside the rows."""
        with self._condition:
            if self._accepting:
                self._waiting.inputs.append(input)

    @property
    def active(self) -> bool:
        """Whether samples are taken now."""
        return self._accepting

    @property
    def room(self) -> int:
        """Rows that may come before some are lost."""
        with self._condition:
            return self._most - self._waiting_rows if self._accepting else 1 << 30

    @property
    def _most(self) -> int:
        """Rows that may wait. While they are held back, those up to the law's state must come in as well."""
        return self._queue_rows + (_HELD_ROWS if self._held else 0)

    def hurry(self) -> None:
        """Writes what waits now rather than at the next flush."""
        self._submit(self._write)

    def close(self) -> None:
        """Ends the recording and the thread; when Python ends, at the latest."""
        atexit.unregister(self.close)
        self.stop()
        with self._condition:
            self._ended = True
            self._condition.notify()
        self._thread.join()

    def _report(self, **changes: Any) -> None:
        """Changes the state: both threads do, and neither may undo what the other has just written."""
        with self._condition:
            self.state = self.state._replace(**changes)

    def _submit(self, work: Callable[[], Any]) -> "Future[Any]":
        future: Future[Any] = Future()

        def job() -> None:
            try:
                future.set_result(work())
            except Exception as error:  # handed to the caller
                future.set_exception(error)

        with self._condition:
            self._jobs.append(job)
            self._condition.notify()
        return future

    # What the thread does.

    def _run(self) -> None:
        due_s = time.monotonic()
        while True:
            with self._condition:
                if not self._jobs and not self._ended:
                    self._condition.wait(max(0.0, due_s - time.monotonic()) if self._accepting else None)
                jobs, self._jobs = self._jobs, []
                ended = self._ended
            for job in jobs:
                job()
            if time.monotonic() >= due_s:
                self._flush()
                due_s = time.monotonic() + self._flush_s
            if ended and not jobs:
                return

    def _open(self, path: Path, header: Header, first: int, piece: Piece, *, always: bool) -> State:
        from hilctl.recording.writer import Writer  # h5py takes a third of a second: not before it is needed

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._make_room(path)
            self._room.need(path.parent)
            self._writer = Writer(path, header, first)
        except (OSError, ValueError, RuntimeError) as error:
            self._forget()
            self.state = State("failed", str(path), reason=str(error))
            raise
        self._header, self._unsafe = header, nothing()
        self._name, self._part, self._piece, self._lost_in_others = path, 1, piece, 0
        with self._condition:
            self.state = State("on", str(path), first, first - 1, lost=self.state.lost, always=always)
            return self.state

    def _make_room(self, active: Path) -> None:
        """Removes old files of recordings that always run, as far as it must."""
        if self._pieces.folder != active.parent:
            self._pieces = Pieces(active.parent)
        self.removed += self._pieces.trim(self._room, active)

    def _make_room_for(self, batch: Batch) -> None:
        assert self._writer is not None
        needed = self._room.free_bytes + need_of(sum(rows.nbytes for _, rows in batch.blocks))
        if free_bytes(self._writer.path) < needed and self.state.always:
            self.removed += self._pieces.trim(self._room._replace(free_bytes=needed), self._writer.path)

    def _rotate(self, path: Path | None, header: Header, first: int, piece: Piece | None, *, always: bool) -> State:
        from hilctl.recording.writer import Writer

        with self._condition:
            self._held = False
        batch, after = self._take(), nothing()
        if first >= 0:
            batch, after = batch.split(first, header.law_tick)
        self._put(batch)
        self._sync()
        old, was = self._writer, self.state
        if old is None or self._header is None:
            raise DiskFull(f"the recording has ended: {was.reason}")
        new, part = (path, 1) if path is not None else _another(self._name, self._part)
        header = header._replace(parameters=self._header.parameters, epoch=self._header.epoch)
        try:
            self._make_room(old.path)
            writer = Writer(new, header, first if first >= 0 else old.end)
        except (OSError, RuntimeError, ValueError):
            self._put(after)
            raise
        self._close_old(old)
        self._writer, self._header, self._part = writer, header, part
        if path is not None:
            self._name, self._piece = path, piece or ONE_FILE
        with self._condition:
            self.full = False
            self.state = State("on", str(new), writer.first, writer.first - 1, self.state.lost, "", header.continues,
                               always)  # fmt: skip
        self._put(after)
        self._sync()
        return was

    def _close_old(self, old: "Writer") -> None:
        """In order, when another file has taken over."""
        try:
            self._pieces.closed(old.path, old.rows_written)
            old.close(self._losses())
        except (OSError, RuntimeError, ValueError) as error:
            log.error("%s: could not be closed in order: %s", old.path, error)
        self._lost_in_others = self.state.lost

    def _losses(self) -> str:
        lost = self.state.lost - self._lost_in_others
        return f"{lost} samples were lost to a slow disk" if lost else ""

    def _take(self) -> Batch:
        with self._condition:
            if self._held and self._accepting:
                return nothing()
            taken, self._waiting = self._waiting, nothing()
            self._waiting_rows = 0
        return taken

    def _write(self) -> None:
        """What waits, into the file; it outlives this process from here on."""
        if self._writer is not None:
            self._put(self._take())

    def _put(self, batch: Batch) -> None:
        if self._writer is None:
            return
        try:
            self._make_room_for(batch)
            self._writer.write(batch.joined(), batch.events, batch.changes, batch.inputs)
        except (OSError, RuntimeError, ValueError) as error:
            self._fail(error)
            return
        self._unsafe = self._unsafe.then(batch)
        if self._piece.full(self._writer.size, self._writer.end - self._writer.first):
            self.full = True
        try:
            self._room.need(self._writer.path.parent)
        except OSError as error:
            self._sync()
            self._fail(error)
            return
        if self._unsafe.rows > self._queue_rows:  # virtual time: they come as fast as they are written
            self._sync()

    def _flush(self) -> None:
        """What waits, onto the disk."""
        self._write()
        self._sync()

    def _sync(self) -> None:
        if self._writer is None:
            return
        try:
            self._writer.sync()
        except NotSafe as error:
            self._go_on(error)
        else:
            self._safe()

    def _safe(self) -> None:
        assert self._writer is not None and self._header is not None
        changes = self._unsafe.changes
        if changes:
            values = self._header.parameters | {change.key: change.new for change in changes}
            self._header = self._header._replace(parameters=values, epoch=changes[-1].epoch)
        self._unsafe = nothing()
        self._report(flushed=self._writer.end - 1)

    def _go_on(self, error: NotSafe) -> None:
        """In a new file, with what the old one may not have; where that fails too, the recording has failed."""
        from hilctl.recording.writer import Writer

        old, batch = self._writer, self._unsafe
        assert old is not None and self._header is not None
        log.error("%s: %s; the recording goes on in a new file", old.path, error)
        first = batch.blocks[0][0] if batch.blocks else old.end
        self._close_failed(old, error)
        self._writer = None
        header = self._header._replace(law_tick=-1, law_state=b"", continues=old.path.name)
        try:
            new, self._part = _another(self._name, self._part)
            self._writer = Writer(new, header, first)
            self._writer.write(batch.joined(), batch.events, batch.changes, batch.inputs)
            self._writer.sync()
        except (OSError, RuntimeError, ValueError) as again:
            self._fail(again)
            return
        self._report(
            path=str(self._writer.path), first=first, reason=f"{old.path.name}: {error}", continues=str(old.path)
        )
        self._safe()

    def _finish(self) -> State:
        self._flush()
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.close(self._losses())
            except (OSError, RuntimeError) as error:
                self._report(state="failed", reason=str(error))
            else:
                self._report(state="off")
        self._forget()
        return self.state

    def _fail(self, error: Exception) -> None:
        log.error("the recording %s ended: %s", self.state.path, error)
        writer, self._writer = self._writer, None
        self._forget()
        if writer is not None and self._close_failed(writer, error):
            self._report(flushed=writer.end - 1)
        self._report(state="failed", reason=str(error))

    def _close_failed(self, writer: "Writer", error: Exception) -> bool:
        """Closes it, marked; whether that brought all that is in it onto the disk."""
        try:
            writer.close(f"failed: {error}")
        except (OSError, RuntimeError, ValueError) as again:
            if again is not error:
                log.error("it could not be closed in order either: %s", again)
            return False
        return True

    def _forget(self) -> None:
        with self._condition:
            self._accepting = self._held = self.full = False
        self._take()
        self._unsafe = nothing()

    def _read(self, first: int, end: int, every: int) -> npt.NDArray[Any]:
        self._write()
        if self._writer is None:
            from hilctl.signals import SAMPLE

            return np.empty(0, SAMPLE)
        return self._writer.rows(first, end, every)


def _another(path: Path, part: int) -> tuple[Path, int]:
    """This file's name with a number that is not there yet, and was not before."""
    base = path.name.removesuffix(SUFFIX)
    numbered = ((path.with_name(f"{base}-{n}{SUFFIX}"), n) for n in itertools.count(part + 1))
    return next((new, n) for new, n in numbered if not new.exists())
