"""The unit against the twin, sample by sample, under the same commands."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_bridge.driver import READINGS
from firmware_bridge.firmware.build import compiler
from hilctl.errors import HilctlError
from hilctl.fmu.host import Host
from hilctl.fmu.write import Unit, compiled, unit_of
from hilctl.rig import Rig
from sim.driver import TwinDriver, record
from sim.twin import command

Rows = npt.NDArray[np.float64]

_ENABLED, _HIGH = 1, 2  # as the unit's inputs start
_NOISE = ("supply_noise", "spool_noise")
_SENSORS = ("displacement", "acceleration", "pressure_a", "pressure_b")


class Agreement(NamedTuple):
    """How far the unit is from the twin."""

    worst: float  # the greatest difference of any reading in any sample, of the reading's greatest value
    reading: str  # which
    same_bits: bool  # every sample of every reading
    travel_m: float  # of the table: that it was moved at all
    samples: int


def triangle(rig: Rig, seconds: float, amplitude: float = 0.2, hz: float = 0.5) -> Rows:
    """A valve command that goes back and forth in straight lines, one value a period."""
    t = np.arange(round(seconds / rig.dt_s)) * rig.dt_s
    course: Rows = amplitude * (2 / np.pi) * np.arcsin(np.sin(2 * np.pi * hz * t))
    return course


def agreement(rig: Rig, commands: Rows, *, noise: bool = False) -> Agreement:
    """The unit of this rig, compiled here, beside the twin."""
    found = compiler()
    if found is None:
        raise HilctlError("needs a C compiler (CC, gcc, cc), to build the unit that it compares; install gcc")
    unit = unit_of(rig)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "unit.so")
        library.write_bytes(compiled(unit, found))
        ours = driven(unit, library, rig.dt_s, commands, noise=noise)
    return judged(unit, ours, twin_driven(rig, commands, noise=noise))


def readings_of(unit: Unit) -> list[str]:
    """The unit's outputs."""
    return [v.name for v in unit.variables if v.causality == "output"]


def judged(unit: Unit, ours: Rows, twin: Rows) -> Agreement:
    """One row a sample, one column a reading."""
    scale = np.abs(twin).max(axis=0)
    off = np.abs(ours - twin).max(axis=0) / np.where(scale > 0, scale, 1.0)
    at = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    names = readings_of(unit)
    moved = float(np.ptp(twin[:, names.index("displacement_m")]))
    return Agreement(float(off[at]), names[at], bool((ours == twin).all()), moved, len(twin))


def driven(unit: Unit, library: Path, dt_s: float, commands: Rows, *, noise: bool) -> Rows:
    """The unit's outputs after each command has acted for one period."""
    names, out = readings_of(unit), []
    host = Host(unit, library, noise)
    try:
        for k, u in enumerate(commands):
            host.set("valve", float(u))
            host.step(k * dt_s, dt_s)
            out.append(host.get(names))
    finally:
        host.close()
    return np.array(out)


def twin_driven(rig: Rig, commands: Rows, *, noise: bool) -> Rows:
    """The twin's readings after each command has acted for one period: what the loop would read."""
    driver = TwinDriver(rig.driver_config, rig.facts(virtual=True))  # type: ignore[arg-type]
    driver.open()
    if not noise:
        _silence(record(driver.state))
    readings = np.zeros(1, READINGS)[0]
    names, out = [name for name in READINGS.names or () if READINGS[name] == np.float64], []
    # an exchange advances the twin under the command of the one before, and takes the next
    driver.exchange(driver.state, command(float(commands[0]), _ENABLED, _HIGH, 0), readings)
    for following in (*commands[1:], 0.0):
        driver.exchange(driver.state, command(float(following), _ENABLED, _HIGH, 1), readings)
        out.append([readings[name] for name in names])
    rows = np.array(out)
    return rows[:, ~np.isnan(rows).all(axis=0)]


def _silence(own: Any) -> None:
    for name in _SENSORS:
        own[name].noise = 0.0
    for name in _NOISE:
        own[name] *= 0.0
