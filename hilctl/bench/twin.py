"""The twin against the clock and against itself in C.

Both run the same state record through the same commands: a slow sine through the Stribeck branch, with reversals and
sticking. They are timed in alternating rounds, by the processor time of this thread, so that what else the machine does
counts little; the ratio is the median of the rounds' ratios, and the results must agree.
"""

import ctypes
import statistics
import tempfile
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from firmware_bridge.driver import COMMAND, READINGS, RigFacts, exchange_signature
from firmware_bridge.registry import exchange_of
from hilctl.bench.yardstick import build, c_records
from hilctl.errors import HilctlError
from hilctl.friction import check_friction
from hilctl.machine import Machine
from hilctl.params import check
from hilctl.rt.jit import jit, loop_type, record_type
from hilctl.rt.records import as_record
from hilctl.signals import INPUTS, SENSORS, Status
from sim.driver import TwinDriver
from sim.resolve import resolve
from sim.specimens.record import SPECIMEN
from sim.twin import EMERGENCY_STOP, SHOWN, STATE

RATE_HZ = 1000.0
SUBSTEP_S = 50e-6


def _signature() -> Any:
    real, loop = record_type(np.dtype(np.float64)), loop_type(exchange_signature())
    whole, (_, exchange, state) = loop.return_type, loop.args
    return whole(exchange, state, real[::1], record_type(COMMAND), record_type(READINGS), real[::1])


@jit(_signature, cached=True)
def rt_run(exchange: Any, state: Any, commands: Any, command: Any, readings: Any, seen: Any) -> int:
    """The twin through its exchange, as the loop calls it; how many did not succeed."""
    own, failed = as_record(state, STATE), 0
    for k in range(len(commands)):
        command.valve = commands[k]
        failed += exchange(state, command, readings) != Status.OK
        seen[2 * k] = readings.displacement_m
        seen[2 * k + 1] = own.plant.v
    return failed


def _reference_rig(friction: str) -> TwinDriver:
    """The reference rig of the documents, whatever the rig files say."""
    machine = {
        "m": 500, "A": 3e-3, "Vt": 8.5e-4, "stroke_m": 0.1, "beta": 9e8, "Ctc": 5e-12, "Ps": 21e6,
        "Qn": 160 / 60000 * 3**0.5, "wv": 643, "zv": 0.88,
    }  # fmt: skip
    curve = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
    bristles = {"s0": 1e8, "s1": 1e5} if friction == "lugre" else {}
    law = check_friction({"model": friction, **curve, **bristles})
    facts = RigFacts("bench", RATE_HZ, {"machine": check(Machine, machine), "friction": law}, virtual=True)
    driver = TwinDriver(resolve({"substep_s": SUBSTEP_S}, facts), facts)
    driver.open()
    return driver


def _build(folder: str) -> Any:
    inputs = ", ".join(str(SENSORS.index(name)) for name in INPUTS)
    header = c_records({"Shown": SHOWN}, {}, {
        "SPECIMEN_WORDS": SPECIMEN.itemsize // 8,  # the yardstick's table is empty
        "SENSORS": len(SENSORS), "INPUTS": len(INPUTS), "EMERGENCY_STOP": EMERGENCY_STOP,
    }) + f"#define INPUT_AT {{{inputs}}}\n"  # fmt: skip
    library = build("twin.c", folder, {"twin_sizes.h": header})
    library.twin_size.restype = ctypes.c_int64
    library.twin_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    if library.twin_size() != STATE.itemsize:
        raise HilctlError(f"twin.c: its record has {library.twin_size()} bytes, ours {STATE.itemsize}")
    return library


class _Course:
    """One series of commands, run by either."""

    def __init__(self, friction: str, ticks: int, library: Any) -> None:
        self.commands = 0.15 * np.sin(2 * np.pi * 1.0 * np.arange(ticks) / RATE_HZ) - 0.01
        self.library, self.driver = library, _reference_rig(friction)
        self.command, self.readings = np.zeros(1, COMMAND)[0], np.zeros(1, READINGS)[0]
        self.command.enable, self.command.supply, self.command.periods = 1, 2, 1
        self.seen = np.zeros((ticks, 2))

    def ours(self) -> float:
        """Seconds for the course, from the twin's beginning."""
        self.driver.open()
        flat = self.seen.reshape(-1)
        exchange = exchange_of(self.driver)
        begin = time.thread_time()
        rt_run(exchange, self.driver.state, self.commands, self.command, self.readings, flat)
        return time.thread_time() - begin

    def in_c(self) -> float:
        self.driver.open()
        state = self.driver.state.ctypes.data
        begin = time.thread_time()
        self.library.twin_run(state, self.commands.ctypes.data, len(self.commands), self.seen.ctypes.data)
        return time.thread_time() - begin


def _difference(course: _Course) -> float:
    """The greatest difference of the two's velocities, relative to their range."""
    course.ours()
    ours: npt.NDArray[Any] = course.seen[:, 1].copy()
    course.in_c()
    return float(np.max(np.abs(ours - course.seen[:, 1])) / np.ptp(ours))


def run(quick: bool) -> dict[str, Any]:
    """`real_time`: twin and whole controller together; `vs_c`: the twin alone, against the same in C."""
    alone = compare(quick)
    from hilctl.bench.closed import seconds_for

    ticks, rounds = (5_000, 5) if quick else (20_000, 9)
    dt_s, taken = seconds_for(ticks, rounds)
    bristles = {"twin.friction.model": "lugre", "twin.friction.s0": 1e8, "twin.friction.s1": 1e5}
    _, taken_lugre = seconds_for(ticks, rounds, **bristles)
    span = dt_s * ticks
    alone["figures"]["lugre_real_time"] = span / statistics.median(taken_lugre)
    alone["figures"]["tick_with_controller_us"] = statistics.median(taken) / ticks * 1e6
    alone["ratio"]["real_time"] = span / statistics.median(taken)
    return alone


def compare(quick: bool) -> dict[str, Any]:
    """Figures and ratio of the twin alone, on the reference rig's figures."""
    ticks, rounds = (5_000, 5) if quick else (50_000, 9)
    with tempfile.TemporaryDirectory() as folder:
        course = _Course("karnopp", ticks, _build(folder))
        difference = _difference(course)
        if not difference < 1e-9:
            raise HilctlError(f"twin.c: its velocities differ from ours by {difference:.2g} of their range")
        pairs = [(course.ours(), course.in_c()) for _ in range(rounds)]
        bristles = _Course("lugre", ticks, None)
        bristles.ours()
        lugre = statistics.median(bristles.ours() for _ in range(rounds))
    tick = statistics.median(p[0] for p in pairs) / ticks
    tick_c = statistics.median(p[1] for p in pairs) / ticks
    tick_lugre = lugre / ticks
    return {
        "bench": "twin",
        "figures": {
            "rate_hz": RATE_HZ,
            "substep_us": SUBSTEP_S * 1e6,
            "tick_us": tick * 1e6,
            "tick_c_us": tick_c * 1e6,
            "tick_lugre_us": tick_lugre * 1e6,
            "difference_from_c": difference,
        },
        "ratio": {"vs_c": statistics.median(ours / theirs for ours, theirs in pairs)},
    }
