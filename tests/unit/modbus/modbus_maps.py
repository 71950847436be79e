"""Register maps for the tests: an amplifier and transducers as the rig file would describe them."""

import copy
from typing import Any

from firmware_bridge.driver import RigFacts
from hilctl import rig

AMPLIFIER = {"transport": "tcp", "host": "127.0.0.1", "port": 1502}
MAP: dict[str, Any] = {
    "amplifier": AMPLIFIER,
    "output": {
        "valve": {"device": "amplifier", "address": 0, "scale": 1 / 32767},
        "enable": {"device": "amplifier", "address": 1},
        "supply": {"device": "amplifier", "address": 2},
        "heartbeat": {"device": "amplifier", "address": 3},
    },
    "reading": {
        "displacement": {"device": "amplifier", "address": 10, "type": "int32", "scale": 1e-3, "unit": "mm"},
        "acceleration": {"device": "amplifier", "address": 12, "type": "float32"},
        "pressure_a": {"device": "amplifier", "address": 14, "type": "int32", "scale": 1e-3, "unit": "bar"},
        "pressure_b": {"device": "amplifier", "address": 16, "type": "int32", "scale": 1e-3, "unit": "bar"},
        "supply_pressure": {"device": "amplifier", "address": 18, "type": "uint32", "unit": "Pa"},
        "spool": {"device": "amplifier", "address": 20, "scale": 0.01, "unit": "%"},
        "oil_temperature": {"device": "amplifier", "address": 21, "scale": 0.1, "unit": "degC"},
        "emergency_stop": {"device": "amplifier", "address": 22, "type": "uint16"},
        "device_tick": {"device": "amplifier", "address": 23, "type": "uint16"},
        "fault": {"device": "amplifier", "address": 24, "type": "uint16"},
    },
    "watchdog": {"device": "amplifier", "address": 40},
}


def table(**changes: Any) -> dict[str, Any]:
    """The map with some of its keys changed, by dotted path; None takes a key away."""
    made = copy.deepcopy(MAP)
    for key, value in changes.items():
        *path, name = key.replace("__", ".").split(".")
        node = made
        for part in path:
            node = node.setdefault(part, {})
        if value is None:
            node.pop(name, None)
        else:
            node[name] = value
    return made


def facts(rate_hz: float = 1000.0, **changes: Any) -> RigFacts:
    """The reference rig at a rate."""
    return rig.load("table-500", twin=True, changes=changes).facts()._replace(rate_hz=rate_hz)
