"""The guard: readings that are rejected, and readings that stand still."""

import pytest

from hilctl.law.sensors import COUNT, DISPLACEMENT
from hilctl.signals import Action, Mode, Trip

pytestmark = pytest.mark.usefixtures("forms")


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


@pytest.mark.parametrize(("every_s", "window_s"), [(0.001, 0.1), (0.1 / 30, 0.1), (0.025, 0.75)])
def test_a_reading_that_is_read_seldom_may_stand_still_for_thirty_of_them(guard, every_s, window_s):
    guard.set.limits.stuck.window_s, guard.still.every_s[3] = 0.1, every_s
    guard.still.driven_s[3] = 0.999 * window_s
    assert not guard.look(driven=True).warns(Trip.SENSOR_STUCK)
    guard.still.driven_s[3] = 1.001 * window_s
    guard.look(driven=True)
    assert guard.seen()[:3] == (Trip.SENSOR_STUCK, 1.001 * window_s, pytest.approx(window_s))


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
