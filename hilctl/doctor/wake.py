"""How late a thread wakes here that is set up as the loop's is: idle, and beside a process for every processor.

It has the loop's priority, processor, timer slack, locked memory and spin, and waits by the loop's own compiled
function; nothing of the interpreter is in what is measured. Ten seconds see what is wrong with a host, and prove
nothing about what happens once an hour. `hilctl bench jitter` compares the loop itself with cyclictest.
"""

import mmap
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from hilctl.doctor import late
from hilctl.doctor.finding import Finding, Wish
from hilctl.doctor.histogram import counted
from hilctl.doctor.rights import Rights, limits
from hilctl.doctor.watch import rt_watch
from hilctl.loop.realtime import Host
from hilctl.rt.jit import compile_now

# Takes all of a processor, and ends with its parent process, however that ends: nothing else would stop it.
_HOG = "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    for _ in range(1_000_000): pass"
_SHARE = 0.1  # of a period: later than this, one waking in a hundred makes the tick's times a lottery


class Lateness(NamedTuple):
    """What was seen, in microseconds, and what this rig's loop would have made of it."""

    number: int
    p50_us: float
    p99_us: float
    max_us: float
    counts: tuple[int, ...] = ()  # between histogram.EDGES_US
    outcome: late.Outcome = late.Outcome(0, 0, 0, 0.0, 0)


class Waking(NamedTuple):
    """Idle, and with every processor busy."""

    idle: Lateness
    busy: Lateness


def measure(
    wish: Wish, seconds: float, cpus: int, begin: Callable[[str], None] = lambda course: None
) -> tuple[Rights, Waking]:
    """Sets threads of this process up as the loop's, and watches them wake, half of the time idle and half busy;
    `begin` hears which begins. The process is not the same afterwards."""
    compile_now(rt_watch)
    host = Host()
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        host.prepare_process(page)
    try:
        begin("idle")
        idle = _on_a_thread(host, wish, seconds / 2)
        begin("busy")
        with hogs(cpus):  # from this thread: what a real-time thread starts would be real-time itself
            busy = _on_a_thread(host, wish, seconds / 2)
    finally:
        host.close()
    placed = wish.cpu < 0 or host.cpu == wish.cpu
    return Rights(host.fifo, host.locked, host.awake, *limits(), placed), Waking(idle, busy)


def _on_a_thread(host: Host, wish: Wish, seconds: float) -> Lateness:
    found: list[Lateness] = []
    period_ns = round(1e9 / wish.rate_hz)
    due = max(10, round(seconds * wish.rate_hz))
    late_ns = np.full(due, -1, np.int64)  # written now: no page of it is missing while it is watched

    def watch() -> None:
        host.prepare_thread(wish.priority, wish.cpu)
        ran = rt_watch(period_ns, min(int(wish.spin_us * 1000), period_ns // 2), due, late_ns)
        found.append(lateness(late_ns[:ran], wish))

    thread = threading.Thread(target=watch, name="wake", daemon=True)  # Ctrl-C does not wait for it
    thread.start()
    thread.join()
    return found[0]


def lateness(late_ns: Any, wish: Wish) -> Lateness:
    """The quantiles of some latencies, their histogram, and what comes of them."""
    late_ns = np.asarray(late_ns, np.int64)
    ordered = np.sort(late_ns) / 1000
    p50, p99 = (float(ordered[min(len(ordered) - 1, int(share * len(ordered)))]) for share in (0.5, 0.99))
    return Lateness(len(ordered), p50, p99, float(ordered[-1]), counted(ordered), late.outcome(late_ns, wish))


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
    """Whether wake-ups leave the tick its time."""
    most_us = _SHARE * wish.period_us
    wanted = f"99 % within {most_us:g} µs, a tenth of a period"
    told = (("idle", waking.idle), ("busy", waking.busy))
    found = "; ".join(f"{name}: p50 {w.p50_us:.0f}, p99 {w.p99_us:.0f}, max {w.max_us:.0f} µs" for name, w in told)
    if all(w.p99_us <= most_us for _, w in told):
        return Finding("wake-up", "good", found, wanted)
    return Finding("wake-up", "bad", found, wanted, late.HOW)


def ticks(waking: Waking, wish: Wish) -> Finding:
    """What a loop would have made of them."""
    return late.judged({"idle": waking.idle.outcome, "busy": waking.busy.outcome}, wish)
