"""The loop closed over an emulated device, beside cyclictest: late and failed exchanges, and tracking.

The twin stands behind a real Modbus server, on TCP or on a line, or behind the firmware's own core on a line, in a
process of its own; the service drives it at its preset's rate with the demonstration's triangles that a time-to-live of
100 ms allows. Meanwhile cyclictest runs at the same rate: its late wake-ups, those later than what an exchange may take
of a period, are what the host itself costs. A line here is a pseudo-terminal, which hands bytes on by a worker of the
kernel's without priority; so it is told besides how often the same exchanges are late with the firmware's native board,
all in C, just before.

Loop and yardstick go in paired rounds. A hypervisor that takes processors away, which the kernel counts, does so in
some rounds and not in others, and costs two processes that work more than one that only wakes. So rounds go on until
enough were quiet, within bounds; those in which it took the least are judged, by the median of the differences: chosen
by the cause, never by the result. Tracking is compared with the same motions on the twin without a bridge, on the
virtual clock.
"""

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from firmware_bridge.registry import exchange_of
from hilctl.bench.cyclictest import PRIORITY, Yardstick, cyclictest
from hilctl.bench.exchange import ROUND, rt_round
from hilctl.bench.exchange_peers import serial_frames
from hilctl.bench.host import host, stolen
from hilctl.client import Client, Refused, private_service
from hilctl.commission.tracking import triangle
from hilctl.rig import load
from hilctl.signals import Status

PRESETS = {"modbus-tcp": "table-500-modbus", "modbus-rtu": "table-500-rtu", "serial": "table-500-serial"}
_PLACES = {"modbus-tcp": "driver.amplifier.port", "modbus-rtu": "driver.amplifier.serial", "serial": "driver.port"}
_COURSE = (triangle(0.02, 0.005, 2), triangle(0.1, 0.025, 3))
# Slow limits, and room to be fast in after a stall of this host: what counts is whether exchanges come in time.
_PATIENT = {"limits.late.ticks": 100_000, "limits.driver.ticks": 90, "limits.sensing.ticks": 90,
            "limits.stale.ticks": 90, "limits.read_back.ticks": 90, "service.timeout_s": 10.0,
            "limits.position.min_m": -0.04, "limits.position.max_m": 0.04, "limits.velocity.max_m_s": 0.6,
            "limits.tracking_error.max_m": 0.05}  # fmt: skip
_QUIET = 0.002  # of all processors' time taken by the hypervisor in a round, at most
_MOST_TRIPS = 5  # in a round
_PATIENCE_S, _LOOK_S = 30.0, 0.1  # until it is armed
_TIMES = 3  # as many rounds as are needed, where the host is not quiet


class BridgeError(Exception):
    """Nothing can be measured. The message says why."""


class Round(NamedTuple):
    """What one round told."""

    stolen_share: float
    late_share: float
    cyclictest_late_share: float
    mean_square_m2: float
    trips: tuple[str, ...]


def run(quick: bool) -> dict[str, Any]:
    """Shares of late or failed exchanges, and of cyclictest's late wake-ups in the same run; tracking."""
    count, seconds = (6, 5.0) if quick else (10, 60.0)
    figures: dict[str, Any] = {}
    ratio: dict[str, Any] = {}
    for transport, preset in PRESETS.items():
        terminal = {}
        if transport == "serial":
            terminal["terminal_late_share"] = _terminal(preset, count * seconds / 3)
        with _emulation(transport) as place:
            rounds, counts = _closed(preset, place, count, seconds)
        plain_m = _tracked(preset)
        judged = quietest(rounds, count)
        beyond = statistics.median(r.late_share - r.cyclictest_late_share for r in judged)
        rms_m = math.sqrt(statistics.median(r.mean_square_m2 for r in judged))
        figures[transport] = {
            **{name: [getattr(r, name) for r in rounds] for name in Round._fields if name != "mean_square_m2"},
            **counts, **terminal, "rms_um": 1e6 * rms_m, "twin_rms_um": 1e6 * plain_m,
        }  # fmt: skip
        ratio[transport] = {"tracking": rms_m / plain_m, "late_beyond_cyclictest": beyond}
    return {"bench": "bridge", "figures": figures, "ratio": ratio, "host": host()}


def quietest(rounds: Sequence[Round], count: int) -> list[Round]:
    """As many rounds as are judged: those in which the hypervisor took the least."""
    return sorted(rounds, key=lambda r: r.stolen_share)[:count]


def _rate_hz(preset: str) -> int:
    return int(load(preset).tables.loop.rate_hz)


