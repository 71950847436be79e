"""From the reference and the estimate to the next command: feedback, and what rests; limits; the ramp to null."""

import math

import pytest

from hilctl.law.landing import BLEND_S, FIRST, LAG_S
from hilctl.law.output import rt_half_swing_s
from hilctl.law.pid import rt_pid
from hilctl.law.sensors import PRESSURE_A, PRESSURE_B
from hilctl.law.settings import RIG_FEEDBACK
from hilctl.law.three_state import rt_three_state
from hilctl.law.tick import rt_opening
from hilctl.law.tick_output import rt_output
from hilctl.law.valve_stage import rt_valve_stage
from hilctl.signals import Arming, Mode, Trip
from tests.forms import changed
from tests.unit.law.given import DT, settings
from tests.unit.law.states import SET, TICK, law, point, put

CLOSED = (Mode.HOLD, Mode.TRACK, Mode.STOP)
pytestmark = pytest.mark.usefixtures("forms")


def closing(mode=Mode.HOLD, **values):
    """A closed loop with an error in every state, and pressures that differ from what the reference needs."""
    s = law(mode, delayed__x_m=0.03, delayed__v_m_s=0.3, delayed__a_m_s2=2.0, estimate__x=0.01, estimate__v=0.1,
            estimate__a=0.7, estimate__b=0.2, pressure_ref_pa=1.5e5, u_feed=0.05)  # fmt: skip
    s.checked.value[PRESSURE_A], s.checked.value[PRESSURE_B] = 7.0e6, 6.5e6
    three, pid = s.now.law.three_state, s.now.law.pid
    three.kv_s_per_m, three.ka_s2_per_m, three.kp_per_mpa = 0.11, 0.013, 0.17
    pid.kd_s_per_m = 0.02
    s.three_state.integral, s.pid.integral, s.output.refused = 0.04, -0.03, 0.006
    return put(s, **values)


def feedback(s, live=True):
    """Three-variable feedback of a copy."""
    c = s.copy()
    return rt_three_state(c.now.law.three_state, 0.02, 0.2, 2.0 - 0.9, 5e5 - 1.5e5, c.fresh, 0.006, live,
                          DT * int(s.periods), c.three_state)  # fmt: skip


def pid(s, live=True):
    c = s.copy()
    return rt_pid(c.now.law.pid, 0.02, 0.006, live, DT * int(s.periods), c.pid)


@pytest.mark.parametrize("periods", [1, 3])
@pytest.mark.parametrize("mode", CLOSED)
def test_the_opening_is_feed_forward_and_feedback_of_the_errors_without_the_bias(mode, periods):
    s = closing(mode, periods=periods)
    expected, before = feedback(s) + 0.05, s.copy()
    assert rt_opening(s) == s.u_law == pytest.approx(expected, rel=1e-9)
    assert not any(name.startswith("pid.") for name in changed(before, s))


@pytest.mark.parametrize("periods", [1, 3])
def test_under_the_pid_the_opening_is_its_own_and_what_is_fed_forward(periods):
    s = closing(pid_share=1.0, periods=periods)
    expected, before = pid(s) + 0.05, s.copy()
    assert rt_opening(s) == s.u_law == pytest.approx(expected, rel=1e-9)
    assert not any(name.startswith("three_state.") for name in changed(before, s))


SMOOTH = {0.0: 0.0, 0.25: 0.15625, 0.5: 0.5, 0.75: 0.84375, 1.0: 1.0}


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_between_the_two_the_feedback_goes_from_one_to_the_other_with_a_soft_start_and_end(share):
    s = closing(pid_share=share)
    one, other = feedback(s), pid(s)
    smooth = SMOOTH[share]
    assert rt_opening(s) == pytest.approx((1 - smooth) * one + smooth * other + 0.05, rel=1e-9)


BEHIND = settings(machine__dead_band=0.03)
AT_REST = {"here__v_m_s": 0.0, "here__a_m_s2": 0.0, "landing__band": 4e-3, "landing__share": 1.0, "landing__left": 2e-3}


def resting(mode=Mode.HOLD, off=2e-3, **values):
    """Whether the integrals change, with an error for which feedback asks so much; and what it gets of it."""
    s = closing(mode, **{"pid_share": 0.5, **AT_REST, **values})
    gain = 0.5 * (s.now.law.three_state.kd_per_m + s.now.law.pid.kp_per_m)
    s.delayed.x_m = s.estimate.x + off / gain
    before = s.three_state.integral, s.pid.integral
    rt_opening(s)
    changes = s.three_state.integral != before[0], s.pid.integral != before[1]
    return changes, pytest.approx(gain * s.pid.error, abs=1e-12)


