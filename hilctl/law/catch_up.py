"""The head of the reference goes on; after a stall it goes on from where the held command has taken the table.

The command of the last tick before the stall was computed `preview` ahead: up to there the table has followed, and
from there on it went straight. A rig that closes its own loop stood at the last reference instead. A stall that is
shorter than the preview is over before that can be felt: the motion goes on by its index.

An external reference may run dry, at the head: then the table is decelerated from there.

Up to `limits.late.rejoin_s` the table is led back to the motion (rejoin.py). After a longer stall the motion is over:
the table stops from where it is and as fast as it is. A stop goes on from there, too, up to as long in all, the stall
that it began by included; then the loop is opened. When it stalls again before it is back, the stalls count
together, and so does how far the table is off by now: each stall leads it straight on again, and a motion that is
rejoined again and again would pass its own end. While the table is held nothing has moved, and nothing is done.
"""

import math
from typing import Any

from hilctl.law.feed import rt_inverse_share
from hilctl.law.guards import rt_latch
from hilctl.law.inverse import rt_inverse_rewind
from hilctl.law.modes import rt_act, rt_decelerate, rt_own_loop
from hilctl.law.reference import (
    rt_coast,
    rt_external_lacks,
    rt_external_waits,
    rt_history_get,
    rt_history_put,
    rt_less,
    rt_reference,
    rt_rejoin_add,
    rt_rejoin_missed,
    rt_rejoin_plan,
)
from hilctl.law.reference.external import DRY, HEAD, HERE, PEAK_ACCELERATION, PEAK_SPEED
from hilctl.law.reference.history import LENGTH
from hilctl.law.reference.motion import Kind
from hilctl.law.state import STOPPED
from hilctl.rt.jit import jit
from hilctl.signals import Action, Mode, Trip

_SHARE = 0.7  # of the motion's own peak of acceleration, for what is added: friction and the oil's mode want the rest
_BELOW = 0.9  # of the limit of velocity: up to there what is added may come,
_LEAST = 0.1  # and this share of the motion's own peak of velocity in any case


@jit(inline=True)
def rt_catch_up(s: Any, knots: Any) -> None:
    """By as many ticks as have passed."""
    moving = s.mode == Mode.TRACK or s.mode == Mode.STOP
    dry = s.mode == Mode.TRACK and s.motion.kind == Kind.EXTERNAL and _rt_runs_dry(s, knots)
    if s.periods <= math.ceil(s.linear.preview_ticks) or not moving:
        if dry:
            rt_decelerate(s, STOPPED)
        _rt_advance(s, knots, min(s.periods, LENGTH))
        if s.mode == Mode.HOLD or s.mode == Mode.OFF:
            _rt_lengthen(s, knots)
        return
    before = s.tick - s.periods
    ahead = _rt_followed(s)  # ticks: the table has followed up to here
    rt_history_get(s.history, before, ahead, s.now.dt_s, s.here)
    if rt_own_loop(s):
        s.here.v_m_s = 0.0
    join, stall_s = s.tick + math.ceil(ahead), (s.periods - 1) * s.now.dt_s
    tracking = s.mode == Mode.TRACK
    before_s = rt_rejoin_missed(s.rejoin, before + ahead, s.now.dt_s) if tracking else s.rejoin.missed_s
    s.rejoin.missed_s = stall_s = stall_s + before_s
    if tracking and not rt_own_loop(s):
        stall_s = max(stall_s, _rt_stall_so_far(s, knots, before + ahead, join))
    if tracking and not dry and stall_s <= s.now.limits.late.rejoin_s:
        _rt_rejoin(s, knots, before + ahead, join)
    else:
        _rt_stop_after(s, before + ahead, stall_s)
    rt_inverse_rewind(max(math.floor(before + ahead), s.head_tick - LENGTH + 2), s.inverse)


@jit()
def _rt_runs_dry(s: Any, knots: Any) -> bool:
    """Whether an external reference ends before the tick that the head goes to. Notes how far head and table are.

    Until enough of it has come it does not begin.
    """
    external, dt_s, head_tick = s.motion.external, s.now.dt_s, s.head_tick + s.periods
    if external.begun == 0:
        s.motion_begun = head_tick
        if rt_external_waits(external, knots):
            return False
        external.begun = 1
    s.motion.peak_m_s, s.motion.peak_m_s2 = knots[PEAK_SPEED], knots[PEAK_ACCELERATION]
    head_s = (head_tick - s.motion_begun) * dt_s
    knots[HEAD] = head_s / external.interval_s
    knots[HERE] = (s.tick - s.motion_begun) * dt_s / external.interval_s
    if not rt_external_lacks(external, knots, head_s):
        return False
    knots[DRY] = 1.0
    return True


@jit()
def rt_awaits_points(s: Any, knots: Any) -> bool:
    """The next point of an external reference has not come: on the virtual clock it is waited for."""
    external = s.motion.external
    if s.mode != Mode.TRACK or s.motion.kind != Kind.EXTERNAL:
        return False
    if external.begun == 0:
        return rt_external_waits(external, knots)
    return rt_external_lacks(external, knots, (s.head_tick + 1 - s.motion_begun) * s.now.dt_s)


