"""After a stall: from where the held command has taken the table, back to the motion, without a jolt.

While the loop stands still the valve keeps its opening, and the table its speed. The motion goes on by its index. So
the reference is led along the table's own path first, and then back to the motion by an offset d(t), from
(d0, d0', d0'', d0''') to rest at zero. d0'' and d0''' cancel the motion's own acceleration and jerk at the join, so
that the reference begins there as the table goes, and ends as the motion goes; jerk is joined, for the command holds
its slope (inverse.py). It has three parts, which add; before their ends

    turn    s = t/U:  d'' = d0'' (1 - 3s² + 2s³) + d0''' U (s - 2s² + s³), and d = d' = 0 at its end
    brake   s = t/B:  d' = v (1 - 10s³ + 15s⁴ - 6s⁵) with the speed v that the turn leaves, and d = 0 at its end
    home    s = t/T:  d = x (1 - 35s⁴ + 84s⁵ - 70s⁶ + 20s⁷) with the way x that both leave

The turn gives the table the motion's acceleration, as soon as the jerk permits (at most 1.5 d0''/U). To brake takes
most of the acceleration: while it lasts the table goes further away. The way home has time, for it adds a speed to the
motion's own. Each lasts as long as its share of the limits asks.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.smooth import rt_step
from hilctl.params import record_of
from hilctl.rt import jit

REJOIN: "np.dtype[Any]" = record_of(
    [
        ("begun", np.int64),  # tick of the join
        ("until", np.int64),  # tick from which on nothing is added
        ("missed_s", np.float64),  # what was missed until the motion is rejoined, or in this stop
        ("T_s", np.float64),
        ("home", np.float64, (8,)),
        ("B_s", np.float64),
        ("brake", np.float64, (8,)),
        ("U_s", np.float64),
        ("turn", np.float64, (8,)),
    ]
)

BRAKE, HOME = 0.8, 0.2  # of the acceleration
_BRAKE_M_S2, _BRAKE_M_S3 = 1.875, 10.0 / math.sqrt(3.0)  # peaks of the slopes by s
_HOME_M_S, _HOME_M_S2, _HOME_M_S3 = 35.0 / 16.0, 84.0 * math.sqrt(5.0) / 25.0, 52.5


@jit()
def rt_rejoin_none(r: Any) -> None:
    """The motion as it is."""
    r.begun = r.until = 0
    r.missed_s = 0.0


@jit()
def rt_rejoin_plan(point: Any, most_m_s: float, most_m_s2: float, most_m_s3: float, tick: int, dt_s: float,
                   r: Any) -> None:  # fmt: skip
    """An offset with this value and slopes at `tick`, back to zero within these limits, the turn apart."""
    a, j, most, least_s = point.a_m_s2, point.j_m_s3, max(most_m_s2, 1e-3), 8.0 * dt_s
    r.U_s = U = max(least_s, 1.5 * abs(a) / max(most_m_s3, abs(j)))
    _rt_turn(a * U * U, j * U * U * U, r.turn)
    v, half = point.v_m_s - r.turn[1] / U, 0.5 * most_m_s3
    r.B_s = B = max(least_s, _BRAKE_M_S2 * abs(v) / (BRAKE * most), math.sqrt(_BRAKE_M_S3 * abs(v) / half))
    _rt_brake(v * B, r.brake)
    x = point.x_m - r.turn[0] - r.brake[0]
    r.T_s = max(least_s, _HOME_M_S * abs(x) / most_m_s, math.sqrt(_HOME_M_S2 * abs(x) / (HOME * most)),
                (_HOME_M_S3 * abs(x) / half) ** (1.0 / 3.0))  # fmt: skip
    _rt_home(x, r.home)
    r.begun, r.until = tick, tick + math.ceil(max(r.T_s, B, U) / dt_s)


@jit()
def rt_rejoin_missed(r: Any, since: float, dt_s: float) -> float:
    """What counts of the stalls before, where one begins at this tick: what the way home has not yet led back.

    Each stall leads straight on for two ticks and half of the turn longer than it lasts. Those that come one upon the
    other, within the turn, open the loop at the third (loop/core.py), and are not counted together here.
    """
    passed_s = (since - r.begun) * dt_s
    if since >= r.until or passed_s < r.U_s:
        return 0.0
    left = 1.0 - rt_step(passed_s, r.T_s)[0]
    return float(left * r.missed_s + 2.0 * dt_s + 0.5 * r.U_s)


@jit()
def _rt_turn(a: float, j: float, c: Any) -> None:
    """The coefficients; slopes are by s."""
    c[0] = 0.15 * a + j / 30.0
    c[1] = -a / 2.0 - j / 12.0
    c[2] = a / 2.0
    c[3] = j / 6.0
    c[4] = -a / 4.0 - j / 6.0
    c[5] = a / 10.0 + j / 20.0
    c[6] = c[7] = 0.0


@jit()
def _rt_brake(v: float, c: Any) -> None:
    """The coefficients; slopes are by s."""
    c[0], c[1], c[2], c[3] = -0.5 * v, v, 0.0, 0.0
    c[4], c[5], c[6], c[7] = -2.5 * v, 3.0 * v, -v, 0.0


@jit()
def _rt_home(x: float, c: Any) -> None:
    """The coefficients."""
    c[0], c[1], c[2], c[3] = x, 0.0, 0.0, 0.0
    c[4], c[5], c[6], c[7] = -35.0 * x, 84.0 * x, -70.0 * x, 20.0 * x


@jit()
def _rt_slope(c: Any, order: int, s: float) -> float:
    """A derivative by s."""
    out = 0.0
    for i in range(7, order - 1, -1):
        factor = 1.0
        for k in range(order):
            factor *= i - k
        out = out * s + factor * c[i]
    return out


@jit()
def rt_rejoin_add(r: Any, tick: int, dt_s: float, point: Any) -> None:
    """Adds the offset to the motion's point at a tick before `until`."""
    passed_s = (tick - r.begun) * dt_s
    _rt_add(r.turn, r.U_s, passed_s, point)
    _rt_add(r.brake, r.B_s, passed_s, point)
    _rt_add(r.home, r.T_s, passed_s, point)


@jit()
def _rt_add(c: Any, lasts_s: float, passed_s: float, point: Any) -> None:
    per_s = 1.0 / lasts_s
    s = passed_s * per_s
    if s >= 1.0:
        return
    point.x_m += _rt_slope(c, 0, s)
    point.v_m_s += _rt_slope(c, 1, s) * per_s
    point.a_m_s2 += _rt_slope(c, 2, s) * per_s * per_s
    point.j_m_s3 += _rt_slope(c, 3, s) * per_s * per_s * per_s


@jit()
def rt_coast(x_m: float, v_m_s: float, seconds: float, point: Any) -> None:
    """A point that goes on at its speed."""
    point.x_m, point.v_m_s, point.a_m_s2, point.j_m_s3 = x_m + v_m_s * seconds, v_m_s, 0.0, 0.0


@jit()
def rt_less(point: Any, other: Any) -> None:
    """The point less another."""
    point.x_m -= other.x_m
    point.v_m_s -= other.v_m_s
    point.a_m_s2 -= other.a_m_s2
    point.j_m_s3 -= other.j_m_s3
