"""What is installed beside the program: the systemd unit, limits, udev rules, lock files, the wheel's contents."""

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from hilctl.loop.options import CoreOptions

HOUSE = Path(__file__).resolve().parents[3]
UNIT = HOUSE / "deploy" / "systemd" / "hilctl@.service"


@pytest.fixture(scope="module")
def unit():
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str
    read.read(UNIT, encoding="utf-8")
    return read


def test_systemd_accepts_the_unit():
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run([tool, "verify", "--man=no", str(UNIT)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_gives_real_time_rights_and_leaves_the_compiler_its_memory(unit):
    service = unit["Service"]
    assert int(service["LimitRTPRIO"]) >= CoreOptions().priority
    assert service["LimitMEMLOCK"] == "infinity"
    assert service["RestrictRealtime"] == "no"
    assert "MemoryDenyWriteExecute" not in service


def test_the_unit_waits_longer_than_a_stop_lasts_and_never_restarts(unit):
    from hilctl.service import run

    service = unit["Service"]
    assert service["Restart"] == "no"
    assert service["KillMode"] == "control-group"
    assert float(service["TimeoutStopSec"]) > run._STOP_S + CoreOptions().hurry_s


def test_the_limits_file_gives_what_the_unit_gives(unit):
    lines = [line.split() for line in (HOUSE / "deploy/limits/hilctl.conf").read_text().splitlines() if line[0] != "#"]
    assert lines == [
        ["@hilctl", "-", "rtprio", unit["Service"]["LimitRTPRIO"]],
        ["@hilctl", "-", "memlock", "unlimited"],
    ]


def test_the_pinned_requirements_are_those_of_the_lock():
    lock = tomllib.loads((HOUSE / "uv.lock").read_text())
    locked = {(p["name"], p["version"]) for p in lock["package"] if p["name"] != "hilctl"}
    text = (HOUSE / "requirements.lock").read_text()
    assert set(re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE)) == locked, "run `make lock`"


def test_the_lock_holds_every_dependency_of_the_project():
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(d for e in project["optional-dependencies"].values() for d in e)]
    names = {re.split(r"[\[<>=~!; ]", d)[0].lower() for d in wanted} - {"hilctl"}
    locked = {p["name"] for p in tomllib.loads((HOUSE / "uv.lock").read_text())["package"]}
    assert names <= locked, "run `make lock`"


def test_the_built_in_drivers_are_declared_as_entry_points():
    from firmware_bridge.registry import BUILT_IN, GROUP

    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][GROUP] == BUILT_IN
