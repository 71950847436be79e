"""What follows when a trip has brought the table to rest: hold, then null, then off, by `limits.escalation`.

A loop that is held with a trip latched cannot accumulate (its integral stands still), and it does not stay: nobody may
be there to reset it. Where a limit is passed again while it is held, holding does not help, and it ends sooner. Where
energy was lost, or the link, or the displacement, it ends at once: what comes back must find a closed valve.
"""

from typing import Any

from hilctl.law.effort import rt_effort_stands
from hilctl.law.sensors import DISPLACEMENT
from hilctl.rt.jit import jit
from hilctl.signals import Mode, Trip

_POWERLESS = 1 << Trip.SUPPLY_PRESSURE.value | 1 << Trip.DRIVER.value


@jit()
def rt_escalate(s: Any, passed: bool) -> bool:
    """One tick; `passed`: some limit that acts was passed in it. Whether it is time to go to null."""
    if s.mode != Mode.HOLD or s.guard.trip == 0:
        s.held_s = s.passed_s = 0.0
        return False
    c, step_s = s.now.limits.escalation, s.now.dt_s * s.periods
    s.held_s += step_s
    if passed or s.passed_s > 0.0:
        s.passed_s += step_s
    return bool(_rt_powerless(s.guard) or s.held_s > c.hold_s or s.passed_s > c.cause_s)


@jit()
def _rt_powerless(g: Any) -> bool:
    """What tripped takes away what holding needs: pressure, the link, or the displacement."""
    if g.trip == Trip.SUPPLY_PRESSURE or g.trip == Trip.DRIVER:
        return True
    return bool(Trip.SENSOR_INVALID <= g.trip <= Trip.SENSOR_STALE and g.trip_sensor == DISPLACEMENT)


@jit()
def rt_rests_at_null(s: Any) -> bool:
    """The valve is at null: whether it is to stay there for a while, with a trip latched."""
    s.null_s += s.now.dt_s * s.periods
    return bool(s.guard.trip != 0 and s.null_s <= s.now.limits.escalation.null_s)


@jit()
def rt_integral_lives(s: Any) -> bool:
    """Whether the integral may change: not with a trip latched, nor while the actuator does not act.

    It does not where the supply is low, the link fails, or the valve is open for a motion that does not come
    (effort.py).

    A command that saturates unwinds it (pid.py, three_state.py).
    """
    acts = s.guard.warnings & _POWERLESS == 0 and not rt_effort_stands(s.now.limits.holding, s.effort)
    return bool(s.guard.trip == 0 and acts)