def _latest_s(preset: str) -> float:
    """After its deadline a tick's exchange is given up: a host that wakes later than that cannot have exchanged."""
    loop = load(preset).tables.loop
    return loop.exchange_share / loop.rate_hz


def _closed(preset: str, place: dict[str, Any], count: int, seconds: float) -> tuple[list[Round], dict[str, int]]:
    """The loop over the bridge with cyclictest beside it, until as many rounds as are judged were quiet."""
    rounds: list[Round] = []
    with _service(preset, place) as rig:
        _arm(rig, [])
        first = before = rig.status()["core"]
        while sum(r.stolen_share <= _QUIET for r in rounds) < count and len(rounds) < _TIMES * count:
            with cyclictest(_rate_hz(preset), seconds) as yardstick, stolen() as taken:
                driven = _drive(rig, yardstick)
                after = rig.status()["core"]
                theirs = yardstick.late_share(1e6 * _latest_s(preset))
            missed, due = after["missed"] - before["missed"], after["due"] - before["due"]
            late = driven.failed / driven.exchanged + missed / max(due, 1)
            rounds.append(Round(taken.share, late, theirs, driven.mean_square_m2, driven.trips))
            before = after
        rig.off()
    due, ran, missed = (before[key] - first[key] for key in ("due", "ran", "missed"))
    return rounds, {"missed": missed, "due": due, "unaccounted": due - ran - missed}


def _terminal(preset: str, seconds: float) -> float:
    """The share of exchanges with the native board that took longer than an exchange may, made as often."""
    memory = np.zeros(ROUND.itemsize, np.uint8)
    rate_hz, latest_s = _rate_hz(preset), _latest_s(preset)
    own, late, rounds = memory.view(ROUND)[0], 0, int(seconds * rate_hz)
    own.count = 1
    with serial_frames() as peer, _preferred():
        exchange, due_ns = exchange_of(peer.driver), time.monotonic_ns()
        for _ in range(rounds):
            due_ns += 10**9 // rate_hz
            time.sleep(max(due_ns - time.monotonic_ns(), 0) / 1e9)
            rt_round(memory, exchange, peer.driver.state)
            late += int(own.spent_ns[0]) > 1e9 * latest_s
            due_ns = max(due_ns, time.monotonic_ns() - 10**9 // rate_hz)
    return late / rounds


@contextmanager
def _preferred() -> Iterator[None]:
    """As the loop runs, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


class Driven(NamedTuple):
    """What the courses of one round left: a mean over each that was done, and the middle one of these."""

    mean_square_m2: float
    failed: int
    exchanged: int
    trips: tuple[str, ...]


def _drive(rig: Client, yardstick: Yardstick) -> Driven:
    """The course again and again, until cyclictest has ended.

    A host that stalls for longer than the device waits for it trips the device, and rightly: that is told, and armed
    again. What it exchanged until then counts.
    """
    means: list[float] = []
    trips: list[str] = []
    failed = exchanged = 0
    while yardstick.running() or not means:
        errors = []
        for task in _COURSE:
            try:
                motion = rig.track(task.kind, **task.parameters)
            except Refused as refused:  # it tripped between two motions
                trips.append(str(refused))
                break
            outcome = rig.wait(motion)
            rows = rig.samples(motion.first, outcome.last, ["error_m", "status"])
            failed, exchanged = failed + int((rows["status"] != Status.OK).sum()), exchanged + len(rows["status"])
            errors.append(rows["error_m"])
            if outcome.why != "done":
                trips.append(f"{task.text}: {outcome.why} {outcome.trip}")
                break
        else:
            means.append(float(np.mean(np.concatenate(errors) ** 2)))
            continue
        _arm(rig, trips)
    return Driven(statistics.median(means), failed, exchanged, tuple(trips))


def _arm(rig: Client, trips: list[str]) -> None:
    """Until it is armed: the table has to stand first, and a stall may trip the device meanwhile too."""
    until_s, why = time.monotonic() + _PATIENCE_S, ""
    while time.monotonic() < until_s and len(trips) <= _MOST_TRIPS:
        try:
            if rig.status()["trip"]:
                rig.reset()
            rig.arm()
        except Refused as refused:
            why = str(refused)
            rig.pass_time(_LOOK_S)
        else:
            return
    raise BridgeError(f"the device cannot be kept armed: {'; '.join([*trips, why])}; is the host overloaded?")


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
                yield {_PLACES[transport]: int(port) if transport == "modbus-tcp" else str(at / "line")}
            finally:
                process.terminate()
