"""The loop closed at 1 kHz over an emulated device, beside cyclictest: late and failed exchanges, and tracking.

The twin stands behind a real Modbus server, or behind the firmware's own core on a pseudo-terminal, in a process of its
own; the service drives it with the demonstration's triangles that a time-to-live of 100 ms allows. Meanwhile cyclictest
runs at the same rate: its late wake-ups, those later than what an exchange may take of a period, are what the host
itself costs. A pseudo-terminal hands bytes on by a worker of the kernel's without priority, so the serial line has a
yardstick more: the same exchanges with the firmware's native board, all in C, just before. Both go in paired
rounds. A hypervisor that takes processors away, which the kernel counts, does so in some rounds and not in others, and
takes more from two processes that work than from one that only wakes: so the median of the differences counts over the
rounds in which it took no more than in half of them. Tracking is compared with the same motions on the twin without
a bridge, on the virtual clock.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from firmware_bridge.registry import exchange_of
from hilctl.bench.exchange import ROUND, rt_round
from hilctl.bench.exchange_peers import serial_frames
from hilctl.bench.host import host, stolen
from hilctl.client import Client, private_service
from hilctl.commission.tracking import triangle
from hilctl.rig import load
from hilctl.signals import Status

PRESETS = {"modbus-tcp": "table-500-modbus", "serial": "table-500-serial"}
RATE_HZ = 1000
_COURSE = (triangle(0.02, 0.005, 2), triangle(0.1, 0.025, 3))
_PATIENT = {"limits.late.ticks": 100_000, "limits.driver.ticks": 90, "limits.sensing.ticks": 90,
            "limits.stale.ticks": 90, "limits.read_back.ticks": 90, "service.timeout_s": 10.0}  # fmt: skip
_LONGEST_US = 100_000
_PRIORITY = 80  # the loop's


class BridgeError(Exception):
    """Nothing can be measured. The message says why."""


def run(quick: bool) -> dict[str, Any]:
    """Shares of late or failed exchanges, and of cyclictest's late wake-ups in the same run; tracking."""
    if shutil.which("cyclictest") is None:
        raise BridgeError("cyclictest is not installed; it comes with the package rt-tests")
    rounds, seconds = (6, 5.0) if quick else (10, 60.0)
    plain_m = _tracked(PRESETS["modbus-tcp"])
    figures: dict[str, Any] = {}
    ratio: dict[str, Any] = {}
    for transport, preset in PRESETS.items():
        terminal = {}
        if transport == "serial":
            terminal["terminal_late_share"] = _terminal(rounds * seconds / 3, _latest_s(preset))
        with _emulation(transport) as place:
            own = figures[transport] = {**_closed(preset, place, rounds, seconds), **terminal}
        own["twin_rms_um"] = 1e6 * plain_m
        beyond = _typical(own["late_beyond_cyclictest"], own["stolen_share"])
        ratio[transport] = {"tracking": own["rms_um"] / own["twin_rms_um"], "late_beyond_cyclictest": beyond}
        if terminal:
            ratio[transport]["late_beyond_terminal"] = own["late_share"] - own["terminal_late_share"]
    return {"bench": "bridge", "figures": figures, "ratio": ratio, "host": host()}


def _typical(beyond: list[float], stolen: list[float]) -> float:
    """The median over the rounds in which the hypervisor took no more than in half of them."""
    most = statistics.median_low(stolen)
    return statistics.median(late for late, taken in zip(beyond, stolen, strict=True) if taken <= most)


def _latest_s(preset: str) -> float:
    """After its deadline a tick's exchange is given up: a host that wakes later than that cannot have exchanged."""
    loop = load(preset).tables.loop
    return loop.exchange_share / loop.rate_hz


def _closed(preset: str, place: dict[str, Any], rounds: int, seconds: float) -> dict[str, Any]:
    """The loop over the bridge in rounds, with cyclictest beside each: this host stalls in some of them."""
    told: list[tuple[float, float, float]] = []
    squares: list[float] = []
    failed = exchanged = 0
    with _service(preset, place) as rig:
        rig.arm()
        first = before = rig.status()["core"]
        for _ in range(rounds):
            with _cyclictest(seconds) as (yardstick, said), stolen() as taken:
                found, statuses = _drive(rig, yardstick)
                after = rig.status()["core"]
                yardstick_share = _late_share(said, _latest_s(preset))
            wrong, count = sum(int((s != Status.OK).sum()) for s in statuses), sum(len(s) for s in statuses)
            missed, due = after["missed"] - before["missed"], after["due"] - before["due"]
            told.append((wrong / count + missed / max(due, 1), yardstick_share, taken.share))
            squares, failed, exchanged, before = squares + found, failed + wrong, exchanged + count, after
        rig.off()
    due, ran, missed = (before[key] - first[key] for key in ("due", "ran", "missed"))
    return {
        "late_share": failed / exchanged + missed / max(due, 1),
        "cyclictest_late_share": statistics.mean(share for _, share, _ in told),
        "late_beyond_cyclictest": [late - share for late, share, _ in told],
        "stolen_share": [taken for _, _, taken in told], "failed": failed, "exchanged": exchanged,
        "missed": missed, "due": due, "unaccounted": due - ran - missed,
        "rms_um": 1e6 * float(np.sqrt(statistics.median(squares))),
    }  # fmt: skip


