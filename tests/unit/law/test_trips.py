"""Every limit and every fault of a sensor: what trips, with which action, and what is latched."""

from typing import Any

import numpy as np
import pytest

from hilctl.law.requests import Refusal, RequestKind
from hilctl.law.state import TRIPPED
from hilctl.law.tick import rt_trip
from hilctl.signals import ALARMS, SENSORS, Action, Mode, Trip


def running(table: Any, seconds: float = 1.7, **changes: Any) -> Any:
    """A table that tracks a triangle."""
    rig = table(**changes)
    rig.arm()
    rig.track("triangle", speed_m_s=0.2, amplitude_m=0.06)
    rig.run(seconds)
    assert rig.law.mode == Mode.TRACK
    return rig


def after_arming(seconds: float) -> float:
    """When a fault should begin, counted from the first exchange."""
    return 4.0 + seconds


@pytest.mark.parametrize("sensor", ["displacement", "acceleration", "pressure_a", "pressure_b"])
def test_a_sensor_without_a_number_trips_in_three_ticks(table: Any, sensor: str) -> None:
    at = after_arming(2.0)
    rig = running(table, **{"twin.faults.sensor": sensor, "twin.faults.sensor_nan_after_s": at})
    rows = rig.run(2.0)
    first = np.flatnonzero(rows.rejected & (1 << SENSORS.index(sensor)))[0]
    assert rig.trip == Trip.SENSOR_INVALID
    assert rig.law.guard.trip_sensor == SENSORS.index(sensor)
    assert rig.law.guard.trip_tick == rows.tick[first] + 2
    assert rows.mode[-1] == Mode.OFF
    assert np.isfinite(rows.u_cmd).all()
    assert np.isfinite(rows.position_m).all()


@pytest.mark.parametrize("sensor", ["displacement", "pressure_a"])
def test_a_sensor_that_stands_still_while_driven_trips_within_its_window(table: Any, sensor: str) -> None:
    at = after_arming(2.0)
    rig = running(table, **{"twin.faults.sensor": sensor, "twin.faults.sensor_stuck_after_s": at,
                            "limits.tracking_error.max_m": 0.5, "limits.stuck.way_m": 1.0})
    rows = rig.run(2.0)
    assert rig.trip == Trip.SENSOR_STUCK
    assert rig.law.guard.trip_value == pytest.approx(rig.controller.limits.stuck.window_s, abs=2 * rig.dt_s)
    assert rows.mode[-1] == Mode.OFF


def test_an_accelerometer_that_wanders_is_found_out_by_the_displacement(table: Any) -> None:
    changes = {"sensor": "acceleration", "sensor_drifts_after_s": after_arming(2.0), "sensor_drift_per_s": -8.0}
    rig = running(table, **{f"twin.faults.{key}": value for key, value in changes.items()})
    rows = rig.run(2.0)
    assert rig.trip == Trip.SENSOR_DRIFT
    assert rig.law.guard.trip_sensor == SENSORS.index("acceleration")
    assert rig.law.guard.trip_value == pytest.approx(-rig.controller.limits.drift.max_m_s2, rel=0.1)
    assert Mode.HOLD in rows.mode  # a controlled stop; and it is not held with what goes on drifting
    assert rows.mode[-1] == Mode.OFF
    assert abs(rig.truth[-1, 1]) < 1e-3


def test_a_large_fast_motion_is_no_drift(table: Any) -> None:
    rig = table(**{"limits.drift.max_m_s2": 0.5, "limits.drift.ticks": 1})
    rig.arm()
    rig.track("sine", amplitude_m=0.02, frequency_hz=5.0, cycles=20)
    rig.run(4.0)
    assert rig.trip == Trip.NONE


@pytest.mark.parametrize("late_s", [0.0, 0.13, 0.26, 0.39])
def test_a_displacement_that_stands_still_while_the_table_goes_trips_before_it_gets_far(
    table: Any, late_s: float
) -> None:
    """At any point of a large fast sine; the way to rest is that of the stop."""
    at = after_arming(3.0 + late_s)
    rig = table(**{"twin.faults.sensor": "displacement", "twin.faults.sensor_stuck_after_s": at})
    rig.arm()
    rig.track("sine", frequency_hz=1.0, amplitude_m=0.08, cycles=20)
    rows = rig.run(5.0)
    assert rig.trip == Trip.SENSOR_STUCK
    assert SENSORS[rig.law.guard.trip_sensor] == "displacement"
    assert np.max(np.abs(rig.truth[:, 0])) < 0.095, "no end stop was reached"
    assert rows.mode[-1] == Mode.OFF


