"""The journal's file: a record is whole, or not there."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.errors import HilctlError, WrongUse
from hilctl.recording import journal
from hilctl.recording.journal import JournalFile, differences, line_of, read_journal, record_of, values_after

_EVERYTHING = 1 << 62


def record(number: int, **values: object) -> journal.Record:
    changed = [{"key": key, "old": None, "new": value} for key, value in values.items()]
    return {"number": number, "kind": "set", "author": 'a ", "crc32": "b', "changed": changed}


def whole(number: int, **values: object) -> journal.Record:
    return {"number": number, "kind": "start", "changed": [], "values": values}


def numbers(path: Path) -> list[int]:
    return [made["number"] for made in read_journal(path)]


def test_what_was_added_is_there_for_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "state" / journal.NAME
    file = JournalFile(path)
    file.append([whole(1, a=1.0, b=[1, 2])])
    file.append([record(2, a=0.1), record(3, c=None)])
    file.close()
    again = JournalFile(path)
    assert (again.next, again.values, again.damaged) == (4, {"a": 0.1, "b": [1, 2], "c": None}, 0)
    assert again.read(0, 0, _EVERYTHING) == ([whole(1, a=1.0, b=[1, 2]), record(2, a=0.1), record(3, c=None)], None)
    assert again.read(2, 0, 1) == ([record(2, a=0.1)], 3)
    assert again.read(0, 1, _EVERYTHING)[0] == [record(3, c=None)]
    again.close()
    assert values_after(read_journal(path), 2) == {"a": 0.1, "b": [1, 2]}


def test_a_file_cut_anywhere_holds_the_records_before_the_cut_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / journal.NAME
    lines = [line_of(whole(1, a=1.0)), line_of(record(2, a=2.0)), line_of(record(3, b="é"))]
    data = b"".join(lines)
    ends = [sum(map(len, lines[: n + 1])) for n in range(3)]
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        left = [n for n, end in enumerate(ends, 1) if end <= cut]
        assert numbers(path) == left
        file = JournalFile(path)
        file.append([record(9)])
        file.close()
        assert numbers(path) == [*left, 9]


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_flipped_bit_makes_no_other_record(at: int, bit: int) -> None:
    line = bytearray(line_of(record(2, a=2.0, b="text")))
    line[at % len(line)] ^= 1 << bit
    assert record_of(bytes(line)) is None


def test_a_damaged_line_is_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / journal.NAME
    damaged = line_of(record(2)).replace(b"set", b"sat")
    path.write_bytes(line_of(whole(1)) + damaged + line_of(record(3)))
    file = JournalFile(path)
    assert (file.damaged, file.next) == (1, 4)
    assert [r["number"] for r in file.read(0, 0, _EVERYTHING)[0]] == [1, 3]
    file.close()


def test_another_file_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    path = tmp_path / journal.NAME
    path.write_text("precious\n")
    with pytest.raises(HilctlError, match="no journal"):
        JournalFile(path)
    with pytest.raises(WrongUse, match="no journal"):
        list(read_journal(path))
    assert path.read_text() == "precious\n"


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    first = JournalFile(tmp_path / journal.NAME)
    with pytest.raises(HilctlError, match="another service"):
        JournalFile(tmp_path / journal.NAME)
    first.close()


def test_a_disk_that_takes_half_a_record_has_none_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, good = tmp_path / journal.NAME, os.pwrite
    file = JournalFile(path)
    file.append([whole(1)])

    def full(fd: int, data: memoryview, at: int) -> int:
        if at > len(line_of(whole(1))):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return good(fd, data[:10], at)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space"):
        file.append([record(2)])
    assert path.read_bytes() == line_of(whole(1))
    monkeypatch.setattr(os, "pwrite", good)
    file.append([record(2)])
    assert numbers(path) == [1, 2]
    file.close()


def test_after_an_fsync_that_failed_another_file_holds_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, good = tmp_path / journal.NAME, os.fsync
    file = JournalFile(path)
    file.append([whole(1)])
    before, failures = path.stat().st_ino, [errno.EIO]

    def once(fd: int) -> None:
        if failures:
            raise OSError(failures.pop(), "fsync")
        good(fd)

    monkeypatch.setattr(os, "fsync", once)
    file.append([record(2)])
    assert numbers(path) == [1, 2] and path.stat().st_ino != before
    file.append([record(3)])
    failures += [errno.EIO, errno.EIO]
    with pytest.raises(OSError, match="fsync"):
        file.append([record(4)])
    assert numbers(path) == [1, 2, 3] and [p.name for p in tmp_path.iterdir()] == [journal.NAME]
    with pytest.raises(HilctlError, match="another service"):
        JournalFile(path)  # the lock has moved along
    file.close()


_ADDS = """
import sys
from pathlib import Path
from hilctl.recording.journal import JournalFile
file = JournalFile(Path(sys.argv[1]))
while True:
    n = file.next
    file.append([{"number": n, "kind": "set", "changed": [{"key": "k" * 3000, "old": n, "new": n + 1}]}])
    print(n, flush=True)
"""


def test_after_kill_every_record_that_was_answered_is_there(tmp_path: Path) -> None:
    path, told = tmp_path / journal.NAME, 0
    for count in (1, 7, 30):
        with subprocess.Popen(
            [sys.executable, "-c", _ADDS, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        ) as process:
            assert process.stdout is not None
            for _ in range(count):
                told = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
            for line in process.stdout:
                told = int(line) if line.endswith("\n") else told
        found = numbers(path)
        assert found == list(range(1, len(found) + 1)) and found[-1] >= told


def test_differences_are_to_the_last_bit() -> None:
    assert differences({"a": 0.1, "b": 1, "c": 2}, {"a": 0.1 + 1e-18, "b": 1.0, "d": 3}) == [
        {"key": "b", "old": 1, "new": 1.0}, {"key": "c", "old": 2, "new": None}, {"key": "d", "old": None, "new": 3},
    ]  # fmt: skip


def test_a_record_of_another_version_is_named_and_the_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / journal.NAME
    path.write_bytes(line_of(whole(1, a=1.0)) + line_of({"number": 2, "kind": "set", "edits": []}))
    before = path.read_bytes()
    with pytest.raises(HilctlError) as refused:
        JournalFile(path)
    assert refused.value.key == "changed" and "update hilctl, or move the file away" in refused.value.text
    assert path.read_bytes() == before


def test_a_journal_of_an_older_version_goes_on_with_the_keys_that_are_new(tmp_path: Path) -> None:
    path = tmp_path / journal.NAME
    path.write_bytes(line_of(whole(1, a=1.0, gone=2.0)))
    file = JournalFile(path)
    changed = differences(file.values, {"a": 1.0, "new": 3.0})
    file.append([{"number": file.next, "kind": "start", "changed": changed}])
    file.close()
    last = list(read_journal(path))[-1]
    assert (last["number"], {c["key"]: (c["old"], c["new"]) for c in last["changed"]}) == (
        2, {"gone": (2.0, None), "new": (None, 3.0)},
    )  # fmt: skip
