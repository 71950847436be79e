"""The sample of a tick: what was read, believed, wanted and sent."""

from typing import Any

from hilctl.law.adapt import rt_null
from hilctl.law.feed import rt_inverse_share
from hilctl.law.modes import rt_closed_loop
from hilctl.law.sensors import COUNT, PRESSURE_A, PRESSURE_B
from hilctl.machine import GRAVITY
from hilctl.rt.jit import jit
from hilctl.rt.records import words_of
from hilctl.signals import NAMES, SENSOR_KINDS

_FIRST = NAMES.index(SENSOR_KINDS[0].channel)  # word of a sample


@jit()
def rt_fill_sample(s: Any, readings: Any, status: int, sample: Any) -> None:
    """Every channel but the loop's own (tick, times, skipped)."""
    c, e, g, o, machine = s.checked, s.estimate, s.guard, s.output, s.now.machine
    sample.epoch, sample.mode, sample.arming = s.epoch, s.mode, s.arm.step
    sample.motion, sample.trip, sample.warnings = s.motion_id, g.trip, g.warnings
    sample.rejected, sample.status, sample.device_tick = c.rejected, status, readings.device_tick
    words = words_of(sample)
    for k in range(COUNT):
        words[_FIRST + k] = c.value[k]
    sample.age_max_ns = c.age_max_ns
    sample.pressure_a_age_ns = round(c.age_s[PRESSURE_A] * 1e9)
    sample.pressure_b_age_ns = round(c.age_s[PRESSURE_B] * 1e9)

    pressure = c.value[PRESSURE_A] - c.value[PRESSURE_B]
    weight = machine.m * GRAVITY if machine.vertical != 0 else 0.0
    sample.position_m, sample.velocity_m_s, sample.acceleration_used_m_s2 = e.x, e.v, e.a
    sample.load_pressure_pa = pressure
    sample.friction_n = machine.A * pressure - machine.m * e.a - weight - machine.K * e.x

    closed = rt_closed_loop(s)
    sample.xr_m, sample.vr_m_s, sample.ar_m_s2, sample.jr_m_s3 = s.here.x_m, s.here.v_m_s, s.here.a_m_s2, s.here.j_m_s3
    sample.xd_m, sample.vd_m_s, sample.ad_m_s2 = s.delayed.x_m, s.delayed.v_m_s, s.delayed.a_m_s2
    sample.error_m = s.delayed.x_m - e.x if closed else 0.0
    sample.left_m = s.landing.left_m if closed else 0.0

    sample.blend = rt_inverse_share(s.now.law.feed, s.without_inverse)
    sample.u_linear = s.u_linear if closed else 0.0
    sample.u_inverse = s.u_inverse
    sample.u_feed = s.u_feed if closed else 0.0
    sample.pressure_ref_pa = s.pressure_ref_pa
    sample.pid_share = s.pid_share
    t, p = s.three_state, s.pid
    sample.u_position, sample.u_integral, sample.u_velocity = t.position, t.integral, t.velocity
    sample.u_acceleration, sample.u_pressure = t.acceleration, t.pressure
    sample.pressure_share = s.fresh.share
    sample.u_pid_p, sample.u_pid_i, sample.u_pid_d = p.p, p.i, p.d
    sample.u_law, sample.u_notched = s.u_law, s.u_notched
    sample.saturated, sample.u_cmd, sample.u_applied = o.saturated, o.command, s.u_applied
    sample.enabled, sample.supply = s.enable, s.supply
    share = s.now.law.adapt.share
    sample.valve_null, sample.learned_null = rt_null(s), share * s.adapt.null
    sample.learned_gain, sample.learned_overlap = share * s.adapt.flow / machine.Qn, share * s.adapt.overlap
    sample.learning = s.adapt.learning | s.adapt.ended