def test_a_single_bad_reading_is_replaced_by_the_prediction(table: Any) -> None:
    at = after_arming(2.0)
    rig = running(table, **{"twin.faults.status_after_s": at, "twin.faults.status_until_s": at + 0.0005})
    rows = rig.run(1.0)
    bad = np.flatnonzero(rows.status)
    assert len(bad) == 1
    neighbours = rows.displacement_m[bad[0] - 1 : bad[0] + 2]
    assert neighbours[1] == pytest.approx(neighbours[[0, 2]].mean(), abs=3e-5)
    assert rig.trip == 0


def test_failed_exchanges_trip_after_their_count(table: Any) -> None:
    at = after_arming(2.0)
    rig = running(table, **{"twin.faults.status_after_s": at, "twin.faults.status": 2})
    rows = rig.run(1.0)
    first = np.flatnonzero(rows.status)[0]
    assert rig.trip == Trip.DRIVER
    assert rig.law.guard.trip_tick == rows.tick[first] + 2
    assert rows.mode[-1] == Mode.OFF


def test_readings_that_a_failed_exchange_lacks_are_judged_by_the_drivers_limit_alone(table: Any) -> None:
    at = after_arming(2.0)
    rig = running(table, **{"twin.faults.status_after_s": at, "limits.driver.ticks": 10, "limits.sensing.ticks": 3})
    rows = rig.run(1.0)
    first = np.flatnonzero(rows.status)[0]
    assert rig.trip == Trip.DRIVER
    assert rig.law.guard.trip_tick == rows.tick[first] + 9
    assert not (rows.warnings & (1 << Trip.SENSOR_INVALID)).any()


def test_where_the_drivers_limit_only_warns_sensing_still_protects(table: Any) -> None:
    at = after_arming(2.0)
    rig = running(table, **{"twin.faults.status_after_s": at, "limits.driver.action": "warn"})
    rows = rig.run(1.0)
    assert rig.trip == Trip.SENSOR_INVALID
    assert rig.law.guard.trip_tick == rows.tick[np.flatnonzero(rows.status)[0]] + 2


def test_one_bad_reading_in_the_very_tick_does_not_refuse_arming_but_a_silent_sensor_does(table: Any) -> None:
    for lasts, expected in ((0.001, Refusal.ACCEPTED), (1.0, Refusal.SENSOR)):
        rig = table(**{"twin.faults.status_after_s": 0.1, "twin.faults.status_until_s": 0.1 + lasts})
        rows = rig.run(0.1 + (0.0 if lasts < 0.5 else 0.01))
        assert rows.rejected[-1] & 0b1111 == 0b1111
        assert rig.ask(RequestKind.ARM) == expected
    rig = table(**{"twin.faults.sensor": "pressure_b", "twin.faults.sensor_nan_after_s": 0.0})
    rig.run(0.002)
    assert rig.ask(RequestKind.ARM) == Refusal.SENSOR, "it has never been seen"


def test_the_emergency_stop_switches_off_in_one_step(table: Any) -> None:
    rig = running(table, **{"twin.faults.emergency_stop_after_s": after_arming(2.0)})
    rows = rig.run(1.0)
    first = np.flatnonzero(rows.emergency_stop > 0.5)[0]
    assert rig.trip == Trip.EMERGENCY_STOP
    assert (rows.mode[first], rows.enabled[first], rows.supply[first]) == (Mode.OFF, 0, 0)
    assert rows.u_cmd[first] == rig.law.arm.null
    assert rig.ask(RequestKind.RESET) == Refusal.CAUSE_PRESENT
    assert rig.ask(RequestKind.ARM) == Refusal.TRIPPED


def test_a_lost_supply_ends_in_a_controlled_stop(table: Any) -> None:
    rig = running(table, **{"twin.faults.supply_lost_after_s": after_arming(2.0)})
    rows = rig.run(2.0)
    assert rig.trip == Trip.SUPPLY_PRESSURE
    assert Mode.STOP in rows.mode
    assert rig.law.motion_result == TRIPPED


def test_a_reversed_valve_never_gets_beyond_the_bump(table: Any) -> None:
    rig = table(**{"twin.faults.reversed": True})
    rig.run(0.01)
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    rows = rig.run(4.0)
    assert rig.trip == Trip.POLARITY
    assert rows.mode[-1] == Mode.OFF
    assert np.abs(rig.truth[:, 0]).max() < 0.01
    assert (rows.supply <= 1).all()


