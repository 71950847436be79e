"""The guard, limit by limit, from both sides of each bound."""

import math

import pytest

from hilctl.law.effort import EFFORT
from hilctl.law.guards import GUARD, rt_cause_present, rt_guard, rt_latch
from hilctl.law.sensors import (
    ACCELERATION,
    CHECKED,
    COUNT,
    DISPLACEMENT,
    PRESSURE_A,
    PRESSURE_B,
    SPOOL,
    SUPPLY,
)
from hilctl.law.stillness import STILL
from hilctl.signals import Action, Mode, Status, Trip
from tests.forms import blank, changed
from tests.unit.law.given import DT, FILTER, LEVEL, OIL, settings

SET = settings()
MOVED_BY_US = (Mode.STANDBY, Mode.HOLD, Mode.TRACK, Mode.STOP)
pytestmark = pytest.mark.usefixtures("forms")


class Guard:
    """A guard with nothing wrong, tick by tick."""

    def __init__(self):
        self.g, self.set, self.tick = blank(GUARD), SET.copy(), 100
        self.checked, self.still, self.effort = blank(CHECKED), blank(STILL), blank(EFFORT)
        for k in (SUPPLY, SPOOL, OIL, LEVEL, FILTER):
            self.checked.value[k] = math.nan
        self.g.trip_sensor = -1

    def look(self, mode=Mode.HOLD, closed=True, status=Status.OK, x=0.0, shift_m=0.0, scale=1.0, v=0.0, a=0.0,
             drift=0.0, error_m=0.0, lead_s=0.0, driven=False, applied=0.0, saturated_s=0.0, supply=2, periods=1):
        self.tick += periods
        rt_guard(self.set, mode, closed, status, self.checked, self.still, self.effort, x, shift_m, scale, v, a, drift,
                 error_m, lead_s, driven, applied, saturated_s, supply, self.tick, periods, self.g)
        return self

    @property
    def trip(self):
        return Trip(self.g.trip)

    def warns(self, trip):
        return bool(self.g.warnings >> trip & 1)

    def seen(self):
        """What was latched: the trip, its value and limit, the action, the sensor, and the tick since the first."""
        g = self.g
        return Trip(g.trip), g.trip_value, g.trip_limit, Action(g.trip_action), g.trip_sensor, g.trip_tick - 100


@pytest.fixture
def guard():
    return Guard()


def test_with_nothing_wrong_nothing_is_warned_of_or_tripped(guard):
    guard.look()
    assert (guard.g.warnings, guard.g.wanted, guard.trip, guard.g.trips) == (0, 0, Trip.NONE, 0)


# The latch


def test_the_first_cause_is_kept_and_the_strongest_action_is_taken():
    g = blank(GUARD)
    rt_latch(3, 1, 2.5, 1.5, 4, 77, g)
    before = g.copy()
    assert changed(blank(GUARD), g) == {"wanted": 1, "trip": 3, "trip_tick": 77, "trip_value": 2.5, "trip_limit": 1.5,
                                        "trip_action": 1, "trip_sensor": 4, "trips": 1}
    rt_latch(5, 2, 9.5, 8.5, 1, 78, g)
    assert changed(before, g) == {"wanted": 2}
    rt_latch(5, 1, 9.5, 8.5, 1, 78, g)
    assert g.wanted == 2


def test_a_warning_latches_nothing():
    g = blank(GUARD)
    rt_latch(3, 0, 2.5, 1.5, 4, 77, g)
    assert changed(blank(GUARD), g) == {}


def test_a_cause_is_present_while_it_warns_except_a_position_that_may_be_left():
    g = blank(GUARD)
    g.trip, g.warnings = Trip.VELOCITY, 1 << Trip.VELOCITY
    assert rt_cause_present(g)
    g.warnings = 1 << Trip.ACCELERATION
    assert not rt_cause_present(g)
    g.trip, g.warnings = Trip.POSITION, 1 << Trip.POSITION
    assert not rt_cause_present(g)


# Limits of a value, in a row

