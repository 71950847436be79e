"""Readings, estimate and reference of a tick, and what the guard makes of them."""

import math

import pytest

from hilctl.law.estimate import FOLLOWS_S
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, EMERGENCY, PRESSURE_A, PRESSURE_B, SPOOL
from hilctl.law.settings import RIG_FEEDBACK
from hilctl.law.tick import rt_advance_reference, rt_read, rt_watch
from hilctl.signals import Action, Arming, Mode, Status, Trip
from tests.unit.law.given import DT
from tests.unit.law.states import SET, TICK, law, readings

FAST = SET.limits.stuck.speed_m_s
pytestmark = pytest.mark.usefixtures("forms")


def read(s, status=Status.OK, **values):
    rt_read(s, readings(**values), int(status))
    return s


def test_the_first_good_readings_begin_the_estimate_at_rest_where_the_table_is():
    s = read(law(Mode.OFF, started=0), displacement_m=0.02, acceleration_m_s2=0.25)
    e = s.estimate
    assert (s.started, e.x, e.v, e.a, e.b) == (TICK, 0.02, 0.0, 0.25, -0.25)
    assert s.here.x_m == s.head.x_m == 0.02
    assert s.history.newest == s.head_tick


def test_even_in_tick_zero_the_estimate_has_begun():
    assert read(law(Mode.OFF, started=0, tick=0)).started == 1


@pytest.mark.parametrize("bad", ["displacement_m", "acceleration_m_s2"])
def test_the_estimate_waits_for_displacement_and_acceleration(bad):
    s = read(law(Mode.OFF, started=0, estimate__x=0.5), **{bad: math.nan})
    assert (s.started, s.estimate.x, s.estimate.at) == (0, 0.5, 0)


def test_the_estimate_waits_for_no_pressure():
    s = read(law(Mode.OFF, started=0), displacement_m=0.02, pressure_a_pa=math.nan, pressure_b_pa=math.nan)
    assert (s.started, s.estimate.x) == (TICK, 0.02)


@pytest.mark.parametrize("started", [1, 2, 400])
def test_once_begun_the_estimate_follows_by_a_step_a_period(started):
    s = read(law(Mode.HOLD, started=started, periods=3), displacement_m=1e-3)
    assert (s.started, s.estimate.at) == (started, 3)
    assert 0.0 < s.estimate.x < 1e-3
    assert s.head.x_m == 0.0


def test_a_rejected_displacement_is_replaced_by_where_the_table_will_be():
    s = law(Mode.TRACK, periods=2, estimate__v=0.5, estimate__a=3.0, estimate__b=-1.0)
    s.estimate.line_x[:] = 0.02
    read(s, displacement_m=math.nan)
    assert s.checked.value[DISPLACEMENT] == pytest.approx(0.02 + 0.5 * 2 * DT + 0.5 * 2.0 * (2 * DT) ** 2)


@pytest.mark.parametrize(
    ("mode", "by_reference"),
    [(Mode.TRACK, True), (Mode.STOP, True), (Mode.HOLD, True), (Mode.OFF, False), (Mode.STANDBY, False)],
)
def test_a_rejected_acceleration_is_of_a_table_that_comes_to_its_reference_in_a_closed_loop_else_the_last(
    mode, by_reference
):
    s = law(mode, estimate__a=3.0, estimate__b=-0.5, estimate__v=0.1, ahead__a_m_s2=7.0, delayed__v_m_s=0.06)
    read(s, acceleration_m_s2=math.nan)
    assert s.checked.value[ACCELERATION] == pytest.approx(7.0 + 0.5 - 0.04 / FOLLOWS_S if by_reference else 3.0)


def test_readings_that_repeat_count_as_standing_still_and_as_driven_while_the_reference_moves():
    s = law(Mode.TRACK, here__v_m_s=0.1, periods=5)
    read(s)
    read(s)
    assert s.still.same_s[DISPLACEMENT] == s.still.driven_s[DISPLACEMENT] == pytest.approx(2 * DT)
    for mode, v, driven in ((Mode.TRACK, -0.1, True), (Mode.STOP, -0.1, True), (Mode.TRACK, FAST, False)):
        s = law(mode, here__v_m_s=v)
        read(s)
        assert bool(s.still.driven_s[DISPLACEMENT] > 0.0) is driven
    s = law(Mode.HOLD, here__v_m_s=0.1)
    read(s)
    assert (s.still.same_s[DISPLACEMENT], s.still.driven_s[DISPLACEMENT]) == (pytest.approx(DT), 0.0)
    read(s, Status.TIMEOUT)
    assert s.still.same_s[DISPLACEMENT] == pytest.approx(DT), "a failed exchange shows no reading"


