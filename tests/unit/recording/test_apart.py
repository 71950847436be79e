"""Heads of files are read by a process of its own, which may not survive them."""

from pathlib import Path

from hilctl.recording.apart import Head, heads
from hilctl.recording.damaged import Damaged
from tests.fuzz.run import ends_hdf5
from tests.unit.recording.recording_parts import ROWS, small_recording


def test_files_behind_one_that_ends_its_reader_are_read_all_the_same(tmp_path: Path):
    whole = small_recording(tmp_path / "a.h5", required=True)
    spoilt = tmp_path / "spoilt.h5"
    spoilt.write_bytes(ends_hdf5())
    text = tmp_path / "text.h5"
    text.write_text("no recording")
    first, bad, none, gone, last = heads([whole, spoilt, text, tmp_path / "none.h5", whole])
    assert first == last == Head("run", True, True, ROWS)
    assert isinstance(bad, Damaged | Head)  # by the version of HDF5: a reader that has ended, or one that survived
    assert isinstance(none, Damaged) and "text.h5: is no recording" in str(none)
    assert isinstance(gone, FileNotFoundError)


def test_a_reader_that_ends_is_an_answer(tmp_path: Path, monkeypatch):
    whole, program = small_recording(tmp_path / "a.h5", required=True), tmp_path / "python"
    program.write_text('#!/bin/sh\nkill -ABRT $$\n')
    program.chmod(0o755)
    monkeypatch.setattr("hilctl.recording.apart.sys.executable", str(program))
    (found,) = heads([whole])
    assert isinstance(found, Damaged)
    why = "is no recording, or damaged (reading it ended the reader, exit code -6)"
    assert str(found) == f"{whole}: {why}; remove it, or copy it again"
