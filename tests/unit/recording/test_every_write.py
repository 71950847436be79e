"""After every single write that the kernel gets, and in the middle of it, a recording opens and holds what was said to
be flushed; a file that was cut is named as such."""

import shutil
from collections.abc import Sequence
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
SPLITS = 1760  # rows after which an index of small chunks has split some of its nodes


def rows(first: int, count: int) -> np.ndarray:
    made = np.zeros(count, SAMPLE)
    made["tick"] = np.arange(first, first + count)
    return made


class Log:
    """Every write of a file, and how many rows were flushed before it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.flushed, self.writes = 0, []
        good = Disk._put

        def put(disk: Disk, at: int, view: memoryview) -> None:
            self.writes.append((at, bytes(view), self.flushed))
            good(disk, at, view)

        monkeypatch.setattr(Disk, "_put", put)

    def record(self, path: Path, batches: Sequence[int]) -> None:
        """So many rows each time, and an event with them."""
        first, writer = 0, Writer(path, HEADER, 0)
        self.begun, self.batches = len(self.writes), batches  # what it takes to begin: before, there is nothing in it
        for count in batches:
            writer.write([(first, rows(first, count))], [Event(first, "mode", first, 0, {"mode": "hold"})], [])
            first += count
            self.flushed = first
        writer.close()


@pytest.fixture(params=["chunks", "splits"])
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Log:
    made, batches = Log(monkeypatch), BATCHES
    if request.param == "splits":
        monkeypatch.setattr("hilctl.recording.writer.CHUNK_ROWS", 16)
        batches = (SPLITS // 11,) * 11
    made.record(tmp_path / "a.h5", batches)
    return made


@pytest.mark.slow
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
    assert opened > 4 * len(log.batches)
    with open_recording(copy) as recording:
        assert recording.complete and len(recording) == sum(log.batches)


def test_a_file_that_was_cut_off_says_so(log: Log, tmp_path: Path) -> None:
    whole = (tmp_path / "a.h5").read_bytes()
    for cut in (len(whole) - 1, len(whole) // 2, 2048):
        (tmp_path / "cut.h5").write_bytes(whole[:cut])
        with pytest.raises(WrongUse, match=rf"cut\.h5: was cut off: .* {cut} bytes .*copy it again"):
            open_recording(tmp_path / "cut.h5")
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    with open_recording(tmp_path / "b.h5") as recording:
        assert len(recording) == sum(log.batches)