@pytest.mark.parametrize(("mode", "step", "learnt"), [(Mode.STANDBY, Arming.REST, True),
                                                      (Mode.STANDBY, Arming.LOW_PRESSURE, False),
                                                      (Mode.OFF, Arming.REST, False)])  # fmt: skip
def test_noise_is_learnt_at_rest_before_arming_alone(mode, step, learnt):
    s = law(mode, arm__step=step)
    s.still.low[:], s.still.high[:] = math.inf, -math.inf
    read(s, displacement_m=1e-3)
    assert s.still.high[DISPLACEMENT] == (1e-3 if learnt else -math.inf)


@pytest.mark.parametrize(("device_tick", "proved"), [(99, 0), (100, 1), (101, 1)])
def test_a_device_that_started_again_has_its_signs_proved_again(device_tick, proved):
    s = law(Mode.HOLD, device_tick=100, arm__proved=1)
    read(s, device_tick=device_tick)
    assert (s.device_tick, s.arm.proved) == (device_tick, proved)


@pytest.mark.parametrize("old", [PRESSURE_A, PRESSURE_B])
@pytest.mark.parametrize(("mode", "pid_share", "acts"), [(Mode.HOLD, 0.0, True), (Mode.HOLD, 0.999, True),
                                                         (Mode.HOLD, 1.0, False), (Mode.OFF, 0.0, False)])  # fmt: skip
def test_an_old_pressure_fades_the_pressure_term_out_while_it_acts_else_at_once(old, mode, pid_share, acts):
    three = SET.law.three_state
    s, given = law(mode, pid_share=pid_share, periods=2), readings()
    given.age_ns[old] = round(three.pressure_age_s * 1e9) + 1000
    rt_read(s, given, 0)
    assert s.fresh.live == 0
    assert s.fresh.share == pytest.approx(1.0 - 2 * DT / three.pressure_fade_s if acts else 0.0)


def moving(**values):
    """A reference that goes by 0.2 m/s, head at 0.2 * (ticks since TICK), `lead` ticks ahead of TICK + 1."""
    s = law(Mode.TRACK, **values)
    s.motion.kind = 0
    for tick in range(TICK - 20, s.head_tick + 1):
        place = s.history.points[tick & (s.history.points.size - 1)]
        place.x_m, place.v_m_s, place.a_m_s2, place.j_m_s3 = 0.2 * (tick - TICK) * DT, 0.2, 0.0, 0.0
    s.history.newest = s.head_tick
    return s


@pytest.mark.parametrize("forms", ["plain"], indirect=True)
def test_here_delayed_and_ahead_are_read_behind_the_head():
    s = moving(tick=TICK + 1, estimate__delay_ticks=2.5)
    head = s.head_tick
    rt_advance_reference(s, s.estimate.line_x)
    assert s.head_tick == head + 1
    way = 0.2 * DT
    assert s.here.x_m == pytest.approx(way)
    assert s.delayed.x_m == pytest.approx(-1.5 * way)
    assert s.ahead.x_m == pytest.approx((1 + s.linear.preview_ticks) * way)
    assert (s.here.v_m_s, s.delayed.v_m_s, s.ahead.v_m_s) == pytest.approx((0.2, 0.2, 0.2))


def watch(s, status=Status.OK):
    rt_watch(s, int(status))
    return s


def warned(s, trip):
    return bool(s.guard.warnings & 1 << trip)


def holding(mode=Mode.HOLD, **values):
    """In hold, with accelerometer and oil at rest: nothing to warn of."""
    return law(mode, **values)


def test_a_healthy_rig_passes_without_a_word():
    for mode in Mode:
        s = watch(holding(mode))
        assert (s.guard.warnings, s.guard.trip, s.mode) == (0, 0, mode)


def test_the_way_that_the_valve_opened_for_adds_up_in_closed_loop_alone():
    def opened(mode, feedback=0):
        s = holding(mode, valve__opening=0.3, arm__gain_m_s=0.5, periods=2)
        s.still.same_s[DISPLACEMENT], s.now.law.feedback = 1.0, feedback
        return watch(s).still.opened_m

    assert opened(Mode.HOLD) == pytest.approx((0.3 - SET.arming.bump) * 0.5 * 2 * DT)
    assert opened(Mode.OFF) == 0.0
    assert opened(Mode.HOLD, RIG_FEEDBACK) == 0.0


@pytest.mark.parametrize(("status", "counts"), [(Status.OK, True), (Status.LATE, True), (Status.TIMEOUT, False)])
def test_without_a_reading_no_displacement_stands_still_however_far_the_valve_is_open(status, counts):
    s = holding(valve__opening=0.3, arm__gain_m_s=1.0)
    s.still.same_s[DISPLACEMENT] = 2 * DT
    rt_watch(s, int(status))
    assert (s.still.opened_m > 0.0) == counts


