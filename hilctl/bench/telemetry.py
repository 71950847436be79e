"""Telemetry against raw pyzmq: the processor time that the service takes, with one listener and with none.

The service serves every channel of a 10 kHz loop. The loop runs in the core's process, which is not counted; the
service's processor time is read from the kernel. The yardstick is a process that sends a block of the same size, as
often, packed once, by plain pyzmq to one listener: what remains when there is nothing to gather, to watch or to pack.

Service without listener, service with one, raw pyzmq: one after the other, and the same again, while the loop runs on.
A ratio is the median of the rounds' ratios, so that what disturbs one round does not count. Who sends has a processor
of its own, and the loop and the listeners share another: beside the loop a sender finds its caches cold, and one
chance placement made either side a third dearer. At the end another listener stalls for two seconds, with no queue of
its own.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hilctl.bench.host import host
from hilctl.client import Client, private_service
from hilctl.errors import HilctlError

RATE_HZ = 10_000
BLOCK_S = 0.02
_MEMORY_S = 4.0  # 21 MB: more than a processor's own caches, and full before measuring begins
_FILL_S = 60.0  # longest wait for that


_LISTEN = """
import sys, json, time, zmq, msgpack
endpoint, stall_s, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
socket = zmq.Context().socket(zmq.SUB)
if stall_s:
    socket.setsockopt(zmq.RCVHWM, 1)
socket.subscribe("block")
socket.connect(endpoint)
def block():
    payload = socket.recv_multipart()[1]
    body = msgpack.unpackb(payload)
    return body["first"], body["count"], len(body["columns"]), len(payload)
first, count, channels, size = block()
print("there", flush=True)
begun = time.monotonic()
time.sleep(stall_s)
expected, lost, rows = first + count, 0, count
while time.monotonic() - begun < seconds:
    first, count, channels, size = block()
    lost += first - expected
    expected = first + count
    rows += count
print(json.dumps({"lost": lost, "rows": rows, "channels": channels, "bytes_a_row": size / count}))
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


class Round(NamedTuple):
    """Percent of one core in one round, and what the listener got."""

    none: float
    listener: float
    raw: float
    heard: dict[str, Any]


def run(quick: bool) -> dict[str, Any]:
    """Shares of one core, their ratios, and what was lost."""
    count, seconds = (5, 1.5) if quick else (9, 3.0)
    processors = sorted(os.sched_getaffinity(0))
    changes: dict[str, Any] = {"loop.rate_hz": RATE_HZ, "limits.late.ticks": 100_000, "loop.cpu": processors[-1]}
    changes |= {"service.block_s": BLOCK_S, "service.history_s": _MEMORY_S}
    with private_service("table-500", clock="real", changes=changes) as service:
        with Client(service.commands) as rig:
            rig.check_motion("move", position_m=0.0)  # what the service loads once, it has loaded after this
            _wait_until_memory_is_full(rig)
        _place(service.pid, processors[0])
        rounds = [_round(service.pid, service.telemetry, seconds) for _ in range(count)]
        stalled = json.loads(_listen(service.telemetry, 2.0, 4.0).communicate(timeout=60)[0])
        with Client(service.commands) as rig:
            status = rig.status()["core"]
    over_raw = statistics.median(r.listener / r.raw for r in rounds)
    return {
        "bench": "telemetry",
        "figures": {
            "cpu_percent": statistics.median(r.listener for r in rounds),
            "cpu_percent_no_listener": statistics.median(r.none for r in rounds),
            "cpu_percent_raw_pyzmq": statistics.median(r.raw for r in rounds),
            "lost": sum(r.heard["lost"] for r in rounds),
            "lost_stalled": stalled["lost"],
            "rows": sum(r.heard["rows"] for r in rounds),
            "channels": rounds[0].heard["channels"],
            "rounds": count,
            "rate_hz": RATE_HZ,
            "block_s": BLOCK_S,
            "missed_ticks": status["missed"],
            "rows_lost_by_loop": status["rows_lost"],
        },
        "ratio": {
            "over_raw": over_raw,
            "no_listener_over_raw": statistics.median(r.none / r.raw for r in rounds),
            "cpu_vs_raw_pyzmq": over_raw,
        },
        "host": host(),
    }


def _wait_until_memory_is_full(rig: Client) -> None:
    """The kernel clears memory as it is first touched: a cost of the first seconds only."""
    until_s = time.monotonic() + _FILL_S
    while rig.status()["history"]["first"] == 0:
        if time.monotonic() > until_s:
            raise HilctlError(f"the service's memory of {_MEMORY_S:g} s was not full after {_FILL_S:g} s")
        time.sleep(0.1)


def _round(pid: int, endpoint: str, seconds: float) -> Round:
    none = _share(pid, seconds)
    listener = _listen(endpoint, 0.0, seconds + 0.5)
    one = _share(pid, seconds)
    heard = json.loads(listener.communicate(timeout=60)[0])
    with _raw(round(RATE_HZ * BLOCK_S * heard["bytes_a_row"])) as sender:
        return Round(none, one, _share(sender, seconds), heard)


def _place(pid: int, processor: int) -> None:
    """Keeps all threads of a process on one processor."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), {processor})


def _share(pid: int, seconds: float) -> float:
    """Percent of one core that a process and its threads take."""
    before_s, begun_s = _cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    return 100.0 * (_cpu_s(pid) - before_s) / (time.monotonic() - begun_s)


def _cpu_s(pid: int) -> float:
    """Processor time of a process, to the nanosecond: the clock that clock_getcpuclockid(3) names on Linux."""
    return time.clock_gettime(~pid << 3 | 2)


def _listen(endpoint: str, stall_s: float, seconds: float) -> "subprocess.Popen[str]":
    return _subscribed(_LISTEN, endpoint, str(stall_s), str(seconds))


def _subscribed(program: str, *words: str) -> "subprocess.Popen[str]":
    """A listener that has received its first block."""
    process = subprocess.Popen([sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    _place(process.pid, max(os.sched_getaffinity(0)))
    if not process.stdout.readline():
        raise HilctlError("a listener ended before its first block")
    return process


@contextmanager
def _raw(size: int) -> Iterator[int]:
    """The same by plain pyzmq, with one listener: the sender's process number."""
    command = [sys.executable, "-c", _SEND, str(size), str(BLOCK_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        assert sender.stdout is not None
        try:
            with _subscribed(_DRAIN, sender.stdout.readline().strip()) as drain:
                _place(sender.pid, min(os.sched_getaffinity(0)))
                try:
                    yield sender.pid
                finally:
                    drain.kill()
        finally:
            sender.kill()
