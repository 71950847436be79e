"""The mode machine: what each request and each trip does in each mode, and what it leaves alone."""

import math

import numpy as np
import pytest

from hilctl.law.estimate import LINE
from hilctl.law.modes import (
    rt_act,
    rt_closed_loop,
    rt_decelerate,
    rt_emergency,
    rt_fall_to_null,
    rt_motion_done,
    rt_own_loop,
    rt_request,
    rt_switch_off,
    rt_trip,
)
from hilctl.law.requests import REQUEST, Refusal, RequestKind
from hilctl.law.sensors import DISPLACEMENT, EMERGENCY, PRESSURE_B
from hilctl.law.settings import RIG_FEEDBACK
from hilctl.law.state import COMPLETED, STATE, STOPPED, TRIPPED
from hilctl.signals import Action, Arming, Mode, Trip
from tests.forms import blank, filled
from tests.unit.law.given import FILTER, LEVEL, settings

SET = settings()
CLOSED = (Mode.HOLD, Mode.TRACK, Mode.STOP)
pytestmark = pytest.mark.usefixtures("forms")


def law(mode, **fields):
    """A healthy rig in a mode, at tick 5000."""
    s = blank(STATE)
    s.now = s.source = s.target = SET
    s.mode, s.tick, s.started, s.periods, s.head_tick, s.motion_over = mode, 5000, 1, 1, 5008, -1
    s.checked.seen, s.enable, s.supply, s.arm.null, s.arm.kept = 2**10 - 1, 1, 2, 0.02, 0.02
    s.arm.proved = 1
    s.checked.value[EMERGENCY] = s.checked.value[LEVEL] = s.checked.value[FILTER] = math.nan
    s.head.x_m, s.head.v_m_s = 0.01, 0.2
    for name, value in fields.items():
        s[name] = value
    return s


def ask(s, kind, **fields):
    request = blank(REQUEST)
    request.kind = kind
    for name, value in fields.items():
        request[name] = value
    return Refusal(rt_request(s, request, 5000))


def latched(s, trip=Trip.VELOCITY):
    s.guard.trip, s.guard.trip_action = trip, Action.STOP
    return s


@pytest.mark.parametrize("mode", list(Mode))
def test_feedback_holds_the_table_in_hold_track_and_stop_and_late_in_arming(mode):
    assert bool(rt_closed_loop(law(mode))) is (mode in CLOSED)
    s = law(mode)
    s.arm.step = Arming.HIGH_PRESSURE
    assert bool(rt_closed_loop(s)) is (mode in (*CLOSED, Mode.STANDBY))
    s.arm.step = Arming.BUMP_DOWN
    assert bool(rt_closed_loop(s)) is (mode in CLOSED)


def test_only_the_rigs_own_feedback_is_its_own_loop():
    s = law(Mode.HOLD)
    assert not rt_own_loop(s)
    s.now.law.feedback = RIG_FEEDBACK
    assert rt_own_loop(s)


@pytest.mark.parametrize("mode", list(Mode))
def test_arming_begins_from_off_alone(mode):
    s = law(mode)
    s.checked.value[DISPLACEMENT] = 0.033
    told = ask(s, RequestKind.ARM)
    assert told == (Refusal.ACCEPTED if mode == Mode.OFF else Refusal.WRONG_MODE)
    if mode == Mode.OFF:
        assert (s.mode, s.arm.step, s.arm.begin_m) == (Mode.STANDBY, Arming.REST, 0.033)
        assert s.authority == SET.arming.first_arm_authority
        assert s.arm.proved == 1
    else:
        assert s.mode == mode


def test_arming_is_refused_with_a_trip_latched_or_before_the_first_readings():
    assert ask(latched(law(Mode.OFF)), RequestKind.ARM) == Refusal.TRIPPED
    assert ask(law(Mode.OFF, started=0), RequestKind.ARM) == Refusal.SENSOR


