"""Invariants of the controller on one table: what gives it energy or takes it away, and nothing moves unasked.

Each is judged on the plant's true state.
"""

from typing import Any

import numpy as np
import pytest

from hilctl.law.requests import Refusal, RequestKind
from hilctl.law.tick import rt_trip
from hilctl.signals import SENSORS, Action, Arming, Mode, Trip
from sim.driver import record

NEVER = 1e18


def plant(rig: Any) -> Any:
    """The twin's own record."""
    return record(rig.driver.state)


def travel(rig: Any) -> float:
    """How far the table really went in the last run."""
    return float(np.ptp(rig.truth[:, 0]))


def held(table: Any, at_m: float = 0.0, **changes: Any) -> Any:
    """A table in hold, at a place."""
    rig = table(**changes)
    rig.arm(6.0)
    if at_m:
        made = rig.track("move", position_m=at_m, speed_m_s=0.05)
        rig.run(made.duration_s + 0.5)
        assert rig.law.mode == Mode.HOLD
    return rig


# --- energy


def test_a_supply_lost_while_holding_freezes_the_integral_at_once_and_ends_in_off(table: Any) -> None:
    rig = held(table, 0.03)
    before = rig.law.three_state.integral
    plant(rig).supply_lost_from = 0.0
    rows = rig.run(30.0)
    assert rig.trip == Trip.SUPPLY_PRESSURE
    assert abs(rows.u_cmd - rows.u_cmd[0]).max() < 0.02, "nothing winds up against a table without pressure"
    assert abs(rig.law.three_state.integral - before) < 0.01
    assert (rows.mode[-1], rows.enabled[-1], rows.supply[-1]) == (Mode.OFF, 0, 0)


@pytest.mark.parametrize("lost_s", [0.05, 0.3, 2.0, 30.0])
def test_when_the_supply_comes_back_nothing_moves_before_a_reset(table: Any, lost_s: float) -> None:
    rig = held(table, 0.03)
    plant(rig).supply_lost_from = 0.0
    rig.run(lost_s)
    plant(rig).supply_lost_from = NEVER
    rig.run(5.0)
    assert travel(rig) < 1e-3
    assert np.abs(rig.truth[:, 1]).max() < 5e-3


def test_a_supply_without_a_sensor_ends_in_off_when_the_valve_opens_and_the_table_stays(table: Any) -> None:
    rig = held(table, 0.03, **{"sensors.supply_pressure.present": False})
    plant(rig).supply_lost_from = 0.0
    plant(rig).plant.x -= 1e-3  # it sank
    rows = rig.run(30.0)
    assert rig.trip == Trip.HOLD_EFFORT
    limits = rig.controller.limits.holding
    assert abs(rows.u_cmd).max() < 3 * limits.opening
    assert rows.mode[-1] == Mode.OFF
    plant(rig).supply_lost_from = NEVER
    rig.run(5.0)
    assert travel(rig) < 1e-3


@pytest.mark.parametrize("trip", [Trip.ACCELERATION, Trip.VELOCITY, Trip.LEASE_LOST, Trip.SATURATION])
def test_a_stop_in_hold_escalates_to_null_and_off_by_the_rig_files_times(table: Any, trip: Trip) -> None:
    rig = held(table, **{"limits.escalation.hold_s": 2.0, "limits.escalation.null_s": 1.0})
    rt_trip(rig.law, trip.value, Action.STOP.value, 0.0, 0.0)
    rows = rig.run(5.0)
    modes = [Mode(m) for m in rows.mode[np.flatnonzero(np.diff(rows.mode, prepend=-1))]]
    assert modes == [Mode.HOLD, Mode.NULL, Mode.OFF]
    ticks = [int((rows.mode == m).sum()) for m in (Mode.HOLD, Mode.NULL)]
    assert ticks[0] == pytest.approx(2.0 / rig.dt_s, abs=2)
    assert 0.99 / rig.dt_s <= ticks[1] < 1.2 / rig.dt_s
    assert rig.trip == trip
    assert travel(rig) < 1e-3


def test_a_reset_in_time_keeps_the_table_held(table: Any) -> None:
    rig = held(table, **{"limits.escalation.hold_s": 2.0})
    rt_trip(rig.law, Trip.LEASE_LOST.value, Action.STOP.value, 0.0, 0.0)
    rig.run(1.0)
    assert rig.ask(RequestKind.RESET) == Refusal.ACCEPTED
    rows = rig.run(5.0)
    assert (rows.mode == Mode.HOLD).all()


