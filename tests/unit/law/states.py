"""The whole state of the controller, at the tick that a test is about."""

import math
from typing import Any

import numpy as np

from firmware_bridge.driver import READINGS
from hilctl.law.sensors import SUPPLY
from hilctl.law.state import STATE
from hilctl.law.tick import rt_start
from hilctl.signals import SENSORS, Mode
from tests.forms import blank
from tests.unit.law.given import settings

TICK = 5000
SET = settings()


def put(record: Any, **values: Any) -> Any:
    """Writes values into a record; a double underscore stands for the dot."""
    for name, value in values.items():
        *way, last = name.split("__")
        inner = record
        for step in way:
            inner = inner[step]
        inner[last] = value
    return record


def law(mode: Mode, given: Any = SET, **values: Any) -> Any:
    """A rig in a mode, its table at rest at 0, some seconds after the start; values as for `put`."""
    s = blank(STATE)
    rt_start(s, given, TICK)
    s.mode, s.started, s.enable, s.supply = mode, 1, 1, 2
    s.checked.seen = (1 << len(SENSORS)) - 1
    s.checked.value[SUPPLY] = given.machine.Ps
    return put(s, **values)


def readings(**values: Any) -> Any:
    """Readings of a table at rest at 0, all fresh."""
    made = blank(READINGS)
    made.supply_pressure_pa = made.spool = made.oil_temperature_degc = math.nan
    made.emergency_stop = made.oil_level = made.oil_filter = math.nan
    return put(made, **values)


def point(x: float = 0.0, v: float = 0.0, a: float = 0.0, j: float = 0.0) -> Any:
    """A point of a reference."""
    return np.array([(x, v, a, j)], STATE["here"])[0]
