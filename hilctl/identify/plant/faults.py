"""Faults of a rig in an identification of the plant, each with what to check."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment import accelerometer
from hilctl.experiment.sensors import CHANNEL_OF, SENSORS, dead, stuck_in
from hilctl.identify.plant.record import Reals, Record

SATURATED_SHARE = 0.01  # of the samples
LEAST_CORRELATION = 0.5  # of force and acceleration in fast sliding
LEAST_EXPLAINED = 80.0  # % of the flow


class PlantFault(HilctlError):
    """The rig cannot be identified like this. The message says what is wrong and what to check."""


def check_record(record: Record, facts: Mapping[str, Any]) -> None:
    """PlantFault where the samples of a motion cannot be right."""
    noise = {name: float(facts[f"sensors.{name}.noise"]) for name in SENSORS}
    problem = _broken(record) or stuck_in(record.samples) or dead(record.samples, noise) or _saturated(record)
    if problem:
        raise PlantFault(f"{record.name}: {problem}")


def _broken(record: Record) -> str:
    for name, channel in CHANNEL_OF.items():
        if not np.all(np.isfinite(record.of(channel))):
            return f"{channel} is not a number; check sensors.{name}"
    return ""


def _saturated(record: Record) -> str:
    share = float(np.mean(record.of("saturated") != 0))
    if share <= SATURATED_SHARE:
        return ""
    return (
        f"the valve was saturated for {100 * share:.1f} % of the time, so the command does not give the flow; check "
        "the supply and limits.command.opening, and that machine.Qn is not far too large"
    )


def check_accelerometer(gain: float) -> None:
    """PlantFault where it cannot show what displacement shows."""
    problem = accelerometer.wrong(gain)
    if problem:
        raise PlantFault(problem)


def check_signs(load: Reals, force_of: Reals, command: Reals, speed: Reals) -> None:
    """PlantFault where pressures or command have the wrong sign."""
    if _cosine(command, speed) < -LEAST_CORRELATION:
        raise PlantFault(
            "the table moves against the command: the valve's polarity is wrong, or displacement's and the "
            "accelerometer's signs both are; check the valve's wiring and sensors.displacement.gain"
        )
    pushed = _cosine(load, force_of)
    if pushed < -LEAST_CORRELATION:
        raise PlantFault(
            "the load pressure opposes the acceleration: the pressure pair is swapped; check that "
            "sensors.pressure_a sits in the chamber that a positive command fills, and sensors.pressure_b in the other"
        )
    if pushed < LEAST_CORRELATION:
        raise PlantFault(
            f"the load pressure does not follow the acceleration (correlation {pushed:.2f}); check that both "
            "pressure sensors are connected to the cylinder's chambers, and their scales (sensors.pressure_a, _b)"
        )


def _cosine(one: Reals, other: Reals) -> float:
    one, other = one - np.mean(one), other - np.mean(other)
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size > 0 else 0.0
