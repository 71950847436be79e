"""What happens in a tick, between the readings and the next command. Read `rt_tick` first.

The command computed from the readings of tick k is sent in the exchange of tick k+1 and held until k+2: `rt_command`
hands it over. The reference is evaluated once a tick, `lead` ticks ahead; where an earlier instant is wanted (now, as
late as the sensors, ahead by the valve's lag) it is read from its history, so that a stop can begin at the head without
any jump.
"""

import math
from typing import Any

from hilctl.law.adapt import rt_null
from hilctl.law.adapting import rt_adapt_keep_null, rt_adapt_tick
from hilctl.law.arming import rt_arming_opening
from hilctl.law.blend import rt_adopt_settings, rt_blend_settings
from hilctl.law.catch_up import rt_catch_up
from hilctl.law.delivery import rt_delivered
from hilctl.law.effort import rt_effort
from hilctl.law.escalation import rt_escalate, rt_integral_lives
from hilctl.law.estimate import (
    rt_estimate,
    rt_estimate_prepare,
    rt_estimate_shift,
    rt_estimate_start,
    rt_predicted_acceleration,
    rt_predicted_position,
)
from hilctl.law.feed import (
    rt_feed_prepare,
    rt_lead_ticks,
    rt_pressure_for,
)
from hilctl.law.freshness import rt_fresh_start, rt_pressure_share
from hilctl.law.guards import rt_guard
from hilctl.law.landing import FIRST, rt_landed, rt_landing, rt_landing_integral
from hilctl.law.modes import (
    rt_act,
    rt_arm_step,
    rt_closed_loop,
    rt_emergency,
    rt_fall_to_null,
    rt_hurry,
    rt_motion_done,
    rt_own_loop,
    rt_reference_rests,
    rt_request,
    rt_rest_here,
    rt_supply_level,
    rt_trip,
)
from hilctl.law.output import rt_half_swing_s
from hilctl.law.own_loop import rt_own_command
from hilctl.law.pid import rt_pid, rt_pid_start
from hilctl.law.reference import rt_history_get
from hilctl.law.sample import rt_fill_sample
from hilctl.law.sensors import (
    ACCELERATION,
    DISPLACEMENT,
    PRESSURE_A,
    PRESSURE_B,
    SPOOL,
    rt_check_readings,
    rt_failed,
)
from hilctl.law.settings import PID_FEEDBACK
from hilctl.law.stillness import rt_still, rt_still_opened
from hilctl.law.three_state import rt_three_state, rt_three_state_start
from hilctl.law.tick_feed import rt_feed_forward, rt_pid_part
from hilctl.law.tick_output import rt_output
from hilctl.rt.jit import jit
from hilctl.rt.records import rt_copy, words_of
from hilctl.signals import Arming, Mode, Trip

__all__ = [
    "rt_adopt",
    "rt_at_rest",
    "rt_busy",
    "rt_command",
    "rt_hurry",
    "rt_request",
    "rt_start",
    "rt_tick",
    "rt_trip",
]


@jit()
def rt_tick(s: Any, command: Any, readings: Any, status: int, knots: Any, sample: Any) -> None:
    """From the readings of this tick to the command of the next; everything seen on the way goes into the sample."""
    rt_blend(s)
    rt_read(s, readings, status)
    rt_advance_reference(s, knots)
    rt_watch(s, status)
    if s.mode == Mode.STANDBY:
        rt_arm_step(s, s.tick)
    rt_motion_done(s, s.tick)
    rt_feed_forward(s)
    wanted = rt_opening(s)
    rt_output(s, wanted)
    rt_adapt_tick(s, status)
    rt_fill_sample(s, readings, status, sample)


@jit()
def rt_start(s: Any, settings: Any, tick: int) -> None:
    """A fresh law: off, nothing known."""
    words = words_of(s)
    for i in range(words.size):
        words[i] = 0.0
    rt_copy(settings, s.now)
    rt_copy(settings, s.source)
    rt_copy(settings, s.target)
    s.epoch, s.blend = settings.epoch, 1.0
    s.pid_share = 1.0 if settings.law.feedback == PID_FEEDBACK else 0.0
    s.arm.null = settings.law.valve.null_bias
    s.arm.kept = s.output.command = s.arm.null
    s.first_offset, s.first_gain = settings.sensors.displacement.offset, settings.sensors.displacement.gain
    s.guard.trip_sensor = -1
    rt_fresh_start(s.fresh)
    s.authority = 1.0
    s.tick, s.periods = tick, 1
    _rt_prepare(s)
    s.lead = s.lead_wanted
    s.head_tick = tick + s.lead
    rt_rest_here(s)


