"""The service on an emulated device: driven through the course again and again, and looked at second by second."""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from firmware_bridge.emulate.control import tell
from hilctl.bench.cyclictest import cyclictest
from hilctl.bench.host import stolen
from hilctl.client import Client, Refused, private_service
from hilctl.commission.tracking import triangle
from hilctl.errors import HilctlError
from hilctl.rig import load

_PLACES = {"modbus-tcp": "driver.amplifier.port", "modbus-rtu": "driver.amplifier.serial", "serial": "driver.port"}
_COURSE = (triangle(0.02, 0.005, 2), triangle(0.1, 0.025, 3))
# Slow limits, and room to be fast in after a stall of this host: what counts is whether exchanges come in time.
_PATIENT = {"limits.late.ticks": 100_000, "limits.driver.ticks": 90, "limits.sensing.ticks": 90,
            "limits.stale.ticks": 90, "limits.read_back.ticks": 90, "service.timeout_s": 10.0,
            "limits.position.min_m": -0.04, "limits.position.max_m": 0.04, "limits.velocity.max_m_s": 0.6,
            "limits.tracking_error.max_m": 0.05}  # fmt: skip
_QUIET = 0.002  # of all processors' time taken by the hypervisor in a second, at most
_TIMES = 4  # as many seconds as are judged, where the host is not quiet
_MOST_TRIPS = 20  # where no hypervisor took anything meanwhile
_PATIENCE_S, _LOOK_S = 30.0, 0.1  # until it is armed
_LAST_TRIPS = 20  # when the seconds are reported, before the end of the first course


class Second(NamedTuple):
    """The figures of one second."""

    stolen_share: float
    late_share: float  # of what was due: exchanges that came late or failed, and ticks that were missed
    cyclictest_late_share: float


class Course(NamedTuple):
    """The figures of one course."""

    stolen_share: float
    mean_square_m2: float


def rate_of(preset: str) -> int:
    """The loop's."""
    return int(load(preset).tables.loop.rate_hz)


def latest_of(preset: str) -> float:
    """In seconds: after its deadline a tick's exchange is given up; a host that wakes later cannot have exchanged."""
    loop = load(preset).tables.loop
    return loop.exchange_share / loop.rate_hz


class Emulation(NamedTuple):
    """A device: the rig file's keys that lead to it, and where it takes commands."""

    place: dict[str, Any]
    commands: Path


class Measured(NamedTuple):
    """The figures of the loop over the bridge."""

    seconds: list[Second]
    courses: list[Course]
    trips: list[str]
    counts: dict[str, int]


def closed(preset: str, device: Emulation, count: int) -> Measured:
    """The loop over the bridge with cyclictest beside it, until as many seconds as are judged were quiet."""
    seconds: list[Second] = []
    enough, most = threading.Event(), _TIMES * count
    with _service(preset, device.place) as (rig, watcher), ThreadPoolExecutor(1) as pool:
        _arm(rig, device, [])
        driving = pool.submit(_drive, rig, device, enough)
        try:
            first = watcher.status()["core"]
            while sum(s.stolen_share <= _QUIET for s in seconds) < count and len(seconds) < most:
                if driving.done():
                    break  # its result tells why
                seconds.append(_second(watcher, rate_of(preset), latest_of(preset)))
            last = watcher.status()["core"]
        finally:
            enough.set()
        courses, trips = driving.result()
    due, ran, missed = (last[key] - first[key] for key in ("due", "ran", "missed"))
    return Measured(seconds, courses, trips, {"missed": missed, "due": due, "unaccounted": due - ran - missed})


def _second(watcher: Client, rate_hz: int, latest_s: float) -> Second:
    with cyclictest(rate_hz, 1.0) as yardstick, stolen() as taken:
        before = watcher.status()
        theirs = yardstick.late_share(1e6 * latest_s)
        after = watcher.status()
    due, missed = (after["core"][key] - before["core"][key] for key in ("due", "missed"))
    failed = sum(after["link"]["errors"].values()) - sum(before["link"]["errors"].values())
    return Second(taken.share, (failed + missed) / max(due, 1), theirs)


def _drive(rig: Client, device: Emulation, enough: threading.Event) -> tuple[list[Course], list[str]]:
    """The course again and again, until it is enough, and the trips.

    A host that stalls for longer than the device waits trips the device, and rightly: this is reported, and it
    is armed again. What it exchanged meanwhile counts. A trip while no hypervisor takes time is wrong.
    """
    courses: list[Course] = []
    trips: list[str] = []
    unprovoked, late = 0, 0
    while not (enough.is_set() and courses):
        _arm(rig, device, trips)
        with stolen() as taken:
            ended = _course(rig)
        if isinstance(ended, str):
            trips.append(ended)
            unprovoked, late = unprovoked + (taken.share <= _QUIET), late + enough.is_set()
        else:
            courses.append(Course(taken.share, ended))
        if unprovoked > _MOST_TRIPS or late > _LAST_TRIPS:
            raise HilctlError(f"the device cannot be kept armed: {len(trips)} trips, {unprovoked} of them without a "
                              f"hypervisor's doing, in {len(courses)} courses; the last: {trips[-1]}")  # fmt: skip
    rig.off()
    return courses, trips


def _course(rig: Client) -> float | str:
    """The error's mean square; or how it ended."""
    try:
        runs = [rig.run(task.kind, **task.parameters) for task in _COURSE]
    except Refused as refused:
        return str(refused)
    errors = [rig.samples(motion.first, outcome.last, ["error_m"])["error_m"] for motion, outcome in runs]
    return float(np.mean(np.concatenate(errors) ** 2))


def _arm(rig: Client, device: Emulation, trips: list[str]) -> None:
    """Until it is armed, with the table in the middle; a stall may trip the device meanwhile too."""
    until_s, why = time.monotonic() + _PATIENCE_S, ""
    while time.monotonic() < until_s:
        try:
            status = rig.status()
            if status["mode"] == "hold" and not status["trip"]:
                return
            rig.off()  # a table that is held where it stands would hurry back there from the middle, again and again
            tell(device.commands, "begin")
            if status["trip"]:
                rig.reset()
            rig.arm()
        except Refused as refused:
            why = str(refused)
            rig.pass_time(_LOOK_S)
        else:
            return
    raise HilctlError(f"the device cannot be armed within {_PATIENCE_S:g} s, after {len(trips)} trips: "
                      f"{why}")  # fmt: skip


def tracked(preset: str) -> float:
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
def _service(preset: str, place: dict[str, Any]) -> Iterator[tuple[Client, Client]]:
    """The client that drives, and one that only reads."""
    with (
        private_service(preset, clock="real", twin=False, changes={**_PATIENT, **place}) as service,
        Client(service.commands) as rig,
        Client(service.commands, lease="none") as watcher,
    ):
        yield rig, watcher


@contextmanager
def emulation(transport: str) -> Iterator[Emulation]:
    """The device's process."""
    with tempfile.TemporaryDirectory(prefix="hilctl-bench-") as name:
        at = Path(name)
        command = [sys.executable, "-m", "hilctl", "emulate", transport, "table-500", "--port", "0", "--at",
                   str(at / "commands"), "--link", str(at / "line"), "--die-with-parent"]  # fmt: skip
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                told = process.stdout.readline()
                if not told:
                    raise HilctlError(f"hilctl emulate {transport} did not come up")
                port = told.partition(";")[0].rpartition(":")[2]
                place = {_PLACES[transport]: int(port) if transport == "modbus-tcp" else str(at / "line")}
                yield Emulation(place, at / "commands")
            finally:
                process.terminate()