SIMPLE = [
    ("v", Trip.VELOCITY, "velocity", "max_m_s", -1),
    ("a", Trip.ACCELERATION, "acceleration", "max_m_s2", ACCELERATION),
    ("drift", Trip.SENSOR_DRIFT, "drift", "max_m_s2", ACCELERATION),
    ("error_m", Trip.TRACKING_ERROR, "tracking_error", "max_m", DISPLACEMENT),
]


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("argument", "trip", "table", "key", "sensor"), SIMPLE)
def test_a_value_beyond_its_limit_trips_after_its_ticks(guard, argument, trip, table, key, sensor, way):
    guard.set.limits.position.min_m, guard.set.limits.position.max_m = -100.0, 100.0
    rule = guard.set.limits[table]
    limit = rule[key]
    guard.look(**{argument: way * limit})
    assert not guard.warns(trip)
    for k in range(rule.ticks):
        assert guard.trip == Trip.NONE
        guard.look(**{argument: way * limit * 1.001})
        assert guard.warns(trip)
        assert guard.g.in_a_row[trip] == k + 1
    assert guard.seen() == (trip, way * limit * 1.001, limit, Action(rule.action), sensor, rule.ticks + 1)
    assert guard.g.wanted == rule.action


@pytest.mark.parametrize(("argument", "trip", "table", "key", "sensor"), SIMPLE)
def test_a_value_that_comes_back_begins_its_row_again(guard, argument, trip, table, key, sensor):
    guard.set.limits.position.min_m, guard.set.limits.position.max_m = -100.0, 100.0
    rule = guard.set.limits[table]
    for _ in range(4):
        for _ in range(rule.ticks - 1):
            guard.look(**{argument: rule[key] * 1.001})
        guard.look()
        assert guard.g.in_a_row[trip] == 0
    assert guard.trip == Trip.NONE


def test_periods_skipped_between_two_passes_count_and_those_before_the_first_do_not(guard):
    guard.set.limits.velocity.ticks = 10
    guard.set.limits.position.min_m, guard.set.limits.position.max_m = -100.0, 100.0
    high = guard.set.limits.velocity.max_m_s * 1.1
    guard.look(v=high, periods=9)
    assert guard.g.in_a_row[Trip.VELOCITY] == 1
    guard.look(v=high, periods=8)
    assert guard.g.in_a_row[Trip.VELOCITY] == 9
    assert guard.trip == Trip.NONE
    guard.look(v=high)
    assert guard.trip == Trip.VELOCITY


def test_a_limit_whose_action_is_to_warn_trips_nothing(guard):
    guard.set.limits.velocity.action = Action.WARN
    guard.set.limits.position.action = Action.WARN
    for _ in range(30):
        guard.look(v=100.0)
    assert guard.trip == Trip.NONE
    assert guard.warns(Trip.VELOCITY)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_table_that_we_cannot_move_only_warns(guard, mode):
    guard.set.limits.position.action = Action.WARN
    for _ in range(30):
        guard.look(mode=mode, v=100.0, closed=False)
    assert guard.warns(Trip.VELOCITY)
    assert (guard.trip == Trip.VELOCITY) == (mode in MOVED_BY_US)


def test_in_open_loop_there_is_no_tracking_error(guard):
    for _ in range(30):
        guard.look(error_m=1.0, closed=False)
    assert not guard.warns(Trip.TRACKING_ERROR)


def test_while_arming_the_smaller_of_both_errors_holds(guard):
    guard.set.arming.error_m, guard.set.limits.tracking_error.max_m = 1e-3, 5e-3
    guard.look(mode=Mode.STANDBY, error_m=0.0011)
    assert guard.warns(Trip.TRACKING_ERROR)
    guard.look(mode=Mode.HOLD, error_m=0.0011)
    assert not guard.warns(Trip.TRACKING_ERROR)
    guard.set.arming.error_m = 0.1
    guard.look(mode=Mode.STANDBY, error_m=0.006)
    assert guard.warns(Trip.TRACKING_ERROR)