@pytest.mark.parametrize(
    ("k", "fault", "silent", "name"),
    [(EMERGENCY, Refusal.EMERGENCY_STOP, Refusal.INPUT_EMERGENCY_STOP, "emergency_stop"),
     (LEVEL, Refusal.OIL_LEVEL, Refusal.INPUT_OIL_LEVEL, "oil_level"),
     (FILTER, Refusal.OIL_FILTER, Refusal.INPUT_OIL_FILTER, "oil_filter")],
)  # fmt: skip
def test_an_input_at_fault_or_silent_refuses_arming_and_is_named(k, fault, silent, name):
    s = law(Mode.OFF)
    s.checked.value[k] = 0.51
    assert ask(s, RequestKind.ARM) == fault
    s.checked.value[k] = 0.5
    s.checked.seen = 2**10 - 1 - (1 << k)
    s.now.sensors[name].present = 1
    assert ask(s, RequestKind.ARM) == silent
    s.now.sensors[name].present = 0
    assert ask(s, RequestKind.ARM) == Refusal.ACCEPTED


@pytest.mark.parametrize("k", range(PRESSURE_B + 1))
def test_a_silent_sensor_that_is_required_refuses_arming(k):
    s = law(Mode.OFF)
    s.checked.seen = 2**10 - 1 - (1 << k)
    assert ask(s, RequestKind.ARM) == Refusal.SENSOR


def seen_to_move(v, readings):
    """A rig whose estimate and whose readings of displacement move so fast."""
    s = law(Mode.OFF)
    s.estimate.v = v
    s.estimate.line_x[:] = readings * s.now.dt_s * np.arange(LINE)
    s.estimate.at = LINE - 1
    return s


@pytest.mark.parametrize("way", [1, -1])
def test_a_moving_table_refuses_arming_if_estimate_and_readings_agree_that_it_moves(way):
    over, under = way * SET.arming.rest_speed_m_s * 1.01, way * SET.arming.rest_speed_m_s * 0.99
    assert ask(seen_to_move(over, over), RequestKind.ARM) == Refusal.MOVING
    assert ask(seen_to_move(under, over), RequestKind.ARM) == Refusal.ACCEPTED, "noise of the readings"
    assert ask(seen_to_move(over, under), RequestKind.ARM) == Refusal.ACCEPTED, "a stall, or a fresh estimate"


def test_a_rig_that_was_off_for_longer_than_proof_has_its_signs_proved_again():
    s = law(Mode.OFF, off_s=SET.arming.proof_s)
    ask(s, RequestKind.ARM)
    assert s.arm.proved == 1
    s = law(Mode.OFF, off_s=SET.arming.proof_s + 1)
    ask(s, RequestKind.ARM)
    assert (s.arm.proved, s.arm.null) == (0, SET.law.valve.null_bias)


def test_signs_are_proved_again_and_null_and_overlap_forgotten_where_that_is_asked_for():
    s = law(Mode.OFF)
    s.arm.overlap = s.arm.null = s.arm.kept = 0.03
    assert ask(s, RequestKind.ARM, action=1) == Refusal.ACCEPTED
    null = SET.law.valve.null_bias
    assert (s.mode, s.arm.proved, s.arm.overlap, s.arm.null, s.arm.kept) == (Mode.STANDBY, 0, 0.0, null, null)
    s = law(Mode.HOLD)
    s.arm.null = 0.03
    assert ask(s, RequestKind.ARM, action=1) == Refusal.WRONG_MODE
    assert (s.arm.proved, s.arm.null) == (1, 0.03)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_motion_begins_from_hold_alone(mode):
    s = law(mode, motion_over=7)
    s.rejoin.begun = s.rejoin.until = 9
    request = blank(REQUEST)
    request.kind, request.bank, request.motion = RequestKind.TRACK, 1, filled(STATE["motion"])
    told = Refusal(rt_request(s, request, 5000))
    assert told == (Refusal.ACCEPTED if mode == Mode.HOLD else Refusal.WRONG_MODE)
    if mode == Mode.HOLD:
        assert s.mode == Mode.TRACK
        assert s.motion == request.motion
        assert (s.motion_begun, s.motion_over, s.motion_id, s.bank) == (5008, -1, request.motion.id, 1)
        assert (s.rejoin.begun, s.rejoin.until) == (0, 0)
    else:
        assert (s.mode, s.motion_id) == (mode, 0)


