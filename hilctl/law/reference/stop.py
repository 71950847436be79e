"""To rest from any point of any motion, as fast as a deceleration and a jerk allow, with the jerk joined.

From x, v, a, j at t = 0, in three stretches of acceleration:

    T1   from (a, j) to (p, 0) along the cubic Hermite polynomial        Δv = T1 (a/2 + j T1/12 + p/2)
    T2   p
    T3   from p to 0 along the quintic smooth step                       Δv = p T3/2

T1 and T3 come from the jerk: 1.5 (|a| + D)/J for a cubic, 1.875 D/J for the quintic. What velocity then remains,
w = v + T1 (a/2 + j T1/12), sets the sign of p; |p| = D with T2 = |w|/D - (T1 + T3)/2, or, where that is negative,
T2 = 0 and |p| = 2 |w|/(T1 + T3) < D.

So |acceleration| <= max(|a|, D) + (4/27) |j| T1. The last term, an acceleration that the table is gaining at that
moment, is kept out of the way while there is room: T1 shrinks, to a third at the least, until
|a| + (4/27) |j| T1 <= D. A jerk that is already beyond J sets the pace instead of J.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.reference.point import rt_rest
from hilctl.params import record_of
from hilctl.rt import jit

STOP: "np.dtype[Any]" = record_of(
    [
        ("x_m", np.float64),  # the point that it continues from
        ("v_m_s", np.float64),
        ("a_m_s2", np.float64),
        ("j_m_s3", np.float64),
        ("plateau_m_s2", np.float64),
        ("turn_s", np.float64),  # T1
        ("plateau_s", np.float64),  # T2
        ("release_s", np.float64),  # T3
        ("rest_m", np.float64),  # where it ends
    ]
)


@jit()
def rt_stopping_reach(v_m_s: float, deceleration_m_s2: float, jerk_m_s3: float, reaction_s: float) -> float:
    """How far a table at this speed still goes at the most, signed: the reaction, then the stop above from a = j = 0.

    With T = T1 + T3 a stop with a plateau takes |v|/D + T/2, one without T. If T1 and T3 were equal it would go half of
    |v| times that; T3 is longer, so it goes up to |v| (T3 - T1)/4 less.
    """
    speed = abs(v_m_s)
    shaping_s = 3.375 * deceleration_m_s2 / jerk_m_s3
    stop_m = speed * max(0.5 * speed / deceleration_m_s2 + 0.25 * shaping_s, 0.5 * shaping_s)
    return math.copysign(stop_m + speed * reaction_s, v_m_s)


@jit()
def rt_plan_stop(point: Any, deceleration_m_s2: float, jerk_m_s3: float, stop: Any) -> None:
    """Fills a STOP that continues from a point. Both limits must be positive."""
    v, a, j = point.v_m_s, point.a_m_s2, point.j_m_s3
    stop.x_m, stop.v_m_s, stop.a_m_s2, stop.j_m_s3 = point.x_m, v, a, j
    turn_s = 1.5 * (abs(a) + deceleration_m_s2) / max(jerk_m_s3, abs(j))
    if a * j > 0.0:
        room_s = 6.75 * (deceleration_m_s2 - abs(a)) / abs(j)
        turn_s = max(turn_s / 3.0, min(turn_s, room_s))
    release_s = 1.875 * deceleration_m_s2 / jerk_m_s3
    left = v + turn_s * (0.5 * a + j * turn_s / 12.0)
    half_s = 0.5 * (turn_s + release_s)
    plateau_s = abs(left) / deceleration_m_s2 - half_s
    if plateau_s > 0.0:
        stop.plateau_m_s2 = -deceleration_m_s2 if left > 0.0 else deceleration_m_s2
    else:
        plateau_s = 0.0
        stop.plateau_m_s2 = -left / half_s
    stop.turn_s, stop.plateau_s, stop.release_s = turn_s, plateau_s, release_s
    p = stop.plateau_m_s2
    end_turn_m = turn_s * (v + turn_s * (a * 0.35 + j * turn_s / 20.0 + p * 0.15))
    v = left + 0.5 * p * turn_s
    end_plateau_m = plateau_s * (v + 0.5 * p * plateau_s)
    v += p * plateau_s
    end_release_m = release_s * (v + p * release_s * (0.5 - 1.0 / 7.0))
    stop.rest_m = point.x_m + end_turn_m + end_plateau_m + end_release_m


@jit()
def rt_stop(stop: Any, t_s: float, out: Any) -> int:
    """At `t_s` of the stop: 0 while it moves, 1 at rest."""
    p = stop.plateau_m_s2
    left_s = stop.turn_s + stop.plateau_s + stop.release_s - t_s
    if left_s <= 0.0:
        rt_rest(out, stop.rest_m)
        return 1
    if t_s < stop.turn_s:
        T = stop.turn_s
        s = t_s / T
        a, b = stop.a_m_s2, stop.j_m_s3 * T
        c = 3.0 * (p - a) - 2.0 * b
        d = 2.0 * (a - p) + b
        out.x_m = stop.x_m + t_s * (stop.v_m_s + t_s * (a / 2.0 + s * (b / 6.0 + s * (c / 12.0 + s * d / 20.0))))
        out.v_m_s = stop.v_m_s + t_s * (a + s * (b / 2.0 + s * (c / 3.0 + s * d / 4.0)))
        out.a_m_s2 = a + s * (b + s * (c + s * d))
        out.j_m_s3 = (b + s * (2.0 * c + s * 3.0 * d)) / T
        return 0
    # From here on seen from the end, where everything is zero: r runs back from rest.
    R = stop.release_s
    if left_s > R:
        r = left_s - R
        out.x_m = stop.rest_m + p * (R * R / 7.0 + 0.5 * r * (R + r))
        out.v_m_s = -p * (0.5 * R + r)
        out.a_m_s2 = p
        out.j_m_s3 = 0.0
        return 0
    s = left_s / R
    s3 = s * s * s
    out.x_m = stop.rest_m + p * R * R * s3 * s * s * (0.5 + s * (-0.5 + s / 7.0))
    out.v_m_s = -p * R * s3 * s * (2.5 + s * (-3.0 + s))
    out.a_m_s2 = p * s3 * (10.0 + s * (-15.0 + 6.0 * s))
    out.j_m_s3 = -p / R * 30.0 * s * s * (1.0 - s) * (1.0 - s)
    return 0