def test_a_supply_that_does_not_come_up_ends_arming(table: Any) -> None:
    rig = table(**{"twin.faults.supply_lost_after_s": 0.0, "arming.timeout_s": 2.0})
    rig.run(0.01)
    rig.ask(RequestKind.ARM)
    rows = rig.run(4.0)
    assert rig.trip == Trip.ARMING
    assert (rows.enabled == 0).all()
    assert rows.mode[-1] == Mode.OFF


LIMITS = [
    ("limits.velocity.max_m_s", 0.15, Trip.VELOCITY),
    ("limits.position.max_m", 0.03, Trip.POSITION),
    ("limits.acceleration.max_m_s2", 5.0, Trip.ACCELERATION),
    ("limits.tracking_error.max_m", 2e-5, Trip.TRACKING_ERROR),
    ("limits.pressure.max_pa", 1.05e7, Trip.PRESSURE),
]


@pytest.mark.parametrize(("key", "value", "trip"), LIMITS)
@pytest.mark.parametrize("action", ["warn", "stop", "null"])
def test_each_limit_acts_as_its_action_says(table: Any, key: str, value: float, trip: Trip, action: str) -> None:
    rig = running(table, seconds=1.2)
    name = key.split(".")[1]
    rig.set(**{key.replace(".", "__"): value, f"limits__{name}__action": action})
    rows = rig.run(2.0)
    passed = np.flatnonzero(rows.warnings & (1 << trip))
    assert len(passed)
    if action == "warn":
        assert rig.trip == 0
        assert (rows.mode == Mode.TRACK).all()
        return
    assert rig.trip == trip
    assert rig.law.guard.trip_action == Action[action.upper()]
    assert rig.law.motion_result == TRIPPED
    latched = rows.tick[np.flatnonzero(rows.trip)[0]]
    if action == "stop":
        held = rows.mode == Mode.HOLD
        assert held.any()
        passed_again = (rows.warnings[held] & (1 << trip) != 0).any()
        assert rows.mode[-1] == (Mode.OFF if passed_again else Mode.HOLD)
    else:
        assert rows.mode[-1] == Mode.OFF
    beyond = abs(rig.law.guard.trip_value) > value
    assert beyond
    assert rig.law.guard.trip_tick == latched