@pytest.mark.parametrize("ended", [0, 2, 12])
def test_learning_that_has_ended_at_a_bound_is_a_warning(ended):
    s = watch(holding(adapt__ended=ended))
    assert s.guard.warnings == (1 << Trip.VALVE_DRIFT if ended else 0)


@pytest.mark.parametrize(("v", "stuck"), [(FAST * 1.01, True), (-FAST * 1.01, True), (FAST, False)])
def test_what_stands_still_is_judged_while_the_reference_moves(v, stuck):
    s = holding(Mode.TRACK, here__v_m_s=v)
    s.still.driven_s[ACCELERATION] = SET.limits.stuck.window_s * 1.01
    assert warned(watch(s), Trip.SENSOR_STUCK) is stuck


def test_the_position_limit_holds_for_the_unshifted_position_too():
    """A zero that was moved by 0.1 m after the start, and a gain that was halved."""
    limit = SET.limits.position.max_m
    s = holding(estimate__x=limit - 0.05)
    assert not warned(watch(s), Trip.POSITION)
    s.now.sensors.displacement.offset = s.first_offset + 0.1
    assert warned(watch(s), Trip.POSITION)
    s.now.sensors.displacement.offset = s.first_offset - 0.1
    assert not warned(watch(s), Trip.POSITION)
    s = holding(estimate__x=0.6 * limit)
    s.now.sensors.displacement.gain = 0.5 * s.first_gain
    assert warned(watch(s), Trip.POSITION)
    s = holding(estimate__x=0.6 * limit)
    s.now.sensors.displacement.gain = 2.0 * s.first_gain
    assert not warned(watch(s), Trip.POSITION)


def test_the_unshifted_position_is_by_the_first_zero_and_gain():
    limit = SET.limits.position.max_m
    s = holding(estimate__x=limit - 0.05, first_offset=0.04, first_gain=2.0)
    s.now.sensors.displacement.offset, s.now.sensors.displacement.gain = 0.06, 2.0
    assert not warned(watch(s), Trip.POSITION), "0.04 m nearer to the limit, by gain times the shift"
    s.now.sensors.displacement.offset = 0.07
    assert warned(watch(s), Trip.POSITION), "0.06 m"


def test_the_position_limit_looks_ahead_by_the_lead_of_the_reference():
    limit, v = SET.limits.position.max_m, 0.1
    near = {"estimate__v": v, "here__v_m_s": v, "delayed__v_m_s": v}
    braking = v * v / SET.limits.stopping.deceleration_m_s2
    s = holding(Mode.TRACK, estimate__x=limit - braking - 0.06, **near)
    assert not warned(watch(s), Trip.POSITION)
    s.lead = 1000  # a second, in which it goes 0.1 m
    assert warned(watch(s), Trip.POSITION)


@pytest.mark.parametrize(("a", "b", "passes"), [(1.0, 0.0, True), (1.3, -0.4, False), (0.8, 0.3, True)])
def test_the_acceleration_that_is_judged_is_without_its_bias(a, b, passes):
    most = SET.limits.acceleration.max_m_s2 * 0.999
    s = holding(estimate__a=a * most * 1.01, estimate__b=b * most, estimate__b_start=b * most)
    assert warned(watch(s), Trip.ACCELERATION) is passes


@pytest.mark.parametrize(("start", "now", "drifted"), [(0.0, 1.01, True), (0.6, -0.6, True), (0.6, 1.1, False)])
def test_what_is_judged_of_the_bias_is_its_change_since_the_start(start, now, drifted):
    most = SET.limits.drift.max_m_s2
    s = holding(estimate__b_start=start * most, estimate__b=now * most, estimate__a=-now * most)
    assert warned(watch(s), Trip.SENSOR_DRIFT) is drifted


def test_the_spool_is_compared_with_what_the_valves_lag_makes_of_the_command():
    machine, step_s = SET.machine, 3 * DT
    lag = step_s / (step_s + 2 * machine.zv / machine.wv)
    s = holding(u_applied=0.4, periods=3)
    s.now.sensors.spool.present = 1
    s.checked.value[SPOOL] = 0.4 * lag + 0.02
    watch(s)
    assert s.delivery.spool == pytest.approx([0.4 * lag] * 3)
    assert s.delivery.off == pytest.approx(0.02)


