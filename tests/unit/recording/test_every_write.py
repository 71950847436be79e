"""After every single write that HDF5 hands to the kernel, and in the middle of it, a recording opens and holds what was
said to be flushed; a file that was cut is named as such."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from hilctl.errors import WrongUse
from hilctl.recording.disk import Disk
from hilctl.recording.layout import Event, Header
from hilctl.recording.reader import open_recording
from hilctl.recording.writer import Writer
from hilctl.signals import SAMPLE

HEADER = Header("table", "schema = 1\n", "run", "abc", 1000.0, "virtual", 3, {"machine.m": 500.0}, 41, b"state")
BATCHES = (10, 900, 200, 1500, 3)  # rows, over a chunk's end and not


def rows(first: int, count: int) -> np.ndarray:
    made = np.zeros(count, SAMPLE)
    made["tick"] = np.arange(first, first + count)
    return made


class Log:
    """Every write of a file, and how many rows were flushed before it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.flushed, self.writes = 0, []
        good = Disk.write

        def write(disk: Disk, data: memoryview) -> int:
            self.writes.append((disk.tell(), bytes(memoryview(data).cast("B")), self.flushed))
            return good(disk, data)

        monkeypatch.setattr(Disk, "write", write)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Log:
    made, first = Log(monkeypatch), 0
    writer = Writer(tmp_path / "a.h5", HEADER, 0)
    made.begun = len(made.writes)  # what it takes to begin: before, there is nothing in it
    for count in BATCHES:
        writer.write([(first, rows(first, count))], [Event(first, "mode", first, 0, {"mode": "hold"})], [])
        first += count
        made.flushed = first
    writer.close()
    return made


@pytest.mark.parametrize("middle", [False, True], ids=["whole", "half"])
def test_after_every_write_it_opens_and_holds_what_was_flushed(log: Log, tmp_path: Path, middle: bool) -> None:
    copy, opened = tmp_path / "copy.h5", 0
    with copy.open("w+b") as file:
        for number, (at, data, flushed) in enumerate(log.writes):
            if number >= log.begun:
                if middle:  # killed in the middle of it
                    file.seek(at)
                    file.write(data[: len(data) // 2])
                    file.flush()
                with open_recording(copy) as recording:
                    assert len(recording) >= flushed
                    assert recording.rows()["tick"].tolist() == list(range(len(recording)))  # no row of zeros
                    assert [event["kind"] for event in recording.events] == ["mode"] * len(recording.events)
                opened += 1
            file.seek(at)
            file.write(data)
            file.flush()
    assert opened > 4 * len(BATCHES)
    with open_recording(copy) as recording:
        assert recording.complete and len(recording) == sum(BATCHES)


def test_a_file_that_was_cut_off_says_so(log: Log, tmp_path: Path) -> None:
    whole = (tmp_path / "a.h5").read_bytes()
    for cut in (len(whole) - 1, len(whole) // 2, 2048):
        (tmp_path / "cut.h5").write_bytes(whole[:cut])
        with pytest.raises(WrongUse, match=rf"cut\.h5: was cut off: .* {cut} bytes .*copy it again"):
            open_recording(tmp_path / "cut.h5")
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    with open_recording(tmp_path / "b.h5") as recording:
        assert len(recording) == sum(BATCHES)
