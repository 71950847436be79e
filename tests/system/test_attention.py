"""Alarms and the log, over the wire and from the command line."""

import json
import threading

import pytest

from hilctl.cli.main import main
from hilctl.client import Client, Code
from tests.system.service_parts import armed, refusal, until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def service():
    # No black box: it adds a line to the log when it likes.
    changes = {"service.lease_timeout_s": 0.6, "service.heartbeat_s": 0.1, "recording.black_box.before_s": 0.0}
    with armed(changes=changes) as (service, rig):
        rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
        rig._stop_beating()  # as if it had died in the middle of a motion
        with Client(service.commands, lease="none") as looking:
            until(lambda: looking.status()["trip"], "the loss of the lease")
        yield service


def look(service, name=""):
    return Client(service.commands, lease="none", name=name)


def test_an_alarm_survives_its_clients_until_one_of_them_acknowledges_it(service):
    with look(service) as rig:
        kinds = {alarm["kind"]: alarm for alarm in rig.alarms()}
        assert set(kinds) == {"trip", "lease_lost"} and rig.status()["alarms"] == 2
        assert kinds["trip"]["active"] and kinds["trip"]["key"] == "lease_lost" and not kinds["lease_lost"]["active"]
        numbers = {event["number"]: event["kind"] for event in rig.events()}
        assert all(numbers[alarm["number"]] == kind for kind, alarm in kinds.items())
    with look(service, "reception") as again:
        assert {alarm["number"] for alarm in again.alarms()} == {alarm["number"] for alarm in kinds.values()}
        trip = kinds["trip"]["number"]
        assert again.acknowledge(trip, "the operator was at lunch") == [trip]
        refused = refusal(again.acknowledge, trip)
        assert refused.code == Code.BAD_VALUE and "acknowledged already, by reception" in refused.message
        assert again.status()["trip"]["name"] == "lease_lost"  # it is seen, and as latched as before
        assert again.events()[-1]["alarms"] == [trip]
    with look(service) as third:
        assert [alarm["kind"] for alarm in third.alarms()] == ["lease_lost"]
        seen = next(alarm for alarm in third.alarms(acknowledged=True) if alarm["number"] == trip)["acknowledged"]
        assert seen["by"].startswith("reception") and seen["time_ns"] > 0
        assert seen["comment"] == "the operator was at lunch"
    assert "done acknowledge" in service.log.read_text()


def read_until(begin, lines):
    """The lines up to the one that begins so; a busy host may log some of its own before it."""
    read = []
    while not read or not read[-1].startswith(begin):
        read.append(next(lines)["text"])
    return read


def test_the_log_is_read_page_by_page_and_followed(service):
    with look(service) as rig, look(service) as other:
        lines = rig.log("warning")
        assert any("lease_lost" in line["text"] and line["level"] == "warning" for line in lines)
        assert not rig.log("warning", since_ns=lines[-1]["time_ns"] + 1)
        everything = rig.log("info")
        assert [line["number"] for line in everything] == list(range(len(everything)))
        last = everything[-1]["number"]
        followed: list[str] = []
        lines_of = rig.follow_log(first=last + 1)
        waits = threading.Thread(target=lambda: followed.extend(read_until("refused arm", lines_of)))
        waits.start()
        until(lambda: other.status()["wire"]["waiting"] == 1, "the follower's request")
        refusal(other.arm)  # is audited
        waits.join(30)
        assert followed[-1].startswith("refused arm")


def test_a_wait_for_a_line_that_does_not_come_ends_in_time(service):
    with look(service) as rig:
        newest = rig.log()[-1]["number"]
        page = rig.ask("log", first=newest + 1, wait_s=0.05)
        assert page == {"lines": [], "next": newest + 1, "lost": 0}
        assert refusal(rig.ask, "log", wait_s=61.0).code == Code.BAD_VALUE
        assert refusal(rig.ask, "log", level="loud").code == Code.BAD_VALUE


@pytest.fixture
def typed(service, capsys):
    """What a command prints that ends with this code."""

    def run(*words, code=0):
        assert main([*words, "--connect", service.commands]) == code
        said = capsys.readouterr()
        return said.out if code == 0 else said.err

    return run


def test_from_the_command_line(service, typed):
    assert "over    lease_lost service.lease_lost: the lease of" in typed("alarms")
    assert "1 not acknowledged" in typed("status")
    newest = json.loads(typed("alarms", "--json"))[-1]["number"]
    assert f"acknowledged: {newest}" in typed("alarms", "--acknowledge", "all", "--comment", "seen")
    assert "none, there are no alarms" in typed("alarms", "--acknowledge", "all")
    assert "no alarms that nobody" in typed("alarms") and "alarms " not in typed("status")
    assert "ACTIVE  trip lease_lost" in typed("alarms", "--all") and " seen" in typed("alarms", "--all")
    assert "no alarm 9999" in typed("alarms", "--acknowledge", "9999", code=2)
    assert "--acknowledge first" in typed("alarms", "--acknowledge", "first", code=2)
    lines = typed("log", "--level", "warning", "--since", "10m", "--json").splitlines()
    assert any("lease_lost" in json.loads(line)["text"] for line in lines)
    assert typed("log", "--since", "2020-01-01") and not typed("log", "--since", "2090-01-01")
    assert "must be a duration" in typed("log", "--since", "yesterday", code=2)
