"""What can be wrong with a rig that is being identified, said so that somebody can mend it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.plant.motion import Accelerometer
from hilctl.identify.plant.record import Reals, Record

STUCK_SHARE = 0.2  # of the reference's travel
DEAD_SHARE = 0.2  # of the declared noise
_REPEATS = 20  # samples, to the last bit
SATURATED_SHARE, REJECTED_SHARE = 0.01, 0.01  # of the samples
GAIN_LOW, GAIN_HIGH = 0.7, 1.4  # of the accelerometer against displacement: worse than any that is not calibrated
LEAST_CORRELATION = 0.5  # of force and acceleration in fast sliding
LEAST_EXPLAINED = 80.0  # % of the flow
_CHANNELS = {
    "displacement": "displacement_m", "acceleration": "acceleration_m_s2",
    "pressure_a": "pressure_a_pa", "pressure_b": "pressure_b_pa",
}  # fmt: skip


class PlantFault(HilctlError):
    """The rig cannot be identified like this. The message says what is wrong and what to check."""


def check_record(record: Record, facts: Mapping[str, Any]) -> None:
    """PlantFault where the samples of a motion cannot be right."""
    problem = _broken(record) or _stuck(record) or _silent(record, facts) or _saturated(record)
    if problem:
        raise PlantFault(f"{record.name}: {problem}")


def _broken(record: Record) -> str:
    for name, channel in _CHANNELS.items():
        if not np.all(np.isfinite(record.of(channel))):
            return f"{channel} is not finite; check sensors.{name}"
    if np.any(np.diff(record.of("tick")) != 1):
        return "ticks are missing: the loop was late, or samples were lost; see `hilctl doctor`"
    rejected = np.count_nonzero(record.of("rejected").astype(int) & 0b1111) / len(record.of("tick"))
    if rejected > REJECTED_SHARE:
        return f"{100 * rejected:.1f} % of the readings were rejected; check the sensors' ranges and cables"
    return ""


def _stuck(record: Record) -> str:
    went, wanted = float(np.ptp(record.of("displacement_m"))), float(np.ptp(record.of("xd_m")))
    if went >= STUCK_SHARE * wanted:
        return ""
    return (
        f"the table is stuck, or its transducer is: it moved {1e3 * went:.3g} mm while the reference went "
        f"{1e3 * wanted:.3g} mm; check that nothing locks the table, that the supply valve is open, and the "
        "displacement sensor's rod and cable (sensors.displacement)"
    )


def _silent(record: Record, facts: Mapping[str, Any]) -> str:
    for name, channel in _CHANNELS.items():
        spread = float(np.std(record.of(channel)))
        if spread == 0.0 or spread < DEAD_SHARE * facts[f"sensors.{name}.noise"]:
            what = "the accelerometer" if name == "acceleration" else f"the sensor {name}"
            return (
                f"{what} is dead: it shows {float(np.mean(record.of(channel))):.6g} and hardly changes while the table "
                f"moves; check its supply, cable and channel (sensors.{name})"
            )
    return ""


def still(samples: Mapping[str, Any]) -> str:
    """Which sensors repeated themselves at the end, as a sentence; empty when none did."""
    found = [
        f"{channel} does not change any more; check sensors.{name}, its supply and cable"
        for name, channel in _CHANNELS.items()
        if len(samples[channel]) >= _REPEATS and np.ptp(samples[channel][-_REPEATS:]) == 0.0
    ]
    return "".join(f". {text[0].upper()}{text[1:]}" for text in found)


def _saturated(record: Record) -> str:
    share = float(np.mean(record.of("saturated") != 0))
    if share <= SATURATED_SHARE:
        return ""
    return (
        f"the valve was saturated for {100 * share:.1f} % of the time, so the command does not say what flowed; check "
        "the supply and limits.command.opening, and that machine.Qn is not far too large"
    )


def check_accelerometer(meter: Accelerometer) -> None:
    """PlantFault where it cannot show what displacement shows."""
    if GAIN_LOW <= meter.gain <= GAIN_HIGH:
        return
    if -GAIN_HIGH <= meter.gain <= -GAIN_LOW:
        raise PlantFault(
            f"accelerometer and displacement have opposite signs (gain {meter.gain:.2f}): turn the accelerometer "
            "around, or swap its wires, or displacement's; positive is where a positive command moves the table"
        )
    if abs(meter.gain) < GAIN_LOW:
        raise PlantFault(
            f"the accelerometer does not show the table's motion: {meter.gain:.2f} of what displacement shows; check "
            "its mounting, its cable and its scale (sensors.acceleration.gain)"
        )
    raise PlantFault(
        f"the accelerometer shows {meter.gain:.2f} times what displacement does; check both scales "
        "(sensors.acceleration.gain, sensors.displacement.gain)"
    )


def check_signs(load: Reals, force_of: Reals, command: Reals, speed: Reals) -> None:
    """PlantFault where pressures push, or the command drives, the wrong way."""
    if _cosine(command, speed) < -LEAST_CORRELATION:
        raise PlantFault(
            "the table moves against the command: the valve's polarity is wrong, or displacement's and the "
            "accelerometer's signs both are; check the valve's wiring and sensors.displacement.gain"
        )
    pushed = _cosine(load, force_of)
    if pushed < -LEAST_CORRELATION:
        raise PlantFault(
            "the load pressure pushes against the acceleration: the pressure pair is swapped; check that "
            "sensors.pressure_a sits in the chamber that a positive command fills, and sensors.pressure_b in the other"
        )
    if pushed < LEAST_CORRELATION:
        raise PlantFault(
            f"the load pressure has little to do with the acceleration (correlation {pushed:.2f}); check that both "
            "pressure sensors are connected to the cylinder's chambers, and their scales (sensors.pressure_a, _b)"
        )


def _cosine(one: Reals, other: Reals) -> float:
    one, other = one - np.mean(one), other - np.mean(other)
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size > 0 else 0.0
