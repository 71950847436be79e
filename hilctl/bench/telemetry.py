"""Telemetry against raw pyzmq: the processor time that the service takes, with one listener and with none.

The service serves every channel of a 10 kHz loop. The loop runs in the core's process, which is not counted; the
service's processor time is read from the kernel. The yardstick is a process that sends a block of the same size, as
often, packed once, by plain pyzmq to one listener: what remains when there is nothing to gather, to watch or to pack.

Service without listener, service with one, raw pyzmq: one after the other, and the same again, while the loop runs on.
A ratio is the median of the rounds' ratios, so that what disturbs one round does not count; they are short and many,
because the host's own speed wanders within seconds. Who sends has a processor of its own, and the loop and the
listeners share another: beside the loop a sender finds its caches cold, and one chance placement made either side a
third dearer. Before, while the service's memory fills, the listener stalls for two seconds, with no queue of its own.
All processes are there from the beginning: none starts within a round.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from hilctl.bench.host import host
from hilctl.client import Client, private_service
from hilctl.errors import HilctlError

RATE_HZ = 10_000
BLOCK_S = 0.02
_MEMORY_S = 4.0  # 21 MB: more than a processor's own caches, and full before measuring begins
_FILL_S = 60.0  # longest wait for that
_SILENT_MS = 10_000  # longest wait for a block


_LISTEN = """
import sys, json, time, zmq, msgpack
print("there", flush=True)
context = zmq.Context()
def block():
    payload = socket.recv_multipart()[1]
    body = msgpack.unpackb(payload)
    return body["first"], body["count"], len(body["columns"]), len(payload)
for line in sys.stdin:
    stall_s, seconds = map(float, line.split())
    socket = context.socket(zmq.SUB)
    socket.setsockopt(zmq.RCVTIMEO, int(sys.argv[2]))
    if stall_s:
        socket.setsockopt(zmq.RCVHWM, 1)
    socket.subscribe("block")
    socket.connect(sys.argv[1])
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
    socket.close(linger=0)
    print(json.dumps({"lost": lost, "rows": rows, "channels": channels, "bytes_a_row": size / count}), flush=True)
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
    due = max(due + every_s, time.monotonic())
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


class Taken(NamedTuple):
    """What a process took in a span: percent of one core; and a second, how often it woke, and its page faults."""

    percent: float
    wakes: float
    faults: float


class Round(NamedTuple):
    """What was taken in one round, and what the listener got."""

    none: Taken
    listener: Taken
    raw: Taken
    heard: dict[str, Any]


