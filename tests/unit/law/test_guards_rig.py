"""The guard: the valve, the supply, the oil and the link, from both sides of each bound."""

import math

import pytest

from hilctl.law.sensors import SPOOL, SUPPLY
from hilctl.signals import Action, Mode, Status, Trip
from tests.unit.law.given import DT, FILTER, LEVEL
from tests.unit.law.guarding import Guard

pytestmark = pytest.mark.usefixtures("forms")


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


def test_a_low_supply_is_not_judged_where_it_is_asked_to_be_low_or_the_loop_is_open(guard):
    supplied(guard, 0.3)
    assert not guard.look(supply=1).warns(Trip.SUPPLY_PRESSURE)
    assert not guard.look(closed=False).warns(Trip.SUPPLY_PRESSURE)


def test_a_supply_that_is_too_high_is_judged_at_any_setting_but_off(guard):
    assert supplied(guard, 1.31).look(supply=1, closed=False).warns(Trip.SUPPLY_PRESSURE)
    assert not supplied(guard, 1.31).look(supply=0, closed=False).warns(Trip.SUPPLY_PRESSURE)


@pytest.mark.parametrize("share", [0.3, 1.31])
def test_no_supply_is_judged_where_it_is_not_measured(guard, share):
    supplied(guard, share).set.sensors.supply_pressure.present = 0
    assert not guard.look().warns(Trip.SUPPLY_PRESSURE)


@pytest.mark.parametrize("way", [1, -1])
def test_a_spool_that_is_off_by_more_than_the_difference_trips(guard, way):
    guard.set.sensors.spool.present = 1
    rule = guard.set.limits.read_back
    assert not guard.look(spool_off=way * rule.difference).warns(Trip.READ_BACK)
    off = way * rule.difference * 1.001
    assert not guard.look(spool_off=off, mode=Mode.OFF).warns(Trip.READ_BACK)
    for _ in range(rule.ticks):
        guard.look(spool_off=off)
    assert guard.seen()[:3] == (Trip.READ_BACK, pytest.approx(off), rule.difference)
    assert guard.g.trip_sensor == SPOOL


def test_the_dither_counts_not_as_a_spool_that_does_not_follow(guard):
    guard.set.sensors.spool.present, guard.set.law.valve.dither = 1, 0.02
    rule = guard.set.limits.read_back
    for _ in range(2 * rule.ticks):
        assert guard.look(spool_off=rule.difference + 0.019).trip == Trip.NONE
    for _ in range(rule.ticks):
        guard.look(spool_off=-rule.difference - 0.021)
    assert guard.trip == Trip.READ_BACK


def test_where_the_spool_is_not_read_it_is_not_judged(guard):
    guard.set.sensors.spool.present = 0
    assert not guard.look(spool_off=1.0).warns(Trip.READ_BACK)


def test_ticks_without_a_spool_reading_neither_count_nor_clear_what_was_counted(guard):
    guard.set.sensors.spool.present = 1
    rule = guard.set.limits.read_back
    for _ in range(rule.ticks - 1):
        guard.look(spool_off=1.0)
    for _ in range(3 * rule.ticks):
        assert guard.look(spool_off=math.nan).trip == Trip.NONE
    assert guard.look(spool_off=1.0).trip == Trip.READ_BACK


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
