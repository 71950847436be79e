"""The sample of a tick: each channel shows the value that the controller has for it."""

import numpy as np
import pytest

from firmware_bridge.driver import READINGS
from hilctl.law.sample import rt_fill_sample
from hilctl.law.sensors import COUNT, PRESSURE_A, PRESSURE_B
from hilctl.law.state import STATE
from hilctl.signals import SAMPLE, SENSOR_KINDS, Arming, Mode
from tests.forms import filled

pytestmark = pytest.mark.usefixtures("forms")
BY_THE_LOOP = {"tick", "skipped"}  # and its times
SAME = {
    "epoch": "epoch", "mode": "mode", "arming": "arm.step", "motion": "motion_id", "trip": "guard.trip",
    "warnings": "guard.warnings", "rejected": "checked.rejected", "age_max_ns": "checked.age_max_ns",
    "position_m": "estimate.x", "velocity_m_s": "estimate.v", "acceleration_used_m_s2": "estimate.a",
    "xr_m": "here.x_m", "vr_m_s": "here.v_m_s", "ar_m_s2": "here.a_m_s2", "jr_m_s3": "here.j_m_s3",
    "xd_m": "delayed.x_m", "vd_m_s": "delayed.v_m_s", "ad_m_s2": "delayed.a_m_s2",
    "u_inverse": "u_inverse", "pressure_ref_pa": "pressure_ref_pa", "pid_share": "pid_share",
    "u_position": "three_state.position", "u_integral": "three_state.integral", "u_velocity": "three_state.velocity",
    "u_acceleration": "three_state.acceleration", "u_pressure": "three_state.pressure", "pressure_share": "fresh.share",
    "u_pid_p": "pid.p", "u_pid_i": "pid.i", "u_pid_d": "pid.d", "u_law": "u_law", "u_notched": "u_notched",
    "saturated": "output.saturated", "u_cmd": "output.command", "u_applied": "u_applied", "enabled": "enable",
    "supply": "supply",
}  # fmt: skip


def of(record, path):
    for name in path.split("."):
        record = record[name]
    return record


def made(mode=Mode.HOLD, vertical=1, step=Arming.NONE):
    s, readings, sample = filled(STATE), filled(READINGS, 2), filled(SAMPLE, 3)
    s.mode, s.now.machine.vertical, s.arm.step = mode, vertical, step
    s.checked.value[:] = np.arange(COUNT) * 0.37 + 0.11
    rt_fill_sample(s, readings, 7, sample)
    return s, readings, sample


def test_every_channel_has_its_own_value():
    s, readings, sample = made()
    for channel, path in SAME.items():
        assert sample[channel] == of(s, path), channel
    for k, kind in enumerate(SENSOR_KINDS):
        assert sample[kind.channel] == s.checked.value[k], kind.channel
    assert sample.blend == s.now.law.feed.inverse * (1.0 - s.without_inverse)
    assert sample.status == 7
    assert sample.device_tick == readings.device_tick
    assert sample.pressure_a_age_ns == round(s.checked.age_s[PRESSURE_A] * 1e9)
    assert sample.pressure_b_age_ns == round(s.checked.age_s[PRESSURE_B] * 1e9)


def test_the_channels_of_the_loop_are_left_to_it():
    *_, sample = made()
    untouched = filled(SAMPLE, 3)
    for name in BY_THE_LOOP:
        assert sample[name] == untouched[name]


@pytest.mark.parametrize("vertical", [0, 1])
def test_friction_is_what_pressure_leaves_after_mass_weight_and_spring(vertical):
    s, _, sample = made(vertical=vertical)
    m, load = s.now.machine, s.checked.value[PRESSURE_A] - s.checked.value[PRESSURE_B]
    assert sample.load_pressure_pa == load
    weight = 9.80665 * m.m if vertical else 0.0
    assert sample.friction_n + m.m * s.estimate.a + weight + m.K * s.estimate.x == pytest.approx(m.A * load, abs=1e-12)


@pytest.mark.parametrize(
    ("mode", "step", "closed"),
    [(Mode.OFF, Arming.NONE, False), (Mode.NULL, Arming.NONE, False), (Mode.STANDBY, Arming.REST, False),
     (Mode.STANDBY, Arming.HIGH_PRESSURE, True), (Mode.HOLD, Arming.NONE, True), (Mode.TRACK, Arming.NONE, True)],
)  # fmt: skip
def test_error_and_feed_forward_show_while_feedback_holds_the_table(mode, step, closed):
    s, _, sample = made(mode=mode, step=step)
    assert sample.error_m == (s.delayed.x_m - s.estimate.x if closed else 0.0)
    assert sample.left_m == (s.landing.left_m if closed else 0.0)
    assert sample.u_linear == (s.u_linear if closed else 0.0)
    assert sample.u_feed == (s.u_feed if closed else 0.0)
