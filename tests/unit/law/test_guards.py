"""The guard: its latch, the limits of a value, and the travel, from both sides of each bound."""

import pytest

from hilctl.law.guards import GUARD, rt_cause_present, rt_latch
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.signals import Action, Mode, Trip
from tests.forms import blank, changed
from tests.unit.law.given import DT
from tests.unit.law.guarding import Guard

MOVED_BY_US = (Mode.STANDBY, Mode.HOLD, Mode.TRACK, Mode.STOP)
pytestmark = pytest.mark.usefixtures("forms")


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


def test_warnings_and_wants_are_those_of_the_tick(guard):
    guard.g.warnings, guard.g.wanted = 1 << 40, 2
    guard.look()
    assert (guard.g.warnings, guard.g.wanted) == (0, 0)
