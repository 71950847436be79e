"""Stored measurements judged again as a person asks for it: workers that are killed, folders that are spoilt."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

from tests.system.cli_parts import Shell
from tests.system.test_study import PATIENCE_S, family, until

FRICTION = ("--budget", "40", "--speeds", "0.01", "0.03", "0.06", "0.1", "0.2", "0.4")
# How each kind is measured, and the file that has its result.
KINDS = {
    "friction": (FRICTION, "friction.json"), "presliding": (("--budget", "40"), "presliding.json"),
    "plant": ((), "plant.json"), "dynamics": (("--excitation", "multisine", "--no-tune", "--no-report"), "study.json"),
}  # fmt: skip
OWN = {"sets", "wall_seconds", "folder", "made", "report"}  # what the command adds that measured


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    return Shell(tmp_path_factory.mktemp("fits"))


def measured(shell, kind):
    words, file = KINDS[kind]
    shell.run("identify", kind, "table-500", "--twin", "--no-prepare", *words, "--out", kind)
    return json.loads((shell.folder / kind / file).read_text())


@pytest.fixture(scope="module")
def friction(shell):
    return measured(shell, "friction")


def copies(shell, count):
    """Campaigns that differ by their dates alone."""
    names = [f"campaign-{number}" for number in range(count)]
    for number, name in enumerate(names):
        shutil.copytree(shell.folder / "friction", shell.folder / name)
        plan = shell.folder / name / "campaign.json"
        plan.write_text(plan.read_text().replace('"begun": "20', f'"begun": "{number}0'))
    return names


@pytest.mark.slow
def test_one_spoilt_folder_among_others_is_named_and_the_others_are_done(shell, friction):
    shutil.copytree(shell.folder / "friction", shell.folder / "spoilt")
    (shell.folder / "spoilt" / "campaign.json").write_bytes(b'{"format": 2, "begun')
    (shell.folder / "empty").mkdir()
    words = ("identify", "friction", "--again", "empty", "friction", "spoilt", "--workers", "1", "--out", "some")
    told = shell.run(*words, code=1)
    assert "2 of 3 folders give no model" in told.stderr
    assert "empty: no model: it has no campaign.json" in told.stdout
    assert "spoilt: no model: campaign.json cannot be read" in told.stdout
    found = json.loads((shell.folder / "some" / "fits.json").read_text())
    assert [(one["folder"], bool(one["refused"])) for one in found] == [
        ("empty", True), ("friction", False), ("spoilt", True)
    ]  # fmt: skip
    assert found[1]["parameters"] == found[1]["result"]["fit"]["parameters"] == friction["fit"]["parameters"]
    table = list(csv.DictReader((shell.folder / "some" / "fits.csv").read_text().splitlines()))
    assert [row["folder"] for row in table] == ["empty", "friction", "spoilt"]
    assert float(table[1]["fs"]) == friction["fit"]["parameters"]["fs"]["value"]
    kept = {file: file.stat().st_mtime_ns for file in (shell.folder / "some" / "fits").iterdir()}
    again = shell.run(*words, "--json", code=1)
    assert json.loads(again.stdout) == found
    assert {file: file.stat().st_mtime_ns for file in kept} == kept, "nothing is judged twice"


def test_what_makes_no_sense_beside_stored_measurements_is_refused(shell):
    told = shell.refused("identify", "plant", "table-500", "--twin", "--again", "empty", "--apply", code=2)
    assert "leave RIG, --twin, --apply out" in told
    (shell.folder / "nothing").mkdir()
    plans = {"friction": "campaign", "presliding": "course", "plant": "course", "dynamics": "dynamics"}
    for kind, plan in plans.items():
        assert f"holds no {plan}.json" in shell.refused("identify", kind, "--again", "nothing", code=2)
        assert "--again DIR" in shell.refused("identify", kind, "--workers", "2", code=2)


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_result(shell, friction):
    names = copies(shell, 8)
    process = shell.start("identify", "friction", "--again", *names, "--workers", "2", "--out", "killed",
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
    until(lambda: list((shell.folder / "killed" / "fits").glob("*.json")) or process.poll() is not None, "a fit")
    workers = family(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    _, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, told
    found = json.loads((shell.folder / "killed" / "fits.json").read_text())
    assert [one["folder"] for one in found] == names
    assert all(one["parameters"] == friction["fit"]["parameters"] for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["presliding", "plant", "dynamics"])
def test_every_kind_is_judged_as_it_was(shell, kind):
    first = measured(shell, kind)
    shell.run("identify", kind, "--again", kind, "--workers", "1", "--out", f"{kind}-again")
    (found,) = json.loads((shell.folder / f"{kind}-again" / "fits.json").read_text())
    assert (found["folder"], found["rig"], found["refused"]) == (kind, "table-500", "")
    assert found["parameters"] and found["begun"]
    assert {key for key in first if first[key] != found["result"][key]} <= OWN
    next((shell.folder / kind / "legs").iterdir()).unlink()
    told = shell.run("identify", kind, "--again", kind, "--workers", "1", "--out", f"{kind}-again", code=1).stdout
    assert re.search(r"holds \d of \d motions|1 of \d+ motions are not driven", told)
