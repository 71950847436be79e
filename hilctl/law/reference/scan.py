"""A motion evaluated over a grid of instants: into a table, or against limits.

These are the two entry points that Python calls by themselves; the loop never does.
"""

from enum import IntEnum
from typing import Any

import numpy as np

from hilctl.law.reference.motion import MOTION, rt_reference
from hilctl.law.reference.point import POINT
from hilctl.law.reference.stop import rt_stopping_reach
from hilctl.params import record_of
from hilctl.rt import jit, record_type


class Bound(IntEnum):
    """What a motion may exceed."""

    NONE = 0
    POSITION = 1
    STOPPING = 2  # position with its stopping distance
    VELOCITY = 3
    ACCELERATION = 4
    FLOW = 5  # the valve's reach at the pressure that the acceleration takes
    PRESSURE = 6  # that pressure


BOUNDS: "np.dtype[Any]" = record_of(
    [
        ("x_min_m", np.float64),
        ("x_max_m", np.float64),
        ("v_m_s", np.float64),
        ("a_m_s2", np.float64),
        ("stop_m_s2", np.float64),  # 0: stopping is not looked at
        ("stop_m_s3", np.float64),
        ("reaction_s", np.float64),
        ("no_load_speed_m_s", np.float64),  # 0: the valve is not looked at
        ("force_per_mass_m_s2", np.float64),
        ("resistance_m_s2", np.float64),  # friction per mass, against the motion
        ("weight_m_s2", np.float64),  # towards negative displacement
        ("spring_per_s2", np.float64),  # the load's stiffness per mass
        ("supply_pa", np.float64),  # 0: pressure is not looked at
    ]
)

VERDICT: "np.dtype[Any]" = record_of(
    [
        ("bound", np.int64),  # the first that is passed
        ("t_s", np.float64),  # when
        ("value", np.float64),
        ("limit", np.float64),
        ("x_low_m", np.float64),  # extremes up to there
        ("x_high_m", np.float64),
        ("v_m_s", np.float64),
        ("a_m_s2", np.float64),
        ("j_m_s3", np.float64),
    ]
)

# Rounding in a motion that was planned to touch a limit exactly is no violation.
SLACK = 1e-9


@jit()
def rt_passed(point: Any, bounds: Any, verdict: Any) -> int:
    """Which bound a point passes, with value and limit in the verdict; speed and room before what follows from them."""
    x, v, a = point.x_m, point.v_m_s, point.a_m_s2
    ahead = x
    if bounds.stop_m_s2 > 0.0:
        ahead += rt_stopping_reach(v, bounds.stop_m_s2, bounds.stop_m_s3, bounds.reaction_s)
    room = SLACK * (bounds.x_max_m - bounds.x_min_m)
    if not bounds.x_min_m - room <= x <= bounds.x_max_m + room:
        verdict.value = x
        verdict.limit = bounds.x_max_m if x > bounds.x_max_m else bounds.x_min_m
        return Bound.POSITION
    if not abs(v) <= bounds.v_m_s * (1.0 + SLACK):
        verdict.value, verdict.limit = v, bounds.v_m_s
        return Bound.VELOCITY
    if not abs(a) <= bounds.a_m_s2 * (1.0 + SLACK):
        verdict.value, verdict.limit = a, bounds.a_m_s2
        return Bound.ACCELERATION
    if not bounds.x_min_m - room <= ahead <= bounds.x_max_m + room:
        verdict.value = ahead
        verdict.limit = bounds.x_max_m if ahead > bounds.x_max_m else bounds.x_min_m
        return Bound.STOPPING
    if bounds.no_load_speed_m_s > 0.0:
        # A pL = m a + m g + K x + friction; orifice: |v| = no-load speed · sqrt(1 - sgn(v) pL / Ps).
        sign = 1.0 if v > 0.0 else -1.0 if v < 0.0 else 0.0
        push = a + bounds.weight_m_s2 + bounds.spring_per_s2 * x + sign * bounds.resistance_m_s2
        if bounds.supply_pa > 0.0 and not abs(push) <= bounds.force_per_mass_m_s2 * (1.0 + SLACK):
            verdict.value, verdict.limit = push / bounds.force_per_mass_m_s2 * bounds.supply_pa, bounds.supply_pa
            return Bound.PRESSURE
        left = 1.0 - sign * push / bounds.force_per_mass_m_s2
        reach = bounds.no_load_speed_m_s * np.sqrt(max(left, 0.0))
        if not abs(v) <= reach * (1.0 + SLACK):
            verdict.value, verdict.limit = v, reach
            return Bound.FLOW
    return Bound.NONE


def _scan_signature() -> Any:
    whole, real = record_type(np.dtype(np.int64)), record_type(np.dtype(np.float64))
    return whole(
        record_type(MOTION), real[::1], real, real, whole, record_type(BOUNDS), record_type(POINT), record_type(VERDICT)
    )


@jit(_scan_signature, cached=True)
def rt_scan(
    motion: Any, knots: Any, first_s: float, step_s: float, count: int, bounds: Any, point: Any, verdict: Any
) -> int:
    """Looks at `count` instants, widens the verdict's extremes, stops at the first bound passed; `point` is scratch."""
    for i in range(count):
        t_s = first_s + i * step_s
        rt_reference(motion, knots, t_s, point)
        verdict.x_low_m = min(verdict.x_low_m, point.x_m)
        verdict.x_high_m = max(verdict.x_high_m, point.x_m)
        verdict.v_m_s = max(verdict.v_m_s, abs(point.v_m_s))
        verdict.a_m_s2 = max(verdict.a_m_s2, abs(point.a_m_s2))
        verdict.j_m_s3 = max(verdict.j_m_s3, abs(point.j_m_s3))
        passed = rt_passed(point, bounds, verdict)
        if passed != Bound.NONE:
            verdict.bound, verdict.t_s = passed, t_s
            break
    return int(verdict.bound)


def _table_signature() -> Any:
    whole, real = record_type(np.dtype(np.int64)), record_type(np.dtype(np.float64))
    return whole(record_type(MOTION), real[::1], real[::1], record_type(POINT)[::1])


@jit(_table_signature, cached=True)
def rt_table(motion: Any, knots: Any, times_s: Any, points: Any) -> int:
    """Fills `points` with the reference at `times_s`; returns at how many of them the motion still ran."""
    running = 0
    for i in range(len(times_s)):
        running += 1 - rt_reference(motion, knots, times_s[i], points[i])
    return running
