"""`hilctl doctor`: what it prints and what it returns; the findings themselves are made up."""

import json
from typing import Any

import pytest

from hilctl.cli import doctor as verb
from hilctl.cli.main import main
from hilctl.doctor import examine, wake
from hilctl.doctor.finding import Finding, Wish
from hilctl.doctor.rights import Rights

GOOD = Finding("swap", "good", "none", "none")
BETTER = Finding("governor", "better", "powersave", "performance", "cpupower frequency-set -g performance")
BAD = Finding("priority", "bad", "refused", "SCHED_FIFO 80", "deploy/limits/hilctl.conf")


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Says what is found, and keeps what was wished for."""
    wishes: list[Wish] = []

    def found(*findings: Finding) -> list[Wish]:
        times = wake.Lateness(10, 1.0, 2.0, 3.0)

        def measure(wish: Wish, seconds: float, cpus: int) -> Any:
            wishes.append(wish)
            assert cpus >= 1
            return Rights(True, True, True, 95, -1), wake.Waking(times, times)

        monkeypatch.setattr(wake, "measure", measure)
        monkeypatch.setattr(examine, "examine", lambda *given: list(findings))
        return wishes

    return found


def test_a_fit_host_is_told_in_a_line_each_and_returns_0(host: Any, capsys: Any) -> None:
    host(GOOD)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "swap" in said
    assert said.splitlines()[-1] == "fit for a loop of 1000 Hz"
    assert "wanted" not in said


def test_what_could_be_better_is_told_with_its_remedy_and_is_no_failure(host: Any, capsys: Any) -> None:
    host(GOOD, BETTER)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for part in ("powersave", "wanted: performance", "cpupower", "1 thing could be better"):
        assert part in said


def test_an_unfit_host_returns_1_and_names_why(host: Any, capsys: Any) -> None:
    host(BAD, BETTER)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "not fit for a loop of 1000 Hz on a rig: priority"


def test_a_program_gets_one_object(host: Any, capsys: Any) -> None:
    host(BAD, GOOD)
    assert main(["doctor", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["fit"] is False
    assert told["loop"] == {"rate_hz": 1000.0, "priority": 80, "cpu": -1}
    assert told["findings"][0] == BAD._asdict()
    assert told["waking"]["busy"]["p99_us"] == 2.0
    assert "kernel" in told["host"]


def test_a_rig_file_says_what_is_wished_for(host: Any, tmp_path: Any) -> None:
    wishes = host(GOOD)
    assert main(["doctor", "column-50"]) == 0
    assert wishes[-1].rate_hz == 2000.0


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1e9"])
def test_a_time_that_makes_no_sense_is_wrong_use(host: Any, seconds: str) -> None:
    host(GOOD)
    assert main(["doctor", "--seconds", seconds]) == 2


def test_the_marks_cover_every_verdict() -> None:
    assert set(verb._MARKS) == {"good", "better", "bad", "unknown"}
