"""How late a thread wakes here that is set up as the loop's is: idle, and beside a process for every processor.

A short look, not a benchmark: it sees what is wrong with a host, and proves nothing about the rare case. `hilctl bench
jitter` compares the loop itself with cyclictest. The wait is Python's `time.sleep`, which is clock_nanosleep; the
interpreter adds some microseconds.
"""

import mmap
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from hilctl.doctor.finding import Finding, Wish
from hilctl.doctor.rights import Rights, limits
from hilctl.loop.realtime import Host

# Takes all of a processor, and ends with its parent process, however that ends: nothing else would stop it.
_HOG = "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    for _ in range(1_000_000): pass"
_SHARE = 0.1  # of a period: later than this, one waking in a hundred makes the tick's times a lottery


class Lateness(NamedTuple):
    """What was seen, in microseconds."""

    number: int
    p50_us: float
    p99_us: float
    max_us: float


class Waking(NamedTuple):
    """Idle, and with every processor busy."""

    idle: Lateness
    busy: Lateness


def measure(wish: Wish, seconds: float, cpus: int) -> tuple[Rights, Waking]:
    """Sets threads of this process up as the loop's, and watches them wake. The process is not the same afterwards."""
    host = Host()
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        host.prepare_process(page)
    try:
        idle = _on_a_thread(host, wish, seconds)
        with hogs(cpus):  # from this thread: what a real-time thread starts would be real-time itself
            busy = _on_a_thread(host, wish, seconds)
    finally:
        host.close()
    return Rights(host.fifo, host.locked, host.awake, *limits()), Waking(idle, busy)


def _on_a_thread(host: Host, wish: Wish, seconds: float) -> Lateness:
    found = []

    def watch() -> None:
        host.prepare_thread(wish.priority, wish.cpu)
        found.append(_watch(1 / wish.rate_hz, seconds))

    thread = threading.Thread(target=watch, name="wake")
    thread.start()
    thread.join()
    return found[0]


def _watch(period_s: float, seconds: float) -> Lateness:
    late_ns = []
    period_ns = round(period_s * 1e9)
    due_ns = time.monotonic_ns() + period_ns
    for _ in range(max(10, round(seconds / period_s))):
        time.sleep(max(0.0, (due_ns - time.monotonic_ns()) * 1e-9))
        now_ns = time.monotonic_ns()
        late_ns.append(now_ns - due_ns)
        due_ns += period_ns * max(1, -(-(now_ns - due_ns) // period_ns))
    return lateness(late_ns)


def lateness(late_ns: list[int]) -> Lateness:
    """The quantiles of some latencies."""
    ordered = sorted(late_ns)
    p50, p99 = (ordered[min(len(ordered) - 1, int(share * len(ordered)))] / 1000 for share in (0.5, 0.99))
    return Lateness(len(ordered), p50, p99, ordered[-1] / 1000)


@contextmanager
def hogs(count: int) -> Iterator[None]:
    """So many processes that take all they can."""
    started = [subprocess.Popen([sys.executable, "-c", _HOG, str(os.getpid())]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in started:
            hog.kill()
            hog.wait()


def judged(waking: Waking, wish: Wish) -> Finding:
    """Whether a loop of this rate would keep its ticks."""
    period_us = 1e6 / wish.rate_hz
    wanted = f"99 % within {_SHARE * period_us:g} µs, none after a whole period of {period_us:g} µs"
    told = (("idle", waking.idle), ("busy", waking.busy))
    found = "; ".join(f"{name}: p50 {w.p50_us:.0f}, p99 {w.p99_us:.0f}, max {w.max_us:.0f} µs" for name, w in told)
    if all(w.p99_us <= _SHARE * period_us and w.max_us < period_us for _, w in told):
        return Finding("waking", "good", found, wanted)
    how = "what stands above, first; then firmware (SMI: hwlatdetect) and drivers; or lower loop.rate_hz"
    return Finding("waking", "bad", found, wanted, how)