def _terminal(seconds: float, latest_s: float) -> float:
    """The share of exchanges with the native board that took longer than an exchange may, made as often."""
    memory = np.zeros(ROUND.itemsize, np.uint8)
    own, late, rounds = memory.view(ROUND)[0], 0, int(seconds * RATE_HZ)
    own.count = 1
    with serial_frames() as peer, _preferred():
        exchange, due_ns = exchange_of(peer.driver), time.monotonic_ns()
        for _ in range(rounds):
            due_ns += 10**9 // RATE_HZ
            time.sleep(max(due_ns - time.monotonic_ns(), 0) / 1e9)
            rt_round(memory, exchange, peer.driver.state)
            late += int(own.spent_ns[0]) > 1e9 * latest_s
            due_ns = max(due_ns, time.monotonic_ns() - 10**9 // RATE_HZ)
    return late / rounds


@contextmanager
def _preferred() -> Iterator[None]:
    """As the loop runs, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _drive(rig: Client, yardstick: "subprocess.Popen[bytes]") -> tuple[list[float], list[Any]]:
    """The course again and again, until cyclictest has ended: squares of the error, and every status."""
    squares, statuses = [], []
    while True:
        whole, count = 0.0, 0
        for task in _COURSE:
            motion = rig.track(task.kind, **task.parameters)
            outcome = rig.wait(motion)
            if outcome.why != "done":
                raise BridgeError(f"{task.text}: {outcome.why} {outcome.trip}; is the host overloaded?")
            rows = rig.samples(motion.first, outcome.last, ["error_m", "status"])
            whole, count = whole + float(np.sum(rows["error_m"] ** 2)), count + len(rows["error_m"])
            statuses.append(rows["status"])
        squares.append(whole / count)
        if yardstick.poll() is not None:
            return squares, statuses


def _tracked(preset: str) -> float:
    """The rms error of the course on the twin."""
    with private_service(preset) as service, Client(service.commands) as rig:
        rig.arm()
        whole, count = 0.0, 0
        for task in _COURSE:
            motion = rig.track(task.kind, **task.parameters)
            rows = rig.samples(motion.first, rig.wait(motion).last, ["error_m"])
            whole, count = whole + float(np.sum(rows["error_m"] ** 2)), count + len(rows["error_m"])
    return float(np.sqrt(whole / count))


@contextmanager
def _service(preset: str, place: dict[str, Any]) -> Iterator[Client]:
    with (
        private_service(preset, clock="real", twin=False, changes={**_PATIENT, **place}) as service,
        Client(service.commands) as rig,
    ):
        yield rig


@contextmanager
def _emulation(transport: str) -> Iterator[dict[str, Any]]:
    """The device's process, and the rig file's keys that lead to it."""
    with tempfile.TemporaryDirectory(prefix="hilctl-bench-") as name:
        at = Path(name)
        command = [sys.executable, "-m", "hilctl", "emulate", transport, "table-500", "--port", "0", "--at",
                   str(at / "commands"), "--link", str(at / "line"), "--die-with-parent"]  # fmt: skip
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                told = process.stdout.readline()
                if not told:
                    raise BridgeError(f"hilctl emulate {transport} did not come up")
                port = told.partition(";")[0].rpartition(":")[2]
                yield ({"driver.port": str(at / "line")} if transport == "serial" else
                       {"driver.amplifier.port": int(port)})  # fmt: skip
            finally:
                process.terminate()


@contextmanager
def _cyclictest(seconds: float) -> Iterator["tuple[subprocess.Popen[bytes], IO[bytes]]"]:
    """At the loop's rate and priority, beside it; what it says."""
    command = [
        "cyclictest", "--quiet", "--mlockall", "--policy=fifo", f"--priority={_PRIORITY}",
        f"--interval={10**6 // RATE_HZ}",
        f"--loops={int(seconds * RATE_HZ)}", f"--histogram={_LONGEST_US}",
    ]  # fmt: skip
    with tempfile.TemporaryFile() as said, subprocess.Popen(command, stdout=said, stderr=said) as process:
        try:
            yield process, said
        finally:
            if process.poll() is None:
                process.terminate()


def _late_share(said: IO[bytes], latest_s: float) -> float:
    """The share of its wake-ups that came too late for an exchange."""
    said.seek(0)
    rows = [line.split() for line in said.read().decode().splitlines() if line[:1].isdigit()]
    counts = {int(row[0]): int(row[1]) for row in rows if len(row) >= 2}
    whole = sum(counts.values())
    if not whole:
        raise BridgeError("cyclictest gave no histogram")
    return sum(count for latency_us, count in counts.items() if latency_us > 1e6 * latest_s) / whole
