"""What went wrong becomes one line and an exit code."""

import pytest

from firmware_bridge.driver import DriverError
from hilctl.cli.main import main
from hilctl.client import Code, NoReply, Refused
from hilctl.errors import DONE, RIG_SAID_NO, WRONG_USE, HilctlError, WrongUse, explain, one_line
from hilctl.law.motions import MotionRefused
from hilctl.params import BadValues, Problem

_LIMIT = MotionRefused(
    quantity="position", unit="m", t_s=1.0, value=0.2, limit=0.09, key="limits.position.max_m", remedy="reduce it"
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused(Code.BAD_VALUE, "no such key"), WRONG_USE),
        (Refused(Code.LIMIT, "position reaches 0.2 m"), RIG_SAID_NO),
        (Refused(Code.WRONG_MODE, "it is off"), RIG_SAID_NO),
        (Refused(Code.GONE, "no service runs here"), RIG_SAID_NO),
        (Refused(Code.TRIPPED, "a trip is latched"), RIG_SAID_NO),
        (BadValues([Problem("machine.m", -1, "must be 1 to 1e6 kg")]), WRONG_USE),
        (_LIMIT, RIG_SAID_NO),
        (NoReply("no reply"), RIG_SAID_NO),
        (HilctlError("did not come up"), RIG_SAID_NO),
        (DriverError("no such port"), RIG_SAID_NO),
        (WrongUse("something else"), WRONG_USE),
        (WrongUse("give one"), WRONG_USE),
        (HilctlError("it tripped"), RIG_SAID_NO),
        (FileNotFoundError(2, "No such file", "a.csv"), WRONG_USE),
        (PermissionError(13, "Permission denied", "/etc/x"), RIG_SAID_NO),
    ],
)
def test_an_error_has_its_code(error, code):
    told = explain(error)
    assert told is not None
    assert told.code == code
    assert told.text


def test_a_defect_is_not_hidden():
    assert explain(TypeError("a bug")) is None
    assert explain(ValueError("a bug")) is None


def test_whose_lease_it_is_comes_with_what_to_do():
    told = explain(Refused(Code.LEASE_HELD, "the lease is held by panel-1 (attended)"))
    assert told is not None
    assert "--takeover" in told.text


def test_problems_stand_one_below_the_other():
    both = BadValues([Problem("a", 1, "must be 2"), Problem("b", 3, "must be 4")])
    assert one_line(str(both)).count("\n") == 1


def test_no_service_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    assert main(["status"]) == RIG_SAID_NO
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hilctl: no service runs here")
    assert said.err.count("\n") == 1


def test_every_problem_of_a_rig_file_is_told(tmp_path, capsys):
    assert main(["check", "table-500", "--set", "machine.mm=3", "loop.rate_hz=nan"]) == WRONG_USE
    said = capsys.readouterr().err
    assert "machine.mm" in said
    assert "did you mean 'm'" in said
    assert "loop.rate_hz" in said


def test_a_broken_pipe_is_no_error(monkeypatch):
    def closed(given):
        raise BrokenPipeError

    monkeypatch.setattr("hilctl.cli.rigs._presets", closed)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    assert main(["presets"]) == DONE
