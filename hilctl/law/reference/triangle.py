"""A triangle with rounded corners: straights of exactly constant speed, joined by pulses of acceleration.

The amplitude A is the peak of the *rounded* triangle. A corner lasts Tc, and turns the speed v into -v:

    x = x0 + v t - 2 v X(t)         X, the pulse of smooth.py; its plateau is a = 2 v / ((1 - FLANK) Tc)
    d = CORNER_REACH v Tc           from the end of a straight to the peak;  CORNER_REACH = 1/2 - 2 X(Tc/2)/Tc = 13/42
    Ts = 2 (A - d) / v              a straight, from -(A - d) to A - d
    P = 2 (Ts + Tc)                 the period: the sharp triangle's 4A/v and 2 Tc (1 - 2 CORNER_REACH) = 16/21 Tc

A soft start is half a corner: from rest to v in Tc/2 over v Tc/4 < d, so that it begins inside the amplitude and ends
where the first straight begins: the first straight counts like all others. The soft stop is the same after the last
straight.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.smooth import FLANK, rt_pulse
from hilctl.params import record_of
from hilctl.rt import jit

TRIANGLE: "np.dtype[Any]" = record_of(
    [
        ("center_m", np.float64),
        ("speed_m_s", np.float64),
        ("reach_m", np.float64),  # A - d: half the length of a straight
        ("straight_s", np.float64),
        ("corner_s", np.float64),
    ]
)

CORNER_REACH = 0.5 - 2.0 * (FLANK**2 / 7 + 0.5 * (0.5 - FLANK) * 0.5) / (1 - FLANK)


@jit()
def rt_triangle(triangle: Any, duration_s: float, t_s: float, out: Any) -> None:
    """At `t_s` of a triangle that lasts `duration_s` with soft start and soft stop."""
    v, reach, ramp_s = triangle.speed_m_s, triangle.reach_m, 0.5 * triangle.corner_s
    u = t_s - ramp_s
    if u < 0.0:
        rt_turn(out, triangle.center_m - reach - 0.5 * v * ramp_s, 0.0, v, ramp_s, t_s)
        return
    ending_s = t_s - (duration_s - ramp_s)
    if ending_s > 0.0:
        rt_turn(out, triangle.center_m - reach, -v, v, ramp_s, ending_s)
        return
    half_s = triangle.straight_s + triangle.corner_s
    halves = math.floor(u / half_s)
    u -= halves * half_s
    up = 1.0 if halves & 1 == 0 else -1.0
    if u <= triangle.straight_s:
        out.x_m = triangle.center_m + up * (v * u - reach)
        out.v_m_s = up * v
        out.a_m_s2 = 0.0
        out.j_m_s3 = 0.0
    else:
        rt_turn(out, triangle.center_m + up * reach, up * v, -2.0 * up * v, triangle.corner_s, u - triangle.straight_s)


@jit()
def rt_turn(out: Any, x_m: float, v_m_s: float, change_m_s: float, duration_s: float, t_s: float) -> None:
    """From x at speed v, through a pulse that changes the speed."""
    pulse = rt_pulse(t_s, duration_s)
    out.x_m = x_m + v_m_s * t_s + change_m_s * pulse[0]
    out.v_m_s = v_m_s + change_m_s * pulse[1]
    out.a_m_s2 = change_m_s * pulse[2]
    out.j_m_s3 = change_m_s * pulse[3]
