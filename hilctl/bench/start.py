"""From the start of the core's process to its first tick, against what importing numba alone costs.

The core is spawned as the service spawns it and finds its configuration waiting. `python -c "import numba"` runs in
turn with it, so that both see the same machine; the ratio is the median of the pairs'. The instant of the first tick is
the core's own, in its first row. A whole service, which reads a rig file meanwhile, is timed beside it; and once, with
an empty cache, a cold core: how long it compiles, and how soon it says so.

Python keeps the bytecode of what is installed; a checkout whose Python is set to write none would be compiled from
its source at each start, and numba not. So here it is kept for all of them.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hilctl.bench.host import host
from hilctl.client import Client, private_service
from hilctl.errors import HilctlError
from hilctl.loop.link import Link
from hilctl.loop.spawn import spawn
from hilctl.rig import Rig, load
from hilctl.service.assemble import start_link

RIG = "table-500"
_LOOK_S = 0.005
_LONGEST_S = 300.0


def run(quick: bool) -> dict[str, Any]:
    """Seconds, and the ratio to numba's import."""
    with bytecode_kept():
        return _run(quick)


@contextmanager
def bytecode_kept() -> Iterator[None]:
    """For the processes that are started meanwhile."""
    told = os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        yield
    finally:
        if told is not None:
            os.environ["PYTHONDONTWRITEBYTECODE"] = told


def _run(quick: bool) -> dict[str, Any]:
    told = warm(quick)
    begun = cold()
    told["figures"] |= {"cold_s": begun.first_tick_s, "cold_told_s": begun.told_s}
    return {"bench": "start", **told, "host": host()}


def warm(quick: bool) -> dict[str, Any]:
    """Once the loop is compiled."""
    rig = load(RIG, twin=True)
    core(rig)  # fills the cache, if it has to
    ticks, imports = [], []
    for _ in range(5 if quick else 15):
        ticks.append(core(rig).first_tick_s)
        imports.append(import_numba())
    services = [service() for _ in range(1 if quick else 5)]
    figures = {
        "first_tick_s": statistics.median(ticks),
        "import_numba_s": statistics.median(imports),
        "service_first_tick_s": statistics.median(first for first, _ in services),
        "service_ready_s": statistics.median(ready for _, ready in services),
    }
    return {
        "figures": figures,
        "ratio": {"vs_import_numba": statistics.median(t / i for t, i in zip(ticks, imports, strict=True))},
    }


def cold() -> "Begun":
    """A core that finds an empty cache."""
    with tempfile.TemporaryDirectory(prefix="hilctl-cold-") as empty:
        return core(load(RIG, twin=True), {"XDG_CACHE_HOME": empty, "CACHE_DIRECTORY": ""})


class Begun:
    """What was seen of a core's start."""

    first_tick_s = told_s = 0.0


def core(rig: Rig, environment: Mapping[str, str] | None = None) -> Begun:
    """Starts a core, sees its first tick, ends it."""
    begun_ns = time.monotonic_ns()
    link = start_link(rig, spawn(environment), virtual=False)
    try:
        begun = Begun()
        first_ns = _await_row(link, begun, begun_ns)
        begun.first_tick_s = (first_ns - begun_ns) / 1e9
        link.stop(10.0)
        return begun
    finally:
        link.close()


def _await_row(link: Link, begun: Begun, begun_ns: int) -> int:
    """When the first tick was; notes when the core said that it compiles."""
    while not len(rows := link.drain(1)):
        link.beat()
        status = link.status
        if status.state == "compiling" and not begun.told_s:
            begun.told_s = (time.monotonic_ns() - begun_ns) / 1e9
        code = link.poll()
        if code is not None or time.monotonic_ns() - begun_ns > _LONGEST_S * 1e9:
            raise HilctlError(f"exit code {code}; {'; '.join(status.messages)}")
        time.sleep(_LOOK_S)
    return int(rows[0]["time_ns"])


def import_numba() -> float:
    """A process that does nothing else, from its start to its end."""
    begun_s = time.monotonic()
    subprocess.run([sys.executable, "-c", "import numba"], check=True, env=dict(os.environ))
    return time.monotonic() - begun_s


def service() -> tuple[float, float]:
    """A whole service, from the start of its process: to the first tick, and until it takes commands."""
    begun_ns = time.monotonic_ns()
    with private_service(RIG, clock="real") as running:
        ready_ns = time.monotonic_ns()
        with Client(running.commands) as rig:
            first_ns = int(rig.samples(0, 0, ["time_ns"])["time_ns"][0])
    return (first_ns - begun_ns) / 1e9, (ready_ns - begun_ns) / 1e9