@pytest.mark.parametrize(("proved", "most_s"), [(0, 0.0), (1, 0.3)])
def test_arming_learns_noise_afresh_and_forgets_it_where_signs_are_unknown(proved, most_s):
    s = law(Mode.OFF)
    s.arm.proved, s.still.most_s[:], s.still.longest_s[:] = proved, 0.3, 0.2
    ask(s, RequestKind.ARM)
    assert set(s.still.most_s) == {most_s}
    assert (set(s.still.longest_s), set(s.still.low)) == ({0.0}, {math.inf})


def test_a_null_that_arming_has_not_confirmed_is_not_kept_on_the_way_to_null():
    s = law(Mode.STANDBY)
    s.arm.proved, s.arm.null = 0, 0.05
    ask(s, RequestKind.OFF)
    assert (s.mode, s.arm.null) == (Mode.NULL, 0.02)


def test_a_motion_is_refused_with_a_trip_latched():
    assert ask(latched(law(Mode.HOLD)), RequestKind.TRACK) == Refusal.TRIPPED


STOPPING = {Mode.TRACK: Mode.STOP, Mode.STANDBY: Mode.NULL}


@pytest.mark.parametrize("mode", list(Mode))
def test_a_stop_ends_a_motion_or_arming_and_changes_nothing_else(mode):
    s = law(mode, motion_id=4, motion_done_id=3)
    assert ask(s, RequestKind.STOP) == Refusal.ACCEPTED
    assert s.mode == STOPPING.get(mode, mode)
    if mode in STOPPING:
        assert (s.motion_id, s.motion_done_id, s.motion_result) == (0, 4, STOPPED)
    assert s.off_after == 0


def test_how_the_last_motion_ended_stays_until_another_ends():
    s = law(Mode.STANDBY, motion_result=COMPLETED)
    ask(s, RequestKind.STOP)
    assert (s.mode, s.motion_result) == (Mode.NULL, COMPLETED)


@pytest.mark.parametrize("mode", list(Mode))
def test_off_stops_a_motion_first_and_goes_to_null_from_rest(mode):
    s = law(mode, motion_id=4, null_s=9.0)
    assert ask(s, RequestKind.OFF) == Refusal.ACCEPTED
    assert s.mode == {Mode.TRACK: Mode.STOP, Mode.HOLD: Mode.NULL, Mode.STANDBY: Mode.NULL}.get(mode, mode)
    assert s.off_after == (mode in (Mode.TRACK, Mode.STOP))
    assert s.null_s == (0.0 if mode in (Mode.HOLD, Mode.STANDBY) else 9.0)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_trip_is_reset_off_or_in_hold(mode):
    s = latched(law(mode))
    told = ask(s, RequestKind.RESET)
    assert told == (Refusal.ACCEPTED if mode in (Mode.OFF, Mode.HOLD) else Refusal.WRONG_MODE)
    assert (s.guard.trip == 0) == (told == Refusal.ACCEPTED)
    assert (s.guard.trip_action == 0) == (told == Refusal.ACCEPTED)


def test_a_trip_whose_cause_is_still_there_is_not_reset():
    s = latched(law(Mode.HOLD))
    s.guard.warnings = 1 << Trip.VELOCITY
    assert ask(s, RequestKind.RESET) == Refusal.CAUSE_PRESENT
    assert s.guard.trip == Trip.VELOCITY


def test_a_reset_in_hold_goes_on_from_where_the_table_is_with_the_opening_that_holds_it():
    s = latched(law(Mode.HOLD))
    s.three_state.integral, s.three_state.position, s.pid.integral, s.pid.p = 0.1, 0.02, 0.2, 0.03
    s.estimate.x = 0.044
    ask(s, RequestKind.RESET)
    assert (s.three_state.integral, s.pid.integral) == pytest.approx((0.12, 0.23))
    assert s.head.x_m == s.here.x_m == s.delayed.x_m == s.ahead.x_m == s.motion.out.to_m == 0.044
    assert (s.head.v_m_s, s.motion_begun, s.motion_over, s.history.newest) == (0.0, 5008, -1, 5008)


