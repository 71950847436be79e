"""When the valve is learned (adapt.py), and what becomes of it: whatever disturbs freezes it."""

from typing import Any

from hilctl.law.adapt import rt_adapt, rt_adapt_null_known, rt_adapt_scale, rt_adapt_start, rt_adapt_stop
from hilctl.law.escalation import rt_integral_lives
from hilctl.law.landing import rt_landing_shift
from hilctl.law.modes import rt_closed_loop, rt_own_loop
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B, SUPPLY, rt_failed
from hilctl.law.settings import PID_FEEDBACK
from hilctl.rt.jit import jit
from hilctl.signals import Mode

_NEEDED = 1 << DISPLACEMENT | 1 << ACCELERATION | 1 << PRESSURE_A | 1 << PRESSURE_B | 1 << SUPPLY


@jit()
def rt_adapt_calm(s: Any, status: int) -> bool:
    """Whether nothing disturbs: no trip, missed tick, rejected or old reading, limited command, blend, or arming."""
    held = rt_closed_loop(s) and s.mode != Mode.STANDBY and not rt_own_loop(s) and s.authority >= 1.0
    whole = s.blend >= 1.0 and s.pid_share == (1.0 if s.now.law.feedback == PID_FEEDBACK else 0.0)
    whole = whole and s.now.law.valve.inverse >= 1.0  # part of the overlap made up for would be learned as another one
    read = s.periods == 1 and not rt_failed(status) and s.checked.rejected & _NEEDED == 0 and s.fresh.live != 0
    free = s.output.refused == 0.0 and s.output.saturated == 0 and s.head_tick >= s.rejoin.until
    return bool(held and whole and read and free and rt_integral_lives(s))


@jit()
def rt_adapt_tick(s: Any, status: int) -> None:
    """One tick of learning, after the output. What the null takes over, the integral gives back."""
    c, a = s.now.law.adapt, s.adapt
    if c.share <= 0.0:
        if a.running != 0:
            rt_adapt_stop(a)
        return
    if a.running == 0:
        rt_adapt_start(c, a)
    value, e, dt_s, machine = s.checked.value, s.estimate, s.now.dt_s, s.now.machine
    lag_s = (1.5 + e.delay_ticks) * dt_s + 2.0 * machine.zv / machine.wv + s.now.law.feed.extra_preview_s
    moved = c.share * rt_adapt(c, machine, s.valve.opening, s.u_feed / rt_adapt_scale(c, machine, a), e.v, e.x,
                               value[PRESSURE_A], value[PRESSURE_B], value[SUPPLY], max(lag_s, dt_s),
                               e.delay_ticks * dt_s, rt_adapt_calm(s, status), dt_s, a)
    if s.pid_share > 0.0:
        s.pid.integral -= moved
    else:
        s.three_state.integral -= moved
    rt_landing_shift(moved, s.landing)


@jit()
def rt_adapt_keep_null(s: Any) -> None:
    """A set names another null: where it was learned to be, it stays, and is learned on from there."""
    learned = s.now.law.adapt.share * s.adapt.null
    s.arm.null += learned
    s.arm.kept += learned
    rt_adapt_null_known(s.adapt)
