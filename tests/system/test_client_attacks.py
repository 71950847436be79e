"""Clients against each other: who asks for too much is refused and told why; the run of the holder goes on."""

import resource
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from hilctl.client import Client, Code
from hilctl.service.planning import OF_ONE
from hilctl.wire.roles import Role
from tests.system.access_parts import Keys, Proven, keyed, subscriber
from tests.system.service_parts import ARMS_FAST, LATE_HOST, Raw, armed, environment, refusal, settle, stops, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

_CALM = {**ARMS_FAST, **LATE_HOST, "service.timeout_s": 10.0, "recording.required": True}
_LONG = {"kind": "chirp", "parameters": {"start_hz": 0.5, "end_hz": 5.0, "amplitude_m": 0.001, "duration_s": 3000.0}}


FLOODS = (20_000, 200_000)  # subscriptions


def subscribing(count):
    """A key for each: whoever subscribed too often gets no telemetry for a minute."""
    return f"greedy-{count}"


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    keys = Keys.of_all_roles(tmp_path_factory.mktemp("keys"))
    for name in ("greedy", *map(subscribing, FLOODS)):
        keys.make(name, Role.OBSERVER)
    return keys


@pytest.fixture(scope="module")
def served(keys):
    with keyed(keys, **_CALM) as service, Client(service.commands, key=keys.files / "commissioner.key") as rig:
        yield service, rig


@pytest.fixture
def running(served):
    """In hold, and without a trip when the test ends."""
    settle(served[1])
    yield served
    trip = served[1].status()["trip"]
    assert trip is None, str(trip)


@pytest.fixture
def unharmed(running):
    """Whatever a test does: the motion of the holder goes on, every tick is accounted for."""
    service, rig = running
    motion = rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
    before = rig.status()
    yield service, rig
    after = rig.status()
    assert (after["motion"], after["mode"], after["trip"]) == (motion.id, "track", None) and not rig.lease_lost
    assert after["core"]["ran"] + after["core"]["missed"] == after["core"]["due"]
    assert after["core"]["rows_lost"] == before["core"]["rows_lost"]
    stops(rig)


def resident_mb(service):
    return int(Path(f"/proc/{service.pid}/statm").read_text().split()[1]) >> 8