@pytest.mark.parametrize("mode", [Mode.HOLD, Mode.TRACK])
def test_a_table_that_swings_at_rest_is_left_where_it_has_landed(mode):
    assert resting(mode) == ((False, False), 0.0)
    assert resting(mode, off=5e-3) == ((True, True), 1e-3), "beyond the band it is drawn back"
    assert resting(mode, landing__band=0.0, landing__left=0.0) == ((True, True), 2e-3), "it does not swing"


@pytest.mark.parametrize(
    ("given", "reach_m", "band"),
    [(BEHIND, 0.0, FIRST), (SET, 0.0, 0.0), (BEHIND, 1e-4, 0.0),
     (settings(machine__overlap_b=0.01, law__valve__inverse=0.0), 0.0, 0.0)],
)  # fmt: skip
def test_where_friction_jumps_behind_an_overlap_the_table_is_left_at_once(given, reach_m, band):
    s = closing(Mode.HOLD, here__v_m_s=0.0, here__a_m_s2=0.0, now__friction__reach_m=reach_m)
    s.now.machine, s.now.law.valve = given.machine, given.law.valve
    rt_opening(s)
    assert s.landing.band == band


def test_what_moves_or_stops_is_not_left_for_long():
    step = 4e-3 * DT / BLEND_S
    for values in ({"here__v_m_s": 0.1}, {"here__a_m_s2": -0.1}, {"mode": Mode.STOP}):
        s_mode = values.pop("mode", Mode.HOLD)
        assert resting(s_mode, off=5e-3, landing__left=4e-3, **values)[1] == 1e-3 + step, values


def test_with_a_trip_latched_a_table_at_rest_is_left_where_it_is_and_one_that_moves_is_not():
    latched = {"guard__trip": Trip.VELOCITY, "landing__left": 4e-3, "landing__left_m": 1e-4}
    gain = 0.5 * (SET.law.three_state.kd_per_m + SET.law.pid.kp_per_m)
    assert resting(off=5e-3, **latched) == ((False, False), 5e-3 - gain * 1e-4)
    step = 4e-3 * DT / BLEND_S
    assert resting(off=5e-3, here__v_m_s=0.1, **latched) == ((False, False), 1e-3 + step)


@pytest.mark.parametrize(("share", "name"), [(0.0, "three_state"), (1.0, "pid")])
def test_the_integral_of_the_law_that_acts_goes_to_the_null(share, name):
    s = closing(Mode.HOLD, pid_share=share, **AT_REST, landing__null=0.2, landing__to_null_s=0.1)
    gain = s.now.law.pid.kp_per_m if share else s.now.law.three_state.kd_per_m
    s.delayed.x_m = s.estimate.x + 2e-3 / gain
    before = s[name].integral
    rt_opening(s)
    assert s[name].integral == pytest.approx(before + DT / LAG_S * (0.2 - before))


def test_with_a_trip_latched_neither_integral_changes():
    s = closing(pid_share=0.5)
    s.guard.trip = Trip.VELOCITY
    rt_opening(s)
    assert (s.three_state.integral, s.pid.integral) == (0.04, -0.03)


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.NULL, Mode.STANDBY])
def test_in_open_loop_the_opening_is_armings_or_none(mode):
    s = closing(mode, u_law=0.9)
    s.arm.bump, s.arm.step = 0.01, Arming.BUMP_DOWN
    bump = -0.01 if mode == Mode.STANDBY else 0.0
    assert rt_opening(s) == s.u_law == bump


def own(mode, **values):
    s = law(mode, here__x_m=0.02, **values)
    s.now.law.feedback, s.now.law.rig.reach_m = RIG_FEEDBACK, 0.1
    s.arm.null, s.arm.bump, s.arm.step = 0.3, 0.01, Arming.BUMP_UP
    return s


@pytest.mark.parametrize("mode", list(Mode))
def test_a_rig_with_a_loop_of_its_own_gets_the_reference_or_where_it_stood(mode):
    s = own(mode)
    closed = mode in (*CLOSED, Mode.NULL)
    expected = 0.2 if closed else 0.31 if mode == Mode.STANDBY else 0.3
    assert rt_opening(s) == s.u_law == pytest.approx(expected)


