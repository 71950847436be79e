"""What tests of blocks begin with: the tables of a rig, as records."""

import functools
from typing import Any

from hilctl import rig as rigs
from hilctl.law.settings import pack_settings
from hilctl.params import assign, pack
from hilctl.signals import SENSORS

DT = 1e-3
OIL, LEVEL, FILTER = (SENSORS.index(name) for name in ("oil_temperature", "oil_level", "oil_filter"))


@functools.cache
def _rig() -> Any:
    return rigs.load("table-500")


def machine(**changes: Any) -> Any:
    """The machine of table-500, with some values changed as they stand in the record."""
    record = pack(_rig().tables.machine)
    for name, value in changes.items():
        record[name] = value
    return record


def controller(**changes: Any) -> Any:
    """The controller's tables; a double underscore stands for the dot."""
    return assign(_rig().controller, {key.replace("__", "."): value for key, value in changes.items()})


def settings(**changes: Any) -> Any:
    """The record for the loop."""
    changes = {"law__feed__smooth_s": 4e-3, **changes}  # not searched for
    return pack_settings(controller(**changes), _rig().friction, DT, 1)