def run(quick: bool) -> dict[str, Any]:
    """Shares of one core, their ratios, and what was lost."""
    count, seconds = (9 if quick else 27), 1.0
    processors = sorted(os.sched_getaffinity(0))
    changes: dict[str, Any] = {"loop.rate_hz": RATE_HZ, "limits.late.ticks": 100_000, "loop.cpu": processors[-1]}
    changes |= {"service.block_s": BLOCK_S, "service.history_s": _MEMORY_S}
    with private_service("table-500", clock="real", changes=changes) as service:
        with Client(service.commands) as rig, _listener(service.telemetry) as listener:
            rig.check_motion("move", position_m=0.0)  # what the service loads once, it has loaded after this
            listener.begin(2.0, _MEMORY_S)
            stalled = listener.heard()
            _wait_until_memory_is_full(rig)
        _place(service.pid, processors[0])
        size = round(RATE_HZ * BLOCK_S * stalled["bytes_a_row"])
        with _listener(service.telemetry) as listener, _raw(size) as sender:
            rounds = [_round(service.pid, listener, sender, seconds) for _ in range(count)]
        with Client(service.commands) as rig:
            status = rig.status()["core"]
    over_raw = statistics.median(r.listener.percent / r.raw.percent for r in rounds)
    usual = {name: _usual([getattr(r, name) for r in rounds]) for name in ("listener", "none", "raw")}
    return {
        "bench": "telemetry",
        "figures": {
            "cpu_percent": usual["listener"].percent,
            "cpu_percent_no_listener": usual["none"].percent,
            "cpu_percent_raw_pyzmq": usual["raw"].percent,
            "wakes_a_second": {name: round(taken.wakes) for name, taken in usual.items()},
            "page_faults_a_second": {name: round(taken.faults, 1) for name, taken in usual.items()},
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
            "no_listener_over_raw": statistics.median(r.none.percent / r.raw.percent for r in rounds),
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


def _round(pid: int, listener: "_Listener", sender: int, seconds: float) -> Round:
    none = _taken(pid, seconds)
    listener.begin(0.0, seconds + 0.2)
    one = _taken(pid, seconds)
    heard = listener.heard()
    os.kill(sender, signal.SIGCONT)
    try:
        return Round(none, one, _taken(sender, seconds), heard)
    finally:
        os.kill(sender, signal.SIGSTOP)


def _place(pid: int, processor: int) -> None:
    """Keeps all threads of a process on one processor."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), {processor})


def _taken(pid: int, seconds: float) -> Taken:
    """What a process and its threads take."""
    before, begun_s = (cpu_s(pid), *_wakes_and_faults(pid)), time.monotonic()
    time.sleep(seconds)
    after, span_s = (cpu_s(pid), *_wakes_and_faults(pid)), time.monotonic() - begun_s
    used_s, wakes, faults = (now - then for then, now in zip(before, after, strict=True))
    return Taken(100.0 * used_s / span_s, wakes / span_s, faults / span_s)


def _usual(taken: list[Taken]) -> Taken:
    """The median of each."""
    return Taken(*(statistics.median(values) for values in zip(*taken, strict=True)))


def _wakes_and_faults(pid: int) -> tuple[int, int]:
    """How often threads of a process that still run have waited, and how many page faults it has had."""
    wakes = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as status:
            wakes += next(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return wakes, int(stat.read().rsplit(")", 1)[1].split()[7])


def cpu_s(pid: int) -> float:
    """Processor time of a process, to the nanosecond: the clock that clock_getcpuclockid(3) names on Linux."""
    return time.clock_gettime(~pid << 3 | 2)


class _Listener:
    """A process that subscribes to the telemetry on command, again and again."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._told, self._tells = process.stdin, process.stdout

    def begin(self, stall_s: float, seconds: float) -> None:
        """Subscribes; returns when it has received its first block, then stalls."""
        self._told.write(f"{stall_s} {seconds}\n")
        self._told.flush()
        _line(self._tells)

    def heard(self) -> dict[str, Any]:
        """What it received, when its seconds are over."""
        return dict(json.loads(_line(self._tells)))


@contextmanager
def _listener(endpoint: str) -> Iterator[_Listener]:
    with _process(_LISTEN, endpoint, str(_SILENT_MS)) as process:
        yield _Listener(process)


@contextmanager
def _process(program: str, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """A program beside the loop, which has printed its first line."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program, *words], stdin=pipe, stdout=pipe, text=True) as process:
        try:
            _place(process.pid, max(os.sched_getaffinity(0)))
            assert process.stdout is not None
            _line(process.stdout)
            yield process
        finally:
            process.kill()


def _line(tells: IO[str]) -> str:
    line = tells.readline()
    if not line:
        raise HilctlError(f"a listener ended: for {1e-3 * _SILENT_MS:g} s it received no block; did the service end?")
    return line


@contextmanager
def _raw(size: int) -> Iterator[int]:
    """The same by plain pyzmq, with one listener: the sender's process number. It is stopped until it is continued."""
    command = [sys.executable, "-c", _SEND, str(size), str(BLOCK_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        assert sender.stdout is not None
        try:
            with _process(_DRAIN, sender.stdout.readline().strip()):
                _place(sender.pid, min(os.sched_getaffinity(0)))
                os.kill(sender.pid, signal.SIGSTOP)
                yield sender.pid
        finally:
            sender.kill()