def test_the_position_limit_stops_the_table_inside_it(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.set(limits__position__max_m=0.03)
    rig.run(2.0)
    assert rig.trip == Trip.POSITION
    assert rig.truth[:, 0].max() <= 0.03 + 1e-3


def test_the_first_trip_is_kept(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.set(limits__velocity__max_m_s=0.1, limits__acceleration__max_m_s2=0.05, limits__acceleration__ticks=1000)
    rig.run(0.5)
    first = rig.trip, rig.law.guard.trip_tick
    assert first[0] == Trip.VELOCITY
    rig.set(limits__acceleration__ticks=1)
    rig.run(2.0)
    assert (rig.trip, rig.law.guard.trip_tick) == first


def test_null_ramps_the_spool_within_the_deceleration_limit(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.set(limits__velocity__max_m_s=0.1, limits__velocity__action="null")
    rows = rig.run(1.0)
    ramp = rows.u_cmd[rows.mode == Mode.NULL]
    machine, stopping = rig.controller.machine, rig.controller.limits.stopping
    steepest = stopping.deceleration_m_s2 * machine.A / machine.Qn * rig.dt_s
    assert len(ramp) > 1
    assert np.abs(np.diff(ramp)).max() <= steepest * (1 + 1e-9)


def test_a_latched_trip_refuses_motion_until_reset(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.set(limits__velocity__max_m_s=0.1)
    rig.run(1.0)
    assert rig.law.mode == Mode.HOLD
    with pytest.raises(AssertionError):
        rig.track("move", position_m=0.0, speed_m_s=0.05)
    assert rig.ask(RequestKind.RESET) == Refusal.ACCEPTED
    plan = rig.track("move", position_m=0.0, speed_m_s=0.05)
    rows = rig.run(plan.duration_s + 0.2)
    assert rows.mode[-1] == Mode.HOLD
    assert rig.truth[-1, 0] == pytest.approx(0.0, abs=1e-3)


def test_saturation_trips_by_time(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.set(limits__command__opening=0.05, limits__tracking_error__max_m=0.9)
    rows = rig.run(2.0)
    assert rig.trip == Trip.SATURATION
    began = np.flatnonzero(rows.saturated)[0]
    assert rig.law.guard.trip_tick >= rows.tick[began] + rig.controller.limits.saturation.max_s / rig.dt_s


def test_a_table_at_rest_is_armed_just_after_a_stall_of_the_host(table: Any) -> None:
    spoiled = 0
    for ticks in range(6):
        rig = table()
        rig.run(2.0 + ticks * rig.dt_s)
        rig.run(10 * rig.dt_s, first_skip=5)
        spoiled += abs(rig.law.estimate.v) > rig.controller.arming.rest_speed_m_s
        assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    assert spoiled >= 2


def test_a_new_zero_of_displacement_leaves_a_table_at_rest(table: Any) -> None:
    for ticks in range(8):
        rig = table()
        rig.run(2.0 + ticks * rig.dt_s)
        rig.set(sensors__displacement__offset=0.001)
        assert np.abs(rig.run(0.3).velocity_m_s).max() < 0.5e-3


def test_requests_in_the_wrong_mode_change_nothing(table: Any) -> None:
    rig = table()
    rig.run(0.1)
    before = rig.law.tobytes()
    assert rig.ask(RequestKind.TRACK) == Refusal.WRONG_MODE
    assert rig.ask(RequestKind.NONE) == Refusal.UNKNOWN
    assert rig.law.tobytes() == before


def test_a_command_that_is_not_finite_never_leaves(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.law.three_state.integral = float("nan")
    rows = rig.run(1.0)
    assert rig.trip == Trip.COMMAND
    assert np.isfinite(rows.u_cmd).all()
    assert rows.mode[-1] == Mode.OFF


def test_a_spool_that_does_not_follow_trips(table: Any) -> None:
    rig = running(table, seconds=1.2)
    rig.set(sensors__spool__gain=0.2, limits__read_back__difference=0.05)
    rig.run(1.0)
    assert rig.trip == Trip.READ_BACK


INPUTS = [(name, Refusal[name.upper()], Refusal[f"INPUT_{name.upper()}"]) for name in ALARMS]


@pytest.mark.parametrize(("name", "at_fault", "silent"), INPUTS)
def test_an_input_at_fault_or_missing_refuses_arming_where_the_rig_has_it(
    table: Any, name: str, at_fault: Refusal, silent: Refusal
) -> None:
    present, twin = f"sensors.{name}.present", f"twin.sensors.{name}.present"
    bounds = {f"sensors.{name}.low": -0.5, f"sensors.{name}.high": 1.5}
    for changes, expected in (
        ({present: True, f"twin.faults.{name}_after_s": 0.0}, at_fault),
        ({present: True, twin: False}, silent),
        ({present: False, f"twin.faults.{name}_after_s": 0.0}, Refusal.ACCEPTED),
        ({present: True}, Refusal.ACCEPTED),
    ):
        rig = table(**bounds, **changes)
        rig.run(0.01)
        assert rig.ask(RequestKind.ARM) == expected, changes


@pytest.mark.parametrize(
    ("name", "trip", "action"), [(name, a.trip, a.action) for name, a in ALARMS.items() if a.action]
)
def test_the_oil_acts_as_its_limit_says_and_stops_by_default_only_when_it_runs_out(
    table: Any, name: str, trip: Trip, action: str
) -> None:
    there = {f"sensors.{name}.{key}": value for key, value in (("present", True), ("low", -0.5), ("high", 1.5))}
    rig = running(table, **there, **{f"twin.faults.{name}_after_s": after_arming(2.0)})
    rows = rig.run(1.0)
    first = np.flatnonzero(rows[name] > 0.5)[0]
    limit = getattr(rig.controller.limits, name)
    assert limit.action == action
    assert rows.warnings[first] & (1 << trip)
    if action == "warn":
        assert rig.trip == 0
        assert rows.mode[-1] == Mode.TRACK
        rig.set(**{f"limits__{name}__action": "stop"})
        rig.run(1.0)
    else:
        assert rig.law.guard.trip_tick == rows.tick[first] + limit.ticks - 1
    assert rig.trip == trip
    rig.run(rig.controller.limits.escalation.cause_s)
    assert rig.law.mode == Mode.OFF
    assert rig.ask(RequestKind.RESET) == Refusal.CAUSE_PRESENT


def test_a_reset_that_is_asked_for_twice_in_one_tick_opens_no_valve(table: Any) -> None:
    rig = table(**{"law.feedback": "pid"})
    rig.arm()
    made = rig.track("move", position_m=0.05, duration_s=1.0)
    rig.run(made.duration_s + 0.3)
    rt_trip(rig.law, Trip.LEASE_LOST.value, Action.STOP.value, 0.0, 0.0)
    held = float(rig.run(0.1).u_cmd[-1])
    assert abs(rig.law.pid.p) > 0.005, "what a reset moves into the integral"
    for _ in range(2):
        assert rig.ask(RequestKind.RESET) == Refusal.ACCEPTED
    rows = rig.run(0.1)
    assert abs(rows.u_cmd - held).max() < 2e-3
