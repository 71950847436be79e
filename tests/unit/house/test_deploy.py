"""What is installed beside the program: the systemd unit, limits, udev rules, lock files, the wheel's contents."""

import configparser
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from hilctl.loop.options import CoreOptions

HOUSE = Path(__file__).resolve().parents[3]
UNIT = HOUSE / "deploy" / "systemd" / "hilctl@.service"
PANEL = HOUSE / "deploy" / "systemd" / "hilctl-panel@.service"
CONTAINER = HOUSE / "deploy" / "container" / "Containerfile"


@pytest.fixture(scope="module")
def unit():
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str
    read.read(UNIT, encoding="utf-8")
    return read


def analyzed(*words):
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd-analyze is not installed")
    return subprocess.run([tool, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", [UNIT, PANEL], ids=lambda path: path.name)
def test_systemd_accepts_the_unit(path):
    done = analyzed("verify", "--man=no", str(path))
    assert (done.returncode, done.stderr) == (0, "")


# In tenths. What remains: real-time rights, code that is written and run, the network, serial ports.
@pytest.mark.parametrize(("path", "threshold"), [(UNIT, 15), (PANEL, 12)], ids=lambda given: getattr(given, "name", ""))
def test_a_unit_is_exposed_no_more_than_its_work_needs(path, threshold):
    done = analyzed("security", "--offline=true", "--no-pager", f"--threshold={threshold}", str(path))
    assert done.returncode == 0, done.stdout.splitlines()[-1]


def test_a_service_that_hangs_is_ended_by_the_signal_that_stops_a_rig_in_order(unit):
    service = unit["Service"]
    assert service["Type"] == "notify" and float(service["WatchdogSec"]) > 5 * CoreOptions().service_timeout_s
    assert service["WatchdogSignal"] == service["KillSignal"] == "SIGTERM"
    assert service["TimeoutAbortSec"] == service["TimeoutStopSec"]


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


def test_the_page_lists_every_preset_with_what_it_says_of_itself():
    page = (HOUSE / "deploy" / "README.md").read_text()
    listed = re.findall(r"^\| \[([\w-]+)\]\(rigs/([\w-]+)\.toml\) \|", page, re.MULTILINE)
    presets = sorted(path.stem for path in (HOUSE / "deploy" / "rigs").glob("*.toml"))
    assert sorted(name for name, _ in listed) == sorted(file for _, file in listed) == presets


def test_every_table_of_a_presets_driver_is_explained():
    for path in (HOUSE / "deploy" / "rigs").glob("*.toml"):
        driver = path.read_text().partition("\n[driver")[2]
        assert not driver or "#" in driver, path.name


def steps() -> list[tuple[str, str]]:
    """Instruction and arguments of each step of the container file."""
    text = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", CONTAINER.read_text(), flags=re.MULTILINE))
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line.strip()]


def test_the_container_file_runs_the_service_without_root_in_the_folders_of_the_unit(unit):
    last: dict[str, str] = {}
    for instruction, given in steps():
        assert instruction in {"ARG", "FROM", "COPY", "RUN", "ENV", "VOLUME", "USER", "WORKDIR", "STOPSIGNAL",
                               "ENTRYPOINT", "CMD"}  # fmt: skip
        last[instruction] = given
    assert last["USER"] == unit["Service"]["User"] and last["STOPSIGNAL"] == unit["Service"]["KillSignal"]
    assert json.loads(last["ENTRYPOINT"]) == ["hilctl"]
    from hilctl.cli.main import parser_for

    command = json.loads(last["CMD"])
    assert parser_for(command).parse_args(command).do
    environment = dict(word.split("=", 1) for word in last["ENV"].split())
    assert environment["STATE_DIRECTORY"] == f"/var/lib/{unit['Service']['StateDirectory']}"
    assert environment["CACHE_DIRECTORY"] == f"/var/cache/{unit['Service']['CacheDirectory']}"
    assert environment["RUNTIME_DIRECTORY"] == f"/run/{unit['Service']['RuntimeDirectory']}"
    assert set(json.loads(last["VOLUME"])) == {environment["STATE_DIRECTORY"], environment["CACHE_DIRECTORY"]}


def test_what_the_container_file_copies_is_made_by_make_dist_or_stands_in_the_repository():
    for instruction, given in steps():
        if instruction == "COPY" and not given.startswith("--from"):
            for source in given.split()[:-1]:
                assert source == "dist/hilctl-*.whl" or (HOUSE / source).exists(), source


def test_the_released_interpreters_are_those_that_were_tried():
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    tried = [line.rpartition(" :: ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)]
    least, most = tried[0], int(tried[-1].partition(".")[2])
    assert project["requires-python"] == f">={least},<3.{most + 1}"
