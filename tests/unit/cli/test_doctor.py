"""`hilctl doctor`: what it prints and what it returns; the findings themselves are made up."""

import json
import os
import shlex
from typing import Any

import pytest

from hilctl import rig, rig_file
from hilctl.cli import doctor_fix
from hilctl.cli import doctor_told as told
from hilctl.cli.doctor_warm import needed
from hilctl.cli.main import main
from hilctl.doctor import disk, examine, wake
from hilctl.doctor.finding import Finding, Tree, Wish, Write
from hilctl.doctor.histogram import counted
from hilctl.doctor.late import Outcome
from hilctl.doctor.rights import Rights
from hilctl.rt.jit import PLAIN, Jit
from tests.unit.doctor.host import FIT, fill

GOOD = Finding("swap", "good", "none", "none")
BETTER = Finding("governor", "better", "powersave", "performance", "cpupower frequency-set -g performance",
                 (Write("/sys/governor", "performance"),))  # fmt: skip
BAD = Finding("priority", "bad", "refused", "SCHED_FIFO 80", "deploy/limits/hilctl.conf")
UNKNOWN = Finding("network card", "unknown", "eth0 does not report it", "at most 100 µs")
ON_TIME = Outcome(10, 0, 0, 1000.0, 0)
HUGE = "/sys/kernel/mm/transparent_hugepage/enabled"


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Says what is found, and keeps what was wished for."""
    wishes: list[Wish] = []

    def found(*findings: Finding, outcome: Outcome = ON_TIME) -> list[Wish]:
        times = wake.Lateness(10, 1.0, 2.0, 3.0, counted([2.0] * 10), outcome)

        def measure(wish: Wish, seconds: float, cpus: int, begin: Any) -> Any:
            wishes.append(wish)
            assert cpus >= 1
            begin("idle")
            begin("busy")
            return Rights(True, True, True, 95, -1), wake.Waking(times, times)

        monkeypatch.setattr(wake, "measure", measure)
        monkeypatch.setattr(disk, "measure", lambda folder, wish: disk.Disk(str(folder), 10**12, (0.01,)))
        monkeypatch.setattr(examine, "examine", lambda *given: list(findings))
        return wishes

    return found


def test_a_fit_host_is_told_in_one_line_and_returns_0(host: Any, capsys: Any) -> None:
    host(GOOD)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "ok     swap" in said
    assert said.splitlines()[-1] == "fit for a loop at 1000 Hz"
    assert "0 of 20 ticks would have been late; no trip" in said
    assert "wanted" not in said


def test_what_could_be_better_is_told_with_its_remedy_and_is_no_failure(host: Any, capsys: Any) -> None:
    host(GOOD, BETTER)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for part in ("powersave", "wanted: performance", "cpupower", "1 thing could be better", "sudo hilctl doctor --fix"):
        assert part in said


def test_the_worst_stands_first_and_the_verdict_last(host: Any, capsys: Any) -> None:
    host(UNKNOWN, GOOD, BETTER, BAD)
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    marks = [line.split()[0] for line in lines if line[:6].strip() in told.MARKS.values()]
    assert marks == ["UNFIT", "better", "?", "ok"]
    assert lines[-1] == "NOT FIT for a loop at 1000 Hz: priority"
    assert all(len(line) <= told.WIDE for line in lines)


def test_late_ticks_are_told_with_the_trip_that_they_would_have_been(host: Any, capsys: Any) -> None:
    host(BAD, outcome=Outcome(100, 60, 55, 6e4, 0, "the loop, 55 late ticks in a row"))
    assert main(["doctor", "table-500-modbus"]) == 1
    lines = capsys.readouterr().out.splitlines()
    said = " ".join(" ".join(lines[-4:]).split())
    assert "120 of 200 ticks would have been late, 55 in a row at worst, of 50 that trip; 60 ms between two" in said
    assert "of 100 ms to live; would have tripped: the loop, 55 late ticks in a row" in said
    assert lines[-1] == "NOT FIT for table-500-modbus at 1000 Hz: priority"


def test_a_verdict_of_many_faults_stays_one_line(host: Any, capsys: Any) -> None:
    host(*(BAD._replace(what=f"virtual machine {k}") for k in range(5)))
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].endswith("virtual machine 2 and 2 more")


def test_all_shows_what_is_good_too(host: Any, capsys: Any) -> None:
    host(GOOD)
    assert main(["doctor", "--all"]) == 0
    assert "ok     swap: none" in capsys.readouterr().out


def test_a_program_gets_one_object(host: Any, capsys: Any) -> None:
    host(BAD, GOOD)
    assert main(["doctor", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["fit"] is False
    assert (answer["loop"]["rate_hz"], answer["loop"]["priority"], answer["loop"]["cpu"]) == (1000.0, 80, -1)
    assert answer["findings"][0] == {**BAD._asdict(), "writes": []}
    busy = answer["waking"]["busy"]
    assert busy["p99_us"] == 2.0 and busy["due"] == 10 and busy["tripped"] == ""
    assert {"from_us": 2.0, "to_us": 5.0, "count": 10} in busy["histogram"]
    assert set(answer) == {"fit", "loop", "findings", "waking", "disk", "versions", "compiled", "host"}
    assert answer["disk"]["free_bytes"] == 10**12 and answer["versions"]["packages"]["numba"]


def test_a_rig_file_says_what_is_wished_for(host: Any) -> None:
    wishes = host(GOOD)
    assert main(["doctor", "column-50", "--set", "limits.late.ticks=7"]) == 0
    assert (wishes[-1].rate_hz, wishes[-1].late_ticks, wishes[-1].driver) == (2000.0, 7, "")
    assert main(["doctor", "table-500-modbus"]) == 0
    assert (wishes[-1].hosts, wishes[-1].ports, wishes[-1].time_to_live_s) == (("127.0.0.1",), (), 0.1)
    assert main(["doctor", "table-500-rs485"]) == 0
    assert len(wishes[-1].ports) >= 2 and 0 < wishes[-1].exchange_s < 1e-3
    assert main(["doctor", "table-500-mixed"]) == 0
    assert len(wishes[-1].ports) == 2 and wishes[-1].driver == "mixed"
    assert main(["doctor", "table-500-mixed", "--twin"]) == 0
    assert (wishes[-1].ports, wishes[-1].driver) == ((), "")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1e9"])
def test_a_time_that_makes_no_sense_is_wrong_use(host: Any, seconds: str) -> None:
    host(GOOD)
    assert main(["doctor", "--seconds", seconds]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--dry-run"], "--fix"),
        (["--warm"], "doctor RIG --warm"),
        (["table-500", "--warm", "--fix"], "one after the other"),
        (["--twin"], "name it"),
        (["--set", "loop.cpu=1"], "name it"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_use(words: list[str], says: str, host: Any, capsys: Any) -> None:
    assert main(["doctor", *words]) == 2
    assert says in capsys.readouterr().err


def test_a_rig_file_of_another_schema_is_refused_with_what_to_do(host: Any, tmp_path: Any, capsys: Any) -> None:
    file = tmp_path / "old.toml"
    file.write_text('schema = 0\n[rig]\nname = "old"\n')
    assert main(["doctor", str(file)]) == 2
    said = capsys.readouterr().err
    assert "schema" in said and "must be 1" in said and "hilctl presets" in said


def test_a_dry_run_lists_and_writes_nothing(tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = fill(tmp_path, {HUGE[1:]: "[always] madvise never"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert doctor_fix.fix(tree, Wish(cpu=3), "", dry=True, json=False) == 0
    said = capsys.readouterr().out
    assert f"echo madvise > {HUGE}" in said and "always now" in said and "nothing was changed" in said
    assert tree.active(HUGE) == "always"


def test_without_root_nothing_is_written_and_the_command_is_named(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = fill(tmp_path, {HUGE[1:]: "[always] madvise never"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(Exception, match=r"needs root; nothing was changed: `sudo hilctl doctor rig\.toml --fix`"):
        doctor_fix.fix(tree, Wish(cpu=3), "rig.toml", dry=False, json=False)
    assert tree.active(HUGE) == "always"


def test_fix_says_what_was_before_how_to_take_it_back_and_how_long_it_lasts(
    tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = fill(tmp_path, {HUGE[1:]: "[always] madvise never"})
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert doctor_fix.fix(tree, Wish(cpu=3), "", dry=False, json=False) == 0
    said = capsys.readouterr().out
    assert said.index("writing:") < said.index("1 of 1 settings changed, until the next start") < said.index("always >")
    assert tree.active(HUGE) == "madvise"
    assert doctor_fix.fix(tree, Wish(cpu=3), "", dry=False, json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"dry_run": False, "planned": [], "done": []}
    assert doctor_fix.fix(tree, Wish(cpu=3), "", dry=False, json=False) == 0
    assert "nothing to change" in capsys.readouterr().out


def test_a_setting_that_the_kernel_refuses_returns_1(
    tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = fill(tmp_path, {HUGE[1:]: "[always] madvise never"})
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    def refuse(self: Tree, change: Write) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Tree, "write", refuse)
    assert doctor_fix.fix(tree, Wish(cpu=3), "", dry=False, json=False) == 1
    assert f"{HUGE} stays always: Input/output error" in capsys.readouterr().out


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
@pytest.mark.parametrize("name", sorted(rig_file.presets()))
def test_what_a_start_loads_is_known_for_every_preset_without_opening_its_device(name: str) -> None:
    described = rig.load(name)
    functions = needed(described)
    assert all(isinstance(one, Jit) for one in functions)
    names = [one.__name__ for one in functions]
    assert len(set(names)) == len(names) and "rt_run" in names
    assert sum("exchange" in one for one in names) == (3 if described.driver == "mixed" else 1)


def test_the_marks_cover_every_verdict() -> None:
    assert set(told.MARKS) == {"good", "better", "bad", "unknown"}


def test_a_command_that_takes_a_setting_back_is_one_for_a_shell() -> None:
    assert shlex.split(Write(HUGE, "always").command) == ["echo", "always", ">", HUGE]
    assert HUGE[1:] in FIT