@jit()
def _rt_prepare(s: Any) -> None:
    """What follows from the active settings."""
    now = s.now
    rt_estimate_prepare(now.law.estimator, now.sensors, now.dt_s, s.estimate)
    rt_feed_prepare(now.machine, now.friction.viscous, now.law.feed, now.dt_s, s.linear)
    feed, overlap = now.law.feed, now.machine.overlap_a + now.machine.overlap_b
    cross_s = feed.cross_s if overlap > 0.0 else 0.0
    s.lead_wanted = rt_lead_ticks(s.linear.preview_ticks, feed.extra_preview_s, feed.smooth_s, cross_s, now.dt_s)
    if s.lead > 0:
        s.linear.preview_ticks = min(s.linear.preview_ticks, float(s.lead))


@jit()
def rt_adopt(s: Any, settings: Any) -> None:
    """Takes a new parameter set, whole, at a tick's boundary."""
    moved_null = settings.law.valve.null_bias - s.target.law.valve.null_bias
    shifted = _rt_shifts(s, settings)
    _rt_shift_zeros(s, settings)
    rt_adopt_settings(settings, s.now, s.source, s.target)
    s.epoch, s.blend = settings.epoch, 0.0
    if moved_null != 0.0:
        rt_adapt_keep_null(s)
    if s.mode == Mode.OFF and moved_null != 0.0:
        s.arm.null = s.arm.kept = settings.law.valve.null_bias
    if s.mode == Mode.OFF:
        s.blend = 1.0
        rt_blend_settings(1.0, s.now, s.source, s.target)
    _rt_prepare(s)
    if shifted and s.started != 0:
        sensor, raw = s.now.sensors.displacement, s.checked.last_raw[DISPLACEMENT]
        if math.isfinite(raw):
            rt_estimate_start(sensor.gain * (raw - sensor.offset), -s.estimate.b, s.estimate)  # the bias is known
            rt_rest_here(s)
        else:
            s.started = 0


@jit()
def _rt_shifts(s: Any, settings: Any) -> bool:
    """Whether what converts displacement changes: the estimate then begins again. Unless the rig is off, it stays.

    The service refuses such a change unless the rig is off. This is for a request that comes between.
    """
    new, old = settings.sensors.displacement, s.target.sensors.displacement
    if new.offset == old.offset and new.gain == old.gain and new.delay_s == old.delay_s:
        return False
    if s.mode == Mode.OFF:
        return True
    new.offset, new.gain, new.delay_s = old.offset, old.gain, old.delay_s
    return False


@jit()
def _rt_shift_zeros(s: Any, settings: Any) -> None:
    """New zeros of accelerometer and pressures hold at once, and what was averaged of them shifts with them."""
    new, old = settings.sensors, s.now.sensors
    by = old.acceleration.gain * (new.acceleration.offset - old.acceleration.offset)
    if by != 0.0:
        rt_estimate_shift(by, s.estimate)
    s.three_state.slow_pa -= old.pressure_a.gain * (new.pressure_a.offset - old.pressure_a.offset)
    s.three_state.slow_pa += old.pressure_b.gain * (new.pressure_b.offset - old.pressure_b.offset)


@jit()
def rt_blend(s: Any) -> None:
    """Parameters and feedback laws on their way from old to new."""
    step = s.now.dt_s * s.periods
    over = s.now.law.blend_s
    share = 1.0 if over <= 0.0 else step / over
    if s.blend < 1.0:
        s.blend = min(1.0, s.blend + share)
        rt_blend_settings(s.blend, s.now, s.source, s.target)
        _rt_prepare(s)
    aim = 1.0 if s.now.law.feedback == PID_FEEDBACK else 0.0
    if s.pid_share != aim:
        if s.pid_share == 0.0:
            rt_pid_start(s.three_state.integral, s.delayed.x_m - s.estimate.x, s.pid)
        elif s.pid_share == 1.0:
            rt_three_state_start(s.pid.integral, _rt_pressure_deviation(s), s.three_state)
        away = aim - s.pid_share
        s.pid_share = aim if abs(away) <= share else s.pid_share + math.copysign(share, away)


