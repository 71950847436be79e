"""Three-variable (three-state) control: feedback of position, velocity, acceleration and dynamic pressure.

    u = Kd (xd - x^) + Ki ∫(xd - x^) + Kv (vd - v^) + Ka (ad - a) - Kp HP(s) (pL - pLref)

References are delayed like the measurements they are compared with. The pressure term acts on the deviation from the
pressure that the reference needs: on the raw pressure it would fight the feed-forward. It acts on young pressures only
(freshness.py).
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.law.freshness import RETURN_S
from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit


class ThreeState(Params):
    """Three-variable control. `hilctl tune` computes a set from the machine; signs as in the formula."""

    kd_per_m: Annotated[float, number(0, 1e4, "1/m", "Kd: opening per metre of error")] = 20.0
    ki_per_m_s: Annotated[float, number(0, 1e5, "1/(m·s)", "Ki: opening per metre and second of error")] = 20.0
    kv_s_per_m: Annotated[float, number(-100, 100, "s/m", "Kv: opening per m/s of velocity error")] = 0.0
    ka_s2_per_m: Annotated[float, number(-10, 10, "s²/m", "Ka: opening per m/s² of acceleration error")] = 0.0
    kp_per_mpa: Annotated[float, number(-1, 1, "1/MPa", "Kp: opening per MPa of dynamic load pressure")] = 0.0
    high_pass_hz: Annotated[float, number(0.05, 500, "Hz", "corner of the pressure's high-pass")] = 6.0
    pressure_age_s: Annotated[
        float, number(1e-4, 1, "s", "where either pressure is older, the pressure term is faded out")
    ] = 0.005
    pressure_fade_s: Annotated[
        float, number(0.01, RETURN_S, "s", "time over which it fades out, and in again after a second of young ones")
    ] = 0.2
    unwind_per_s: Annotated[float, number(0, 1e3, "1/s", "rate at which saturation empties the integral")] = 40.0


THREE_STATE = record_of(
    [
        ("integral", np.float64),
        ("slow_pa", np.float64),  # low-passed deviation of the load pressure
        ("term", np.float64),  # the pressure term in full, held while the pressures are too old
        ("position", np.float64),
        ("velocity", np.float64),
        ("acceleration", np.float64),
        ("pressure", np.float64),
    ]
)


@jit()
def rt_three_state_start(integral: float, deviation_pa: float, s: Any) -> None:
    """Begins with this integral and a settled pressure, so that nothing jumps."""
    s.integral, s.slow_pa = integral, deviation_pa
    s.position = s.velocity = s.acceleration = s.pressure = s.term = 0.0


@jit()
def rt_three_state(c: Any, error_m: float, error_m_s: float, error_m_s2: float, deviation_pa: float,
                   fresh: Any, refused: float, live: bool, dt_s: float, s: Any) -> float:
    """One step. `refused` is what the last command asked for and did not get; the integral stands while not `live`."""
    keep = math.exp(-2.0 * math.pi * c.high_pass_hz * dt_s)
    s.slow_pa = keep * s.slow_pa + (1.0 - keep) * deviation_pa if fresh.fresh_s > 0.0 else deviation_pa
    if fresh.live != 0:
        s.term = -c.kp_per_mpa * 1e-6 * (deviation_pa - s.slow_pa)
    if live:
        s.integral += dt_s * c.ki_per_m_s * error_m - min(dt_s * c.unwind_per_s, 1.0) * refused
    s.position = c.kd_per_m * error_m
    s.velocity = c.kv_s_per_m * error_m_s
    s.acceleration = c.ka_s2_per_m * error_m_s2
    s.pressure = fresh.share * s.term
    return float(s.position + s.integral + s.velocity + s.acceleration + s.pressure)
