"""The supply's level over the wire: by whom, when, and what motions are checked against then."""

import json

import pytest

from hilctl.cli.main import main
from hilctl.client import Client, Code
from tests.system.service_parts import armed, refusal, settle

pytestmark = pytest.mark.timeout(300)
FAST = {"amplitude_m": 0.026, "frequency_hz": 5.0, "cycles": 2}


@pytest.fixture(scope="module")
def running():
    with armed() as both:
        yield both


@pytest.fixture
def rig(running):
    rig = running[1]
    settle(rig)
    rig.supply("high")
    return rig


def test_low_and_high_answer_when_the_pressure_is_there(rig):
    machine, share = rig.get("machine.Ps", "machine.Ps_low"), rig.get("arming.supply_share")["arming.supply_share"]
    low = rig.supply("low")
    assert low["level"] == "low" and low["pressure_pa"] <= machine["machine.Ps_low"] / share
    assert rig.status()["supply"]["level"] == "low" and rig.status()["mode"] == "hold"
    rig.run("move", position_m=0.005, speed_m_s=0.02)
    high = rig.supply("high")
    assert high["level"] == "high" and high["pressure_pa"] >= share * machine["machine.Ps"]
    levels = [event["level"] for event in rig.events() if event["kind"] == "supply"]
    assert levels[-2:] == ["low", "high"]


def test_a_motion_that_low_pressure_cannot_drive_is_refused_there(rig):
    rig.check_motion("sine", **FAST)
    rig.supply("low")
    refused = refusal(rig.check_motion, "sine", **FAST)
    assert refused.code == Code.LIMIT
    assert refusal(rig.track, "sine", **FAST).code == Code.LIMIT
    rig.supply("high")
    rig.check_motion("sine", **FAST)


def test_under_a_motion_and_with_motions_that_wait_nothing_changes(rig):
    rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
    for level in ("low", "high", "off"):
        refused = refusal(rig.supply, level)
        assert refused.code == Code.WRONG_MODE and "a motion runs" in refused.message
    rig.stop()
    trigger = {"channel": "position_m", "edge": "above", "level": 9.0}
    rig.queue({"kind": "move", "parameters": {"position_m": 0.0}, **trigger})
    refused = refusal(rig.supply, "low")
    assert refused.code == Code.WRONG_MODE and "1 motions wait" in refused.message
    rig.unqueue()
    assert rig.status()["supply"]["level"] == "high"


def test_only_the_holder_of_the_lease_commands_it_and_off_switches_off(running, rig):
    with Client(running[0].commands, lease="none") as other:
        assert refusal(other.supply, "low").code == Code.LEASE_HELD
    rig.supply("low")
    found = rig.supply("off")
    assert found["level"] == "off" and rig.status()["mode"] == "off"
    assert rig.supply("off")["level"] == "off"
    assert refusal(rig.supply, "low").code == Code.WRONG_MODE
    rig.arm()
    assert rig.status()["supply"]["level"] == "high"  # arming leads to high
    assert refusal(rig.ask, "supply", level="medium").code == Code.BAD_VALUE
    assert any(line.count("done supply") and "level='low'" in line for line in running[0].log.read_text().splitlines())


def test_a_rig_without_a_low_setting_says_so(rig):
    before = rig.get("machine.Ps", "machine.Ps_low")
    rig.set({"machine.Ps_low": before["machine.Ps"]})
    refused = refusal(rig.supply, "low")
    assert refused.code == Code.BAD_VALUE and "no low setting" in refused.message
    rig.undo()


def test_from_the_command_line(running, rig, capsys):
    def typed(*words, code=0):
        assert main([*words, "--connect", running[0].commands]) == code
        said = capsys.readouterr()
        return said.out if code == 0 else said.err

    rig.release()
    assert typed("supply", "low").startswith("supply low, ")
    assert json.loads(typed("supply", "high", "--json"))["level"] == "high"
    assert typed("supply", "off").startswith("supply off")
    assert "off" in typed("supply", "high", code=1)
    assert "known: low, high, off" in typed("supply", "medium", code=2)


def test_a_pressure_that_does_not_come_is_told_and_trips():
    with armed(changes={"twin.faults.supply_lost_after_s": 12.0, "arming.timeout_s": 3.0}) as (_, rig):
        rig.supply("low")
        rig.pass_time(12.0)
        refused = refusal(rig.supply, "high")
        assert refused.code == Code.TRIPPED and "did not come to its high level: late" in refused.message
        rig.pass_time(1.0)
        assert rig.status()["trip"]["name"] == "supply_pressure"