@pytest.mark.parametrize("which", [PRESSURE_A, PRESSURE_B])
def test_the_higher_chamber_pressure_trips_and_is_named(guard, which):
    rule = guard.set.limits.pressure
    guard.checked.value[PRESSURE_A] = guard.checked.value[PRESSURE_B] = 1e5
    guard.checked.value[which] = rule.max_pa
    guard.look()
    assert not guard.warns(Trip.PRESSURE)
    guard.checked.value[which] = rule.max_pa + 1e3
    for _ in range(rule.ticks):
        guard.look()
    assert guard.seen()[:5] == (Trip.PRESSURE, rule.max_pa + 1e3, rule.max_pa, Action(rule.action), which)


# Position


def travel(guard, low=-0.1, high=0.1, ticks=2):
    rule = guard.set.limits.position
    rule.min_m, rule.max_m, rule.ticks, rule.action = low, high, ticks, Action.STOP
    stopping = guard.set.limits.stopping
    stopping.deceleration_m_s2, stopping.jerk_m_s3 = 10.0, 1e9
    guard.set.limits.velocity.max_m_s = 100.0
    guard.set.arming.rest_speed_m_s = 1e-3


@pytest.mark.parametrize("way", [1, -1])
def test_the_stop_must_fit_from_the_reaction_on(guard, way):
    """At 1 m/s: 50 mm of braking, and the lead and two ticks before it."""
    travel(guard)
    reach = 0.05 + 0.02 + 2 * DT
    guard.look(x=way * (0.1 - reach - 1e-5), v=way * 1.0, lead_s=0.02)
    assert not guard.warns(Trip.POSITION)
    guard.look(x=way * (0.1 - reach + 1e-5), v=way * 1.0, lead_s=0.02)
    assert guard.warns(Trip.POSITION)
    guard.look(x=way * (0.1 - reach + 1e-5), v=way * 1.0, lead_s=0.02)
    trip, value, limit, action, sensor, _ = guard.seen()
    assert (trip, limit, action, sensor) == (Trip.POSITION, way * 0.1, Action.STOP, -1)
    assert value == pytest.approx(way * (0.1 + 1e-5), abs=2e-6)


@pytest.mark.parametrize("way", [1, -1])
def test_standing_outside_is_a_warning_only_and_so_is_the_way_back(guard, way):
    travel(guard)
    for v in (0.0, -0.02, 9e-4):
        for _ in range(5):
            guard.look(x=way * 0.11, v=way * v)
            assert guard.warns(Trip.POSITION)
    assert guard.trip == Trip.NONE
    guard.look(x=way * 0.11, v=way * 0.0011).look(x=way * 0.11, v=way * 0.0011)
    assert guard.trip == Trip.POSITION


def test_within_the_travel_the_row_begins_again(guard):
    travel(guard)
    for _ in range(4):
        guard.look(x=0.11, v=0.01)
        guard.look()
        assert guard.g.in_a_row[Trip.POSITION] == 0
        guard.look(x=0.11, v=0.0)
        assert guard.g.in_a_row[Trip.POSITION] == 0
    assert guard.trip == Trip.NONE


@pytest.mark.parametrize("way", [1, -1])
def test_no_zeroing_widens_the_travel(guard, way):
    """The position as the file at the start converts it is judged too: shifted by 20 mm, or larger by a tenth."""
    travel(guard)
    guard.look(x=way * 0.085, v=way * 0.002, shift_m=way * 0.02).look(x=way * 0.085, v=way * 0.002, shift_m=way * 0.02)
    assert guard.seen()[0] == Trip.POSITION
    assert guard.seen()[1] == pytest.approx(way * 0.105, abs=1e-4)
    other = Guard()
    travel(other)
    other.look(x=way * 0.095, v=way * 0.002, scale=1.1)
    assert other.warns(Trip.POSITION)
    other.look(x=way * 0.085, v=way * 0.002, scale=1.1)
    assert not other.warns(Trip.POSITION)


