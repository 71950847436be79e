"""Signals that the rig file can describe on a device: what is read, what is written, and in which units."""

from typing import Literal

from hilctl.machine import GRAVITY
from hilctl.signals import SENSOR_KINDS, SENSORS

UnitName = Literal["", "m", "mm", "um", "m/s2", "g", "Pa", "kPa", "bar", "MPa", "psi", "%", "degC"]

# How many SI units one unit of the rig file is, for each quantity.
_UNITS: dict[str, dict[str, float]] = {
    "length": {"": 1.0, "m": 1.0, "mm": 1e-3, "um": 1e-6},
    "acceleration": {"": 1.0, "m/s2": 1.0, "g": GRAVITY},
    "pressure": {"": 1.0, "Pa": 1.0, "kPa": 1e3, "bar": 1e5, "MPa": 1e6, "psi": 6894.757293168},
    "share": {"": 1.0, "%": 0.01},
    "temperature": {"": 1.0, "degC": 1.0},
    "input": {"": 1.0},
}
UNITS: dict[str, dict[str, float]] = {
    **{kind.name: _UNITS[kind.quantity] for kind in SENSOR_KINDS}, "device_tick": {"": 1.0}, "fault": {"": 1.0},
}  # fmt: skip
READINGS: tuple[str, ...] = (*SENSORS, "device_tick", "fault")
DEVICE_TICK, FAULT = READINGS.index("device_tick"), READINGS.index("fault")
OUTPUTS: tuple[str, ...] = ("valve", "enable", "supply", "heartbeat", "reset")
RESET = OUTPUTS.index("reset")
