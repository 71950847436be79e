"""After a stall: from where the held command has taken the table, back to the motion, without a jolt.

While the loop stands still the valve keeps its opening, and the table its speed. The motion goes on by its index. So
the reference is led along the table's own path first, and then back to the motion by an offset

    d(t) = c0 + c1 s + c2 s² + … + c7 s⁷    with s = t/T    from (d0, d0', d0'', d0''') to rest at zero, in a time T

d0'' and d0''' cancel the motion's own acceleration and jerk at the join, so that the reference begins there as the
table goes, and ends as the motion goes; jerk is joined, for the command holds its slope (inverse.py). T is the
shortest of a geometric row for which |d''| and |d'''| stay within their limits, or else the one that passes them
least.
"""

import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt import jit

REJOIN: "np.dtype[Any]" = record_of(
    [
        ("begun", np.int64),  # tick of the join
        ("until", np.int64),  # tick from which on nothing is added
        ("T_s", np.float64),
        ("c", np.float64, (8,)),
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
    x, v, a, j = point.x_m, point.v_m_s, point.a_m_s2, point.j_m_s3
    most = max(most_m_s2, abs(a), 1e-3)
    T = max(8.0 * dt_s, 2.0 * abs(v) / most, math.sqrt(6.0 * abs(x) / most))
    best, least = T, math.inf
    for _ in range(_TRIES):
        _rt_home(x, v * T, a * T * T, j * T * T * T, r.c)
        passed = max(_rt_most(r.c, 2) / (most * T * T), _rt_most(r.c, 3) / (max(most_m_s3, abs(j)) * T * T * T))
        if passed < least:
            best, least = T, passed
        if passed <= 1.0001:
            break
        T *= _LONGER
    _rt_home(x, v * best, a * best * best, j * best * best * best, r.c)
    r.begun, r.until, r.T_s = tick, tick + math.ceil(best / dt_s), best


@jit()
def _rt_home(x: float, v: float, a: float, j: float, c: Any) -> None:
    """The coefficients; slopes are by s."""
    c[0], c[1], c[2], c[3] = x, v, a / 2.0, j / 6.0
    c[4] = -35.0 * x - 20.0 * v - 5.0 * a - 2.0 / 3.0 * j
    c[5] = 84.0 * x + 45.0 * v + 10.0 * a + j
    c[6] = -70.0 * x - 36.0 * v - 7.5 * a - 2.0 / 3.0 * j
    c[7] = 20.0 * x + 10.0 * v + 2.0 * a + j / 6.0


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
    per_s = 1.0 / r.T_s
    s = min((tick - r.begun) * dt_s * per_s, 1.0)
    point.x_m += _rt_slope(r.c, 0, s)
    point.v_m_s += _rt_slope(r.c, 1, s) * per_s
    point.a_m_s2 += _rt_slope(r.c, 2, s) * per_s * per_s
    point.j_m_s3 += _rt_slope(r.c, 3, s) * per_s * per_s * per_s


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