@jit()
def rt_command(s: Any, command: Any, tick: int, skipped: int, deadline_ns: int) -> None:
    """What this tick's exchange sends: the result of the tick before."""
    s.tick, s.periods = tick, 1 + skipped
    s.u_applied = s.output.command
    command.valve = s.u_applied
    command.enable, command.supply = s.enable, s.supply
    command.tick, command.periods, command.deadline_ns = tick, s.periods, deadline_ns


@jit()
def rt_read(s: Any, readings: Any, status: int) -> None:
    """Readings, checked and corrected; then position and velocity from them."""
    now, e, c = s.now, s.estimate, s.checked
    driven = abs(s.here.v_m_s) > now.limits.stuck.speed_m_s and (s.mode == Mode.TRACK or s.mode == Mode.STOP)
    closed = rt_closed_loop(s)
    shown_m_s2 = rt_predicted_acceleration(s.delayed.v_m_s, s.ahead.a_m_s2, now.dt_s, e) if closed else e.a
    rt_check_readings(now.sensors, now.limits, readings, status, rt_predicted_position(now.dt_s, s.periods, e),
                      shown_m_s2, now.dt_s, s.periods, c)
    resting = s.mode == Mode.STANDBY and s.arm.step == Arming.REST
    # One reading, however many periods were skipped before it: between the two the sensor was not read.
    rt_still(readings, rt_failed(status), driven, resting, now.dt_s, s.still)
    if readings.device_tick < s.device_tick:  # the device has started again: who knows what it is now
        s.arm.proved = 0
    s.device_tick = readings.device_tick
    three, acts = now.law.three_state, closed and s.pid_share < 1.0
    rt_pressure_share(three.pressure_age_s, three.pressure_fade_s, max(c.age_s[PRESSURE_A], c.age_s[PRESSURE_B]), acts,
                      now.dt_s, s.periods, s.fresh)
    predicted = c.rejected & ((1 << DISPLACEMENT) | (1 << ACCELERATION)) != 0
    if s.started == 0:
        if not predicted:
            s.started = max(s.tick, 1)
            rt_estimate_start(c.value[DISPLACEMENT], c.value[ACCELERATION], e)
            rt_rest_here(s)
        return
    rt_estimate(c.value[DISPLACEMENT], c.value[ACCELERATION], c.age_s[DISPLACEMENT], predicted, now.dt_s, s.periods, e)


@jit()
def rt_advance_reference(s: Any, knots: Any) -> None:
    """The head goes on by as many ticks as have passed; here, delayed and ahead are read behind it."""
    dt_s = s.now.dt_s
    rt_catch_up(s, knots)
    rt_history_get(s.history, s.tick, 0.0, dt_s, s.here)
    rt_history_get(s.history, s.tick, -s.estimate.delay_ticks, dt_s, s.delayed)
    rt_history_get(s.history, s.tick, s.linear.preview_ticks, dt_s, s.ahead)


@jit()
def rt_watch(s: Any, status: int) -> None:
    """The guard before the law."""
    e, passed_s = s.estimate, s.now.dt_s * s.periods
    lag = passed_s / (passed_s + 2.0 * s.now.machine.zv / s.now.machine.wv)
    shown = s.now.sensors.spool.present != 0
    spool = s.checked.value[SPOOL] if shown and s.checked.rejected & (1 << SPOOL) == 0 else math.nan
    rt_delivered(rt_failed(status), s.u_applied, shown, spool, lag, s.now.machine.slew_per_s * passed_s, s.now.dt_s,
                 s.periods, rt_half_swing_s(s.now.machine), s.delivery)
    acts = rt_closed_loop(s) and not rt_own_loop(s)
    if not rt_failed(status):  # without a reading nothing can stand still
        rt_still_opened(acts, s.valve.opening, max(s.now.arming.bump, s.arm.bump), s.arm.gain_m_s, passed_s, s.still)
    driven = abs(s.here.v_m_s) > s.now.limits.stuck.speed_m_s
    sensor = s.now.sensors.displacement
    scale = s.first_gain / sensor.gain
    shift_m = s.first_gain * (sensor.offset - s.first_offset)
    overlap = max(s.arm.overlap - s.now.arming.bump, 0.0)
    rt_effort(s.now.limits.holding, s.now.machine, s.now.law.valve, overlap, acts, s.u_applied - rt_null(s), e.v,
              s.linear.preview_ticks * s.now.dt_s, passed_s, s.effort)
    rt_guard(s.now, s.mode, rt_closed_loop(s), status, s.checked, s.still, s.effort, e.x, shift_m, scale, e.v,
             e.a + e.b, e.b_start - e.b, s.delayed.x_m - e.x, s.lead * s.now.dt_s, driven, s.delivery.off,
             s.output.saturated_s, rt_supply_level(s), s.tick, s.periods, s.guard)
    if s.fresh.share < 1.0 and s.now.law.three_state.kp_per_mpa != 0.0 and rt_closed_loop(s) and s.pid_share < 1.0:
        s.guard.warnings |= 1 << Trip.PRESSURE_AGE.value
    if s.adapt.ended != 0:
        s.guard.warnings |= 1 << Trip.VALVE_DRIFT.value
    rt_emergency(s, s.tick)
    passed = s.guard.wanted != 0
    rt_act(s)
    if rt_escalate(s, passed):
        rt_fall_to_null(s)
    if s.mode == Mode.OFF:
        s.off_s += passed_s