@jit()
def _rt_followed(s: Any) -> float:
    """How far ahead of a tick the reference is that its command leads to."""
    return 0.0 if rt_own_loop(s) else float((1.0 - _rt_unfed(s)) * s.linear.preview_ticks)


@jit()
def _rt_unfed(s: Any) -> float:
    """How much of the motion is left to the PID alone, which is late with it."""
    return float(s.pid_share * (1.0 - rt_inverse_share(s.now.law.feed, s.without_inverse)))


@jit(inline=True)
def _rt_advance(s: Any, knots: Any, ticks: int) -> None:
    """What the history cannot hold need not be evaluated."""
    s.head_tick += s.periods - ticks
    for _ in range(ticks):
        s.head_tick += 1
        _rt_evaluate(s, knots)


@jit(inline=True)
def _rt_lengthen(s: Any, knots: Any) -> None:
    """At rest, the head goes as far ahead as the active settings want it. It never comes back."""
    while s.lead < s.lead_wanted:
        s.lead += 1
        s.head_tick += 1
        _rt_evaluate(s, knots)


@jit(inline=True)
def _rt_evaluate(s: Any, knots: Any) -> None:
    over = rt_reference(s.motion, knots, (s.head_tick - s.motion_begun) * s.now.dt_s, s.head)
    joined = s.head_tick >= s.rejoin.until
    if not joined:
        rt_rejoin_add(s.rejoin, s.head_tick, s.now.dt_s, s.head)
    rt_history_put(s.history, s.head_tick, s.head)
    if over != 0 and joined and s.motion_over < 0:
        s.motion_over = s.head_tick


@jit()
def _rt_coast(s: Any, since: float, last: int) -> None:
    """The history after `since` up to `last`: straight on from `here`."""
    x, v = s.here.x_m, s.here.v_m_s
    for tick in range(max(math.floor(since) + 1, last - LENGTH + 1), last + 1):
        rt_coast(x, v, (tick - since) * s.now.dt_s, s.head)
        rt_history_put(s.history, tick, s.head)


@jit()
def _rt_stall_so_far(s: Any, knots: Any, since: float, join: int) -> float:
    """The stall that would take a table as far off this motion, at its peak of acceleration, as it will be at the join.

    From `since` to the join there are two ticks more than were missed, at most.
    """
    dt_s, peak = s.now.dt_s, max(s.motion.peak_m_s2, 1e-3)
    rt_reference(s.motion, knots, (join - s.motion_begun) * dt_s, s.head)
    x_m = s.here.x_m + s.here.v_m_s * (join - since) * dt_s - s.head.x_m
    off_s = max(abs(s.here.v_m_s - s.head.v_m_s) / peak, math.sqrt(2.0 * abs(x_m) / peak))
    return float(off_s - 2.0 * dt_s)


@jit()
def _rt_rejoin(s: Any, knots: Any, since: float, join: int) -> None:
    dt_s, until = s.now.dt_s, s.head_tick + s.periods
    _rt_coast(s, since, join - 1)
    rt_coast(s.here.x_m, s.here.v_m_s, (join - since) * dt_s, s.here)
    rt_reference(s.motion, knots, (join - s.motion_begun) * dt_s, s.head)
    rt_less(s.here, s.head)
    peak_m_s = s.motion.peak_m_s
    room_m_s = max(_BELOW * s.now.limits.velocity.max_m_s - peak_m_s, _LEAST * peak_m_s, 1e-4)
    rt_rejoin_plan(s.here, room_m_s, _SHARE * s.motion.peak_m_s2, s.now.limits.stopping.jerk_m_s3, join, dt_s, s.rejoin)
    s.motion_over = -1
    s.head_tick = join - 1
    while s.head_tick < until:
        s.head_tick += 1
        _rt_evaluate(s, knots)


@jit()
def _rt_stop_after(s: Any, since: float, stall_s: float) -> None:
    tracking, tripped = s.mode == Mode.TRACK, s.guard.trip != 0 and s.guard.trip_tick == s.tick
    if tracking or tripped:  # without feed-forward the table is far behind its motion, and may still go the other way
        s.here.v_m_s += _rt_unfed(s) * (s.estimate.v - s.here.v_m_s)
    s.head_tick += s.periods
    _rt_coast(s, since, s.head_tick)
    if tracking:
        rt_latch(Trip.LATE_TICKS.value, Action.STOP.value, stall_s, s.now.limits.late.rejoin_s, -1, s.tick, s.guard)
        rt_act(s)
    elif tripped or stall_s <= s.now.limits.late.rejoin_s:  # by this very stall, or while it stops
        rt_decelerate(s, STOPPED)
    else:  # a stop that begins again with every stall would never end
        rt_latch(Trip.LATE_TICKS.value, Action.NULL.value, stall_s, s.now.limits.late.rejoin_s, -1, s.tick, s.guard)
        rt_act(s)
    s.rejoin.missed_s = stall_s