def test_a_reset_without_a_trip_or_when_off_moves_no_reference():
    s = law(Mode.HOLD)
    s.three_state.position, s.estimate.x = 0.02, 0.044
    assert ask(s, RequestKind.RESET) == Refusal.ACCEPTED
    s.mode = Mode.OFF
    assert ask(latched(s), RequestKind.RESET) == Refusal.ACCEPTED
    assert (s.head.x_m, s.three_state.integral) == (0.01, 0.0)


def test_what_is_no_request_is_refused():
    assert ask(law(Mode.HOLD), 99) == Refusal.UNKNOWN
    assert ask(law(Mode.HOLD), RequestKind.NONE) == Refusal.UNKNOWN


ACTS = {
    Action.NULL: {mode: Mode.NULL for mode in Mode if mode != Mode.OFF},
    Action.STOP: {Mode.TRACK: Mode.STOP, Mode.STANDBY: Mode.NULL},
    Action.WARN: {},
}


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("action", list(Action))
def test_what_a_limit_does_in_each_mode(action, mode):
    s = law(mode, motion_id=4)
    s.guard.wanted = action
    rt_act(s)
    assert s.mode == ACTS[action].get(mode, mode)
    assert s.guard.wanted == 0
    ended = s.mode != mode
    assert (s.motion_id, s.motion_result) == ((0, TRIPPED) if ended else (4, 0))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_trip_from_outside_is_latched_unless_off(mode):
    s = law(mode)
    rt_trip(s, Trip.LATE_TICKS, Action.STOP, 7.0, 5.0)
    assert s.guard.warnings == 1 << Trip.LATE_TICKS
    g = s.guard
    latch = (g.trip, g.trip_tick, g.trip_value, g.trip_limit, g.trip_action, g.trip_sensor)
    assert latch == ((0,) * 6 if mode == Mode.OFF else (Trip.LATE_TICKS, 5000, 7.0, 5.0, Action.STOP, -1))
    assert s.mode == ACTS[Action.STOP].get(mode, mode)
    assert s.passed_s == 0.0


def test_a_trip_that_comes_again_in_hold_starts_the_shorter_time():
    s = latched(law(Mode.HOLD))
    rt_trip(s, Trip.LATE_TICKS, Action.STOP, 7.0, 5.0)
    assert s.passed_s == SET.dt_s
    s.passed_s = 0.3
    rt_trip(s, Trip.LATE_TICKS, Action.STOP, 7.0, 5.0)
    assert s.passed_s == 0.3
    s = latched(law(Mode.TRACK))
    rt_trip(s, Trip.LATE_TICKS, Action.STOP, 7.0, 5.0)
    assert s.passed_s == 0.0, "it is not held yet"


def test_the_service_can_trip():
    s = law(Mode.TRACK)
    assert ask(s, RequestKind.TRIP, trip=Trip.LEASE_LOST, action=Action.STOP) == Refusal.ACCEPTED
    g = s.guard
    assert (g.trip, g.trip_action, g.trip_value, g.trip_limit) == (Trip.LEASE_LOST, Action.STOP, 0.0, 0.0)
    assert s.mode == Mode.STOP


@pytest.mark.parametrize(("present", "value", "off"), [(1, 0.5, True), (1, 0.49, False), (0, 1.0, False)])
def test_the_emergency_stop_switches_off_at_once(present, value, off):
    s = law(Mode.TRACK)
    s.now.sensors.emergency_stop.present, s.checked.value[EMERGENCY] = present, value
    rt_emergency(s, 5000)
    assert s.mode == (Mode.OFF if off else Mode.TRACK)
    if off:
        g = s.guard
        assert (g.trip, g.trip_tick, g.trip_value, g.trip_limit, g.trip_action, g.trip_sensor, g.warnings) == (
            Trip.EMERGENCY_STOP, 5000, 1.0, 0.0, Action.NULL, EMERGENCY, 1 << Trip.EMERGENCY_STOP
        )  # fmt: skip
    other = law(Mode.OFF)
    other.now.sensors.emergency_stop.present, other.checked.value[EMERGENCY] = 1, 1.0
    rt_emergency(other, 5000)
    assert (other.guard.trip, other.guard.warnings) == (0, 1 << Trip.EMERGENCY_STOP)