def test_at_its_very_ends_the_travel_is_not_left(guard):
    travel(guard)
    assert not guard.look(x=0.1).warns(Trip.POSITION)
    assert not guard.look(x=-0.1).warns(Trip.POSITION)


def test_a_table_beyond_both_ends_at_once_trips_by_the_end_it_leaves(guard):
    """The two ways to convert it disagree by more than the travel: above by one, below by the other."""
    travel(guard)
    guard.look(x=-0.15, v=-0.01, shift_m=0.3).look(x=-0.15, v=-0.01, shift_m=0.3)
    assert guard.seen()[0] == Trip.POSITION
    assert guard.seen()[2] == -0.1


# Sensors


@pytest.mark.parametrize(
    ("reason", "rule"), [(Trip.SENSOR_INVALID, "sensing"), (Trip.SENSOR_RANGE, "sensing"), (Trip.SENSOR_STALE, "stale")]
)
@pytest.mark.parametrize("k", [0, 3, COUNT - 1])
def test_a_reading_that_is_rejected_for_its_ticks_in_a_row_trips_and_is_named(guard, reason, rule, k):
    c, ticks = guard.checked, guard.set.limits[rule].ticks
    c.reason[k], c.last_raw[k], c.age_s[k], c.allowed_s[k] = reason, 7.5, 0.3, 0.05
    c.in_a_row[k] = ticks - 1
    guard.look()
    assert not guard.warns(reason)
    c.in_a_row[k] = ticks
    guard.look()
    shown = {Trip.SENSOR_INVALID: (0.0, 0.0), Trip.SENSOR_RANGE: (7.5, 0.0), Trip.SENSOR_STALE: (0.3, 0.05)}
    value, limit = shown[reason]
    assert guard.seen() == (reason, value, limit, Action(guard.set.limits[rule].action), k, 2)
    assert guard.g.warnings == 1 << reason


@pytest.mark.parametrize("reason", [Trip.SENSOR_INVALID, Trip.SENSOR_RANGE])
def test_a_reading_that_is_rejected_too_often_trips_without_a_row(guard, reason):
    guard.checked.reason[2], guard.checked.in_a_row[2] = reason, 1
    guard.checked.often = 1 << 3
    assert not guard.look().warns(reason)
    guard.checked.often = 1 << 2
    guard.look()
    assert guard.trip == reason


def test_an_old_reading_is_judged_by_its_row_alone(guard):
    guard.checked.reason[2], guard.checked.in_a_row[2], guard.checked.often = Trip.SENSOR_STALE, 1, 1 << 2
    assert not guard.look().warns(Trip.SENSOR_STALE)


def test_readings_that_a_failed_link_left_out_are_the_links_unless_it_only_warns(guard):
    guard.checked.reason[1], guard.checked.in_a_row[1] = Trip.DRIVER, 99
    assert not guard.look().warns(Trip.SENSOR_INVALID)
    guard.set.limits.driver.action = Action.WARN
    guard.look()
    assert guard.seen()[:5] == (Trip.SENSOR_INVALID, 0.0, 0.0, Action(guard.set.limits.sensing.action), 1)


def test_a_rejected_reading_trips_nothing_while_we_do_not_move_the_table_or_only_warn(guard):
    guard.checked.reason[1], guard.checked.in_a_row[1] = Trip.SENSOR_INVALID, 99
    assert guard.look(mode=Mode.OFF).warns(Trip.SENSOR_INVALID)
    guard.set.limits.sensing.action = Action.WARN
    assert guard.look().warns(Trip.SENSOR_INVALID)
    assert guard.trip == Trip.NONE


# Readings that stand still


@pytest.mark.parametrize("k", [0, 3])
def test_a_reading_that_stands_still_while_driven_trips_after_the_window(guard, k):
    window = guard.set.limits.stuck.window_s
    guard.still.driven_s[k] = window
    assert not guard.look(driven=True).warns(Trip.SENSOR_STUCK)
    guard.still.driven_s[k] = window * 1.01
    assert not guard.look(driven=False).warns(Trip.SENSOR_STUCK)
    guard.look(driven=True)
    action = Action(guard.set.limits.stuck.action)
    assert guard.seen()[:5] == (Trip.SENSOR_STUCK, window * 1.01, window, action, k)


