"""How the controller starts, and how it takes a new parameter set."""

import math

import pytest

from firmware_bridge.driver import COMMAND
from hilctl import rig as rigs
from hilctl.law.feed import lead_ticks
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.law.settings import PID_FEEDBACK
from hilctl.law.state import STATE
from hilctl.law.tick import rt_adopt, rt_at_rest, rt_blend, rt_busy, rt_command, rt_start
from hilctl.signals import Mode
from tests.forms import blank, changed, filled
from tests.unit.law.given import DT
from tests.unit.law.states import SET, law, put

pytestmark = pytest.mark.usefixtures("forms")


def other(**values):
    """Another parameter set than SET, of epoch 42."""
    return put(SET.copy(), epoch=42, **values)


def test_a_start_forgets_everything_and_knows_only_its_settings():
    given = other(law__valve__null_bias=0.0125, sensors__displacement__offset=0.003, sensors__displacement__gain=1.25)
    s = filled(STATE)
    rt_start(s, given, 77)
    assert changed(given, s.now) == changed(given, s.source) == changed(given, s.target) == {}
    assert (s.arm.null, s.arm.kept, s.output.command) == (0.0125, 0.0125, 0.0125)
    assert (s.first_offset, s.first_gain) == (0.003, 1.25)
    assert (s.epoch, s.blend, s.authority, s.pid_share, s.guard.trip_sensor) == (42, 1.0, 1.0, 0.0, -1)
    assert (s.fresh.share, s.fresh.live) == (1.0, 1)
    assert (s.tick, s.periods, s.motion_over) == (77, 1, -1)
    tables = rigs.load("table-500").controller
    assert s.lead == lead_ticks(tables.machine, tables.law.feed, DT)
    assert s.head_tick == s.motion_begun == s.history.newest == 77 + s.lead
    machine = given.machine
    assert s.linear.preview_ticks == pytest.approx(1.5 + 2 * machine.zv / machine.wv / DT)
    assert s.estimate.q == pytest.approx(math.exp(-2 * math.pi * given.law.estimator.bandwidth_hz * DT))
    known = ("now.", "source.", "target.", "arm.null", "arm.kept", "output.command", "first_", "fresh.", "linear.",
             "estimate.q", "estimate.delay", "motion.", "motion_")  # fmt: skip
    rest = {name for name in changed(blank(STATE), s) if not name.startswith(known)}
    assert rest == {"epoch", "blend", "authority", "guard.trip_sensor", "tick", "periods", "lead", "lead_wanted",
                    "head_tick", "history.newest"}  # fmt: skip


def test_the_share_of_the_pid_begins_where_the_settings_have_it():
    s = blank(STATE)
    rt_start(s, other(law__feedback=PID_FEEDBACK), 0)
    assert s.pid_share == 1.0


def test_a_table_that_rests_with_its_reference_has_its_head_where_it_is():
    s = filled(STATE)
    rt_start(s, SET, 0)
    for name in ("head", "here", "delayed", "ahead"):
        assert s[name].item() == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("mode", list(Mode))
def test_in_operation_a_new_set_is_blended_in_and_off_it_holds_at_once(mode):
    s = law(mode, other(law__valve__null_bias=0.01), arm__null=0.033, arm__kept=0.034)
    rt_adopt(s, other(law__valve__null_bias=0.01, law__pid__kp_per_m=99.0))
    assert (s.epoch, s.target.law.pid.kp_per_m, s.source.law.pid.kp_per_m) == (42, 99.0, SET.law.pid.kp_per_m)
    assert s.blend == (1.0 if mode == Mode.OFF else 0.0)
    assert s.now.law.pid.kp_per_m == (99.0 if mode == Mode.OFF else SET.law.pid.kp_per_m)
    assert (s.arm.null, s.arm.kept) == (0.033, 0.034), "a null that was found stays"


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.HOLD])
def test_a_null_that_was_moved_by_hand_is_taken_while_off(mode):
    s = law(mode, arm__null=0.033, arm__kept=0.034)
    rt_adopt(s, other(law__valve__null_bias=-0.0125))
    assert (s.arm.null, s.arm.kept) == ((-0.0125, -0.0125) if mode == Mode.OFF else (0.033, 0.034))


def test_what_follows_from_the_settings_follows_at_once():
    s = law(Mode.OFF)
    machine = s.now.machine
    rt_adopt(s, other(law__estimator__bandwidth_hz=7.0, machine__Kc=2 * machine.Kc, machine__K=1e6))
    assert s.estimate.q == pytest.approx(math.exp(-2 * math.pi * 7.0 * DT))
    assert s.linear.p_x == pytest.approx(1e6 / machine.A)


