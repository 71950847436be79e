"""The driver that docs/writing-a-driver.md prints is one: it keeps every promise, and a service drives a rig by it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hilctl.client import Client, private_service
from hilctl.signals import Status
from tests.system.service_parts import LATE_HOST

pytestmark = [pytest.mark.realtime, pytest.mark.fresh, pytest.mark.timeout(300)]

HOUSE = Path(__file__).resolve().parents[2]
PAGE = (HOUSE / "docs" / "writing-a-driver.md").read_text(encoding="utf-8")
NOT_THERE = ("supply_pressure", "spool", "oil_temperature", "emergency_stop")
SETTINGS = {
    "driver": {"name": "my_rig:MyRig", "full_m_s": 1.5},
    **{f"sensors.{name}.present": False for name in NOT_THERE},
    "law.feedback": "pid",
    "arming.rest_s": 0.05,
    "arming.bump_s": 0.1,
    "loop.rate_hz": 500,
    **LATE_HOST,
    "service.timeout_s": 10.0,
}


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """The folder with the page's module, where Python finds it."""
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    (tmp_path / "my_rig.py").write_text(code, encoding="utf-8")
    body = [line for line in code.partition("@jit")[2].splitlines() if line.strip()]
    assert len(body) < 45, "the page says thirty lines"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), str(HOUSE))))
    return tmp_path


def run(folder, words):
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)


def test_it_keeps_every_promise_by_the_command_that_the_page_gives(printed):
    words = re.search(r"^PYTHONPATH=\. python (-m hilctl\.conformance .*)$", PAGE, re.MULTILINE)[1].split()
    done = run(printed, words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d\d passed", done.stdout)


def test_what_breaks_a_promise_is_told(printed):
    module = printed / "my_rig.py"
    module.write_text(module.read_text().replace("own.tick += command.periods", "own.tick += 1"), encoding="utf-8")
    words = ["-m", "hilctl.conformance", "my_rig:MyRig"]
    done = run(printed, words)
    assert done.returncode == 1
    assert "FAILED" in done.stdout and "test_the_devices_counter_goes_on" in done.stdout


def test_a_service_drives_a_rig_by_it(printed):
    with private_service("table-500", clock="real", twin=False, changes=SETTINGS) as service, Client(
        service.commands
    ) as rig:
        rig.arm()
        outcome = rig.wait(rig.track("sine", amplitude_m=0.005, frequency_hz=1.0, cycles=2))
        assert outcome.why == "done"
        rows = rig.samples(outcome.first, outcome.last, ["status", "displacement_m"])
        assert set(rows["status"]) == {Status.OK}
        assert rows["displacement_m"].max() > 0.004
