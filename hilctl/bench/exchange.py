"""One exchange with a device: ours, by compiled code on the descriptor itself, against a library's client.

Both talk to the same device, so that what differs is the host. Rounds alternate; the ratio is the median of the pairs'.
Once idle, by medians of a round. And once with a thread beside it that keeps the interpreter busy, on a processor of
its own where there are two, by means: where other programs run too, that thread is late to claim the interpreter, a few
exchanges slip through as if idle, and a median tells 3 or 170 by turns; what the others wait is in the mean.
Sleeps are as exact as the loop's (timer slack of 1 ns): with an ordinary thread's 50 us, a line that must be silent
until the request has passed is silent for twice as long, and that is what would be measured. And, as while the loop
runs, no processor sleeps deeply where this may be asked for: on some hosts each answer then costs 50 us of waking.
`busy_share` tells how much of a processor the busy thread got: far from 1, the host had other things to do.

Rounds in which a hypervisor took processors away are made again, within bounds; those in which it took the least count.
"""

import math
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS, exchange_signature
from firmware_bridge.registry import exchange_of
from hilctl.bench.exchange_peers import Peer, modbus, serial_frames
from hilctl.bench.exchange_text import text
from hilctl.bench.host import host, stolen
from hilctl.loop.realtime import exact_sleeps, no_deep_sleep
from hilctl.params import record_of
from hilctl.rt.jit import jit, loop_type
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record
from hilctl.signals import Status

MOST = 4096
ROUND: "np.dtype[Any]" = record_of(
    [
        ("command", COMMAND),
        ("readings", READINGS),
        ("count", np.int64),
        ("good", np.int64),
        ("spent_ns", np.int64, (MOST,)),
    ]
)
_LIMIT_NS = 100_000_000
_BUSY_ROUND_NS = 60_000_000  # a dozen of the interpreter's turns
_LEAST = 1  # one by a library that waits for the interpreter at every byte takes half a second
_QUIET = 0.01  # of all processors' time taken by a hypervisor in a round, at most
_TIMES = 4  # as many rounds as are judged, where the host is not quiet


@jit(lambda: loop_type(exchange_signature()), cached=True)
def rt_round(memory: Any, exchange: Any, state: Any) -> int:
    """Exchanges in a row, each timed, as the loop would make them."""
    own = as_record(memory, ROUND)
    own.good = 0
    for k in range(own.count):
        begun_ns = monotonic_ns()
        own.command.periods = 1
        own.command.deadline_ns = begun_ns + _LIMIT_NS
        status = exchange(state, own.command, own.readings)
        own.good += status == Status.OK or status == Status.STALE  # a busy host's device may not have ticked since
        own.spent_ns[k] = monotonic_ns() - begun_ns
    return int(own.good)


_PEERS: dict[str, Callable[[], AbstractContextManager[Peer]]] = {
    "modbus-tcp": lambda: modbus("tcp"),
    "modbus-rtu": lambda: modbus("rtu"),
    "serial": serial_frames,
    "text": text,
}


def run(quick: bool) -> dict[str, Any]:
    """Microseconds of an exchange, and how many times faster than the library."""
    return over(_PEERS, quick)


def over(transports: Iterable[str], quick: bool) -> dict[str, Any]:
    """The same over some of the transports."""
    figures, ratios = {}, {}
    for transport in transports:
        with _apart() as alone, _PEERS[transport]() as peer:
            figures[transport], ratios[transport] = _measure(peer, quick, alone)
    return {"bench": "exchange", "figures": figures, "ratio": ratios, "host": host()}