@jit()
def _rt_pressure_deviation(s: Any) -> float:
    measured = s.checked.value[PRESSURE_A] - s.checked.value[PRESSURE_B]
    return float(measured - rt_pressure_for(s.linear, s.now.friction, s.here))


@jit()
def _rt_left(s: Any, error_m: float, live: bool) -> float:
    """The part of the error that feedback leaves, where the table stands and would only swing (landing.py). It stays as
    it is while nothing may accumulate."""
    law, dt_s, pid = s.now.law, s.now.dt_s * s.periods, s.pid_share > 0.0
    gain = law.three_state.kd_per_m + rt_pid_part(s) * (law.pid.kp_per_m - law.three_state.kd_per_m)
    rests = rt_reference_rests(s) and (s.mode == Mode.HOLD or s.mode == Mode.TRACK)
    if rests and not live:
        return float(s.landing.left_m)
    integral = s.pid.integral if pid else s.three_state.integral
    overlap = law.valve.inverse * (s.now.machine.overlap_a + s.now.machine.overlap_b)
    first = FIRST if overlap > 0.0 and s.now.friction.reach_m == 0.0 else 0.0
    left = rt_landing(rests, gain * error_m, integral, first, law.valve.rest, dt_s, s.landing)
    if live:
        integral = rt_landing_integral(rt_landed(law.valve.rest, s.landing), integral, dt_s, s.landing)
        if pid:
            s.pid.integral = integral
        else:
            s.three_state.integral = integral
    s.landing.left_m = left / gain if gain > 0.0 else 0.0
    return float(s.landing.left_m)


@jit()
def rt_opening(s: Any) -> float:
    """Feed-forward plus feedback: the opening that the law wants."""
    if rt_own_loop(s):
        bump = rt_arming_opening(s.arm) if s.mode == Mode.STANDBY else 0.0
        closed = rt_closed_loop(s) or s.mode == Mode.NULL
        s.u_law = rt_own_command(s.now.law.rig, closed, s.here.x_m, bump, s.arm)
        return float(s.u_law)
    if not rt_closed_loop(s):
        s.u_law = rt_arming_opening(s.arm) if s.mode == Mode.STANDBY else 0.0
        return float(s.u_law)
    law, dt_s, e = s.now.law, s.now.dt_s * s.periods, s.estimate
    error, refused, live = s.delayed.x_m - e.x, s.output.refused, rt_integral_lives(s)
    error -= _rt_left(s, error, live)
    live = live and not rt_landed(law.valve.rest, s.landing)
    feedback = 0.0
    if s.pid_share < 1.0:
        deviation_pa = s.checked.value[PRESSURE_A] - s.checked.value[PRESSURE_B] - s.pressure_ref_pa
        feedback = rt_three_state(law.three_state, error, s.delayed.v_m_s - e.v, s.delayed.a_m_s2 - (e.a + e.b),
                                  deviation_pa, s.fresh, refused, live, dt_s, s.three_state)
    if s.pid_share > 0.0:
        u_pid = rt_pid(law.pid, error, refused, live, dt_s, s.pid)
        feedback += rt_pid_part(s) * (u_pid - feedback)
    s.u_law = feedback + s.u_feed
    return float(s.u_law)


@jit()
def rt_busy(s: Any) -> bool:
    """Something is taking effect: on the virtual clock, time passes."""
    return bool(s.blend < 1.0 or (s.mode != Mode.OFF and s.mode != Mode.HOLD) or s.supply_s > 0.0
                or s.pid_share != (1.0 if s.now.law.feedback == PID_FEEDBACK else 0.0))


@jit()
def rt_at_rest(s: Any) -> bool:
    """Off and at null: the core may end."""
    return bool(s.mode == Mode.OFF)
