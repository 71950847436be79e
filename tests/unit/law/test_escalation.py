"""What follows while a tripped table is held: when it goes to null, and how long it stays there."""

import pytest

from hilctl.law.escalation import rt_escalate, rt_integral_lives, rt_rests_at_null
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT
from hilctl.law.state import STATE
from hilctl.signals import Mode, Trip
from tests.forms import blank

DT = 1e-3
pytestmark = pytest.mark.usefixtures("forms")


def held(trip=Trip.VELOCITY, mode=Mode.HOLD, **fields):
    s = blank(STATE)
    s.mode, s.guard.trip, s.guard.trip_sensor = mode, trip, -1
    s.now.dt_s, s.periods = DT, 2
    rule = s.now.limits.escalation
    rule.hold_s, rule.cause_s, rule.null_s = 10.0, 0.5, 3.0
    s.now.limits.holding.opening = 0.1
    for name, value in fields.items():
        s[name] = value
    return s


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode != Mode.HOLD])
def test_only_a_held_table_escalates(mode):
    s = held(mode=mode, held_s=99.0, passed_s=99.0)
    assert rt_escalate(s, True) is False
    assert (s.held_s, s.passed_s) == (0.0, 0.0)


def test_without_a_trip_nothing_is_counted():
    s = held(trip=Trip.NONE, held_s=99.0, passed_s=99.0)
    assert rt_escalate(s, True) is False
    assert (s.held_s, s.passed_s) == (0.0, 0.0)


def test_holding_counts_its_time_with_skipped_periods():
    s = held(held_s=1.0)
    assert rt_escalate(s, False) is False
    assert (s.held_s, s.passed_s) == (pytest.approx(1.0 + 2 * DT), 0.0)


@pytest.mark.parametrize(("held_s", "over"), [(9.9979, False), (9.9981, True)])
def test_holding_ends_after_its_time(held_s, over):
    assert rt_escalate(held(held_s=held_s), False) is over


def test_a_limit_that_is_passed_again_starts_the_shorter_time_which_then_runs_on():
    s = held()
    assert rt_escalate(s, True) is False
    assert s.passed_s == pytest.approx(2 * DT)
    assert rt_escalate(s, False) is False
    assert s.passed_s == pytest.approx(4 * DT)


@pytest.mark.parametrize(("passed_s", "over"), [(0.4979, False), (0.4981, True)])
def test_it_ends_sooner_once_a_limit_was_passed(passed_s, over):
    assert rt_escalate(held(passed_s=passed_s), False) is over


@pytest.mark.parametrize(
    ("trip", "sensor", "at_once"),
    [
        (Trip.SUPPLY_PRESSURE, -1, True), (Trip.DRIVER, -1, True), (Trip.SATURATION, -1, False),
        (Trip.SENSOR_INVALID, DISPLACEMENT, True), (Trip.SENSOR_RANGE, DISPLACEMENT, True),
        (Trip.SENSOR_STALE, DISPLACEMENT, True), (Trip.SENSOR_STALE, ACCELERATION, False),
        (Trip.TRACKING_ERROR, DISPLACEMENT, False), (Trip.SENSOR_DRIFT, DISPLACEMENT, False),
    ],
)  # fmt: skip
def test_without_pressure_link_or_displacement_it_ends_at_once(trip, sensor, at_once):
    s = held(trip=trip)
    s.guard.trip_sensor = sensor
    assert rt_escalate(s, False) is at_once


def test_a_valve_at_null_stays_there_for_its_time_with_a_trip_latched():
    s = held(null_s=1.0)
    assert rt_rests_at_null(s) is True
    assert s.null_s == pytest.approx(1.0 + 2 * DT)
    assert rt_rests_at_null(held(null_s=2.9979)) is True
    assert rt_rests_at_null(held(null_s=2.9981)) is False


def test_without_a_trip_nothing_is_waited_for_at_null():
    assert rt_rests_at_null(held(trip=Trip.NONE)) is False


def test_the_integral_lives_while_the_actuator_acts():
    assert rt_integral_lives(held(trip=Trip.NONE)) is True


@pytest.mark.parametrize("warning", [Trip.SUPPLY_PRESSURE, Trip.DRIVER])
def test_the_integral_stands_without_supply_or_link(warning):
    s = held(trip=Trip.NONE)
    s.guard.warnings = 1 << warning
    assert rt_integral_lives(s) is False


def test_other_warnings_leave_the_integral_alive():
    s = held(trip=Trip.NONE)
    s.guard.warnings = 1 << Trip.VELOCITY | 1 << Trip.READ_BACK
    assert rt_integral_lives(s) is True


def test_the_integral_stands_with_a_trip_latched_or_a_valve_open_for_nothing():
    assert rt_integral_lives(held()) is False
    s = held(trip=Trip.NONE)
    s.effort.beyond = 0.11
    assert rt_integral_lives(s) is False
