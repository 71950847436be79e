"""The registers of the emulated amplifier as data, and how readings are put into them.

The map is what a rig file's [driver] says (firmware_bridge/modbus/settings.py); without one, this map
is used, which deploy/rigs/table-500-modbus.toml reads.
"""

import math
from collections.abc import Callable
from typing import Any

from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS
from firmware_bridge.modbus.settings import Config, Reading, Register
from firmware_bridge.modbus.values import raw_of, words_of
from hilctl.params import check
from hilctl.signals import ALARMS, INPUTS, SENSORS

RESET = 4  # writing another number than 0 there is the reset key
PORT, BAUD, GAP_S = 1502, 921_600, 300e-6
_RANGES = {"int16": (-(2**15), 2**15 - 1), "uint16": (0, 2**16 - 1), "int32": (-(2**31), 2**31 - 1),
           "uint32": (0, 2**32 - 1)}  # fmt: skip

OUTPUT: dict[str, Any] = {
    "valve": {"address": 0, "scale": 1 / 32767},
    "enable": {"address": 1},
    "supply": {"address": 2},
    "heartbeat": {"address": 3},
    "reset": {"address": RESET},
}
READING: dict[str, Any] = {
    "displacement": {"address": 10, "type": "int32", "scale": 1e-3, "unit": "um"},
    "acceleration": {"address": 12, "type": "float32"},
    "pressure_a": {"address": 14, "type": "int32", "scale": 1e-3, "unit": "bar"},
    "pressure_b": {"address": 16, "type": "int32", "scale": 1e-3, "unit": "bar"},
    "supply_pressure": {"address": 18, "type": "uint32", "unit": "Pa"},
    "spool": {"address": 20, "scale": 0.01, "unit": "%"},
    "oil_temperature": {"address": 21, "scale": 0.1, "unit": "degC"},
    "emergency_stop": {"address": 22},
    "device_tick": {"address": 23},
    "fault": {"address": 24},
    **{name: {"address": 25 + k} for k, name in enumerate(name for name in INPUTS if name != "emergency_stop")},
}
MEANINGS = {
    "valve": "command, of full opening", "enable": "1: enabled", "supply": "0 off, 1 low, 2 high pressure",
    "heartbeat": "another number within the time-to-live", "reset": "another number than 0: the reset key",
    "device_tick": "number of the sample, 20000 a second",
    "fault": "what has tripped: 0 nothing, 1 time-to-live, 2 end stop, 3 emergency stop, 4 sensor, 5 hardware "
    "watchdog, 6 enable lost", **{name: f"1 while {alarm.meaning}" for name, alarm in ALARMS.items()},
}  # fmt: skip


def default_table(transport: str, place: dict[str, Any]) -> dict[str, Any]:
    """The [driver] table of this device for a rig file, without name. `place`: host and port, or serial port."""
    device = {"device": "amplifier"}
    return {
        "amplifier": {"transport": transport, "fc23": True, "vendor": "hilctl", "product": "emulate", **place},
        "output": {name: {**device, **OUTPUT[name]} for name in OUTPUTS},
        "reading": {name: {**device, **READING[name]} for name in READINGS},
        "watchdog": {**device, "address": 40},
    }


def default_config(transport: str) -> Config:
    """The same, checked."""
    place: dict[str, Any] = {"host": "127.0.0.1", "port": PORT} if transport == "tcp" else {
        "serial": "/tmp/hilctl-rtu", "baud": BAUD, "parity": "none", "gap_s": GAP_S}  # fmt: skip
    return check(Config, default_table(transport, place), "driver")


def transducers_config(serial: str) -> Config:
    """Two chamber pressures in a box of their own, on a line of 115 200 Bd."""
    there = {"device": "transducers", "every": 25, "stale_s": 0.2}
    return check(Config, {
        "transducers": {"transport": "rtu", "serial": serial, "baud": 115_200, "parity": "none"},
        "reading": {name: {**READING[name], **there} for name in ("pressure_a", "pressure_b")},
    }, "driver")  # fmt: skip


def packer(name: str, own: Reading) -> Callable[[float], list[int]]:
    """From a value in SI units to its registers. NaN becomes NaN, or the lowest count."""
    factor = UNITS[name][own.unit]
    if own.type == "float32":
        return lambda value: words_of(own, value / factor)
    lowest, highest = _RANGES[own.type]
    scale, offset, wraps = own.scale * factor, own.offset * factor, name == "device_tick"
    single, high_first = own.length == 1, own.words == "high_first"

    def pack(value: float) -> list[int]:
        raw = lowest if not math.isfinite(value) else math.floor((value - offset) / scale + 0.5)
        if not wraps:
            raw = max(lowest, min(highest, raw))
        if single:
            return [raw & 0xFFFF]
        words = [(raw >> 16) & 0xFFFF, raw & 0xFFFF]
        return words if high_first else words[::-1]

    return pack


def unpacker(own: Register) -> Callable[[dict[int, int]], float]:
    """From an output's registers to its value."""
    first, scale, offset = own.address or 0, own.scale, own.offset
    if own.type == "uint16":
        return lambda memory: scale * memory[first] + offset
    if own.type == "int16":
        return lambda memory: scale * ((memory[first] ^ 0x8000) - 0x8000) + offset
    return lambda memory: scale * raw_of(own, [memory[first], memory[first + 1]]) + offset


def sensor_at(name: str) -> int:
    """Its index in SENSORS; -1 for device_tick and fault."""
    return SENSORS.index(name) if name in SENSORS else -1


def rows(config: Config) -> str:
    """The registers as a markdown table."""
    lines = ["| register | functions | signal | type | one count | meaning |", "|---|---|---|---|---|---|"]
    found = sorted(config.registers(), key=lambda pair: pair[1].address or 0)
    for key, own in found:
        lines.append(_row(key, own))
    return "\n".join(lines)


def _row(key: str, own: Register) -> str:
    name = key.rpartition(".")[2]
    unit = own.unit if isinstance(own, Reading) else {"valve": "", "watchdog": "s"}.get(name, "")
    address = str(own.address) if own.length == 1 else f"{own.address}–{(own.address or 0) + 1}"
    functions = "3, 4, 23" if isinstance(own, Reading) else "3, 6, 16, 23"
    meaning = MEANINGS.get(name, "time-to-live, 1 to 100 ms" if name == "watchdog" else name.replace("_", " "))
    return f"| {address} | {functions} | {name} | {own.type} | {own.scale:.5g} {unit} | {meaning} |".replace("  ", " ")
