"""Files of programs before this one are read as they were meant."""

import h5py

from hilctl.recording.reader import open_recording
from tests.unit.recording.recording_parts import small_recording


def test_a_file_that_only_says_how_long_its_parts_are_is_read_up_to_there(tmp_path):
    path = small_recording(tmp_path / "a.h5")
    with h5py.File(path, "r+") as file:
        del file["flushes"]
        rows = len(file["samples"])
        file["held"] = [rows - 2, 0, 1, 1, 0, 0, 0, 0]
    with open_recording(path) as recording:
        assert len(recording) == rows - 2 and recording.trip is None


def test_a_trip_that_was_told_as_a_text_is_read(tmp_path):
    path = small_recording(tmp_path / "a.h5")
    with h5py.File(path, "r+") as file:
        del file["trip"]
        file["trip"] = '{"cause": {"trip": "position"}}'
    with open_recording(path) as recording:
        assert recording.trip == {"cause": {"trip": "position"}}