def test_the_valve_stage_gets_the_feed_forward():
    s = law(Mode.HOLD, BEHIND, u_feed=0.03, opening_ahead=0.01, side=0.8, output__command=0.04, arm__null=0.02)
    c = s.copy()
    wanted = rt_valve_stage(c.now.law.valve, c.now.machine, 0.05, 0.03, 0.01, 0.8, 0.02, DT, c.valve)
    rt_output(s, 0.05)
    assert s.output.command == pytest.approx(wanted)
    assert wanted > 0.07


def out(mode, wanted, given=SET, **values):
    s = law(mode, given, arm__null=0.02, arm__kept=0.02, output__command=0.1, output__ramp_from=0.1, **values)
    rt_output(s, wanted)
    return s


def test_off_the_command_is_null_and_nothing_is_kept():
    s = law(Mode.OFF, arm__null=0.02)
    o = put(s.output, command=0.5, refused=0.3, saturated=1, saturated_s=0.7, ramp_s=0.9, ramp_from=0.4)
    s.notches.first.t1 = s.notches.third.u2 = 0.5
    rt_output(s, 0.4)
    assert (o.command, o.refused, o.saturated, o.saturated_s) == (0.02, 0.0, 0, 0.0)
    assert (s.notches.first.t1, s.notches.third.u2) == (0.0, 0.0)
    assert (o.ramp_from, o.ramp_s, s.u_notched) == (0.02, 0.0, 0.4)


STILL = settings(law__valve__dither=0.0, limits__command__slew_per_s=400.0)


@pytest.mark.parametrize("mode", [*CLOSED, Mode.STANDBY])
def test_the_command_is_the_opening_about_null_within_slew_and_reach(mode):
    slew = STILL.limits.command.slew_per_s * DT
    s = out(mode, 0.085, STILL, periods=3)
    assert s.output.command == pytest.approx(0.105)
    assert (s.u_notched, s.output.ramp_from, s.output.ramp_s) == (0.085, pytest.approx(0.105), 0.0)
    s = out(mode, 0.9, STILL, periods=3)
    assert s.output.command == pytest.approx(min(0.1 + slew, 0.02 + STILL.limits.command.opening))
    s = out(mode, 0.9, STILL, authority=0.05)
    assert s.output.command == pytest.approx(max(0.07, 0.1 - slew))
    assert s.output.saturated == 1


def test_the_opening_of_the_rig_file_is_the_most():
    given = settings(law__valve__dither=0.0, limits__command__opening=0.1)
    s = law(Mode.HOLD, given, arm__null=0.02, arm__kept=0.02, output__command=0.119)
    rt_output(s, 0.9)
    assert (s.output.command, s.output.saturated) == (pytest.approx(0.12), 1)


def test_the_time_in_saturation_counts_skipped_periods():
    s = out(Mode.HOLD, 2.0, STILL, periods=3)
    assert s.output.saturated_s == pytest.approx(3 * DT)


def test_a_notch_takes_its_share_of_the_opening():
    given = settings(law__notch_1__depth_db=20.0, law__notch_1__frequency_hz=50.0, law__valve__dither=0.0)
    s = out(Mode.HOLD, 0.05, given)
    assert 0.0 < s.u_notched < 0.05
    assert s.valve.opening == s.u_notched
    assert s.notches.first.u1 == 0.05


def test_an_opening_that_is_not_finite_keeps_the_command_and_goes_to_null():
    s = out(Mode.HOLD, math.nan, STILL)
    assert s.mode == Mode.NULL
    rate = SET.limits.stopping.deceleration_m_s2 * SET.machine.A / SET.machine.Qn
    assert s.output.command == pytest.approx(0.1 - 0.5 * rate * DT), "the ramp begins in this very tick"
    guard = s.guard
    assert (guard.trip, guard.trip_tick, guard.trip_limit, guard.trip_sensor) == (Trip.COMMAND, TICK, 1.0, -1)
    assert math.isnan(guard.trip_value)
    assert out(Mode.HOLD, 0.05, STILL).guard.trip == 0


REST_S = 0.5


def falling(command=0.1, ramp_s=0.0, periods=1, **values):
    s = law(Mode.NULL, arm__null=0.02, arm__kept=0.02, output__command=command, output__ramp_from=command,
            output__ramp_s=ramp_s, periods=periods, now__limits__escalation__null_s=REST_S, **values)  # fmt: skip
    rt_output(s, 0.9)
    return s