@pytest.mark.parametrize("lead", [1, 11, 50])
def test_the_preview_goes_no_further_than_the_reference_is_evaluated(lead):
    s = law(Mode.OFF, lead=lead)
    before = s.linear.preview_ticks
    rt_adopt(s, other(law__feed__extra_preview_s=0.01))
    assert s.linear.preview_ticks == pytest.approx(min(lead, before + 10.0))


SHIFTS = [("offset", 0.004), ("gain", 1.25), ("delay_s", 0.002)]


@pytest.mark.parametrize(("name", "value"), SHIFTS)
def test_off_the_estimate_begins_again_where_displacement_is_converted_otherwise(name, value):
    s = law(Mode.OFF, estimate__x=0.5, estimate__v=0.3, estimate__b=-0.25)
    s.checked.last_raw[DISPLACEMENT], s.checked.value[ACCELERATION] = 0.02, 0.9
    new = other(**{f"sensors__displacement__{name}": value})
    rt_adopt(s, new)
    sensor = new.sensors.displacement
    x = sensor.gain * (0.02 - sensor.offset)
    assert (s.estimate.x, s.estimate.v, s.estimate.a, s.estimate.b) == (pytest.approx(x), 0.0, 0.25, -0.25)
    assert s.here.x_m == s.head.x_m == s.estimate.x
    assert s.started == 1
    assert changed(new.sensors, s.now.sensors) == {}


def test_off_without_a_reading_the_estimate_waits_for_one():
    s = law(Mode.OFF, estimate__x=0.5)
    s.checked.last_raw[DISPLACEMENT] = math.nan
    rt_adopt(s, other(sensors__displacement__offset=0.004))
    assert (s.started, s.estimate.x) == (0, 0.5)
    rt_adopt(s, other(sensors__displacement__offset=0.005))
    assert s.estimate.x == 0.5, "there is none yet that could begin again"
    s.checked.last_raw[DISPLACEMENT] = 0.02
    rt_adopt(s, other(sensors__displacement__offset=0.006))
    assert (s.started, s.estimate.x) == (0, 0.5)


def test_the_estimate_goes_on_where_displacement_is_converted_as_before():
    s = law(Mode.OFF, estimate__x=0.5, estimate__v=0.3)
    rt_adopt(s, other(sensors__displacement__low=-3.0))
    assert (s.estimate.x, s.estimate.v, s.started) == (0.5, 0.3, 1)


@pytest.mark.parametrize(("name", "value"), SHIFTS)
def test_in_operation_displacement_is_converted_as_before(name, value):
    s, new = law(Mode.HOLD, estimate__x=0.5), other(**{f"sensors__displacement__{name}": value})
    s.checked.last_raw[DISPLACEMENT] = 0.02
    rt_adopt(s, new)
    assert changed(SET.sensors, s.target.sensors) == changed(SET.sensors, s.now.sensors) == {}
    assert s.estimate.x == 0.5
    assert s.target.epoch == s.epoch == 42


@pytest.mark.parametrize(("offset", "by"), [(0.4, 0.6), (0.6, 1.0)])
def test_a_new_zero_of_the_accelerometer_shifts_what_was_learnt_of_it(offset, by):
    s = law(Mode.HOLD, estimate__a=1.0, estimate__b=-0.5, estimate__b_start=-0.4)
    s.now.sensors.acceleration.gain, s.now.sensors.acceleration.offset = 2.0, 0.1
    for _ in range(2):  # the second changes nothing
        rt_adopt(s, other(sensors__acceleration__offset=offset))
        shown = (s.estimate.a, s.estimate.b, s.estimate.b_start, s.estimate.line_a[7])
        assert shown == pytest.approx((1.0 - by, -0.5 + by, -0.4 + by, -by))


def test_new_zeros_of_the_pressures_shift_the_mean_of_the_load_pressure():
    s = law(Mode.HOLD, three_state__slow_pa=5e5)
    for name, gain in (("pressure_a", 2.0), ("pressure_b", 3.0)):
        s.now.sensors[name].gain, s.now.sensors[name].offset = gain, 1e4
    rt_adopt(s, other(sensors__pressure_a__offset=3e4, sensors__pressure_b__offset=2e4))
    assert s.three_state.slow_pa == pytest.approx(5e5 - 2.0 * 2e4 + 3.0 * 1e4)


def blending(periods=1, blend=0.0, **values):
    s = law(Mode.HOLD)
    rt_adopt(s, other(law__blend_s=0.01, law__pid__kp_per_m=SET.law.pid.kp_per_m + 100.0, **values))
    s.blend, s.periods = blend, periods
    rt_blend(s)
    return s, s.now.law.pid.kp_per_m - SET.law.pid.kp_per_m


@pytest.mark.parametrize(("periods", "blend", "after"), [(1, 0.0, 0.1), (3, 0.0, 0.3), (2, 0.3, 0.5), (2, 0.95, 1.0)])
def test_parameters_travel_in_the_time_that_the_settings_say_skipped_periods_included(periods, blend, after):
    s, way = blending(periods, blend)
    assert s.blend == pytest.approx(after)
    smooth = after**3 * (10 - 15 * after + 6 * after**2)
    assert way == pytest.approx(100.0 * smooth)


