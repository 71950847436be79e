"""Hostile and careless peers: each gets its refusal, the loop does not notice, and nobody else has to wait."""

import struct
import subprocess
import sys
from pathlib import Path

import msgpack
import numpy as np
import pytest
import zmq

from tests.system.service_parts import ARMS_FAST, LATE_HOST, Raw, armed, environment, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]


_SLOWED = {
    **ARMS_FAST,
    "service.timeout_s": 10.0,  # of a busy host, not of a fault
    **LATE_HOST,
    "service.rate_per_s": 300.0,
    "service.burst": 300,
}


@pytest.fixture(scope="module")
def running():
    with armed(clock="real", changes=_SLOWED) as both:
        yield both


@pytest.fixture
def unharmed(running):
    """Whatever a test does: the rig still holds, every tick is accounted for, nothing changed."""
    service, rig = running
    before, values = rig.status(), rig.get()
    yield service, rig
    after = until(lambda: (a := rig.status())["core"]["due"] > before["core"]["due"] and a, "the next tick")
    assert (after["mode"], after["trip"], after["lease"]["holder"]) == ("hold", None, before["lease"]["holder"])
    assert rig.get() == values
    assert after["core"]["ran"] + after["core"]["missed"] == after["core"]["due"]
    assert after["core"]["rows_lost"] == 0


