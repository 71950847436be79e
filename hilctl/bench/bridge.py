"""The loop closed over an emulated device, beside cyclictest: late and failed exchanges, and tracking.

The twin stands behind a real Modbus server, on TCP or on a line, or behind the firmware's own core on a line, in a
process of its own; the service drives it at its preset's rate with the demonstration's triangles that a time-to-live of
100 ms allows. Meanwhile cyclictest runs at the same rate: its late wake-ups, those later than what an exchange may take
of a period, are what the host itself costs. A line here is a pseudo-terminal, which hands bytes on by a worker of the
kernel's without priority; so the share of the same exchanges that are late with the firmware's native board, all in C,
is measured just before and also reported.

Loop and yardstick are compared second by second. A hypervisor that takes processors away, which the kernel counts,
does so in bursts, and costs two processes that work far more than one that only wakes. So it goes on until enough
seconds were quiet, within bounds; those in which it took the least are judged: by the cause, never the result.
Where it took something even then, both are read where the line through these seconds says that it takes nothing.
Tracking is compared with the same motions on the twin without a bridge, on the virtual clock.
"""

import math
import os
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from firmware_bridge.registry import exchange_of
from hilctl.bench.bridge_loop import Course, Second, closed, emulation, latest_of, rate_of, tracked
from hilctl.bench.cyclictest import PRIORITY
from hilctl.bench.exchange import ROUND, rt_round
from hilctl.bench.exchange_peers import serial_frames
from hilctl.bench.host import host
from hilctl.rt.priority import prefer

PRESETS = {"modbus-tcp": "table-500-modbus", "modbus-rtu": "table-500-rtu", "serial": "table-500-serial"}
_One = TypeVar("_One", Second, Course)
_COURSES_SHARE = 1 / 3  # of the courses: those that were the least disturbed


def run(quick: bool) -> dict[str, Any]:
    """Shares of late or failed exchanges, and of cyclictest's late wake-ups in the same run; tracking."""
    return over(PRESETS, 15 if quick else 600)


def over(transports: Iterable[str], count: int) -> dict[str, Any]:
    """The same over some of the transports, judged over so many seconds of each."""
    figures: dict[str, Any] = {}
    ratio: dict[str, Any] = {}
    for transport in transports:
        preset = PRESETS[transport]
        terminal = {"terminal_late_share": _terminal(preset, count / 3)} if transport == "serial" else {}
        with emulation(transport) as device:
            measured = closed(preset, device, count)
        plain_m = tracked(preset)
        judged = quietest(measured.seconds, max(count, len(measured.seconds) // 2))
        courses = quietest(measured.courses, math.ceil(_COURSES_SHARE * len(measured.courses)))
        late, theirs = (untouched(judged, [getattr(s, name) for s in judged]) for name in Second._fields[1:])
        rms_m = math.sqrt(statistics.median(c.mean_square_m2 for c in courses))
        figures[transport] = {
            "late_share": late, "cyclictest_late_share": theirs, "seconds": len(judged),
            "stolen_share": statistics.mean(s.stolen_share for s in judged),
            "late_share_of_all": statistics.mean(s.late_share for s in measured.seconds),
            "stolen_share_of_all": statistics.mean(s.stolen_share for s in measured.seconds),
            "seconds_of_all": len(measured.seconds), **measured.counts, **terminal, "trips": measured.trips,
            "rms_um": 1e6 * rms_m, "twin_rms_um": 1e6 * plain_m,
        }  # fmt: skip
        ratio[transport] = {"tracking": rms_m / plain_m, "late_beyond_cyclictest": late - theirs}
    return {"bench": "bridge", "figures": figures, "ratio": ratio, "host": host()}


def quietest(told: Sequence[_One], count: int) -> list[_One]:
    """As many as are judged: those in which the hypervisor took the least."""
    return sorted(told, key=lambda one: one.stolen_share)[:count]


def untouched(judged: Sequence[Second], shares: Sequence[float]) -> float:
    """What a share is where the hypervisor takes nothing: by least squares, of a line over what it took; at least 0."""
    design = np.stack((np.ones(len(judged)), [second.stolen_share for second in judged]), axis=1)
    return max(float(np.linalg.lstsq(design, np.array(shares))[0][0]), 0.0)


def _terminal(preset: str, seconds: float) -> float:
    """The share of exchanges with the native board that took longer than an exchange may, made as often."""
    memory = np.zeros(ROUND.itemsize, np.uint8)
    rate_hz, latest_s = rate_of(preset), latest_of(preset)
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
    if not prefer(PRIORITY):
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


