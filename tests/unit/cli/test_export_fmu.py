"""`hilctl export fmu RIG`, and what it refuses."""

import json
import zipfile

import pytest

from firmware_bridge.firmware.build import compiler
from hilctl.cli.main import main
from hilctl.errors import DONE, RIG_SAID_NO, WRONG_USE


def ended(capsys, *words):
    code = main(["export", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_it_writes_sources_descriptions_and_a_library(tmp_path, capsys):
    if compiler() is None:
        pytest.skip("no C compiler (CC, gcc, cc)")
    code, out, _ = ended(capsys, "fmu", "table-500", "--out", tmp_path / "new" / "t.fmu", "--json")
    assert code == DONE
    told = json.loads(out)
    names = zipfile.ZipFile(told["path"]).namelist()
    assert {"modelDescription.xml", "sources/fmi.c", "sources/twin.h", "sources/buildDescription.xml"} <= set(names)
    assert told["library"] in names
    assert told["period_s"] == 0.001


def test_without_a_compiler_it_writes_sources_and_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "no-such-compiler")
    code, _, err = ended(capsys, "fmu", "table-500", "--out", tmp_path / "t.fmu")
    assert code == DONE
    assert "no C compiler" in err
    assert not [n for n in zipfile.ZipFile(tmp_path / "t.fmu").namelist() if n.startswith("binaries/")]


def test_sources_only_needs_no_compiler_and_no_remark(tmp_path, capsys):
    code, _, err = ended(capsys, "fmu", "table-500", "--sources-only", "--out", tmp_path / "t.fmu")
    assert (code, err) == (DONE, "")


def test_a_compiler_that_fails_leaves_no_file_and_shows_what_it_said(tmp_path, capsys, monkeypatch):
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'no space left' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    code, _, err = ended(capsys, "fmu", "table-500", "--out", tmp_path / "t.fmu")
    assert code == RIG_SAID_NO
    assert "no space left" in err
    assert "--sources-only" in err
    assert [p.name for p in tmp_path.iterdir()] == ["cc"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("fmu",), WRONG_USE, "RIG is missing"),
        (("fmu", "nope"), WRONG_USE, "known: column-50"),
        (("fmu", "servo-004"), RIG_SAID_NO, "driver.kind: 'servo' is simulated by a model of its own"),
        (("fmu", "table-500", "--out", "/proc/none/x.fmu"), WRONG_USE, "--out /proc/none/x.fmu: cannot be written"),
        (("fmu", "table-500", "--csv"), WRONG_USE, "--csv is for recordings"),
        (("fmu", "table-500", "--every", "5"), WRONG_USE, "--every is for recordings"),
        (("fmu", "table-500", "--from", "5"), WRONG_USE, "--from is for recordings"),
        (("fmu", "table-500", "--set", "twin.machine.m=-1"), WRONG_USE, "machine.m"),
        (("run-7.h5", "run-8.h5", "--csv"), WRONG_USE, "'run-8.h5' is one argument too many"),
        (("run-7.h5", "--csv", "--sources-only"), WRONG_USE, "--sources-only belong to `hilctl export fmu RIG`"),
    ],
)
def test_what_makes_no_unit_is_refused(words, code, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended_with, out, err = ended(capsys, *words)
    assert (ended_with, out) == (code, "")
    assert says in err
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_is_called_fmu_is_still_one(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fmu").write_text("no recording")
    _, _, err = ended(capsys, "fmu", "--csv")
    assert "fmu" in err
    assert "RIG is missing" not in err
