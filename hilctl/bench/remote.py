"""A rig driven from afar: `stop` over a link that is late and holds segments back, and what keys cost.

The link is `slow_link`: 20 ms each way, one segment in a hundred held back for 200 ms. `stop` is asked for again and
again; then a motion is fetched, and every sample counted.

What keys cost: two services of a 10 kHz loop, one with keys and one without, each with three listeners. The processor
time of both services is taken in the same seconds; the ratio is the median of the rounds. For the loop's waking each
has the machine to itself, by turns, the loop a processor of its own, and the listeners keep off it, as those on other
computers do; the ratio is of the 99th percentiles of the latencies.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.access.keys import ClientKey, new_pair, service_pair, write_client
from hilctl.access.roles import ROLES, Entry, now, write_roles
from hilctl.bench.slow_link import slow_link
from hilctl.bench.telemetry import RATE_HZ, cpu_s
from hilctl.bench.waking import wake_p99_us
from hilctl.client import Client, private_service
from hilctl.client.private import Private
from hilctl.errors import HilctlError
from hilctl.wire.roles import Role

_RIG = "table-500"
_LISTENERS = 3
_FAST = {"loop.rate_hz": RATE_HZ, "limits.late.ticks": 100_000, "service.history_s": 5.0}
_LOOPS = max(os.sched_getaffinity(0))  # the processor of a loop alone: listeners are on other computers

_LISTEN = """
import sys
from hilctl.client import Client
from hilctl.loop.realtime import keep_off
keep_off(int(sys.argv[3]))
with Client(sys.argv[1], lease="none", key=sys.argv[2]) as rig:
    blocks = rig.subscribe("block")
    next(blocks)
    print("there", flush=True)
    for _ in blocks:
        pass
"""


def run(quick: bool) -> dict[str, Any]:
    """Times of `stop` in milliseconds, samples lost, shares of a core."""
    with tempfile.TemporaryDirectory(prefix="hilctl-bench-") as name:
        key, keyed = _keys(Path(name))
        stops_ms, lost = _driven(key, keyed, 60 if quick else 1000)
        keys, none = _costs(key, keyed, *((3, 1.0) if quick else (9, 3.0)))
        wakes = _wakes(key, keyed, *((1, 1.0) if quick else (16, 4.0)))
    figures: dict[str, Any] = {f"stop_p{p}_ms": float(np.percentile(stops_ms, p)) for p in (50, 95, 99)}
    figures |= {"stops": len(stops_ms), "lost": lost, "rate_hz": RATE_HZ, "listeners": _LISTENERS}
    figures |= {"cpu_percent_keys": statistics.median(keys), "cpu_percent_none": statistics.median(none)}
    figures |= {f"wake_p99_us_{name}": statistics.median(pair[k] for pair in wakes)
                for k, name in enumerate(("keys", "none"))}  # fmt: skip
    return {
        "bench": "remote",
        "figures": figures,
        "ratio": {"cpu_percent_keys": statistics.median(a / b for a, b in zip(keys, none, strict=True)),
                  "wake_p99_keys": figures["wake_p99_us_keys"] / figures["wake_p99_us_none"]},
    }  # fmt: skip


def _keys(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A commissioner's key file, and the settings of a service that admits it."""
    server, pair, key = service_pair(folder), new_pair(), folder / "bench.key"
    write_client(key, ClientKey("bench", _RIG, *pair, server.public))
    write_roles(folder / ROLES, {"bench": Entry("bench", Role.COMMISSIONER, pair.public, now())})
    return key, {"service.curve": True, "service.keys": str(folder)}


def _driven(key: Path, keyed: dict[str, Any], count: int) -> tuple[list[float], int]:
    settings = {**keyed, "limits.late.ticks": 100_000}
    with (
        private_service(_RIG, clock="real", changes=settings) as service,
        slow_link(service.commands) as link,
        Client(link.endpoint, key=key) as rig,
    ):
        stops_ms = []
        for _ in range(count):
            begun_s = time.monotonic()
            rig.stop(wait=False)
            stops_ms.append(1e3 * (time.monotonic() - begun_s))
        rig.arm()
        motion, outcome = rig.run("triangle", speed_m_s=0.02, amplitude_m=0.005, cycles=2)
        seen = rig.samples(motion.first, outcome.last, ["tick", "skipped"])
        rig.off()
    gaps = np.diff(seen["tick"]) - 1 - seen["skipped"][1:]
    return stops_ms, int(np.abs(gaps).sum()) + outcome.last - motion.first + 1 - len(seen["tick"])


def _costs(key: Path, keyed: dict[str, Any], rounds: int, seconds: float) -> tuple[list[float], list[float]]:
    with (
        private_service(_RIG, clock="real", changes={**_FAST, **keyed}) as one,
        private_service(_RIG, clock="real", changes=_FAST) as other,
        _heard(one, str(key)),
        _heard(other, ""),
    ):
        shares = [_shares((one.pid, other.pid), seconds) for _ in range(rounds)]
    return [s[0] for s in shares], [s[1] for s in shares]


def _wakes(key: Path, keyed: dict[str, Any], rounds: int, seconds: float) -> list[tuple[float, float]]:
    """99th percentiles of the loop's waking with keys and without, in µs."""
    found = []
    for k in range(rounds):
        seen = {}
        for more, by in ((keyed, str(key)), ({}, ""))[:: -1 if k % 2 else 1]:
            with (
                private_service(_RIG, clock="real", changes={**_FAST, **more, "loop.cpu": _LOOPS}) as service,
                _heard(service, by, _LOOPS),
                Client(service.commands, key=by, lease="none") as rig,
            ):
                seen[by] = wake_p99_us(rig, seconds)
        found.append((seen[str(key)], seen[""]))
    return found


def _shares(pids: tuple[int, int], seconds: float) -> list[float]:
    """Percent of one core that each process takes, in the same seconds."""
    before_s, begun_s = [cpu_s(pid) for pid in pids], time.monotonic()
    time.sleep(seconds)
    taken_s = time.monotonic() - begun_s
    return [100.0 * (cpu_s(pid) - was) / taken_s for pid, was in zip(pids, before_s, strict=True)]


@contextmanager
def _heard(service: Private, key: str, not_on: int = -1) -> Iterator[None]:
    """With three listeners, each of which has had its first block; `not_on`: a processor that they leave alone."""
    with ExitStack() as stack:
        for _ in range(_LISTENERS):
            command = [sys.executable, "-c", _LISTEN, service.commands, key, str(not_on)]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            assert process.stdout is not None
            if process.stdout.readline() != "there\n":
                raise HilctlError("a listener ended before it heard anything")
        yield