def _measure(peer: Peer, quick: bool, alone: int | None) -> tuple[dict[str, Any], dict[str, Any]]:
    rounds = 11 if quick else 31
    ours, theirs = _rounds(peer, rounds, 200 if quick else 1000, lambda: _library(peer, 100 if quick else 500))
    with _busy_interpreter(alone) as ran_ns:
        begun_ns, ran_before_ns = time.perf_counter_ns(), ran_ns()
        ours_busy, theirs_busy = _rounds(peer, rounds, 200, lambda: _library_beside(peer))
        share = (ran_ns() - ran_before_ns) / (time.perf_counter_ns() - begun_ns)
    figures = {**_percentiles(ours, ""), **_percentiles(ours_busy, "busy_"), **_percentiles(theirs, "library_"),
               **_percentiles(theirs_busy, "library_busy_"), "busy_share": share, **peer.more()}  # fmt: skip
    vs_busy = _ratio(ours_busy, theirs_busy, np.mean)
    return figures, {"vs_library": _ratio(ours, theirs, np.median), "vs_library_busy": vs_busy}


def _rounds(peer: Peer, rounds: int, ours_n: int, by_library: Callable[[], list[float]]) -> tuple[list[Any], list[Any]]:
    """Microseconds by round, of ours and of the library's."""
    exchange, memory = exchange_of(peer.driver), np.zeros(ROUND.itemsize, np.uint8)
    own = memory.view(ROUND)[0]
    told: list[tuple[float, Any, Any]] = []
    while sum(taken <= _QUIET for taken, _, _ in told) < rounds and len(told) < _TIMES * rounds:
        own.count = ours_n
        with stolen() as meanwhile:
            good = rt_round(memory, exchange, peer.driver.state)
            if good <= ours_n // 2:
                raise AssertionError(f"only {good} of {ours_n} exchanges were answered: their median means nothing")
            ours = own.spent_ns[:ours_n] / 1e3
            theirs = np.array(by_library())
        told.append((meanwhile.share, ours, theirs))
    judged = sorted(told, key=lambda one: one[0])[:rounds]
    return [ours for _, ours, _ in judged], [theirs for _, _, theirs in judged]


def _library(peer: Peer, count: int) -> list[float]:
    return [_timed(peer.by_library) for _ in range(count)]


def _library_beside(peer: Peer) -> list[float]:
    """As long as a dozen of the interpreter's turns."""
    spent: list[float] = []
    until_ns = time.perf_counter_ns() + _BUSY_ROUND_NS
    while time.perf_counter_ns() < until_ns or len(spent) < _LEAST:
        spent.append(_timed(peer.by_library))
    return spent


def _timed(call: Callable[[], None]) -> float:
    begun_ns = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begun_ns) / 1e3


def _percentiles(rounds: list[Any], name: str) -> dict[str, float]:
    every = np.concatenate(rounds)
    return {f"{name}p50_us": float(np.median(every)), f"{name}p99_us": float(np.percentile(every, 99)),
            f"{name}mean_us": float(np.mean(every))}  # fmt: skip


def _ratio(ours: list[Any], theirs: list[Any], of: Callable[[Any], Any]) -> float:
    return statistics.median(float(of(t) / of(o)) for o, t in zip(ours, theirs, strict=True))


@contextmanager
def _apart() -> Iterator[int | None]:
    """A processor that this thread, and the device that it starts, leave to the busy one. None where there is one."""
    before = os.sched_getaffinity(0)
    alone = max(before) if len(before) > 1 else None
    os.sched_setaffinity(0, before - {alone} or before)
    exact_sleeps()
    try:
        awake = no_deep_sleep()
    except OSError:  # not for this user: the host's own way
        awake = -1
    try:
        yield alone
    finally:
        if awake >= 0:
            os.close(awake)
        exact_sleeps(False)
        os.sched_setaffinity(0, before)


@contextmanager
def _busy_interpreter(processor: int | None) -> Iterator[Callable[[], int]]:
    """Gives what the busy thread has run so far, in nanoseconds."""
    begun, over = threading.Event(), threading.Event()

    def spin() -> None:
        if processor is not None:
            os.sched_setaffinity(0, {processor})
        begun.set()
        while not over.is_set():
            math.factorial(50)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    begun.wait()
    clock = time.pthread_getcpuclockid(thread.ident or 0)
    try:
        yield lambda: time.clock_gettime_ns(clock)
    finally:
        over.set()
        thread.join()