def test_a_loop_that_oscillates_while_holding_ends_soon(table: Any) -> None:
    rig = held(table, **{"limits.acceleration.max_m_s2": 8.0})
    rig.set(law__three_state__kd_per_m=2000.0, law__blend_s=0.0)
    plant(rig).plant.v = 0.1
    rows = rig.run(5.0)
    assert rig.trip != 0
    assert rows.mode[-1] == Mode.OFF
    armed = (rows.tick > rig.law.guard.trip_tick) & (rows.mode != Mode.OFF)
    assert armed.sum() < (0.1 + rig.controller.limits.escalation.cause_s) / rig.dt_s


def test_a_trip_latched_in_hold_lets_the_integral_stand(table: Any) -> None:
    rig = held(table, 0.01)
    rt_trip(rig.law, Trip.LEASE_LOST.value, Action.STOP.value, 0.0, 0.0)
    before = rig.law.three_state.integral
    rig.run(5.0)
    assert rig.law.three_state.integral == pytest.approx(before, abs=1e-6)


# --- what shifts a measured position


@pytest.mark.parametrize("mode", [Mode.HOLD, Mode.TRACK])
@pytest.mark.parametrize("change", [{"sensors__displacement__offset": 0.03}, {"sensors__displacement__gain": 1.4}])
def test_what_shifts_the_measured_position_never_moves_a_held_table(table: Any, mode: Mode, change: Any) -> None:
    rig = held(table, 0.04)
    if mode == Mode.TRACK:
        rig.track("sine", center_m=0.04, amplitude_m=0.005, frequency_hz=0.5, cycles=4)
    rig.set(**change)
    rig.run(12.0)
    assert np.abs(rig.truth[:, 0] - 0.04).max() < 0.006
    assert rig.trip == 0


def test_in_off_a_new_zero_is_no_motion_and_the_table_arms_where_it_stands(table: Any) -> None:
    rig = table()
    rig.run(2.0)
    rig.set(sensors__displacement__offset=0.03)
    rows = rig.run(2.0)
    assert np.abs(rows.velocity_m_s[100:]).max() < 5e-3
    rig.arm()
    assert travel(rig) < 5e-3


def test_the_stroke_is_guarded_on_the_reading_that_no_zero_has_shifted(table: Any) -> None:
    rig = table(**{"twin.cylinder.position_m": 0.06})
    rig.run(1.0)
    rig.set(sensors__displacement__offset=0.06)
    rig.run(0.5)
    rig.arm()
    rig.track("move", position_m=0.06, speed_m_s=0.1)  # 0.12 m of the stroke's 0.1
    rig.run(3.0)
    assert rig.trip == Trip.POSITION
    assert rig.truth[:, 0].max() < rig.controller.limits.position.max_m + 1e-3


# --- proof of the signs

SIGNS = [
    ("valve reversed", Trip.POLARITY, -1),
    ("valve dead", Trip.NO_MOTION, -1),
    ("displacement reversed", Trip.SENSOR_REVERSED, 0),
    ("displacement dead", Trip.SENSOR_DEAD, 0),
    ("acceleration reversed", Trip.SENSOR_REVERSED, 1),
    ("acceleration dead", Trip.SENSOR_DEAD, 1),
    ("pressures exchanged", Trip.PRESSURES_EXCHANGED, -1),
    ("pressure_a dead", Trip.SENSOR_DEAD, 2),
    ("pressure_b dead", Trip.SENSOR_DEAD, 3),
    ("pressure_a reversed", Trip.SENSOR_RANGE, 2),  # no chamber pulls
    ("pressure_b reversed", Trip.SENSOR_RANGE, 3),
]


def spoil(rig: Any, fault: str) -> None:
    """The twin with one fault of its wiring."""
    own, (what, how) = plant(rig), fault.split(" ")
    if what == "valve":
        own.plant.valve.polarity = -own.plant.valve.polarity if how == "reversed" else 0.0
    elif what == "pressures":
        rig.exchanged = True
    else:
        sensor = own[what]
        sensor.gain = -sensor.gain if how == "reversed" else 0.0


@pytest.mark.parametrize(("fault", "trip", "sensor"), SIGNS)
@pytest.mark.parametrize("rig_file", ["table-500", "column-50"])
def test_a_wrong_sign_or_a_dead_part_is_found_at_arming_and_named(
    table: Any, rig_file: str, fault: str, trip: Trip, sensor: int
) -> None:
    rig = table(rig_file, **{"sensors.spool.present": fault != "valve dead"})  # the spool's sensor may see it first
    rig.run(1.0)
    spoil(rig, fault)
    rig.run(1.0)
    begun = rig.truth[-1, 0]
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    rows = rig.run(8.0)
    assert (Trip(rig.trip), rig.law.guard.trip_sensor) == (trip, sensor)
    enabled = rig.truth[rows.enabled == 1, 0]
    assert np.ptp(enabled) <= 3e-3 if len(enabled) else abs(rig.truth[-1, 0] - begun) <= 3e-3
    assert rows.mode[-1] == Mode.OFF
    assert (rows.supply <= 1).all(), "it never came to the full pressure"


