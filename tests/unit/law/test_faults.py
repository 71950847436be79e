"""Faults that begin while the table is armed: what sees them, in how many ticks, and where the table comes to rest."""

from typing import Any

import numpy as np
import pytest

from hilctl.law.requests import RequestKind
from hilctl.signals import SENSORS, Action, Arming, Mode, Status, Trip
from sim.driver import record

# What the first of these sees is where the fault shows; the bumps of arming are for before.
ERRORS = (Trip.TRACKING_ERROR, Trip.VELOCITY, Trip.POSITION)


def plant(rig: Any) -> Any:
    """The twin's own record."""
    return record(rig.driver.state)


def driven(table: Any, **changes: Any) -> Any:
    """A table in the middle of a slow sine."""
    rig = table(**changes)
    rig.arm()
    rig.track("sine", amplitude_m=0.01, frequency_hz=1.0, cycles=60)
    rig.run(2.1)
    assert (rig.law.mode, rig.trip) == (Mode.TRACK, 0)
    return rig


def answers(rig: Any, status: Status, pattern: list[bool], times: int) -> Any:
    """Exchanges that come to `status` where the pattern says so, and are good elsewhere; the samples."""
    own, rows = plant(rig), []
    own.status, own.status_until = status.value, 1e18
    for bad in pattern * times:
        own.status_from = 0.0 if bad else 1e18
        rows.append(rig.run(rig.dt_s))
    own.status_from = 1e18
    return np.concatenate(rows).view(np.recarray)


# --- sensors


@pytest.mark.parametrize("rate_m_s", [0.05, -0.5])
def test_a_displacement_that_drifts_while_the_table_is_held_ends_in_off_at_the_end_of_the_stroke(
    table: Any, rate_m_s: float
) -> None:
    """Nothing contradicts a drift without acceleration: the table follows it, and is not driven against the stop."""
    begins_s = 5.0
    rig = table(**{"twin.faults.sensor": "displacement", "twin.faults.sensor_drifts_after_s": begins_s,
                   "twin.faults.sensor_drift_per_s": rate_m_s})  # fmt: skip
    rig.arm()
    rows = rig.run(6.0)
    assert rig.trip in (*ERRORS, Trip.SATURATION, Trip.HOLD_EFFORT)
    assert (rows.mode[-1], rows.enabled[-1], rows.supply[-1]) == (Mode.OFF, 0, 0)
    assert np.abs(rig.truth[:, 0]).max() < 1.02 * rig.controller.machine.stroke_m
    assert abs(rig.truth[-1, 1]) < 1e-3


@pytest.mark.parametrize("fault", ["valve", "displacement"])
def test_a_sign_that_turns_while_the_table_moves_trips_within_ten_ticks_of_a_limit(table: Any, fault: str) -> None:
    rig = driven(table, **{"sensors.spool.present": False})  # which would see the valve first
    own = plant(rig)
    if fault == "valve":
        own.plant.valve.polarity = -own.plant.valve.polarity
    else:
        own.displacement.gain = -own.displacement.gain
    rows = rig.run(1.0)
    passed = np.flatnonzero(rows.warnings & sum(1 << trip for trip in ERRORS))[0]
    assert rig.trip in ERRORS
    assert 0 <= rig.law.guard.trip_tick - rows.tick[passed] <= 10
    assert rows.mode[-1] == Mode.OFF


def test_a_reversed_valve_is_seen_by_the_spools_sensor_before_the_table_is_far(table: Any) -> None:
    rig = driven(table)
    own = plant(rig)
    own.plant.valve.polarity = -own.plant.valve.polarity
    rows = rig.run(1.0)
    assert rig.trip == Trip.READ_BACK
    assert np.abs(rows.error_m).max() < 3e-3
    assert rows.mode[-1] == Mode.OFF


def test_a_supply_pressure_that_is_too_high_ends_in_a_controlled_stop_and_off(table: Any) -> None:
    rig = driven(table)
    plant(rig).high *= 1.5
    rows = rig.run(3.0)
    limits = rig.controller.limits
    assert (rig.trip, SENSORS[rig.law.guard.trip_sensor]) == (Trip.SUPPLY_PRESSURE, "supply_pressure")
    assert rig.law.guard.trip_limit == limits.supply.high * rig.controller.machine.Ps
    assert [Mode(m) for m in rows.mode[np.flatnonzero(np.diff(rows.mode))]][:2] == [Mode.TRACK, Mode.STOP]
    assert (rows.mode[-1], rows.supply[-1]) == (Mode.OFF, 0)


