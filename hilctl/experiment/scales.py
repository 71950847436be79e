"""How far the sensors' scales may be off.

`accuracy` in the rig file is a limit. Within it every error is as likely, so its standard deviation is accuracy/√3
(GUM, JCGM 100:2008, 4.3.7). More samples do not average it out.
"""

import math
from collections.abc import Mapping
from typing import Any

from hilctl.law.sensors import Sensor

SURE = 1.96  # standard deviations: 95 %
_DEFAULT = Sensor(low=0.0, high=0.0).accuracy  # of what was stored before the rig file said it


def scale_sd(values: Mapping[str, Any], sensor: str) -> float:
    """Standard deviation of a sensor's scale, as a share."""
    return float(values.get(f"sensors.{sensor}.accuracy", _DEFAULT)) / math.sqrt(3)


def load_scale_sd(values: Mapping[str, Any]) -> float:
    """The same of the load pressure, to which either sensor contributes one half."""
    return 0.5 * math.hypot(scale_sd(values, "pressure_a"), scale_sd(values, "pressure_b"))


def with_scale(low: float, value: float, high: float, sd: float) -> tuple[float, float]:
    """The ends of a 95 % interval, wider by a scale of this standard deviation, as a share."""
    return value - math.hypot(value - low, SURE * sd * value), value + math.hypot(high - value, SURE * sd * value)
