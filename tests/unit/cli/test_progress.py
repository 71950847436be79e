"""How far a command is: on standard error, in lines where there is no terminal."""

import pytest

from hilctl.cli import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set: for the lines, and for the time a task takes."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_elsewhere_than_on_a_terminal_a_line_comes_now_and_then(clock, capsys):
    with progress.working("exporting") as tell:
        for clock[0] in (1.0, 5.0, 9.9, 10.0, 12.0, 30.0):
            tell(clock[0], 40.0)
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 2
    assert err.splitlines()[0].startswith("exporting, 10/40, 10 s elapsed, 30 s left")


def test_short_work_says_nothing(clock, capsys):
    with progress.working("exporting") as tell:
        clock[0] = 9.0
        tell(1, 2)
    assert capsys.readouterr() == ("", "")


def test_the_time_left_is_what_the_command_knows_or_follows_from_the_share(clock, capsys):
    with progress.working("fit") as tell:
        for clock[0], left_s in ((20.0, None), (40.0, 200.0), (60.0, None)):
            tell(clock[0], 100_000.0, left_s=left_s)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(", ")[1] for line in lines] == ["0%"] * 3
    assert [line.split(", ")[-1] for line in lines] == ["27 h 46 min left", "3:20 min left", "27 h 45 min left"]


def test_a_job_hears_the_same_and_prints_no_lines(clock, capsys, monkeypatch):
    heard = []
    monkeypatch.setattr(progress, "_listeners", [heard.append])
    with progress.working("fit") as tell:
        clock[0] = 20.0
        tell(1, 4, "fitting")
    assert heard == [{"part": "fitting", "fraction": 0.25, "left_s": 60.0}]
    assert capsys.readouterr() == ("", "")
