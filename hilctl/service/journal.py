"""The journal of this rig's parameters: every set, on the disk before its author has the answer.

A disk that fails changes nothing for the rig: the set is active, the event `journal_failed` says why it is not on the
disk, and its record waits in memory until it is.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hilctl.errors import HilctlError
from hilctl.recording.journal import SET, START, JournalFile, Record, differences
from hilctl.service.store import Done

MOST = 1024  # records that wait for a disk; the oldest are dropped, and their numbers are missing in the file
PAGE = 1 << 18  # bytes of records in one answer
_BY = "hilctl run"


class Journal:
    """The wire thread's side; a thread of its own does what may wait for the disk."""

    def __init__(self, path: Path, run: str) -> None:
        self.path, self.run = path, run
        self.problem = ""  # why records wait
        self._thread = ThreadPoolExecutor(1, "journal")
        # What only that thread touches.
        self._file: JournalFile | None = None
        self._next = 0
        self._waiting: list[Record] = []

    def begin(self, values: dict[str, Any], done: Done, version: str) -> "Future[int]":
        """A service starts: with these values, which may differ from those that were active last."""
        return self._thread.submit(self._begin, values, done, version)

    def add(self, done: Done) -> "Future[int]":
        """A set was made active. Answers with its number; 0 while it is not on the disk."""
        return self._thread.submit(self._add, self._record(SET, done))

    def read(self, first: int, newest: int) -> "Future[tuple[list[Record], int | None]]":
        """A page of what is on the disk, and where to go on."""
        return self._thread.submit(self._read, first, newest)

    def retry(self) -> None:
        """Tries to write what waits."""
        self._thread.submit(self._write)

    def close(self) -> None:
        """Writes what waits, if the disk takes it now."""
        self._thread.submit(self._end)
        self._thread.shutdown()

    # What the thread does.

    def _record(self, kind: str, done: Done) -> Record:
        return {"number": 0, "kind": kind, "run": self.run, "key": done.author.key, **done.plain()}

    def _begin(self, values: dict[str, Any], done: Done, version: str) -> int:
        record = self._record(START, done) | {"author": _BY, "version": version}
        self._open()
        file = self._file
        record["changed"] = differences(file.values, values) if file is not None and file.values else []
        if file is None or file.wants_values:
            record["values"] = values
        return self._add(record)

    def _open(self) -> None:
        if self._file is not None:
            return
        try:
            self._file = JournalFile(self.path)
        except (OSError, HilctlError, ValueError) as error:
            self.problem = str(error)
        else:
            self._next = max(self._next, self._file.next)
            for number, record in enumerate(self._waiting, self._next):
                record["number"] = number
            self._next += len(self._waiting)

    def _add(self, record: Record) -> int:
        if self._file is not None:
            record["number"], self._next = self._next, self._next + 1
        self._waiting.append(record)
        del self._waiting[:-MOST]
        self._write()
        return 0 if self._waiting else int(record["number"])

    def _write(self) -> None:
        self._open()
        if self._file is None or not self._waiting:
            return
        try:
            self._file.append(self._waiting)
        except OSError as error:
            self.problem = str(error)
        else:
            self.problem, self._waiting = "", []

    def _read(self, first: int, newest: int) -> tuple[list[Record], int | None]:
        if self._file is None:
            raise HilctlError(f"the journal cannot be read: {self.problem}")
        return self._file.read(first, newest, PAGE)

    def _end(self) -> None:
        self._write()
        if self._file is not None:
            self._file.close()
