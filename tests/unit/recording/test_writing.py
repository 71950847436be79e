"""A file that is being written is told from one that was cut off."""

import subprocess
import sys
from pathlib import Path

import h5py

from hilctl.recording.disk import Disk
from hilctl.recording.reader import open_recording
from hilctl.recording.recorder import Recorder
from hilctl.recording.writing import being_written
from tests.unit.recording import test_recorder
from tests.unit.recording.recording_parts import small_recording

_KILLED = """
import os, signal, sys
from pathlib import Path
from hilctl.recording.disk import Disk
Disk(Path(sys.argv[1]))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_recording_says_that_it_is_being_written_until_it_is_whole(tmp_path: Path) -> None:
    path, recorder = tmp_path / "a.h5", Recorder(3600.0, 1000)
    recorder.start(path, test_recorder._HEADER, 0).result(10)
    with open_recording(path) as recording:
        assert recording.end == "still being written"
    with h5py.File(path) as anybody:  # with the lock of HDF5: it is another one
        assert not anybody.attrs["complete"]
    recorder.close()
    with open_recording(path) as recording:
        assert recording.end == "complete"


def test_a_writer_that_was_killed_writes_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False, timeout=60)
    assert path.exists() and not being_written(path)
    disk = Disk(tmp_path / "b.h5")
    assert being_written(tmp_path / "b.h5") and not being_written(tmp_path / "gone.h5")
    disk.close()
    assert not being_written(tmp_path / "b.h5")


def test_one_that_ended_by_itself_and_one_that_was_cut_off_are_two_things(tmp_path: Path) -> None:
    path = small_recording(tmp_path / "a.h5")
    with h5py.File(path, "r+") as file:
        file.attrs.modify("complete", False)
    with open_recording(path) as recording:
        assert recording.end == "cut off"
    with h5py.File(path, "r+") as file:
        file.attrs.modify("ended", b"the disk is full")
    with open_recording(path) as recording:
        assert recording.end == "not complete"
