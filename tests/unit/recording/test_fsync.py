"""A disk that says too late that it could not: nothing that was told to be safe is lost, and no retry is believed."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from hilctl.recording.layout import Change, Event, Header
from hilctl.recording.reader import open_recording
from hilctl.recording.recorder import Recorder
from hilctl.signals import SAMPLE

_HEADER = Header("table", "schema = 1\n", "run", "abc", 1000.0, "virtual", 3, {"machine.m": 500.0}, 41, b"state")


class Disk:
    """os.fsync that fails when it is told to, once for each of `failures`, and knows which files it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.failures: list[int] = []
        self.asked: list[str] = []
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self)

    def __call__(self, descriptor: int) -> None:
        self.asked.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        if self.failures:
            number = self.failures.pop(0)
            raise OSError(number, os.strerror(number))
        self._fsync(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture
def recorder(tmp_path: Path):
    """A recorder that brings things onto the disk only when it is told to, by `stop`."""
    made = Recorder(3600.0, 1000)
    yield made
    made.close()


def rows(first: int, count: int) -> np.ndarray:
    made = np.zeros(count, SAMPLE)
    made["tick"] = np.arange(first, first + count)
    return made


def written(recorder: Recorder, first: int) -> None:
    """What waits is in the file, not yet on the disk."""
    recorder.read(first, first + 1, 1).result(10)


def test_flushed_counts_what_is_on_the_disk_and_not_what_the_kernel_holds(
    recorder: Recorder, disk: Disk, tmp_path: Path
) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    assert disk.asked[:2] == ["a.h5", tmp_path.name]  # the file, and its name in the folder
    recorder.rows(0, rows(0, 10))
    written(recorder, 0)
    assert recorder.state.flushed == -1
    recorder.rows(10, rows(10, 10))
    assert recorder.stop().result(10).flushed == 19
    assert set(disk.asked[2:]) == {"a.h5"}  # its name is there already


def test_rows_that_come_faster_than_the_flushes_are_brought_onto_the_disk_all_the_same(
    recorder: Recorder, disk: Disk, tmp_path: Path
) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    for first in range(0, 4000, 500):
        recorder.rows(first, rows(first, 500))
        written(recorder, first)
    assert recorder.state.flushed >= 2499


def test_after_an_error_it_goes_on_in_a_new_file_that_begins_with_what_the_old_one_may_lack(
    recorder: Recorder, disk: Disk, tmp_path: Path
) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.rows(0, rows(0, 10))
    recorder.change(Change(4, 5, 1, "me", "test", "machine.m", 500.0, 501.0))
    recorder._submit(recorder._flush).result(10)
    assert recorder.state.flushed == 9

    recorder.rows(10, rows(10, 10))
    recorder.event(Event(7, "mode", 12, 2, {"mode": "hold"}))
    recorder.change(Change(5, 15, 3, "me", "test", "machine.m", 501.0, 502.0))
    written(recorder, 10)
    recorder.rows(20, rows(20, 10))
    disk.failures = [errno.EIO]
    recorder._submit(recorder._flush).result(10)
    state = recorder.state
    assert (state.state, Path(state.path).name, state.first, state.flushed) == ("on", "a-2.h5", 10, 29)
    assert Path(state.continues).name == "a.h5"
    assert "fsync" in state.reason

    recorder.rows(30, rows(30, 10))
    assert recorder.stop().result(10).state == "off"
    with open_recording(tmp_path / "a.h5") as old:
        assert not old.complete
        assert old.rows()["tick"].tolist()[:10] == list(range(10))
    with open_recording(tmp_path / "a-2.h5") as new:
        assert new.complete
        assert new.continues == "a.h5"
        assert new.sequence().tolist() == list(range(10, 40))
        assert new.rows()["tick"].tolist() == list(range(10, 40))
        assert new.parameters_at_start == {"machine.m": 501.0}
        assert [(c["old"], c["new"]) for c in new.changes] == [(501.0, 502.0)]
        assert [e["number"] for e in new.events] == [7]
        assert new.law_state is None


def test_the_file_that_failed_is_never_synced_again(recorder: Recorder, disk: Disk, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.rows(0, rows(0, 10))
    disk.failures = [errno.EIO]
    disk.asked.clear()
    recorder.stop().result(10)
    assert disk.asked.count("a.h5") == 1
    assert disk.asked.count("a-2.h5") >= 2


def test_each_error_takes_the_next_number(recorder: Recorder, disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "a-2.h5").write_bytes(b"somebody else's")
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    for number in (1, 2):
        recorder.rows(10 * number, rows(10 * number, 10))
        disk.failures = [errno.EIO]
        recorder._submit(recorder._flush).result(10)
    assert Path(recorder.state.path).name == "a-4.h5"
    assert Path(recorder.state.continues).name == "a-3.h5"
    assert (tmp_path / "a-2.h5").read_bytes() == b"somebody else's"


def test_when_the_new_file_fails_too_the_recording_has_failed_and_tells_what_is_safe(
    recorder: Recorder, disk: Disk, tmp_path: Path
) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.rows(0, rows(0, 10))
    recorder._submit(recorder._flush).result(10)
    recorder.rows(10, rows(10, 10))
    disk.failures = [errno.EIO, errno.ENOSPC]
    recorder._submit(recorder._flush).result(10)
    assert (recorder.state.state, recorder.state.flushed) == ("failed", 9)
    assert os.strerror(errno.ENOSPC) in recorder.state.reason
    assert not (tmp_path / "a-2.h5").exists()  # nothing was in it
    assert not recorder.active


def test_a_disk_that_fails_from_the_start_refuses_the_recording(recorder: Recorder, disk: Disk, tmp_path: Path) -> None:
    disk.failures = [errno.EIO]
    with pytest.raises(OSError, match="fsync"):
        recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    assert not recorder.active
    assert not (tmp_path / "a.h5").exists()


def test_an_error_at_the_very_end_is_told(recorder: Recorder, disk: Disk, tmp_path: Path) -> None:
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    recorder.rows(0, rows(0, 10))
    recorder._submit(recorder._flush).result(10)
    good = iter([True])

    def second_fails(descriptor: int) -> None:
        if not next(good, False):
            raise OSError(errno.EIO, "at the end")

    disk._fsync = second_fails
    state = recorder.stop().result(10)
    assert (state.state, state.flushed) == ("failed", 9)


def test_a_folder_that_knows_no_fsync_is_no_error(recorder: Recorder, disk: Disk, tmp_path: Path) -> None:
    disk._fsync = lambda descriptor: None if len(disk.asked) != 2 else _invalid()
    recorder.start(tmp_path / "a.h5", _HEADER, 0).result(10)
    assert recorder.state.state == "on"


def _invalid() -> None:
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