@pytest.mark.parametrize("setting", ["low", "high"])
def test_a_supply_pressure_that_is_too_high_ends_arming(table: Any, setting: str) -> None:
    rig = table()
    rig.run(0.01)
    setattr(plant(rig), setting, 1.5 * plant(rig).high)
    rig.ask(RequestKind.ARM)
    rows = rig.run(8.0)
    assert (rig.trip, SENSORS[rig.law.guard.trip_sensor]) == (Trip.SUPPLY_PRESSURE, "supply_pressure")
    assert Mode.HOLD not in rows.mode
    assert (rows.mode[-1], rows.supply[-1]) == (Mode.OFF, 0)
    assert (Arming.HIGH_PRESSURE in rows.arming) == (setting == "high")


# --- the link


def test_exchanges_that_fail_often_but_never_in_a_row_trip_by_their_share(table: Any) -> None:
    rig = driven(table)
    rule = rig.controller.limits.driver
    assert rule.ticks > 2
    rows = answers(rig, Status.TIMEOUT, [True, True, False], 400)
    assert (rig.trip, rig.law.guard.trip_action) == (Trip.DRIVER, Action.NULL)
    assert rig.law.guard.trip_limit == rule.share
    # a fraction f fills the bucket in share / (f - share) seconds
    expected = rule.share / (2 / 3 - rule.share) / rig.dt_s
    assert rig.law.guard.trip_tick - rows.tick[0] == pytest.approx(expected, rel=0.02)
    assert rows.mode[-1] == Mode.OFF


def test_exchanges_that_fail_now_and_then_are_predicted_and_do_not_trip(table: Any) -> None:
    rig = driven(table)
    rows = answers(rig, Status.TIMEOUT, [True, True, *[False] * 14], 100)
    assert rig.trip == 0
    assert rows.mode[-1] == Mode.TRACK
    assert np.abs(rows.error_m).max() < 1e-3


@pytest.mark.parametrize(("times", "trip"), [(2, Trip.NONE), (3, Trip.OVERWRITTEN)])
def test_a_command_that_another_master_overwrites_three_times_within_a_second_trips(
    table: Any, times: int, trip: Trip
) -> None:
    rig = driven(table)
    assert rig.controller.limits.overwritten.events == 3
    rows = answers(rig, Status.OVERWRITTEN, [True, *[False] * 199], times)
    seen = rows.tick[rows.status == Status.OVERWRITTEN]
    assert len(seen) == times
    assert rig.trip == trip
    assert not rows.rejected.any(), "its readings are valid"
    if trip == Trip.NONE:
        assert rows.mode[-1] == Mode.TRACK
        return
    assert rig.law.guard.trip_tick == seen[-1]
    assert rows.mode[-1] == Mode.OFF


def test_a_command_that_is_overwritten_less_than_once_a_second_is_shown_and_does_not_trip(table: Any) -> None:
    rig = driven(table)
    rows = answers(rig, Status.OVERWRITTEN, [True, *[False] * 1099], 4)
    assert rig.trip == 0
    assert (rows.status == Status.OVERWRITTEN).sum() == 4
    assert ((rows.warnings & (1 << Trip.OVERWRITTEN)) != 0).sum() == 4



# --- a supply that nobody measures


def unmeasured(table: Any, **changes: Any) -> Any:
    rig = table(**{"sensors.supply_pressure.present": False, "sensors.spool.present": False, **changes})
    rig.arm(9.0)
    return rig


