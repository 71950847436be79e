"""The journal's file: every parameter set of a rig, from its first start on, one line of JSON each.

A line ends with the CRC-32 of what stands before it. What `kill -9` or a power cut left of a line is no record: it is
removed as the file is opened again. A line that was damaged later is skipped and counted. The first record, and one of
a start after each megabyte, hold all values; the others what changed.
"""

import fcntl
import json
import os
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from hilctl.errors import HilctlError, WrongUse
from hilctl.recording.disk import sync_folder

NAME = "journal.jsonl"
START, SET = "start", "set"
_WHOLE_EVERY = 1 << 20  # bytes between two records with all values

Record = dict[str, Any]


def line_of(record: Mapping[str, Any]) -> bytes:
    """A record as it stands in the file."""
    text = json.dumps(record, ensure_ascii=False)[:-1].encode()
    return text + b', "crc32": "%08x"}\n' % zlib.crc32(text)


def record_of(line: bytes) -> Record | None:
    """The record of a line; None where it is damaged."""
    text, mark, tail = line.rpartition(b', "crc32": "')
    if not mark or tail != b'%08x"}\n' % zlib.crc32(text):
        return None
    made: Record = json.loads(text + b"}")
    return made


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Every line that ends, with the offset of its first byte."""
    at = 0
    for line in file:
        if not line.endswith(b"\n"):
            return
        yield at, line
        at += len(line)


def read_journal(path: Path) -> Iterator[Record]:
    """The records of a file, which a service may be writing."""
    known = False
    with path.open("rb") as file:
        for _, line in lines_of(file):
            record = record_of(line)
            if record is not None:
                known = True
                yield record
            elif not known:
                raise WrongUse(f"{path}: is no journal; a rig's journal is {NAME} in its state directory")


def then(values: dict[str, Any], record: Record) -> dict[str, Any]:
    """The values after a record, which may be those of `values`, changed."""
    if "values" in record:
        values = dict(record["values"])
    for edit in record["changed"]:
        values[edit["key"]] = edit["new"]
    return values


def values_after(records: Iterable[Record], number: int) -> dict[str, Any]:
    """Every value after the record of this number."""
    values: dict[str, Any] = {}
    for record in records:
        if record["number"] > number:
            break
        values = then(values, record)
    return values


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The keys whose values differ, to the last bit; a key that is missing has none."""
    return [
        {"key": key, "old": old.get(key), "new": new.get(key)}
        for key in dict.fromkeys((*old, *new))
        if repr(old.get(key)) != repr(new.get(key))
    ]


class JournalFile:
    """The file, open for the one process that adds to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values: dict[str, Any] = {}
        self.damaged = 0  # lines
        self._numbers, self._offsets = array("q"), array("q")
        self._whole_at = -_WHOLE_EVERY
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _lock(self._fd, path)
            self._end = self._scan()
            if os.fstat(self._fd).st_size > self._end:
                os.ftruncate(self._fd, self._end)  # a line that never ended
            os.fsync(self._fd)
            sync_folder(path.parent)
        except BaseException:
            os.close(self._fd)
            raise

    def _scan(self) -> int:
        end = 0
        with open(self._fd, "rb", closefd=False) as file:
            for at, line in lines_of(file):
                end = at + len(line)
                record = record_of(line)
                if record is None:
                    self.damaged += 1
                    continue
                self._note(record, at)
        if self.damaged and not self._numbers:
            raise HilctlError(f"{self.path} is no journal; move it away, and the next start begins a new one")
        return end

    def _note(self, record: Record, at: int) -> None:
        for key in ("number", "changed"):
            if key not in record:
                told = f"{self.path} is of another version of hilctl: a record has no {key!r}"
                remedy = "update hilctl, or move the file away: the next start begins a new one"
                raise HilctlError(told, key=key, remedy=remedy)
        self._numbers.append(record["number"])
        self._offsets.append(at)
        self.values = then(self.values, record)
        if "values" in record:
            self._whole_at = at

    @property
    def next(self) -> int:
        """The number of the next record; the first one is 1."""
        return self._numbers[-1] + 1 if self._numbers else 1

    @property
    def wants_values(self) -> bool:
        """Whether the next record of a start shall hold all values."""
        return self._end - self._whole_at >= _WHOLE_EVERY

    def append(self, records: list[Record]) -> None:
        """Adds records, all or none, and brings them onto the disk. OSError: none was added."""
        lines = [line_of(record) for record in records]
        data = memoryview(b"".join(lines))
        done = 0
        try:
            while done < len(data):
                done += os.pwrite(self._fd, data[done:], self._end + done)
        except OSError:
            os.ftruncate(self._fd, self._end)
            raise
        try:
            os.fsync(self._fd)
        except OSError:
            # Linux reports it once and takes the pages for clean: only another file can be trusted.
            self._renew(bytes(data))
        for record, line in zip(records, lines, strict=True):
            self._note(record, self._end)
            self._end += len(line)

    def _renew(self, more: bytes) -> None:
        """Another file with all that is safe and `more` takes this one's place."""
        draft = self.path.with_name(f".{self.path.name}.new")
        fd = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            _lock(fd, draft)
            with open(fd, "wb", closefd=False) as file:
                for at in range(0, self._end, 1 << 20):
                    file.write(os.pread(self._fd, min(1 << 20, self._end - at), at))
                file.write(more)
            os.fsync(fd)
            draft.replace(self.path)
            sync_folder(self.path.parent)
        except BaseException:
            os.close(fd)
            os.ftruncate(self._fd, self._end)
            draft.unlink(missing_ok=True)
            raise
        os.close(self._fd)
        self._fd = fd

    def read(self, first: int, newest: int, most: int) -> tuple[list[Record], int | None]:
        """Records from the number `first` on, or the `newest` ones, up to so many bytes but at least one; and the
        number to go on from, None at the end."""
        if newest and self._numbers:
            first = max(first, self._numbers[max(0, len(self._numbers) - newest)])
        at = bisect_left(self._numbers, first)
        found: list[Record] = []
        size = 0
        while at < len(self._numbers) and (not found or size < most):
            end = self._offsets[at + 1] if at + 1 < len(self._offsets) else self._end
            line = os.pread(self._fd, end - self._offsets[at], self._offsets[at])
            record = record_of(line[: line.index(b"\n") + 1])  # damaged lines may follow it
            if record is not None:
                found.append(record)
            size += len(line)
            at += 1
        return found, self._numbers[at] if at < len(self._numbers) else None

    def close(self) -> None:
        """Gives the file back."""
        os.close(self._fd)


def _lock(fd: int, path: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        told = f"{path}: another service writes this journal"
        raise HilctlError(told, remedy="give the two rigs different names") from None
