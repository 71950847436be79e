"""How late the loop wakes, beside cyclictest, the yardstick of real-time Linux.

The same policy, priority, interval, processor and locked memory; cyclictest, the loop, and the loop with spin take
turns within each round, and the order turns round by round, so that what the host does meanwhile meets all three.
Figures are medians over the rounds; ratios are medians of the rounds' ratios. The load is a process that computes, and
a Python thread that never lets go of the interpreter: in the core's own process for ours, in one of its own for
cyclictest.
"""

import itertools
import os
import statistics
import threading
import time
from typing import Any, NamedTuple

import numpy as np

from firmware_bridge.driver import NullDriver
from hilctl import rig
from hilctl.bench.cyclictest import PRIORITY, cyclictest
from hilctl.doctor.wake import hogs
from hilctl.errors import HilctlError
from hilctl.loop.link import Link
from hilctl.loop.options import CoreOptions
from hilctl.signals import Action

SPIN_US = 50.0
RATES_HZ = (1000, 2000, 5000, 10_000)
LOADS = ("idle", "busy")
_START_S = 120.0  # a cold cache compiles first


class Busy(NullDriver):
    """A rig in whose process a Python thread takes the interpreter all the time."""

    def open(self) -> None:
        """Starts the thread."""
        threading.Thread(target=_spin_for_ever, daemon=True).start()


def _spin_for_ever() -> None:
    while True:
        pass


class Measured(NamedTuple):
    """One turn: quantiles of the latency, and periods that went by unused."""

    p50_us: float
    p99_us: float
    max_us: float
    missed: int
    due: int


def run(quick: bool) -> dict[str, Any]:
    """The benchmark."""
    rounds, seconds = (1, 0.5) if quick else (5, 2.5)
    rates_hz = (RATES_HZ[0], RATES_HZ[-1]) if quick else RATES_HZ
    cpu = max(os.sched_getaffinity(0))
    figures, ratio = {}, {}
    _ours(rates_hz[0], "idle", 0.0, 0.05, cpu)  # whatever has to be compiled
    for rate_hz, load in itertools.product(rates_hz, LOADS):
        turns: dict[str, list[Measured]] = {"cyclictest": [], "loop": [], "spin": []}
        for k in range(rounds):
            names = list(turns)[k % 3 :] + list(turns)[: k % 3]
            for name in names:
                turns[name].append(_turn(name, rate_hz, load, seconds, cpu))
        figures[f"{rate_hz}/{load}"] = _figures(turns)
        ratio[f"{rate_hz}/{load}"] = _ratios(turns)
    return {"bench": "jitter", "figures": figures, "ratio": ratio}


def _turn(name: str, rate_hz: int, load: str, seconds: float, cpu: int) -> Measured:
    if name == "cyclictest":
        return _theirs(rate_hz, load, seconds, cpu)
    return _ours(rate_hz, load, SPIN_US if name == "spin" else 0.0, seconds, cpu)


def _figures(turns: dict[str, list[Measured]]) -> dict[str, float]:
    def middle(name: str, field: str) -> float:
        return float(statistics.median(getattr(m, field) for m in turns[name]))

    return {
        "p50_us": middle("loop", "p50_us"),
        "p99_us": middle("loop", "p99_us"),
        "max_us": middle("loop", "max_us"),
        "spin_p50_us": middle("spin", "p50_us"),
        "spin_p99_us": middle("spin", "p99_us"),
        "cyclictest_p50_us": middle("cyclictest", "p50_us"),
        "cyclictest_p99_us": middle("cyclictest", "p99_us"),
        "cyclictest_max_us": middle("cyclictest", "max_us"),
        "due": sum(m.due for m in turns["loop"]),
        "missed": sum(m.missed for m in turns["loop"]),
        "spin_missed": sum(m.missed for m in turns["spin"]),
    }


def _ratios(turns: dict[str, list[Measured]]) -> dict[str, float]:
    def paired(name: str, field: str) -> float:
        pairs = zip(turns[name], turns["cyclictest"], strict=True)
        return float(statistics.median(getattr(ours, field) / getattr(theirs, field) for ours, theirs in pairs))

    return {"p50": paired("loop", "p50_us"), "p99": paired("loop", "p99_us"), "spin_p99": paired("spin", "p99_us")}


def _theirs(rate_hz: int, load: str, seconds: float, cpu: int) -> Measured:
    """One run of cyclictest; within a microsecond of its histogram, quantiles are interpolated."""
    with hogs(2 if load == "busy" else 0), cyclictest(rate_hz, seconds, cpu) as yardstick:
        latency, count = yardstick.histogram().T
    below = np.concatenate(([0], np.cumsum(count)))

    def at(share: float) -> float:
        rank = share * below[-1]
        k = max(int(np.searchsorted(below, rank)) - 1, 0)
        return float(latency[k] + (rank - below[k]) / max(int(count[k]), 1))

    return Measured(at(0.5), at(0.99), float(latency[np.flatnonzero(count)[-1]]), 0, int(below[-1]))


def _ours(rate_hz: int, load: str, spin_us: float, seconds: float, cpu: int) -> Measured:
    """One run of the core with nothing to drive."""
    described = rig.load("table-500", twin=True)
    settings = described.settings()
    settings.dt_s = 1.0 / rate_hz
    settings.limits.late.action = Action.WARN
    options = CoreOptions(
        rate_hz=float(rate_hz), spin_us=spin_us, cpu=cpu, priority=PRIORITY, service_timeout_s=10.0,
    )
    driver = "hilctl.bench.jitter:Busy" if load == "busy" else "null"
    facts = described.facts()._replace(rate_hz=float(rate_hz))
    link = Link.start(settings, driver=driver, driver_config={}, facts=facts, options=options)
    try:
        wait(link, 1, _START_S)
        with hogs(1 if load == "busy" else 0):
            link.drain(1 << 20)
            first = link.status
            wait(link, first.tick + int(seconds * rate_hz), _START_S)
            last = link.status
        link.stop(10.0)
        latency_us = link.drain(1 << 20)["wake_ns"][: last.ran - first.ran] / 1000
    finally:
        link.stop(1.0)
        link.close()
    p50_us, p99_us = np.quantile(latency_us, [0.5, 0.99])
    return Measured(float(p50_us), float(p99_us), float(latency_us.max()), last.missed - first.missed,
                    last.due - first.due)


def wait(link: Link, tick: int, patience_s: float) -> None:
    """Until that tick, doing as little as possible meanwhile."""
    give_up_s = time.monotonic() + patience_s
    while link.status.tick < tick:
        code = link.poll()
        if code is not None:
            raise HilctlError(f"the core ended with exit code {code}: {'; '.join(link.status.messages)}")
        if time.monotonic() > give_up_s:
            raise HilctlError("the core does not tick; is the host overloaded?")
        link.beat()
        time.sleep(0.05)
