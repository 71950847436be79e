"""Heads of files are read by a process of its own, which may not survive them."""

import gzip
from pathlib import Path

import numpy as np

from hilctl.recording.apart import Head, heads
from hilctl.recording.damaged import Damaged
from hilctl.recording.layout import Header
from hilctl.recording.recorder import Recorder
from hilctl.signals import NAMES, SAMPLE
from tests.fuzz.run import CORPUS


def recording(path: Path) -> Path:
    recorder = Recorder(3600.0, 1000)
    header = Header("table", "schema = 1\n", "run", "abc", 1000.0, "real", 3, {"machine.m": 500.0}, 41, b"s")
    recorder.start(path, header._replace(required=True), 0).result(10)
    recorder.rows(0, np.zeros((20, len(NAMES)), np.int64).view(SAMPLE).reshape(20))
    recorder.close()
    return path


def test_files_behind_one_that_ends_its_reader_are_read_all_the_same(tmp_path: Path):
    whole = recording(tmp_path / "a.h5")
    spoilt = tmp_path / "spoilt.h5"
    (packed,) = (CORPUS / "recordings").glob("ends-hdf5*")
    spoilt.write_bytes(gzip.decompress(packed.read_bytes()))
    text = tmp_path / "text.h5"
    text.write_text("no recording")
    first, bad, none, gone, last = heads([whole, spoilt, text, tmp_path / "none.h5", whole])
    assert first == last == Head("run", True, True, 20)
    assert isinstance(bad, Damaged | Head)  # by the version of HDF5: a reader that has ended, or one that saw nothing
    assert isinstance(none, Damaged) and "text.h5: is no recording" in str(none)
    assert isinstance(gone, FileNotFoundError)


def test_a_reader_that_ends_is_an_answer(tmp_path: Path, monkeypatch):
    whole, program = recording(tmp_path / "a.h5"), tmp_path / "python"
    program.write_text('#!/bin/sh\nkill -ABRT $$\n')
    program.chmod(0o755)
    monkeypatch.setattr("hilctl.recording.apart.sys.executable", str(program))
    (found,) = heads([whole])
    assert isinstance(found, Damaged)
    why = "is no recording, or damaged (reading it ended the reader, exit code -6)"
    assert str(found) == f"{whole}: {why}; remove it, or copy it again"
