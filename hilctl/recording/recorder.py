"""The recorder thread: takes rows, events and changes from the wire thread, and owns the file.

The wire thread never waits for a disk. What may wait is bounded: rows beyond it are lost and counted in real time; on
the virtual clock the service asks `room` first and lets the loop wait. When writing fails the recording ends, marked,
and control goes on. When only the disk's word fails (`NotSafe`), it goes on in a new file, and begins there with all
that the old one may have lost.
"""

import atexit
import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.recording.disk import NotSafe
from hilctl.recording.layout import SUFFIX, Change, Event, Header

if TYPE_CHECKING:
    from hilctl.recording.writer import Writer

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
    continues: str = ""  # the file before, which the disk had failed


class Batch(NamedTuple):
    """What is written in one go."""

    blocks: list[tuple[int, npt.NDArray[Any]]]
    events: list[Event]
    changes: list[Change]

    def then(self, more: "Batch") -> "Batch":
        """Both."""
        return Batch(self.blocks + more.blocks, self.events + more.events, self.changes + more.changes)

    @property
    def rows(self) -> int:
        """How many."""
        return sum(len(rows) for _, rows in self.blocks)


_NOTHING = Batch([], [], [])


class Recorder:
    """One recording at a time."""

    def __init__(self, flush_s: float, queue_rows: int) -> None:
        self.state = State("off")
        self._flush_s, self._queue_rows = flush_s, queue_rows
        self._condition = threading.Condition()
        self._jobs: list[Callable[[], None]] = []
        self._waiting = Batch([], [], [])
        self._waiting_rows = 0
        self._accepting = False
        self._ended = False
        # What only the recorder's thread touches.
        self._writer: Writer | None = None
        self._name = Path()  # as it was asked for
        self._header: Header | None = None  # as the next file would have it
        self._unsafe = _NOTHING  # written, but not yet on the disk
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        # HDF5 closes what is open when the process ends: after Python, through a file that is Python's, which crashes.
        atexit.register(self.close)

    # What the wire thread calls.

    def start(self, path: Path, header: Header, first: int) -> "Future[State]":
        """Opens a file; samples count from `first`, and may be given at once."""
        with self._condition:
            self._accepting = True
            self.state = self.state._replace(lost=0)
        return self._submit(lambda: self._open(path, header, first))

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
            if self._waiting_rows + len(rows) > self._queue_rows:
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

    @property
    def active(self) -> bool:
        """Whether samples are taken now."""
        return self._accepting

    @property
    def room(self) -> int:
        """Rows that may come before some are lost."""
        with self._condition:
            return self._queue_rows - self._waiting_rows if self._accepting else 1 << 30

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

    def _open(self, path: Path, header: Header, first: int) -> State:
        from hilctl.recording.writer import Writer  # h5py takes a third of a second: not before it is needed

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = Writer(path, header, first)
        except (OSError, ValueError, RuntimeError) as error:
            self._forget()
            self.state = State("failed", str(path), reason=str(error))
            raise
        self._name, self._header, self._unsafe = path, header, _NOTHING
        with self._condition:
            self.state = State("on", str(path), first, first - 1, lost=self.state.lost)
            return self.state

    def _take(self) -> Batch:
        with self._condition:
            taken, self._waiting = self._waiting, Batch([], [], [])
            self._waiting_rows = 0
        return taken

    def _write(self) -> None:
        """What waits, into the file; it outlives this process from here on."""
        if self._writer is None:
            return
        batch = self._take()
        try:
            self._writer.write(_joined(batch.blocks), batch.events, batch.changes)
        except (OSError, RuntimeError, ValueError) as error:
            self._fail(error)
            return
        self._unsafe = self._unsafe.then(batch)
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
        self._unsafe = _NOTHING
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
            self._writer = Writer(_another(self._name), header, first)
            self._writer.write(_joined(batch.blocks), batch.events, batch.changes)
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
                writer.close("" if not self.state.lost else f"{self.state.lost} samples were lost to a slow disk")
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
            self._accepting = False
        self._take()
        self._unsafe = _NOTHING

    def _read(self, first: int, end: int, every: int) -> npt.NDArray[Any]:
        self._write()
        if self._writer is None:
            from hilctl.signals import SAMPLE

            return np.empty(0, SAMPLE)
        return self._writer.rows(first, end, every)


def _joined(blocks: list[tuple[int, npt.NDArray[Any]]]) -> list[tuple[int, npt.NDArray[Any]]]:
    """Blocks that follow each other, as one: one write instead of many."""
    runs: list[tuple[int, list[npt.NDArray[Any]]]] = []
    expected = None
    for first, rows in blocks:
        if first == expected:
            runs[-1][1].append(rows)
        else:
            runs.append((first, [rows]))
        expected = first + len(rows)
    return [(first, np.concatenate(rows) if len(rows) > 1 else rows[0]) for first, rows in runs]


def _another(path: Path) -> Path:
    """This file's name with a number, that is not there yet."""
    base = path.name.removesuffix(SUFFIX)
    return next(new for n in itertools.count(2) if not (new := path.with_name(f"{base}-{n}{SUFFIX}")).exists())
