"""What the reference needs of the valve and of the load pressure: the linear part, and what the inverse model adds."""

import math
from typing import Any

from hilctl.law.adapt import rt_adapt_scale
from hilctl.law.feed import WITHOUT_S, rt_feed_linear, rt_inverse_share, rt_pressure_for
from hilctl.law.inverse import (
    rt_inverse_advance,
    rt_inverse_command,
    rt_inverse_early_s,
    rt_inverse_opening,
    rt_inverse_pressure,
    rt_inverse_side,
    rt_inverse_stop,
)
from hilctl.law.modes import rt_closed_loop, rt_reference_rests
from hilctl.law.sensors import PRESSURE_A, PRESSURE_B, SUPPLY
from hilctl.law.valve_stage import rt_valve_feed
from hilctl.machine import GRAVITY
from hilctl.rt.jit import jit
from hilctl.signals import Mode


@jit()
def rt_feed_forward(s: Any) -> None:
    """What the reference needs, for the flow gain that was learned."""
    _rt_feed_identified(s)
    scale = rt_adapt_scale(s.now.law.adapt, s.now.machine, s.adapt)
    s.u_feed *= scale
    s.opening_ahead *= scale


@jit()
def _rt_feed_identified(s: Any) -> None:
    """The opening ahead, the load pressure now. The PID has no linear feed-forward."""
    now, linear, share = s.now, 1.0 - rt_pid_part(s), _rt_share(s)
    s.u_linear = rt_feed_linear(s.linear, s.ahead)
    s.pressure_ref_pa = rt_pressure_for(s.linear, now.friction, s.here)
    s.u_inverse, s.u_feed = 0.0, linear * s.u_linear
    s.side = linear * rt_valve_feed(now.law.valve, s.u_linear, now.dt_s * s.periods, s.valve)
    s.opening_ahead = s.u_feed
    if share <= 0.0 or not rt_closed_loop(s):
        rt_inverse_stop(s.inverse)
        return
    rt_inverse_advance(now.machine, now.friction, s.checked.value[SUPPLY], _rt_held(s), now.law.feed.smooth_s,
                       now.law.feed.cross_s, s.history, s.head_tick, s.tick, now.dt_s, s.inverse)
    s.u_inverse = rt_inverse_command(s.tick, now.law.feed.extra_preview_s, now.dt_s, s.inverse)
    s.u_feed += share * (s.u_inverse - s.u_feed)
    early_s = rt_inverse_early_s(now.machine, now.friction, s.ahead.a_m_s2, s.inverse)
    side = rt_inverse_side(s.tick, now.law.feed.extra_preview_s + early_s, now.dt_s, s.inverse)
    s.side += share * (side - s.side)
    lag_s = 2.0 * now.machine.zv / now.machine.wv + now.law.feed.extra_preview_s
    s.opening_ahead += share * (rt_inverse_opening(s.tick, lag_s, now.dt_s, s.inverse) - s.opening_ahead)
    s.pressure_ref_pa += share * (rt_inverse_pressure(s.tick, s.inverse) - s.pressure_ref_pa)


@jit()
def _rt_share(s: Any) -> float:
    """What acts of the inverse model: less along a motion that asks for more than the valve can do."""
    aim = s.motion.without_inverse if s.mode == Mode.TRACK or s.mode == Mode.STOP else 0.0
    if s.without_inverse != aim:
        step = s.now.dt_s * s.periods / WITHOUT_S
        s.without_inverse += min(max(aim - s.without_inverse, -step), step)
    return float(rt_inverse_share(s.now.law.feed, s.without_inverse))


@jit()
def rt_pid_part(s: Any) -> float:
    """The PID's part of the law, with a soft start and end."""
    return float(s.pid_share * s.pid_share * (3.0 - 2.0 * s.pid_share))


@jit()
def _rt_held(s: Any) -> float:
    """The friction that holds the table, while the reference stands; nan while it moves."""
    if not rt_reference_rests(s):
        return math.nan
    machine, pressure = s.now.machine, s.checked.value[PRESSURE_A] - s.checked.value[PRESSURE_B]
    weight = machine.m * GRAVITY if machine.vertical != 0 else 0.0
    return float(machine.A * pressure - machine.K * s.estimate.x - weight)