@pytest.mark.parametrize("rig_file", ["table-500", "column-50", "table-500-rtu", "table-500-mixed"])
def test_every_preset_proves_its_signs(table: Any, rig_file: str) -> None:
    rig = table(rig_file)
    rig.arm(8.0)
    assert rig.law.arm.proved == 1


@pytest.mark.parametrize("rig_file", ["table-500", "column-50"])
@pytest.mark.parametrize("rise_s", [0.01, 0.1])
def test_chambers_that_fill_during_the_bumps_are_no_fault_of_their_sensors(
    table: Any, rig_file: str, rise_s: float
) -> None:
    rig = table(rig_file, **{"twin.supply.rise_s": rise_s, "arming.proof_s": 1.0})
    rig.arm(8.0)
    for off_s in (2.0, 8.0):
        rig.ask(RequestKind.OFF)
        rig.run(off_s)
        rows = rig.arm(8.0)
        assert (rows.arming == Arming.BUMP_UP).any()


def test_a_supply_that_is_too_high_ends_arming(table: Any) -> None:
    rig = table(**{"twin.machine.Ps": 3.0e7})
    rig.run(0.01)
    rig.ask(RequestKind.ARM)
    rig.run(6.0)
    assert (Trip(rig.trip), rig.law.mode) == (Trip.SUPPLY_PRESSURE, Mode.OFF)


@pytest.mark.parametrize("seed", range(6))
def test_ticks_that_are_missed_in_the_bumps_are_no_fault_of_a_sensor(table: Any, seed: int) -> None:
    chance = np.random.default_rng(seed)
    rig = table()
    rig.run(0.01)
    rig.ask(RequestKind.ARM)
    while rig.law.mode == Mode.STANDBY:
        rig.run(float(chance.uniform(0.02, 0.2)), first_skip=int(chance.integers(1, 15)))
    assert rig.law.mode == Mode.HOLD, Trip(rig.trip)


# --- arming


def test_errors_are_judged_while_arming(table: Any) -> None:
    rig = table(**{"sensors.spool.present": False})  # which would see it first
    rig.arm()
    rig.ask(RequestKind.OFF)
    rig.run(1.0)
    own = plant(rig).plant.valve
    own.polarity = -own.polarity  # behind the same plug, and armed again at once: no bumps
    rig.ask(RequestKind.ARM)
    rig.run(6.0)
    assert rig.trip == Trip.TRACKING_ERROR
    assert rig.law.mode == Mode.OFF
    assert travel(rig) < 5e-3


def test_a_null_that_was_not_confirmed_is_not_kept(table: Any) -> None:
    rig = table()
    rig.run(0.01)
    nominal = rig.law.arm.null
    rig.ask(RequestKind.ARM)
    for _ in range(9000):
        rig.run(0.001)
        plant(rig).plant.valve.null_bias = 0.008 if rig.law.arm.rounds % 2 else -0.008
        if rig.law.mode in (Mode.OFF, Mode.HOLD):
            break
    assert rig.trip == Trip.NULL_NOT_CONFIRMED
    rig.run(1.0)
    assert rig.law.arm.null == nominal
    assert rig.law.arm.proved == 0


@pytest.mark.parametrize("cut", [RequestKind.STOP, RequestKind.OFF])
def test_an_arming_that_is_cut_short_keeps_no_null(table: Any, cut: RequestKind) -> None:
    rig = table(**{"twin.valve.null_bias": 0.03})
    rig.run(0.01)
    nominal = rig.law.arm.null
    rig.ask(RequestKind.ARM)
    while rig.law.arm.rounds == 0:
        rig.run(0.001)
    assert rig.law.arm.null != nominal
    rig.ask(cut)
    rig.run(2.0)
    assert (rig.law.mode, rig.law.arm.null) == (Mode.OFF, nominal)


def test_the_signs_are_proved_again_after_a_long_off_and_not_after_a_short_one(table: Any) -> None:
    rig = table(**{"arming.proof_s": 5.0})
    rig.arm()
    for off_s, proves in ((2.0, False), (6.0, True)):
        rig.ask(RequestKind.OFF)
        rig.run(off_s)
        assert rig.law.mode == Mode.OFF
        rig.ask(RequestKind.ARM)
        rows = rig.run(5.0)
        assert bool((rows.arming == Arming.BUMP_UP).any()) == proves
        assert rig.law.mode == Mode.HOLD


