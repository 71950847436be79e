"""Displacement PID.

    u = kp e + ki ∫e + kd de/dt        e = xd - x^

The derivative is of the error, through a first-order filter (exact for a held input). The integral is kept by
back-calculation: whatever the final command could not follow is taken out of it again at the rate `unwind_per_s`.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit


class Pid(Params):
    """Displacement PID."""

    kp_per_m: Annotated[float, number(0, 1e4, "1/m", "opening per metre of error")] = 10.0
    ki_per_m_s: Annotated[float, number(0, 1e5, "1/(m·s)", "opening per metre and second of error")] = 10.0
    kd_s_per_m: Annotated[float, number(0, 1e3, "s/m", "opening per metre per second of error")] = 0.0
    derivative_hz: Annotated[float, number(0.1, 2000, "Hz", "corner of the derivative's filter")] = 50.0
    unwind_per_s: Annotated[float, number(0, 1e3, "1/s", "rate at which saturation empties the integral")] = 40.0


PID = record_of(
    [
        ("integral", np.float64),
        ("slope", np.float64),  # filtered derivative of the error
        ("error", np.float64),
        ("p", np.float64),
        ("i", np.float64),
        ("d", np.float64),
    ]
)


@jit()
def rt_pid_start(integral: float, error: float, s: Any) -> None:
    """Begins with this integral and no derivative, so that nothing jumps."""
    s.integral, s.slope, s.error = integral, 0.0, error
    s.p = s.i = s.d = 0.0


@jit()
def rt_pid(c: Any, error: float, refused: float, live: bool, dt_s: float, s: Any) -> float:
    """One step. `refused` is what the last command asked for and did not get; the integral stands while not `live`."""
    fade = math.exp(-2.0 * math.pi * c.derivative_hz * dt_s)
    s.slope = fade * s.slope + (1.0 - fade) * (error - s.error) / dt_s
    s.error = error
    if live:
        s.integral += dt_s * c.ki_per_m_s * error - min(dt_s * c.unwind_per_s, 1.0) * refused
    s.p = c.kp_per_m * error
    s.i = s.integral
    s.d = c.kd_s_per_m * s.slope
    return float(s.p + s.i + s.d)