BOMBS = {
    "lists in lists": b"\x91" * 60_000,
    "maps in maps": b"\x81\xa1a" * 20_000,
    "a huge list": b"\xdd" + struct.pack(">I", 0xFFFFFFFF),
    "a huge text": b"\xdb" + struct.pack(">I", 0xFFFFFFFF),
    "nothing": b"",
    "noise": np.random.default_rng(0).bytes(5000),
    "an extension": b"\xc9" + struct.pack(">Ib", 4, 5) + b"abcd",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_message_is_refused_and_the_next_is_answered(unharmed, name):
    with Raw(unharmed[0].commands) as raw:
        raw.send(BOMBS[name])
        reply = raw.receive()
        assert not reply["ok"] and reply["error"]["code"] == "bad_message"
        assert raw.ask("hello")["ok"]


@pytest.mark.parametrize("size", [64 * 1024 + 1, 120_000])
def test_too_large_a_message_is_told_so(unharmed, size):
    with Raw(unharmed[0].commands) as raw:
        raw.send(bytes(size))
        assert raw.receive()["error"]["code"] == "too_large"


@pytest.mark.parametrize("size", [200_000, 4_000_000])
def test_a_message_beyond_all_measure_cuts_its_sender_off_and_nobody_else(unharmed, size):
    service, _ = unharmed
    with Raw(service.commands) as raw, Raw(service.commands) as other:
        raw.send(bytes(size))
        assert other.ask("hello")["ok"]
        assert raw.socket.poll(200) == 0
        assert raw.ask("hello")["ok"]  # zmq connects again by itself


def test_messages_of_many_frames_are_refused(unharmed):
    with Raw(unharmed[0].commands) as raw:
        raw.socket.send_multipart([b"a"] * 20)
        assert raw.receive()["error"]["code"] == "bad_message"
        raw.socket.send_multipart([b"", raw.message("hello")])  # REQ's envelope
        assert raw.socket.poll(10_000)
        empty, payload = raw.socket.recv_multipart()
        assert empty == b"" and msgpack.unpackb(payload)["ok"]


_MANY_FRAMES = """
import sys, zmq
endpoint, frames, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
socket = zmq.Context().socket(zmq.DEALER)
socket.setsockopt(zmq.LINGER, 0)
socket.connect(endpoint)
body = bytes(size)
while True:
    for _ in range(frames - 1):
        socket.send(body, zmq.SNDMORE)
    socket.send(body)
    print("sent", flush=True)
    if size < 100_000:
        socket.recv()
    else:
        socket.poll(500)
"""


@pytest.mark.parametrize(("frames", "size"), [(700, 1_000_000), (700, 60_000), (100_000, 1)])
def test_a_message_of_many_frames_is_dropped_as_a_whole_while_others_are_answered(unharmed, frames, size):
    service, rig = unharmed
    status = Path(f"/proc/{service.pid}/status")

    def peak_mb():
        return int(next(line for line in status.read_text().splitlines() if "VmHWM" in line).split()[1]) >> 10

    before_mb, told = peak_mb(), rig.status()["events"]
    flood = [sys.executable, "-c", _MANY_FRAMES, service.commands, str(frames), str(size)]
    with subprocess.Popen(flood, stdout=subprocess.PIPE, text=True) as flooding, Raw(service.commands) as other:
        for _ in range(3):
            assert flooding.stdout.readline() == "sent\n"
            for _ in range(20):
                assert other.ask("stop")["ok"]
        assert flooding.poll() is None
        flooding.kill()
    assert peak_mb() - before_mb < 200
    assert not [e for e in rig.events(told) if e["kind"] in ("lease_lost", "trip", "core_gone", "mode")]


def test_a_flood_is_answered_by_its_rate_and_others_do_not_wait(unharmed):
    service, rig = unharmed
    with Raw(service.commands) as flood:
        sent = answered = busy = 0
        before = rig.status()["wire"]["replies_lost"]
        flood.socket.setsockopt(zmq.SNDHWM, 100_000)
        for _ in range(10_000):
            try:
                flood.socket.send(flood.message("status"), zmq.NOBLOCK)
                sent += 1
            except zmq.Again:
                pass
            if sent % 2000 == 0:
                assert rig.status()["mode"] == "hold"
        while answered < sent:
            if not flood.socket.poll(100):
                if rig.status()["wire"]["replies_lost"] - before >= sent - answered:
                    break
                continue
            reply = msgpack.unpackb(flood.socket.recv())
            answered += 1
            busy += not reply["ok"] and reply["error"]["code"] == "busy"
        assert busy > 0
        assert rig.status()["wire"]["refused"] >= busy


def test_a_flood_of_changes_leaves_one_whole_set_in_force(unharmed):
    service, rig = unharmed
    before = rig.get("law.blend_s", "machine.m")
    lost = rig.status()["wire"]["replies_lost"]
    epoch = rig.status()["epoch"]
    token = rig.ask("lease", action="take")["token"]
    with Raw(service.commands) as raw:
        count = 200
        for i in range(count):
            raw.send(raw.message("set", lease=token, values={"law.blend_s": 0.1 + i * 1e-3, "machine.m": 400.0 + i}))
        replies = [raw.receive() for _ in range(count)]
    assert rig.status()["wire"]["replies_lost"] == lost
    done = [r["result"]["epoch"] for r in replies if r["ok"]]
    refused = {r["error"]["code"] for r in replies if not r["ok"]}
    assert refused <= {"busy"} and len(done) == len(set(done)) > 0
    newest = max(done)
    until(lambda: rig.status()["epoch"] == newest, "the newest epoch")
    assert newest - epoch == len(done)
    values = rig.get("law.blend_s", "machine.m")
    assert values["machine.m"] - 400.0 == pytest.approx((values["law.blend_s"] - 0.1) * 1e3)
    # as it was, for the next test
    rig.set(before)


def test_a_client_that_reads_no_replies_costs_a_bounded_memory(unharmed):
    service, rig = unharmed
    with Raw(service.commands) as deaf:
        deaf.socket.setsockopt(zmq.RCVHWM, 1)
        for _ in range(300):
            deaf.send(deaf.message("fetch", first=max(0, rig.status()["history"]["first"])))
        until(lambda: rig.status()["wire"]["replies_lost"] > 0 or rig.status()["wire"]["refused"] >= 0)
        resident = int(Path(f"/proc/{service.pid}/statm").read_text().split()[1]) * 4096
        assert resident < 1 << 30
        assert rig.status()["mode"] == "hold"


_STALLED = """
import sys, zmq, msgpack
socket = zmq.Context().socket(zmq.SUB)
socket.setsockopt(zmq.RCVHWM, 1)  # its own queue shall not be what saves it
socket.subscribe("block")
socket.connect(sys.argv[1])
def count():
    body = msgpack.unpackb(socket.recv_multipart()[1])
    return body["first"], body["count"]
first, size = count()
print("stalled", flush=True)
input()
lost, expected = 0, first + size
while expected < first + int(sys.argv[2]):
    first_, size = count()
    lost += first_ - expected
    expected = first_ + size
print(lost, flush=True)
"""


def test_a_subscriber_that_stalls_for_two_seconds_loses_nothing(unharmed):
    service, rig = unharmed
    command = [sys.executable, "-c", _STALLED, service.telemetry, "4000"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as listener:
        assert listener.stdout is not None and listener.stdin is not None
        assert listener.stdout.readline() == "stalled\n"
        rig.pass_time(2.2)
        listener.stdin.write("\n")
        listener.stdin.flush()
        assert listener.stdout.readline() == "0\n"
        assert listener.wait(30) == 0


def test_the_scope_speaks_as_plotjuggler_expects(unharmed):
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.subscribe("")
    socket.connect(unharmed[0].scope)
    with socket:
        assert socket.poll(10_000)
        topic, payload = socket.recv_multipart()
    samples = msgpack.unpackb(payload)
    assert topic == b"hilctl" and isinstance(samples, list)
    assert all(isinstance(k, str) and isinstance(v, float) for sample in samples for k, v in sample.items())
    assert "timestamp" in samples[0] and "position_m" in samples[0]