def test_without_a_time_to_blend_the_new_set_holds_after_one_tick():
    s = law(Mode.HOLD)
    rt_adopt(s, other(law__blend_s=0.0, law__pid__kp_per_m=99.0))
    rt_blend(s)
    assert (s.blend, s.now.law.pid.kp_per_m) == (1.0, 99.0)


def test_what_follows_from_the_settings_travels_with_them():
    s, _ = blending(10, machine__K=1e6)
    assert s.linear.p_x == pytest.approx(1e6 / s.now.machine.A)


def test_once_the_target_is_reached_nothing_is_blended():
    s = law(Mode.HOLD)
    s.target.law.pid.kp_per_m = 99.0
    before = s.copy()
    rt_blend(s)
    assert changed(before, s) == {}


def crossing(share, feedback, periods=1, **values):
    s = law(Mode.HOLD, pid_share=share, periods=periods, delayed__x_m=0.03, estimate__x=0.01, **values)
    s.now.law.feedback, s.now.law.blend_s = feedback, 0.01
    s.three_state.integral, s.pid.integral = 0.25, 0.125
    s.checked.value[PRESSURE_A], s.checked.value[PRESSURE_B] = 7e6, 5e6
    rt_blend(s)
    return s


@pytest.mark.parametrize(
    ("share", "periods", "after"),
    [(0.0, 1, 0.1), (0.0, 4, 0.4), (0.5, 2, 0.7), (0.95, 1, 1.0), (0.5, 90, 1.0)],
)
def test_the_share_of_the_pid_travels_to_it_and_back_in_the_same_time(share, periods, after):
    assert crossing(share, PID_FEEDBACK, periods).pid_share == pytest.approx(after)
    assert crossing(1.0 - share, 0, periods).pid_share == pytest.approx(1.0 - after)


def test_the_pid_begins_with_the_others_integral_and_the_error_of_now():
    s = crossing(0.0, PID_FEEDBACK)
    assert (s.pid.integral, s.pid.error, s.three_state.integral) == (0.25, pytest.approx(0.02), 0.25)


def test_three_variable_feedback_begins_with_the_others_integral_and_a_settled_pressure():
    s = crossing(1.0, 0)
    assert s.three_state.integral == s.pid.integral == 0.125
    assert s.three_state.slow_pa == pytest.approx(2e6 - s.linear.p_0, abs=0.1)
    s = crossing(1.0, 0, here__a_m_s2=2.0)
    assert s.three_state.slow_pa == pytest.approx(2e6 - s.linear.p_0 - s.now.machine.m * 2.0 / s.now.machine.A)


@pytest.mark.parametrize(("share", "feedback"), [(0.5, PID_FEEDBACK), (0.5, 0)])
def test_on_the_way_neither_begins_again(share, feedback):
    s = crossing(share, feedback)
    assert (s.three_state.integral, s.pid.integral, s.pid.error) == (0.25, 0.125, 0.0)


@pytest.mark.parametrize(("share", "feedback"), [(1.0, PID_FEEDBACK), (0.0, 0)])
def test_a_feedback_that_has_arrived_stays(share, feedback):
    s = crossing(share, feedback)
    assert (s.pid_share, s.three_state.integral, s.pid.integral) == (share, 0.25, 0.125)


def test_an_exchange_sends_the_command_of_the_tick_before():
    s, command = law(Mode.TRACK, output__command=0.125, enable=1, supply=2), filled(COMMAND)
    rt_command(s, command, 6000, 3, 123456)
    assert command.item() == (0.125, 1, 2, 6000, 4, 123456)
    assert (s.tick, s.periods, s.u_applied) == (6000, 4, 0.125)


@pytest.mark.parametrize("mode", list(Mode))
def test_time_has_to_pass_except_off_and_in_hold(mode):
    assert bool(rt_busy(law(mode))) is (mode not in (Mode.OFF, Mode.HOLD))
    assert bool(rt_at_rest(law(mode))) is (mode == Mode.OFF)


@pytest.mark.parametrize(("share", "feedback", "busy"),
                         [(0.0, 0, False), (1.0, PID_FEEDBACK, False), (0.5, 0, True), (0.5, PID_FEEDBACK, True),
                          (1.0, 0, True), (0.0, PID_FEEDBACK, True)])  # fmt: skip
def test_time_has_to_pass_while_parameters_or_feedback_travel(share, feedback, busy):
    s = law(Mode.HOLD, pid_share=share)
    s.now.law.feedback = feedback
    assert bool(rt_busy(s)) is busy
    assert rt_busy(law(Mode.OFF, blend=0.99))