SMALL = [
    ("sine", {"amplitude_m": 0.01, "frequency_hz": 1.0, "cycles": 100}),
    ("sine", {"amplitude_m": 0.002, "frequency_hz": 0.5, "cycles": 100}),
    ("sine", {"amplitude_m": 0.02, "frequency_hz": 0.5, "cycles": 100}),
    ("triangle", {"amplitude_m": 0.01, "speed_m_s": 0.05}),
]


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("lost_s", [0.6, 1.0, 2.0, 4.0])
@pytest.mark.parametrize(("kind", "motion"), SMALL)
@pytest.mark.parametrize("feedback", ["three_state", "pid"])
def test_a_supply_lost_unseen_in_a_small_motion_does_not_wind_up_and_its_return_does_not_throw_the_table(
    table: Any, kind: str, motion: Any, lost_s: float, feedback: str
) -> None:
    rig = unmeasured(table, **{"law.feedback": feedback})
    rig.track(kind, **motion)
    rig.run(2.1)
    rule, integral = rig.controller.limits.holding, rig.law.three_state.integral
    plant(rig).supply_lost_from = 0.0
    rows = rig.run(lost_s)
    plant(rig).supply_lost_from = 1e18
    after = rig.run(1.0)
    machine = rig.controller.machine
    usual_m_s = 0.1
    # While it is judged: the opening that fills the measure within the time for which it has been open.
    most_m_s = usual_m_s + 2.5 * rule.opening * machine.Qn / machine.A
    assert np.abs(rig.truth[:, 1]).max() < (most_m_s if rig.trip == 0 else usual_m_s)
    assert np.abs(rows.u_integral - integral).max() < 1.5 * rule.opening, "it stands where nothing acts"
    if rig.trip != 0:
        assert (rig.trip, rig.law.guard.trip_action) == (Trip.HOLD_EFFORT, Action.NULL)
        assert abs(rig.law.guard.trip_value) > abs(rig.law.guard.trip_limit) > rule.opening
        assert (after.mode[-1], after.supply[-1]) == (Mode.OFF, 0)
    else:
        assert lost_s <= 1.0 or np.abs(rows.u_cmd).max() < 2 * rule.opening


def test_turning_round_does_not_empty_the_measure_of_an_opening_without_effect(table: Any) -> None:
    """The command passes zero at each corner, and is over the bound for part of the time only."""
    rig = unmeasured(table)
    rig.track("sine", amplitude_m=0.02, frequency_hz=4.0, cycles=400)
    rig.run(2.0)
    plant(rig).supply_lost_from = 0.0
    rows = rig.run(6.0)
    assert rig.trip == Trip.HOLD_EFFORT
    assert rows.mode[-1] == Mode.OFF


HEALTHY = [
    ("triangle", {"amplitude_m": 0.02, "speed_m_s": 0.002}),
    pytest.param("triangle", {"amplitude_m": 0.02, "speed_m_s": 0.05}, marks=[pytest.mark.slow, pytest.mark.many]),
    ("triangle", {"amplitude_m": 0.02, "speed_m_s": 0.24}),
    ("sine", {"amplitude_m": 0.0424, "frequency_hz": 3.0, "cycles": 100}),
    pytest.param("sine", {"amplitude_m": 0.005, "frequency_hz": 15.0, "cycles": 100},
                 marks=[pytest.mark.slow, pytest.mark.many]),
    ("sine", {"amplitude_m": 0.0016, "frequency_hz": 25.0, "cycles": 100}),
    ("move", {"position_m": 0.06}),
]


@pytest.mark.parametrize("changes", [
    {}, {"law.feed.inverse": 1.0}, {"friction.fc": 2500.0, "friction.fs": 4500.0}, "low supply",
], ids=["nominal", "inverse", "friction", "supply"])  # fmt: skip
@pytest.mark.parametrize(("kind", "motion"), HEALTHY)
def test_a_motion_that_comes_explains_its_opening(
    table: Any, kind: str, motion: Any, changes: Any
) -> None:
    rig = table(**(changes if isinstance(changes, dict) else {}))
    rig.arm()
    if changes == "low supply":
        plant(rig).high *= 0.9
        rig.run(1.0)
    rig.track(kind, **motion)
    rig.run(2000 * rig.dt_s)
    assert rig.trip == 0
    assert rig.law.mode in (Mode.TRACK, Mode.HOLD)
    every_second = rig.truth[1::2, 2]  # between them the inverse model reaches 0.72 in single ticks
    assert every_second.max() < 0.7 * rig.controller.limits.holding.opening