_SUBSCRIBES = """
import os, sys, zmq
from hilctl.access.keys import read_client
socket = zmq.Context().socket(zmq.SUB)
socket.setsockopt(zmq.SNDHWM, 0)
if len(sys.argv) > 4:
    key = read_client(__import__("pathlib").Path(sys.argv[4]))
    socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = (
        part.encode() for part in (key.server, key.public, key.secret))
socket.connect(sys.argv[1])
for k in range(int(sys.argv[2])):
    socket.subscribe(os.urandom(int(sys.argv[3])))
print("subscribed", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("count", [FLOODS[0], pytest.param(FLOODS[1], marks=pytest.mark.slow)])
def test_many_subscriptions_end_and_memory_stays_flat(keys, unharmed, count):
    service, rig = unharmed
    name, before_mb, mark = subscribing(count), resident_mb(service), rig.ask("events")["next"]
    greedy = [sys.executable, "-c", _SUBSCRIBES, service.telemetry, str(count), "210", str(keys.files / f"{name}.key")]
    pipe = subprocess.PIPE
    with subprocess.Popen(greedy, stdin=pipe, stdout=pipe, text=True, env=environment()) as process:
        assert process.stdout.readline() == "subscribed\n"
        told = until(lambda: [e for e in rig.events(mark) if e["kind"] == "access"], "the end of the subscriptions")
        assert told[0]["action"] == "too_many_subscriptions" and told[0]["reason"].startswith(f"{name} has more than")
        with subscriber(service.telemetry, keys.files / "observer.key") as other:  # who has not, is served
            for _ in range(20):
                assert other.poll(20_000) and other.recv_multipart()
            assert resident_mb(service) - before_mb < 100
        assert process.poll() is None
        process.kill()


def test_many_subscriptions_on_loopback_end_too_and_the_next_are_served():
    with armed(clock="real", changes={**ARMS_FAST, **LATE_HOST}) as (service, rig):
        before_mb, mark = resident_mb(service), rig.ask("events")["next"]
        greedy = [sys.executable, "-c", _SUBSCRIBES, service.telemetry, "20000", "100"]
        pipe = subprocess.PIPE
        with subprocess.Popen(greedy, stdin=pipe, stdout=pipe, text=True, env=environment()) as process:
            assert process.stdout.readline() == "subscribed\n"
            until(lambda: [e for e in rig.events(mark) if e["kind"] == "access"], "the end of the subscriptions")
            assert resident_mb(service) - before_mb < 100 and rig.status()["mode"] == "hold"
            process.kill()
        assert next(iter(rig.subscribe("block", timeout_s=20.0))).count > 0


def test_what_is_no_topic_is_never_subscribed_to_and_what_begins_one_is(keys, unharmed):
    service, _ = unharmed
    file = keys.files / "observer.key"
    with subscriber(service.telemetry, file, "blo") as some, subscriber(service.telemetry, file, "blox") as none:
        with subscriber(service.telemetry, file, "") as everything:
            topics = {everything.recv_multipart()[0] for _ in range(100)}
            assert topics >= {b"block", b"status"}
        assert some.recv_multipart()[0] == b"block" and not none.poll(0)


def test_endless_checks_by_others_keep_nobodys_motion_waiting(keys, running):
    service, rig = running
    with Proven(service.commands, keys.files / "greedy.key") as greedy:
        for _ in range(248):
            greedy.send(greedy.message("check_motion", **_LONG))
        assert rig.check_motion("sine", amplitude_m=0.001, frequency_hz=1.0)["seconds"] is None
        rig.run("move", position_m=0.001)
        replies = [greedy.receive(60.0) for _ in range(248)]  # the last are given up, each after its time
        refused = [reply["error"] for reply in replies if not reply["ok"]]
        assert len(refused) > 124 and {error["code"] for error in refused} == {Code.BUSY}
        assert f"at most {OF_ONE}" in refused[0]["message"]
        rig.run("move", position_m=0.0)


def test_waits_of_one_key_leave_stop_and_others_their_places(keys, unharmed):
    service, rig = unharmed
    with Proven(service.commands, keys.files / "greedy.key") as greedy:
        for n in range(400):
            greedy.client = f"name {n // 20}"
            greedy.send(greedy.message("wait", mode="off"))
        refused = [greedy.receive() for _ in range(400 - 128)]
        assert {reply["error"]["code"] for reply in refused} == {Code.BUSY}
        assert "128 of this key" in refused[-1]["error"]["message"]
        with Proven(service.commands, keys.files / "observer.key") as other:
            assert other.ask("wait", mode="off", timeout_s=0.1)["result"]["why"] == "timeout"
        assert rig.check_motion("sine", amplitude_m=0.001, frequency_hz=1.0)
        assert greedy.ask("status")["ok"]


def test_connections_up_to_the_limit_leave_recordings_and_those_who_are_there(keys, running):
    service, rig = running
    file, mark = keys.files / "observer.key", rig.ask("events")["next"]
    before = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
    rig.ask("record", action="stop")
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (800, before[1]))
    try:
        with ExitStack() as stack, Proven(service.commands, file) as observer:
            assert observer.ask("status")["ok"]
            for _ in range(1000):
                stack.enter_context(_begun(service))
            until(lambda: [e for e in rig.events(mark) if e["kind"] == "access"], "the limit")
            rig.ask("record", action="start", timeout_s=60.0)
            assert observer.ask("stop")["ok"] and rig.status()["mode"] == "hold"
        told = until(lambda: (a := [e["action"] for e in rig.events(mark) if e["kind"] == "access"])[1:] and a, "room")
        assert told[:2] == ["full", "room"]
        with Proven(service.commands, file) as new:
            assert new.ask("stop")["ok"]
    finally:
        resource.prlimit(service.pid, resource.RLIMIT_NOFILE, before)


def _begun(service):
    """A connection that is asked for, and waits for as long as it takes."""
    made = socket.socket()
    made.setblocking(False)
    with suppress(BlockingIOError):
        made.connect(("127.0.0.1", int(service.commands.rpartition(":")[2])))
    return made


def test_a_thousand_idle_connections_and_a_new_client_is_answered(keys, unharmed):
    service, _ = unharmed
    limit, _ = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
    assert limit >= 4096 or limit == resource.getrlimit(resource.RLIMIT_NOFILE)[1], "raised as far as the host allows"
    with ExitStack() as stack:
        where = ("127.0.0.1", int(service.commands.rpartition(":")[2]))
        for _ in range(min(1100, limit // 2)):
            stack.enter_context(socket.create_connection(where))
        with Proven(service.commands, keys.files / "greedy.key") as new:
            assert new.ask("status")["ok"]


def test_others_requests_do_not_make_the_service_forget_what_was_done(keys, unharmed):
    service, rig = unharmed
    with Client(service.commands, key=keys.files / "operator.key", lease="none") as other:
        with Proven(service.commands, keys.files / "commissioner.key") as holder:
            done = holder.message("lease", lease=rig._identity.token, action="beat")
            holder.send(done)
            first = holder.receive()
            with Proven(service.commands, keys.files / "operator.key") as flood:
                for _ in range(1100):
                    flood.send(flood.message("lease", action="beat"))
                    assert flood.receive()["error"]["code"] in (Code.LEASE_HELD, Code.BUSY)
            holder.send(done)
            assert holder.receive() == first and first["ok"]
        assert other.status()["lease"] is not None


def test_a_stranger_cannot_stop_a_recording_that_the_rig_file_requires(keys, unharmed):
    service, rig = unharmed
    assert rig.status()["recording"]["state"] == "on"
    with Client(service.commands, key=keys.files / "operator.key", lease="none") as stranger:
        refused = refusal(stranger.ask, "record", action="stop")
        assert refused.code == Code.LEASE_HELD and "recording.required" in refused.message
    assert rig.status()["recording"]["state"] == "on"


def test_without_a_token_a_flood_is_refused_and_told(running):
    with armed(clock="real", changes={**ARMS_FAST, **LATE_HOST}) as (service, rig):
        with Raw(service.commands, access="") as stranger:
            for _ in range(500):
                stranger.send(stranger.message("off"))
            replies = [stranger.receive() for _ in range(500)]
        assert {reply["error"]["code"] for reply in replies} <= {Code.NO_ACCESS, Code.BUSY}
        assert rig.status()["mode"] == "hold"
        lines = [x for x in service.log.read_text().splitlines() if "refused off who=127.0.0.1" in x]
        assert 1 <= len(lines) < 50  # counted, not one by one