# --- stalls


@pytest.mark.parametrize("late", [0.0, 0.05, 0.11, 0.17, 0.23, 0.31, 0.37])
@pytest.mark.parametrize("periods", [5, 20])
def test_a_short_stall_is_rejoined_within_twice_the_motions_own_acceleration(
    table: Any, periods: int, late: float
) -> None:
    rig = table()
    rig.arm()
    rig.track("sine", amplitude_m=0.0156, frequency_hz=2.45, cycles=40)
    rig.run(3.0)
    usual = np.abs(np.diff(rig.truth[:, 1])).max() / rig.dt_s
    rig.run(late + rig.dt_s)
    rows = rig.run(1.0, first_skip=periods)
    after = np.abs(np.diff(rig.truth[:, 1])).max() / rig.dt_s
    assert rig.trip == 0
    assert rows.mode[-1] == Mode.TRACK
    assert after <= 2.0 * usual
    assert np.abs(rows.error_m[400:]).max() < 1e-3


@pytest.mark.parametrize("late", [0.0, 0.11, 0.23, 0.37])
def test_a_long_stall_ends_in_a_stop_within_the_deceleration_limit(table: Any, late: float) -> None:
    rig = table(**{"limits.late.ticks": 1000})
    rig.arm()
    rig.track("sine", amplitude_m=0.0156, frequency_hz=2.45, cycles=40)
    rig.run(3.0 + late)
    usual = np.abs(np.diff(rig.truth[:, 1])).max() / rig.dt_s
    rows = rig.run(1.0, first_skip=45)
    after = np.abs(np.diff(rig.truth[:, 1])).max() / rig.dt_s
    assert rig.trip == Trip.LATE_TICKS
    assert rows.mode[-1] == Mode.HOLD
    assert after <= max(rig.controller.limits.stopping.deceleration_m_s2, 2.0 * usual)


def test_a_sensor_that_alternates_trips(table: Any) -> None:
    rig = held(table)
    rig.track("triangle", speed_m_s=0.05, amplitude_m=0.02)
    rows = rig.run(3.0, nan_every=2)
    assert rig.trip == Trip.SENSOR_INVALID
    assert rig.law.guard.trip_sensor == SENSORS.index("displacement")
    assert rows.mode[-1] == Mode.OFF


def test_a_share_of_five_percent_of_bad_readings_does_not_trip(table: Any) -> None:
    rig = held(table)
    rig.track("triangle", speed_m_s=0.05, amplitude_m=0.02)
    rows = rig.run(5.0, nan_every=20)
    assert rig.trip == 0
    assert rows.mode[-1] == Mode.TRACK


def test_a_stop_that_stalls_again_ends_in_null(table: Any) -> None:
    rig = table(**{"limits.late.ticks": 1000})
    rig.arm()
    rig.track("sine", amplitude_m=0.02, frequency_hz=1.0, cycles=40)
    rig.run(2.0)
    rig.run(0.003, first_skip=35)
    assert rig.law.mode == Mode.STOP
    for _ in range(40):
        rig.run(0.006, first_skip=35)
    assert rig.law.mode == Mode.OFF
    assert rig.trip == Trip.LATE_TICKS
    assert abs(plant(rig).plant.x) < 0.03


@pytest.mark.parametrize("trip", [Trip.DRIVER, Trip.SUPPLY_PRESSURE])
def test_without_link_or_pressure_nothing_is_held(table: Any, trip: Trip) -> None:
    rig = held(table)
    rt_trip(rig.law, trip.value, Action.STOP.value, 0.0, 0.0)
    rows = rig.run(0.2)
    assert rows.mode[-1] == Mode.OFF
    assert travel(rig) < 1e-3


def test_a_cause_that_goes_on_outside_of_the_law_ends_holding_sooner(table: Any) -> None:
    rig = held(table)
    c = rig.controller.limits.escalation
    for _ in range(round((c.cause_s + 0.1) / 0.01)):
        rt_trip(rig.law, Trip.LATE_TICKS.value, Action.STOP.value, 0.3, 0.2)
        rig.run(0.01)
    assert rig.law.mode == Mode.OFF


@pytest.mark.parametrize("sensor", ["acceleration", "pressure_a", "pressure_b"])
def test_a_new_zero_of_another_sensor_does_not_move_a_held_table(table: Any, sensor: str) -> None:
    rig = held(table, 0.02)
    by = 0.5 if sensor == "acceleration" else 3e5
    rig.set(**{f"sensors__{sensor}__offset": by, "law__blend_s": 0.05})
    rig.run(2.0)
    assert np.abs(rig.truth[:, 1]).max() < 1e-3
    assert rig.trip == 0