@pytest.mark.parametrize(("present", "rejected"), [(0, 0), (1, 1 << SPOOL)])
def test_a_spool_reading_that_is_none_shows_no_difference(present, rejected):
    s = holding(u_applied=0.4, checked__rejected=rejected)
    s.now.sensors.spool.present = present
    s.checked.value[SPOOL] = 1.0
    assert math.isnan(watch(s).delivery.off)
    assert not warned(s, Trip.READ_BACK)


@pytest.mark.parametrize(("mode", "warns"), [(Mode.TRACK, True), (Mode.HOLD, True), (Mode.OFF, False)])
def test_the_error_is_judged_in_closed_loop(mode, warns):
    most = SET.limits.tracking_error.max_m
    s = holding(mode, delayed__x_m=0.6 * most, estimate__x=-0.6 * most)
    assert warned(watch(s), Trip.TRACKING_ERROR) is warns
    s = holding(mode, delayed__x_m=0.6 * most, estimate__x=0.6 * most)
    assert not warned(watch(s), Trip.TRACKING_ERROR)


def test_the_effort_is_that_of_the_opening_from_null_as_late_as_the_table_is():
    s = holding(u_applied=0.5, arm__null=0.1, periods=2)
    passed_s, lead_s = 2 * DT, s.linear.preview_ticks * DT
    watch(s)
    assert s.effort.opening == pytest.approx(0.4 * passed_s / (passed_s + lead_s))
    s = holding(u_applied=0.5, effort__opening=0.3)
    s.now.law.feedback = RIG_FEEDBACK
    assert watch(s).effort.opening == 0.0
    assert watch(holding(Mode.OFF, u_applied=0.5, effort__opening=0.3)).effort.opening == 0.0


@pytest.mark.parametrize(
    ("values", "warns"),
    [({}, True), ({"fresh__share": 0.0}, True), ({"fresh__share": 1.0}, False), ({"kp": 0.0}, False),
     ({"kp": 1.0}, True), ({"mode": Mode.OFF}, False), ({"pid_share": 1.0}, False), ({"pid_share": 0.5}, True)],
)  # fmt: skip
def test_old_pressures_warn_where_the_pressure_term_would_act(values, warns):
    values = {"mode": Mode.HOLD, "kp": 0.01, "fresh__share": 0.9, **values}
    s = law(values.pop("mode"), now__law__three_state__kp_per_mpa=values.pop("kp"), **values)
    s.guard.warnings = 0
    watch(s)
    assert s.guard.warnings == (1 << Trip.PRESSURE_AGE if warns else 0)


def test_another_warning_stays_beside_that_of_old_pressures():
    s = holding(fresh__share=0.5, now__law__three_state__kp_per_mpa=0.01, estimate__v=SET.limits.velocity.max_m_s + 1)
    watch(s)
    assert warned(s, Trip.PRESSURE_AGE)
    assert warned(s, Trip.VELOCITY)


def test_an_emergency_stop_switches_off_in_its_tick():
    s = holding()
    s.now.sensors.emergency_stop.present, s.checked.value[EMERGENCY] = 1, 1.0
    watch(s)
    assert (s.mode, s.guard.trip, s.guard.trip_tick) == (Mode.OFF, Trip.EMERGENCY_STOP, TICK)


def test_a_limit_that_trips_acts_in_its_tick():
    s = holding(Mode.TRACK)
    s.checked.value[PRESSURE_A], s.now.limits.pressure.ticks = SET.limits.pressure.max_pa * 2, 1
    watch(s)
    assert (s.guard.trip, s.mode, s.guard.wanted) == (Trip.PRESSURE, Mode.NULL, 0)


def escalating(passed_s=0.0, held_s=0.0, v=0.0):
    s = holding(guard__trip=Trip.VELOCITY, guard__trip_action=Action.STOP, held_s=held_s, passed_s=passed_s)
    s.now.limits.velocity.ticks, s.estimate.v = 1, v
    return watch(s)


def test_held_after_a_trip_it_goes_to_null_in_the_end():
    rule = SET.limits.escalation
    assert escalating().mode == Mode.HOLD
    assert escalating(held_s=rule.hold_s).mode == Mode.NULL
    assert escalating(passed_s=rule.cause_s).mode == Mode.NULL


def test_a_limit_that_is_passed_again_while_held_starts_the_shorter_time():
    assert escalating().passed_s == 0.0
    assert escalating(v=SET.limits.velocity.max_m_s * 1.1).passed_s == pytest.approx(DT)


@pytest.mark.parametrize("mode", list(Mode))
def test_the_time_for_which_it_has_been_off_counts_while_off(mode):
    s = watch(holding(mode, off_s=3.0, periods=4))
    assert s.off_s == pytest.approx(3.0 + 4 * DT if mode == Mode.OFF else 3.0)
