"""What arming expects of the machine, by its nominal figures: speed, lag, and the share of it at the low supply."""

import math
from typing import Any

from hilctl.rt.jit import jit


@jit()
def rt_low_share(machine: Any, supply_pa: float) -> float:
    """The opening that moves the table as much as a full one at low pressure: the supply may still be above it."""
    high = supply_pa > machine.Ps_low  # not where it is not measured
    return math.sqrt(machine.Ps_low / supply_pa) if high else 1.0


@jit()
def rt_promised(machine: Any, supply_pa: float) -> float:
    """Speed of a full opening at this supply."""
    pressure = machine.Ps_low if math.isnan(supply_pa) else max(supply_pa, 0.0)
    return float(machine.Qn / machine.A * math.sqrt(pressure / machine.Ps))


@jit()
def rt_lag_s(machine: Any) -> float:
    """Of valve and oil."""
    return float(2.0 * machine.zv / machine.wv + 1.0 / rt_hydraulic_rad_s(machine))


@jit()
def rt_hydraulic_rad_s(machine: Any) -> float:
    """Frequency of the mass on the oil."""
    return math.sqrt(4.0 * machine.beta * machine.A * machine.A / (machine.Vt * machine.m))
