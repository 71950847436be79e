"""Alarms over runs of the service: killed, ended in order, with another rig file, with a spoilt file."""

import os
import signal

import pytest

from hilctl.cli.main import main
from hilctl.client import Client, private_service
from hilctl.service.alarm_file import OF_TWIN
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, until

pytestmark = pytest.mark.timeout(300)
CHANGES = {**ARMS_FAST, **LATE_HOST}


def run_of(state, **changes):
    return private_service(RIG, environment={"XDG_STATE_HOME": str(state)}, changes={**CHANGES, **changes})


def trips(rig):
    rig.arm()
    rig.track("sine", amplitude_m=0.01, frequency_hz=1.0)
    rig.set({"limits.velocity.max_m_s": 0.01})
    until(lambda: rig.status()["trip"], "the trip")
    return of_trips(rig)


def of_trips(rig):
    """Beside the trip there is a warning of the same limit."""
    return [alarm for alarm in rig.alarms() if alarm["kind"] == "trip"]


@pytest.mark.slow
def test_what_was_listed_outlasts_a_kill_and_what_was_acknowledged_does_not_come_back(tmp_path, capsys):
    with run_of(tmp_path) as service, Client(service.commands) as rig:
        (first,) = trips(rig)
        assert not first["earlier"] and first["run"] == rig.hello["run"]
        os.kill(service.pid, signal.SIGKILL)
    with run_of(tmp_path, **{"machine.m": 501.0}) as service, Client(service.commands) as rig:
        (earlier,) = of_trips(rig)
        same = ("kind", "key", "text", "tick", "time_ns", "last_ns", "count", "run")
        assert {k: earlier[k] for k in same} == {k: first[k] for k in same} and earlier["run"] != rig.hello["run"]
        assert earlier["earlier"] and not earlier["active"] and rig.status()["alarms"] == 2
        told = next(event for event in rig.events() if event["number"] == earlier["number"])
        assert told["kind"] == "earlier_alarm"
        assert told["raised_ns"] == first["time_ns"]
        _, now = trips(rig)
        assert not now["earlier"] and now["active"] and now["key"] == first["key"]
        assert rig.acknowledge(earlier["number"], "seen") == [earlier["number"]]
        os.kill(service.pid, signal.SIGKILL)
    with run_of(tmp_path) as service, Client(service.commands, lease="none") as rig:
        (left,) = of_trips(rig)
        assert (left["run"], left["time_ns"]) == (now["run"], now["time_ns"])
        assert main(["alarms", "--connect", service.commands]) == 0
        assert "over    trip velocity (earlier run): " in capsys.readouterr().out
        rig.acknowledge(rig.alarms()[-1]["number"], before=True)
    with run_of(tmp_path) as service, Client(service.commands, lease="none") as rig:
        assert not rig.alarms()


def test_a_spoilt_file_is_a_warning_and_an_end_in_order_leaves_no_alarm(tmp_path):
    folder = tmp_path / "hilctl" / RIG
    folder.mkdir(parents=True)
    (folder / OF_TWIN).write_text('{"form": 1, "raised": [')
    with run_of(tmp_path) as service, Client(service.commands) as rig:
        assert any("no alarms of earlier runs" in line["text"] for line in rig.log("warning"))
        assert not rig.alarms() and (folder / f"{OF_TWIN}.spoilt").exists()
        rig.arm()  # ended while it holds, it trips by `shutdown`
    with run_of(tmp_path) as service, Client(service.commands, lease="none") as rig:
        assert not rig.alarms()