def test_switched_off_nothing_is_enabled_and_the_command_is_at_null():
    s = law(Mode.TRACK, motion_id=4, off_after=1, off_s=9.0)
    s.arm.proved, s.arm.null, s.arm.step = 0, 0.05, Arming.SETTLE
    s.output.command, s.output.saturated, s.output.saturated_s, s.output.refused = 0.5, 1, 0.7, 0.3
    rt_switch_off(s)
    assert (s.mode, s.enable, s.supply, s.off_after, s.off_s, s.arm.step) == (Mode.OFF, 0, 0, 0, 0.0, Arming.NONE)
    assert (s.motion_id, s.motion_done_id, s.motion_result) == (0, 4, TRIPPED)
    o = s.output
    assert (s.arm.null, o.command, o.saturated, o.saturated_s, o.refused) == (0.02, 0.02, 0, 0.0, 0.0)


def test_deceleration_goes_on_from_the_head_within_the_limits_of_stopping():
    s = law(Mode.TRACK, motion_id=4, motion_done_id=6, motion_over=9)
    s.rejoin.until, s.motion.id = 9999, 4
    rt_decelerate(s, STOPPED)
    assert s.motion.id == 0
    assert (s.mode, s.motion_begun, s.motion_over, s.rejoin.until) == (Mode.STOP, 5008, -1, 0)
    assert (s.motion_id, s.motion_done_id, s.motion_result) == (0, 6, 0), "an older motion's end tells nothing"
    assert (s.motion.stop.x_m, s.motion.stop.v_m_s) == (0.01, 0.2)
    assert s.motion.peak_m_s2 == SET.limits.stopping.deceleration_m_s2
    assert s.motion.stop.release_s == pytest.approx(
        1.875 * SET.limits.stopping.deceleration_m_s2 / SET.limits.stopping.jerk_m_s3
    )


def test_a_rig_with_a_loop_of_its_own_decelerates_on_the_way_to_null():
    s = law(Mode.TRACK, motion_id=4)
    s.now.law.feedback = RIG_FEEDBACK
    rt_fall_to_null(s)
    assert (s.mode, s.motion.kind, s.motion_result) == (Mode.NULL, 1, TRIPPED)
    s = law(Mode.STANDBY)
    s.now.law.feedback, s.estimate.x = RIG_FEEDBACK, 0.044
    rt_fall_to_null(s)
    assert (s.mode, s.head.x_m, s.motion.stop.rest_m) == (Mode.NULL, 0.044, pytest.approx(0.044))


@pytest.mark.parametrize(("over", "done"), [(-1, False), (5001, False), (5000, True), (0, True)])
def test_a_motion_is_done_once_its_end_is_here(over, done):
    s = law(Mode.TRACK, motion_id=4, motion_over=over)
    rt_motion_done(s, 5000)
    assert (s.mode, s.motion_result) == ((Mode.HOLD, COMPLETED) if done else (Mode.TRACK, 0))
    assert s.motion_over == (-1 if done else over)


def test_after_a_stop_the_table_is_held_or_the_rig_goes_off():
    s = law(Mode.STOP, motion_over=5000)
    rt_motion_done(s, 5000)
    assert s.mode == Mode.HOLD
    s = law(Mode.STOP, motion_over=5000, off_after=1)
    rt_motion_done(s, 5000)
    assert (s.mode, s.off_after) == (Mode.NULL, 0)


def test_at_null_only_a_rig_with_a_loop_of_its_own_ends_by_its_reference():
    s = law(Mode.NULL, motion_over=5000)
    rt_motion_done(s, 5000)
    assert s.mode == Mode.NULL
    s = law(Mode.NULL, motion_over=5000)
    s.now.law.feedback = RIG_FEEDBACK
    rt_motion_done(s, 5000)
    assert s.mode == Mode.OFF
    s = law(Mode.HOLD, motion_over=5000)
    s.now.law.feedback = RIG_FEEDBACK
    rt_motion_done(s, 5000)
    assert s.mode == Mode.HOLD
