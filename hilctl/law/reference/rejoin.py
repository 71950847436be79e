"""After a stall: from where the held command has taken the table, back to the motion, without a jolt.

While the loop stands still the valve keeps its opening, and the table its speed. The motion goes on by its index. So
the reference is led along the table's own path first, and then back to the motion by an offset d(t), from
(d0, d0', d0'', d0''') to rest at zero. d0'' and d0''' cancel the motion's own acceleration and jerk at the join, so
that the reference begins there as the table goes, and ends as the motion goes; jerk is joined, for the command holds
its slope (inverse.py). It has two parts, which add:

    turn    s = t/U:  d'' = d0'' (1 - 3s² + 2s³) + d0''' U (s - 2s² + s³), and d = d' = 0 at its end
    home    s = t/T:  d = c0 + c1 s + c4 s⁴ + … + c7 s⁷, from d and d' after the turn; d'' = d''' = 0 at its ends

The turn gives the table the motion's acceleration, as soon as the jerk permits (at most 1.5 d0''/U). Over the
whole time T an acceleration that begins with d0'' would take the table ever further: d0'' T²/20 away from the motion.
T is the shortest of a geometric row for which |d''| and |d'''| of the way home stay within their limits, or else the
one that passes them least.
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
        ("missed_s", np.float64),  # what was missed until the motion is rejoined
        ("T_s", np.float64),
        ("c", np.float64, (8,)),
        ("U_s", np.float64),
        ("turn", np.float64, (8,)),
    ]
)

_LONGER = 1.2
_TRIES = 16
_LOOKS = 12


@jit()
def rt_rejoin_none(r: Any) -> None:
    """The motion as it is."""
    r.begun = r.until = 0


@jit()
def rt_rejoin_plan(point: Any, most_m_s2: float, most_m_s3: float, tick: int, dt_s: float, r: Any) -> None:
    """An offset with this value and slopes at `tick`, back to zero within an acceleration and a jerk if possible."""
    a, j, most = point.a_m_s2, point.j_m_s3, max(most_m_s2, 1e-3)
    U = max(8.0 * dt_s, 1.5 * abs(a) / max(most_m_s3, abs(j)))
    _rt_turn(a * U * U, j * U * U * U, r.turn)
    x, v = point.x_m - r.turn[0], point.v_m_s - r.turn[1] / U
    T = max(8.0 * dt_s, 2.0 * abs(v) / most, math.sqrt(6.0 * abs(x) / most))
    best, least = T, math.inf
    for _ in range(_TRIES):
        _rt_home(x, v * T, r.c)
        passed = max(_rt_most(r.c, 2) / (most * T * T), _rt_most(r.c, 3) / (most_m_s3 * T * T * T))
        if passed < least:
            best, least = T, passed
        if passed <= 1.0001:
            break
        T *= _LONGER
    _rt_home(x, v * best, r.c)
    r.begun, r.until, r.T_s, r.U_s = tick, tick + math.ceil(max(best, U) / dt_s), best, U


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
def _rt_home(x: float, v: float, c: Any) -> None:
    """The coefficients; slopes are by s."""
    c[0], c[1], c[2], c[3] = x, v, 0.0, 0.0
    c[4] = -35.0 * x - 20.0 * v
    c[5] = 84.0 * x + 45.0 * v
    c[6] = -70.0 * x - 36.0 * v
    c[7] = 20.0 * x + 10.0 * v


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
def _rt_most(c: Any, order: int) -> float:
    """The greatest value of a derivative by s."""
    most = 0.0
    for k in range(_LOOKS + 1):
        most = max(most, abs(_rt_slope(c, order, k / _LOOKS)))
    return most


@jit()
def rt_rejoin_add(r: Any, tick: int, dt_s: float, point: Any) -> None:
    """Adds the offset to the motion's point at a tick before `until`."""
    passed_s = (tick - r.begun) * dt_s
    _rt_add(r.turn, r.U_s, passed_s, point)
    _rt_add(r.c, r.T_s, passed_s, point)


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
