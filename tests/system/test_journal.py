"""The journal: who set what, over runs and kills; from a program, from the command line, and from the file alone."""

import os
import signal
from pathlib import Path

import pytest

from hilctl.client import Client, private_service
from hilctl.recording.journal import NAME, read_journal
from tests.system.cli_parts import Shell, serving
from tests.system.service_parts import RIG

pytestmark = pytest.mark.timeout(300)
KEY = "law.three_state.kd_per_m"


def journal_of(state: Path) -> Path:
    return state / "hilctl" / RIG / NAME


def test_a_history_goes_on_after_a_kill_and_holds_every_set_that_was_answered(tmp_path):
    kept = {"XDG_STATE_HOME": str(tmp_path)}
    with private_service(RIG, environment=kept) as service, Client(service.commands, name="campaign") as rig:
        before = rig.get(KEY)[KEY]
        made = rig.ask("set", values={KEY: 14.0}, origin="fit 3")
        assert made["journal"] == 2
        rig.undo()
        rig.set({KEY: 15.0}, origin="fit 4")
        os.kill(service.pid, signal.SIGKILL)
    again = private_service(RIG, environment=kept, changes={"machine.m": 501.0})
    with again as service, Client(service.commands, name="campaign") as rig:
        rig.set({KEY: 16.0})
        records = list(rig.journal())
        assert [r["number"] for r in rig.journal(newest=2)] == [6, 7]
        assert rig.ask("journal", first=3)["problem"] == ""
    assert records == list(read_journal(journal_of(tmp_path)))
    assert [(r["number"], r["kind"], r["epoch"]) for r in records] == [
        (1, "start", 1), (2, "set", 2), (3, "set", 3), (4, "set", 4), (5, "start", 1), (6, "set", 1), (7, "set", 2),
    ]  # fmt: skip
    start, first, undone, last, again, given, _ = records
    assert start["values"][KEY] == before and "values" not in again
    assert first["changed"] == [{"key": KEY, "old": before, "new": 14.0}] and first["origin"] == "fit 3"
    assert first["author"].startswith("campaign") and first["key"]
    assert (undone["undoes"], undone["changed"][0]["new"]) == (2, before)
    assert again["changed"] == [{"key": KEY, "old": 15.0, "new": before}]  # the start took the kill's set away
    assert given["changed"] == [{"key": "machine.m", "old": start["values"]["machine.m"], "new": 501.0}]
    assert len({r["run"] for r in records}) == 2 and last["run"] == first["run"]


def test_the_command_line_shows_compares_takes_back_and_exports(tmp_path):
    with serving(tmp_path) as (shell, _, _):
        before = shell.json("get", KEY)[KEY]
        shell.said("set", f"{KEY}=14", "machine.m=500.5", "--origin", "fit 3")
        shell.said("set", f"{KEY}=15")
        logged = shell.said("params", "log")
        assert "fit 3" in logged and f"{KEY}: 14.0 → 15.0" in logged and "console" in logged
        number = max(int(line.split()[0]) for line in logged.splitlines() if line[0] != " ") - 1
        assert "machine.m" in shell.said("params", "log", "machine")
        assert f"{KEY}: {before} → 15.0" in shell.said("params", "diff")
        assert "machine.m" not in shell.said("params", "diff", str(number))
        told = shell.refused("params", "undo", "--record", str(number), code=2)
        assert f"{KEY} is 15.0 now" in told and "params log" in told
        shell.said("params", "undo")
        assert f"{KEY}: 14.0 → {before}" in shell.said("params", "undo", "--record", str(number))
        assert "no record 999" in shell.refused("params", "undo", "--record", "999", code=2)
        shell.said("params", "export", "was.toml", "--at", str(number))
        shell.said("params", "export", "all.csv")
    was = (tmp_path / "was.toml").read_text()
    assert "kd_per_m = 14.0" in was and "m = 500.5" in was
    assert "fit 3" in (tmp_path / "all.csv").read_text()
    alone = Shell(tmp_path)  # the service has ended
    file = str(journal_of(alone.state))
    assert "fit 3" in alone.said("params", "log", "--file", file)
    assert "neither" in alone.refused("params", "diff", "soon", "--file", file, code=2)