def test_a_reading_that_showed_noise_may_stand_still_no_longer_than_it_ever_did(guard):
    guard.still.most_s[2], guard.still.same_s[2] = 0.5, 0.5
    assert not guard.look().warns(Trip.SENSOR_STUCK)
    guard.still.same_s[2] = 0.501
    assert not guard.look(mode=Mode.OFF).warns(Trip.SENSOR_STUCK)
    guard.look()
    assert guard.seen()[:3] == (Trip.SENSOR_STUCK, 0.501, 0.5)
    assert guard.g.trip_sensor == 2


def test_it_may_in_any_case_stand_still_for_the_window(guard):
    window = guard.set.limits.stuck.window_s
    guard.still.most_s[2], guard.still.same_s[2] = 1e-3, window
    assert not guard.look().warns(Trip.SENSOR_STUCK)
    guard.still.same_s[2] = window * 1.01
    assert guard.look().seen()[2] == window


def test_a_reading_that_showed_no_noise_may_stand_still_for_ever(guard):
    guard.still.same_s[:] = 1e6
    assert not guard.look().warns(Trip.SENSOR_STUCK)


@pytest.mark.parametrize("v", [0.5, -0.5])
def test_a_displacement_that_stands_still_over_a_way_trips(guard, v):
    guard.set.limits.stuck.window_s, guard.set.limits.stuck.way_m = 0.1, 2e-3
    guard.set.limits.position.action = Action.WARN
    guard.still.driven_s[DISPLACEMENT] = 0.00399
    assert not guard.look(driven=True, v=v).warns(Trip.SENSOR_STUCK)
    guard.still.driven_s[DISPLACEMENT] = 0.00401
    assert not guard.look(driven=False, v=v).warns(Trip.SENSOR_STUCK)
    guard.look(driven=True, v=v)
    assert guard.seen()[:3] == (Trip.SENSOR_STUCK, pytest.approx(0.002005), 2e-3)
    assert guard.g.trip_sensor == DISPLACEMENT


@pytest.mark.parametrize("way", [1, -1])
def test_and_so_does_one_that_stands_still_over_the_way_that_the_valve_was_opened_for(guard, way):
    guard.set.limits.stuck.way_m = 2e-3
    guard.still.opened_m = way * 2e-3
    assert not guard.look().warns(Trip.SENSOR_STUCK)
    guard.still.opened_m = way * 2.01e-3
    guard.look()
    assert guard.seen()[:3] == (Trip.SENSOR_STUCK, pytest.approx(2.01e-3), 2e-3)
    assert guard.g.trip_sensor == DISPLACEMENT


# Saturation, effort, supply, spool


def test_a_saturated_command_trips_after_its_time_in_closed_loop(guard):
    most = guard.set.limits.saturation.max_s
    assert not guard.look(saturated_s=most).warns(Trip.SATURATION)
    guard.look(saturated_s=most * 1.01, closed=False)
    assert guard.warns(Trip.SATURATION)
    assert guard.trip == Trip.NONE
    guard.look(saturated_s=most * 1.01)
    action = Action(guard.set.limits.saturation.action)
    assert guard.seen()[:5] == (Trip.SATURATION, most * 1.01, most, action, -1)
    other = Guard()
    other.set.limits.saturation.action = Action.WARN
    assert other.look(saturated_s=1e3).trip == Trip.NONE


