"""What arming expects of the machine, by its nominal figures: speed, lag, and the share of it at the low supply."""

import math
from typing import Any

from hilctl.machine import GRAVITY
from hilctl.rt.jit import jit

_LEAST_DROP = 0.1  # of the supply: a weight that leaves less is not carried anyway


@jit()
def rt_low_share(machine: Any, supply_pa: float) -> float:
    """The opening that moves the table as much as a full one at low pressure: the supply may still be above it."""
    high = supply_pa > machine.Ps_low  # not where it is not measured
    return math.sqrt(machine.Ps_low / supply_pa) if high else 1.0


@jit()
def _rt_supply(machine: Any, supply_pa: float) -> float:
    return float(machine.Ps_low if math.isnan(supply_pa) else max(supply_pa, 0.0))


@jit()
def rt_promised(machine: Any, supply_pa: float) -> float:
    """Speed of a full opening at this supply."""
    return float(machine.Qn / machine.A * math.sqrt(_rt_supply(machine, supply_pa) / machine.Ps))


@jit()
def rt_unweighted(machine: Any, supply_pa: float, v: float, way: float) -> float:
    """A speed at the same opening without the weight of a vertical axis, whose way is up (1) or down (-1).

    The weight takes from the pressure drop upwards, adds to it downwards, and leaks the table down.
    """
    if machine.vertical == 0:
        return v
    weight_pa, least_pa = machine.m * GRAVITY / machine.A, _LEAST_DROP * machine.Ps_low
    supply = _rt_supply(machine, supply_pa)
    share = math.sqrt(max(supply - way * weight_pa, least_pa) / max(supply, least_pa))
    return float((v + (machine.Ctc + machine.Kc) * weight_pa / machine.A) / share)


@jit()
def rt_lag_s(machine: Any) -> float:
    """Of valve and oil."""
    return float(2.0 * machine.zv / machine.wv + 1.0 / rt_hydraulic_rad_s(machine))


@jit()
def rt_hydraulic_rad_s(machine: Any) -> float:
    """Frequency of the mass on the oil."""
    return math.sqrt(4.0 * machine.beta * machine.A * machine.A / (machine.Vt * machine.m))
