"""The recorder thread: takes rows, events and changes from the wire thread, and owns the file.

The wire thread never waits for a disk. What may wait is bounded: rows beyond it are lost and counted in real time; on
the virtual clock the service asks `room` first and lets the loop wait. When writing fails the recording ends, marked,
and control goes on.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.recording.layout import Change, Event, Header

if TYPE_CHECKING:
    from hilctl.recording.writer import Writer

log = logging.getLogger(__name__)


class State(NamedTuple):
    """How the recording stands; `flushed` is the last sequence number that a crash cannot take any more."""

    state: str  # "off", "on", "failed"
    path: str = ""
    first: int = -1
    flushed: int = -1
    lost: int = 0
    reason: str = ""


class Recorder:
    """One recording at a time."""

    def __init__(self, flush_s: float, queue_rows: int) -> None:
        self.state = State("off")
        self._flush_s, self._queue_rows = flush_s, queue_rows
        self._condition = threading.Condition()
        self._jobs: list[Callable[[], None]] = []
        self._blocks: list[tuple[int, npt.NDArray[Any]]] = []
        self._events: list[Event] = []
        self._changes: list[Change] = []
        self._waiting_rows = 0
        self._accepting = False
        self._ended = False
        self._writer: Writer | None = None
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    # What the wire thread calls.

    def start(self, path: Path, header: Header, first: int) -> "Future[State]":
        """Opens a file; samples count from `first`, and may be given at once."""
        with self._condition:
            self._accepting = True
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
                self.state = self.state._replace(lost=self.state.lost + len(rows))
                return
            self._blocks.append((first, rows))
            self._waiting_rows += len(rows)

    def event(self, event: Event) -> None:
        """Takes an event."""
        with self._condition:
            if self._accepting:
                self._events.append(event)

    def change(self, change: Change) -> None:
        """Takes a parameter change."""
        with self._condition:
            if self._accepting:
                self._changes.append(change)

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
        self._submit(self._flush)

    def close(self) -> None:
        """Ends the recording and the thread."""
        self.stop()
        with self._condition:
            self._ended = True
            self._condition.notify()
        self._thread.join()

    def _submit(self, work: Callable[[], Any]) -> "Future[Any]":
        future: Future[Any] = Future()

        def job() -> None:
            try:
                future.set_result(work())
            except Exception as error:  # handed to whoever asked
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
        self.state = State("on", str(path), first, first - 1)
        return self.state

    def _take(self) -> tuple[list[tuple[int, npt.NDArray[Any]]], list[Event], list[Change]]:
        with self._condition:
            taken = self._blocks, self._events, self._changes
            self._blocks, self._events, self._changes = [], [], []
            self._waiting_rows = 0
        return taken

    def _flush(self) -> None:
        if self._writer is None:
            return
        blocks, events, changes = self._take()
        try:
            self._writer.write(_joined(blocks), events, changes)
        except (OSError, RuntimeError, ValueError) as error:
            self._fail(error)
            return
        self.state = self.state._replace(flushed=self._writer.end - 1)

    def _finish(self) -> State:
        self._flush()
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.close("" if not self.state.lost else f"{self.state.lost} samples were lost to a slow disk")
            except (OSError, RuntimeError) as error:
                self.state = self.state._replace(state="failed", reason=str(error))
                return self.state
            self.state = self.state._replace(state="off")
        self._forget()
        return self.state

    def _fail(self, error: Exception) -> None:
        log.error("the recording %s ended: %s", self.state.path, error)
        writer, self._writer = self._writer, None
        self._forget()
        try:
            if writer is not None:
                writer.close(f"failed: {error}")
        except (OSError, RuntimeError, ValueError) as again:
            log.error("it could not be closed in order either: %s", again)
        self.state = self.state._replace(state="failed", reason=str(error))

    def _forget(self) -> None:
        with self._condition:
            self._accepting = False
        self._take()

    def _read(self, first: int, end: int, every: int) -> npt.NDArray[Any]:
        self._flush()
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