@pytest.mark.parametrize("way", [1, -1])
def test_a_valve_open_for_nothing_warns_at_once_and_trips_after_its_time(guard, way):
    rule, e = guard.set.limits.holding, guard.effort
    e.opening, e.explained, e.beyond, e.over_s = way * 0.4, 0.05, rule.opening, 99.0
    assert not guard.look().warns(Trip.HOLD_EFFORT)
    e.beyond, e.over_s = rule.opening * 1.01, rule.max_s
    assert guard.look().warns(Trip.HOLD_EFFORT)
    assert guard.trip == Trip.NONE
    e.over_s = rule.max_s * 1.01
    guard.look()
    assert guard.seen()[:5] == (Trip.HOLD_EFFORT, way * 0.4, pytest.approx(way * (0.05 + rule.opening)),
                                Action(rule.action), -1)
    other = Guard()
    other.effort.beyond, other.effort.over_s = 0.9, 99.0
    other.set.limits.holding.action = Action.WARN
    assert other.look().trip == Trip.NONE


def supplied(guard, share):
    guard.set.sensors.supply_pressure.present = 1
    guard.checked.value[SUPPLY] = share * guard.set.machine.Ps
    guard.set.limits.supply.low, guard.set.limits.supply.high, guard.set.limits.supply.ticks = 0.6, 1.3, 2
    return guard


@pytest.mark.parametrize(("share", "warns"), [(0.59, True), (0.61, False), (1.29, False), (1.31, True)])
def test_the_supply_is_judged_from_both_sides(guard, share, warns):
    supplied(guard, share).look().look()
    assert guard.warns(Trip.SUPPLY_PRESSURE) is warns
    if warns:
        limit = guard.set.machine.Ps * (0.6 if share < 1 else 1.3)
        assert guard.seen()[:3] == (Trip.SUPPLY_PRESSURE, pytest.approx(share * guard.set.machine.Ps), limit)
        assert guard.g.trip_sensor == SUPPLY


def test_a_supply_that_comes_up_may_be_low_while_arming_and_never_high(guard):
    assert not supplied(guard, 0.3).look(mode=Mode.STANDBY).warns(Trip.SUPPLY_PRESSURE)
    assert supplied(guard, 1.31).look(mode=Mode.STANDBY).warns(Trip.SUPPLY_PRESSURE)


def test_no_supply_is_judged_where_it_is_not_measured_not_asked_for_or_the_loop_is_open(guard):
    supplied(guard, 0.3)
    assert not guard.look(supply=1).warns(Trip.SUPPLY_PRESSURE)
    assert not guard.look(closed=False).warns(Trip.SUPPLY_PRESSURE)
    guard.set.sensors.supply_pressure.present = 0
    assert not guard.look().warns(Trip.SUPPLY_PRESSURE)


def test_the_spool_is_compared_with_what_the_valves_lag_makes_of_the_command(guard):
    guard.set.sensors.spool.present = 1
    machine = guard.set.machine
    step_s = 3 * DT
    lag = step_s / (step_s + 2 * machine.zv / machine.wv)
    guard.checked.value[SPOOL] = 0.4 * lag
    guard.look(applied=0.4, periods=3)
    assert guard.g.spool_model == pytest.approx(0.4 * lag)
    assert not guard.warns(Trip.READ_BACK)


@pytest.mark.parametrize("way", [1, -1])
def test_a_spool_that_is_off_by_more_than_the_difference_trips(guard, way):
    guard.set.sensors.spool.present = 1
    rule = guard.set.limits.read_back
    guard.g.spool_model = 0.2
    guard.checked.value[SPOOL] = 0.2 + way * rule.difference * 0.999
    assert not guard.look(applied=0.2).warns(Trip.READ_BACK)
    guard.checked.value[SPOOL] = 0.2 + way * rule.difference * 1.001
    assert not guard.look(applied=0.2, mode=Mode.OFF).warns(Trip.READ_BACK)
    for _ in range(rule.ticks):
        guard.look(applied=0.2)
    assert guard.seen()[:3] == (Trip.READ_BACK, pytest.approx(way * rule.difference * 1.001), rule.difference)
    assert guard.g.trip_sensor == SPOOL