def test_the_ramp_to_null_takes_the_flow_away_by_the_deceleration_limit():
    rate = SET.limits.stopping.deceleration_m_s2 * SET.machine.A / SET.machine.Qn
    s = falling()
    assert s.output.command == pytest.approx(0.1 - 0.5 * rate * DT)
    assert (s.mode, s.output.ramp_s, s.u_notched) == (Mode.NULL, DT, 0.9)
    apart_s = rt_half_swing_s(SET.machine)
    assert falling(ramp_s=apart_s).output.command == pytest.approx(0.1 - rate * DT), "both halves"


@pytest.mark.parametrize(("periods", "steps"), [(3, 3), (4, 4), (40, 4)])
def test_after_a_stall_the_ramp_goes_on_by_four_periods_at_most(periods, steps):
    rate = 1.0 * SET.limits.stopping.deceleration_m_s2 * SET.machine.A / SET.machine.Qn
    s = falling(periods=periods, command=0.5)
    assert s.output.ramp_s == pytest.approx(periods * DT)
    assert s.output.ramped[0] == pytest.approx(0.5 * rate * steps * DT)


def test_at_null_it_is_switched_off_or_rests_there_while_a_trip_is_latched():
    arrived = {"command": 0.02}
    s = falling(**arrived)
    assert (s.mode, s.enable, s.supply, s.output.command) == (Mode.OFF, 0, 0, 0.02)
    s = falling(guard__trip=Trip.VELOCITY, **arrived)
    assert (s.mode, s.enable, s.null_s) == (Mode.NULL, 1, DT)
    s = falling(guard__trip=Trip.VELOCITY, null_s=REST_S, **arrived)
    assert s.mode == Mode.OFF


def test_the_rest_at_null_begins_when_the_ramp_has_arrived():
    s = falling(guard__trip=Trip.VELOCITY, null_s=REST_S)
    assert (s.mode, s.null_s) == (Mode.NULL, REST_S)


def test_what_is_not_enabled_yet_needs_no_ramp():
    s = falling(enable=0, guard__trip=Trip.VELOCITY)
    assert (s.mode, s.output.command) == (Mode.OFF, 0.02)


def out_own(mode, wanted, enable=1, **values):
    s = own(mode, enable=enable, output__command=0.3, estimate__x=0.04, **values)
    put(s.output, refused=0.3, saturated=1, saturated_s=0.7)
    s.now.limits.command.slew_per_s, s.now.limits.command.opening = 5000.0, 0.9
    rt_output(s, wanted)
    return s


def test_before_it_is_enabled_such_a_rig_is_sent_where_it_stands():
    o = out_own(Mode.STANDBY, 0.9, enable=0)
    assert o.arm.null == o.output.command == pytest.approx(0.4)
    assert (o.output.refused, o.output.saturated, o.output.saturated_s) == (0.0, 0, 0.0)


@pytest.mark.parametrize(
    ("mode", "authority", "least", "most"),
    [(Mode.STANDBY, 0.05, 0.25, 0.35), (Mode.STANDBY, 1.0, -0.9, 0.9), (Mode.HOLD, 0.05, -0.9, 0.9),
     (Mode.NULL, 0.05, -0.9, 0.9)],
)  # fmt: skip
def test_until_it_is_armed_its_command_stays_near_where_it_stood(mode, authority, least, most):
    s = out_own(mode, 2.0, authority=authority)
    assert (s.output.command, s.arm.null, s.u_notched) == (pytest.approx(most), 0.3, 2.0)
    assert s.mode == mode, "its reference brings it to null, and no ramp"
    assert out_own(mode, -2.0, authority=authority).output.command == pytest.approx(least)
    assert out_own(mode, 0.31, authority=authority).output.command == pytest.approx(0.31)


def test_its_slew_is_that_of_one_period_and_its_saturation_counts_all():
    s = own(Mode.TRACK, periods=3, output__command=0.3)
    s.now.limits.command.slew_per_s = 10.0
    rt_output(s, 2.0)
    assert s.output.command == pytest.approx(0.3 + 10.0 * DT)
    assert s.output.saturated_s == pytest.approx(3 * DT)


@pytest.mark.parametrize(("v", "a"), [(0.0, 0.0), (0.1, 0.0), (0.0, 2.0)])
def test_what_is_owed_of_lost_commands_is_repaid_while_the_reference_moves_and_at_rest_forgotten(v, a):
    s = law(Mode.TRACK, delivery__due=0.05, output__command=0.1)
    s.here, s.now.law.feed.repay = point(0.0, v, a), 1.0
    rt_output(s, 0.1)
    rests = v == a == 0.0
    assert s.output.command == pytest.approx(0.1 if rests else 0.15)
    assert s.delivery.due == pytest.approx(0.0)
    assert s.output.refused == 0.0
