"""A whole motion against the limits of its rig, before it starts.

Only what differs is looked at: of what repeats, one period; of straights, nothing. A plan lists these stretches, so an
endless motion costs what a short one costs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.law.motions.limits import KEYS, Flow, MotionLimits, MotionRefused
from hilctl.law.motions.planning import Plan
from hilctl.law.reference.point import new_point
from hilctl.law.reference.scan import BOUNDS, VERDICT, Bound, rt_scan

_SAID: dict[Bound, tuple[str, str, str, str]] = {
    Bound.POSITION: ("position", "m", "", "reduce the amplitude or shift the centre"),
    Bound.STOPPING: (
        "position with its stopping distance", "m", "", "reduce amplitude or speed, or raise the stopping deceleration"
    ),
    Bound.VELOCITY: ("velocity", "m/s", "velocity_m_s", "reduce amplitude, speed or frequency"),
    Bound.ACCELERATION: (
        "acceleration", "m/s²", "acceleration_m_s2",
        "reduce amplitude or frequency, lengthen ramps, or filter a waveform by low_pass_hz",
    ),
    Bound.FLOW: ("velocity at this acceleration", "m/s", "flow", "the valve cannot give this flow: reduce the speed"),
    Bound.PRESSURE: (
        "load pressure", "Pa", "supply", "reduce amplitude or frequency, or the load, or raise the supply pressure",
    ),
}


_AT_ONCE = 200_000  # instants, about 0.1 s


class GaveUp(HilctlError):
    """The check was ended before its end, by who asked for it."""


def check_plan(
    plan: Plan, limits: MotionLimits, flow: Flow | None = None, going: Callable[[], bool] = lambda: True
) -> dict[str, float]:
    """Raises MotionRefused at the first instant that passes a limit; otherwise the motion's extremes.

    The motion is given its peaks of velocity and acceleration: after a stall the loop rejoins it by them. GaveUp, when
    it is `going` no longer.
    """
    bounds, verdict = bounds_of(limits, flow), np.zeros(1, VERDICT)[0]
    verdict.x_low_m, verdict.x_high_m = np.inf, -np.inf
    point = new_point()
    for first_s, last_s, step_s in sorted(plan.stretches):
        count = int(np.ceil((last_s - first_s) / step_s - 1e-9)) + 1
        even_s = (last_s - first_s) / max(count - 1, 1)
        for done in range(0, count, _AT_ONCE):
            if not going():
                raise GaveUp
            some = min(_AT_ONCE, count - done)
            if rt_scan(plan.motion, plan.knots, first_s + done * even_s, even_s, some, bounds, point, verdict):
                raise _refused(verdict, limits)
    plan.motion.peak_m_s, plan.motion.peak_m_s2 = verdict.v_m_s, verdict.a_m_s2
    return {name: float(verdict[name]) for name in ("x_low_m", "x_high_m", "v_m_s", "a_m_s2", "j_m_s3")}


def bounds_of(limits: MotionLimits, flow: Flow | None) -> Any:
    """The record that the scan reads."""
    bounds = np.zeros(1, BOUNDS)[0]
    bounds.x_min_m, bounds.x_max_m = limits.x_min_m, limits.x_max_m
    bounds.v_m_s, bounds.a_m_s2, bounds.stop_m_s2 = limits.velocity_m_s, limits.acceleration_m_s2, limits.stop_m_s2
    bounds.stop_m_s3, bounds.reaction_s = limits.stop_m_s3, limits.reaction_s
    if flow is not None:
        bounds.no_load_speed_m_s, bounds.force_per_mass_m_s2, bounds.resistance_m_s2 = flow[:3]
        bounds.weight_m_s2, bounds.spring_per_s2, bounds.supply_pa = flow[3:]
    return bounds


def _refused(verdict: Any, limits: MotionLimits) -> MotionRefused:
    quantity, unit, key, remedy = _SAID[Bound(int(verdict.bound))]
    if not key:
        key = "x_max_m" if verdict.limit == limits.x_max_m else "x_min_m"
    return MotionRefused(
        quantity=quantity, unit=unit, t_s=float(verdict.t_s), value=float(verdict.value), limit=float(verdict.limit),
        key=KEYS[key], remedy=remedy,
    )