@pytest.mark.parametrize(
    ("k", "trip", "table"), [(LEVEL, Trip.OIL_LEVEL, "oil_level"), (FILTER, Trip.OIL_FILTER, "oil_filter")]
)
def test_an_oil_input_is_passed_above_a_half(guard, k, trip, table):
    rule = guard.set.limits[table]
    rule.action, rule.ticks = Action.STOP, 2
    guard.checked.value[k] = 0.5
    assert not guard.look().warns(trip)
    guard.checked.value[k] = 0.51
    guard.look().look()
    assert guard.seen()[:5] == (trip, 1.0, 0.0, Action.STOP, k)


# The link


@pytest.mark.parametrize("status", [s for s in Status if s not in (Status.OK, Status.LATE, Status.OVERWRITTEN)])
def test_exchanges_that_fail_in_a_row_trip_and_name_the_status(guard, status):
    rule = guard.set.limits.driver
    for _ in range(rule.ticks - 1):
        assert guard.look(status=status).trip == Trip.NONE
    guard.look(status=status)
    assert guard.seen()[:5] == (Trip.DRIVER, float(status), float(rule.ticks), Action(rule.action), -1)


@pytest.mark.parametrize("status", [Status.OK, Status.LATE])
def test_an_exchange_with_usable_readings_has_not_failed(guard, status):
    guard.look(status=status)
    assert guard.g.warnings == 0
    assert guard.g.failed == 0.0


def test_exchanges_that_fail_too_often_trip_without_a_row(guard):
    rule = guard.set.limits.driver
    rule.ticks = 1000
    guard.g.failed = rule.share / DT - 0.5
    guard.look(status=Status.OK)
    assert guard.trip == Trip.NONE
    guard.g.failed = rule.share / DT + 5
    assert guard.look(status=Status.OK).trip == Trip.NONE, "only when one fails"
    assert guard.look(status=Status.TIMEOUT, mode=Mode.OFF).trip == Trip.NONE
    guard.look(status=Status.TIMEOUT)
    assert guard.seen()[:5] == (Trip.DRIVER, float(Status.TIMEOUT), rule.share, Action(rule.action), -1)


def test_a_bucket_that_is_not_full_trips_nothing_and_a_link_that_only_warns_neither(guard):
    rule = guard.set.limits.driver
    rule.ticks = 1000
    guard.g.failed = 10.0
    guard.look(status=Status.TIMEOUT)
    assert guard.g.failed == pytest.approx(10.0 + 1 - rule.share)
    assert guard.trip == Trip.NONE
    rule.action, guard.g.failed = Action.WARN, 999.0
    assert guard.look(status=Status.TIMEOUT).trip == Trip.NONE


def test_commands_that_something_else_changes_are_counted_within_a_second(guard):
    rule = guard.set.limits.overwritten
    rule.events = 3
    for k in range(2):
        guard.look(status=Status.OVERWRITTEN)
        assert guard.warns(Trip.OVERWRITTEN)
        assert guard.g.overwritten == pytest.approx(k + 1, abs=2.1 * DT)
        assert guard.trip == Trip.NONE
        guard.look()
        assert not guard.warns(Trip.OVERWRITTEN)
    guard.look(status=Status.OVERWRITTEN)
    assert guard.trip == Trip.OVERWRITTEN
    assert guard.seen()[2:5] == (3.0, Action(rule.action), -1)


def test_changed_commands_trip_nothing_where_they_only_warn_or_we_do_not_move_the_table(guard):
    guard.set.limits.overwritten.events = 1
    assert guard.look(status=Status.OVERWRITTEN, mode=Mode.OFF).trip == Trip.NONE
    guard.set.limits.overwritten.action = Action.WARN
    assert guard.look(status=Status.OVERWRITTEN).trip == Trip.NONE
    guard.set.limits.overwritten.action = Action.STOP
    guard.g.overwritten = 0.0
    guard.look(status=Status.OVERWRITTEN)
    assert guard.seen()[:3] == (Trip.OVERWRITTEN, 1.0, 1.0)


def test_warnings_and_wants_are_those_of_the_tick(guard):
    guard.g.warnings, guard.g.wanted = 1 << 40, 2
    guard.look()
    assert (guard.g.warnings, guard.g.wanted) == (0, 0)
