"""Telemetry against raw pyzmq: what it costs the service to hand every channel of a 10 kHz loop to a subscriber.

The twin's loop runs in the core's process, which does not count; the service's CPU time is read from the kernel.
One subscriber takes every block; after it another one, which stalls for two seconds and has no queue of its own. The
yardstick is a process that sends blocks of the same size, as often, packed beforehand, by plain pyzmq: what remains
when there is nothing to gather, name or pack.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from hilctl.bench.host import host
from hilctl.client import Client, private_service
from hilctl.errors import HilctlError

RATE_HZ = 10_000
BLOCK_S = 0.02
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


_LISTEN = """
import sys, json, time, zmq, msgpack
endpoint, stall_s, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
socket = zmq.Context().socket(zmq.SUB)
if stall_s:
    socket.setsockopt(zmq.RCVHWM, 1)
socket.subscribe("block")
socket.connect(endpoint)
def block():
    body = msgpack.unpackb(socket.recv_multipart()[1])
    return body["first"], body["count"], len(body["columns"])
first, count, channels = block()
print("there", flush=True)
begun = time.monotonic()
time.sleep(stall_s)
expected, lost, rows = first + count, 0, count
while time.monotonic() - begun < seconds:
    first, count, channels = block()
    lost += first - expected
    expected = first + count
    rows += count
print(json.dumps({"lost": lost, "rows": rows, "channels": channels}))
"""

_SEND = """
import sys, time, zmq
size, every_s = int(sys.argv[1]), float(sys.argv[2])
socket = zmq.Context().socket(zmq.XPUB)
socket.bind("tcp://127.0.0.1:*")
print(socket.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)
socket.recv()
payload, due = bytes(size), time.monotonic()
while True:
    socket.send_multipart([b"block", payload])
    due += every_s
    time.sleep(max(0.0, due - time.monotonic()))
"""

_DRAIN = """
import sys, zmq
socket = zmq.Context().socket(zmq.SUB)
socket.subscribe("block")
socket.connect(sys.argv[1])
socket.recv_multipart()
print("there", flush=True)
while True:
    socket.recv_multipart()
"""


def run(quick: bool) -> dict[str, Any]:
    """Shares of one core, and what was lost."""
    seconds = 5.0 if quick else 20.0
    changes = {
        "loop.rate_hz": RATE_HZ, "service.block_s": BLOCK_S, "service.history_s": 10.0, "limits.late.ticks": 100_000,
    }  # fmt: skip
    with private_service("table-500", clock="real", changes=changes) as service, Client(service.commands) as rig:
        rig.check_motion("move", position_m=0.0)  # what the service loads once, it has loaded after this
        idle = _share(service.pid, seconds / 2)
        listener = _listen(service.telemetry, 0.0, seconds + 1.0)
        cpu = _share(service.pid, seconds)
        told = json.loads(listener.communicate(timeout=60)[0])
        stalled = json.loads(_listen(service.telemetry, 2.0, 4.0).communicate(timeout=60)[0])
        status = rig.status()["core"]
    rows = int(RATE_HZ * BLOCK_S)
    raw = _raw(rows * 8 * told["channels"], seconds)
    return {
        "bench": "telemetry",
        "figures": {
            "cpu_percent": cpu,
            "cpu_percent_no_listener": idle,
            "cpu_percent_raw_pyzmq": raw,
            "lost": told["lost"],
            "lost_stalled": stalled["lost"],
            "rows": told["rows"],
            "channels": told["channels"],
            "rate_hz": RATE_HZ,
            "block_s": BLOCK_S,
            "missed_ticks": status["missed"],
            "rows_lost_by_loop": status["rows_lost"],
        },
        "ratio": {"cpu_vs_raw_pyzmq": cpu / raw},
        "host": host(),
    }


def _share(pid: int, seconds: float) -> float:
    """Percent of one core that a process and its threads take."""
    before, begun_s = _cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    return 100.0 * (_cpu_s(pid) - before) / (time.monotonic() - begun_s)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND


def _listen(endpoint: str, stall_s: float, seconds: float) -> "subprocess.Popen[str]":
    return _subscribed(_LISTEN, endpoint, str(stall_s), str(seconds))


def _subscribed(program: str, *words: str) -> "subprocess.Popen[str]":
    """A subscriber that has heard its first block."""
    process = subprocess.Popen([sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if not process.stdout.readline():
        raise HilctlError("a subscriber ended before it had heard anything")
    return process


def _raw(size: int, seconds: float) -> float:
    """The same by plain pyzmq, with one subscriber too."""
    command = [sys.executable, "-c", _SEND, str(size), str(BLOCK_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        assert sender.stdout is not None
        endpoint = sender.stdout.readline().strip()
        drain = _subscribed(_DRAIN, endpoint)
        share = _share(sender.pid, seconds)
        for process in (drain, sender):
            process.kill()
            process.wait()
    return share
