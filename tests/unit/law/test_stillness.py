"""Readings that stand still: what is a fault, and what is only a quiet sensor on a table at rest."""

from typing import Any

import numpy as np
import pytest

from firmware_bridge.driver import READINGS
from hilctl.law.requests import Refusal, RequestKind
from hilctl.law.stillness import STILL, WATCHED, rt_still, rt_still_learnt, rt_still_opened, rt_still_rest
from hilctl.signals import SENSORS, Mode, Trip
from sim.driver import record

DT_S = 1e-3
RUNS = 50.0
QUIET = {"twin.sensors.displacement.noise_m": 0.0, "twin.sensors.displacement.quantum_m": 1e-5}


def learnt(readings: Any, w: Any = None, unknown: bool = True) -> Any:
    """The witness after a rest in which displacement read so."""
    w = np.zeros(1, STILL)[0] if w is None else w
    rt_still_rest(unknown, w)
    told = np.zeros(1, READINGS)[0]
    for x in readings:
        told.displacement_m = x
        rt_still(told, False, False, True, DT_S, w)
    rt_still_learnt(RUNS, DT_S, w)
    return w


def noise(steps: float, count: int = 500, seed: int = 1) -> Any:
    """Noise of so many steps, rms, as whole steps."""
    return np.round(np.random.default_rng(seed).normal(0.0, steps, count)) * 1e-6


def test_a_reading_that_shows_noise_may_not_stand_still_for_much_longer_than_it_did() -> None:
    w = learnt(noise(3.0))
    assert RUNS * 2 * DT_S <= w.most_s[0] <= RUNS * 8 * DT_S
    assert (w.most_s[1:] == 0.0).all(), "the others read 0 all the time"


@pytest.mark.parametrize(
    "readings",
    [
        np.zeros(500),
        np.floor(np.arange(500) / 7) * 1e-6,  # it creeps
        np.arange(500) % 2 * 1e-6,  # it flickers between two steps
        np.floor(np.arange(500) / 100) % 2 * 1e-5,
        np.full(500, np.nan),
        noise(3.0)[:12],
    ],
    ids=["quiet", "creeping", "flickering", "toggling", "nan", "too few"],
)
def test_what_is_no_noise_is_no_witness(readings: Any) -> None:
    assert learnt(readings).most_s[0] == 0.0


def test_a_reading_that_showed_noise_is_held_to_it_until_it_may_be_another_sensor() -> None:
    w = learnt(noise(3.0))
    before = float(w.most_s[0])
    assert learnt(np.zeros(500), w, unknown=False).most_s[0] == before
    assert learnt(np.zeros(500), w, unknown=True).most_s[0] == 0.0


def test_a_failed_exchange_neither_counts_nor_begins_anew() -> None:
    w, told = np.zeros(1, STILL)[0], np.zeros(1, READINGS)[0]
    told.displacement_m = 0.01
    for lost in (False, False, True, False):
        rt_still(told, lost, True, False, DT_S, w)
    assert w.same_s[0] == w.driven_s[0] == pytest.approx(2 * DT_S)
    told.displacement_m = 0.02
    rt_still(told, False, True, False, DT_S, w)
    assert w.same_s[0] == w.driven_s[0] == 0.0


def test_only_an_opening_beyond_that_of_the_bumps_counts_as_way() -> None:
    w = np.zeros(1, STILL)[0]
    w.same_s[0] = 1.0
    for opening, way_m in ((0.01, 0.0), (0.03, 0.02), (-0.03, 0.0), (-5.0, -0.99)):
        rt_still_opened(True, opening, 0.01, 1.0, 1.0, w)
        assert w.opened_m == pytest.approx(way_m)
    rt_still_opened(False, 0.5, 0.01, 1.0, 1.0, w)
    assert w.opened_m == 0.0


def farthest_mm(rig: Any, seconds: float) -> float:
    """How far the plant goes from where it stands."""
    begun = rig.truth[-1, 0]
    rig.run(seconds)
    return 1e3 * float(np.max(np.abs(rig.truth[:, 0] - begun)))


def fail(rig: Any, sensor: str) -> None:
    """From now on it repeats itself."""
    own = record(rig.driver.state)
    own.failing, own.stuck_from, own.stuck_at = SENSORS.index(sensor), own.tick, np.nan


@pytest.mark.parametrize("changes", [{}, QUIET], ids=["noise", "quiet"])
def test_a_displacement_that_sticks_in_a_slow_motion_trips_before_the_table_is_far(table: Any, changes: Any) -> None:
    rig = table(**changes)
    rig.arm()
    rig.track("chirp", amplitude_m=0.003, start_hz=0.5, end_hz=8.0, duration_s=4.0)
    rig.run(0.05)
    fail(rig, "displacement")
    assert farthest_mm(rig, 3.0) < 12.0
    assert rig.trip == Trip.SENSOR_STUCK
    assert rig.law.guard.trip_sensor == SENSORS.index("displacement")
    assert rig.law.mode == Mode.OFF


@pytest.mark.parametrize("sensor", SENSORS[:WATCHED])
def test_a_reading_with_noise_that_sticks_in_hold_trips_and_nothing_moves(table: Any, sensor: str) -> None:
    rig = table()
    rig.arm()
    fail(rig, sensor)
    assert farthest_mm(rig, 3.0) < 1.0
    assert (rig.trip, SENSORS[rig.law.guard.trip_sensor]) == (Trip.SENSOR_STUCK, sensor)
    assert rig.ask(RequestKind.RESET) == Refusal.ACCEPTED
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    assert farthest_mm(rig, 2.0) < 1.0
    assert rig.trip == Trip.SENSOR_STUCK, "it still stands"


def test_a_quiet_sensor_on_a_table_that_is_held_and_creeps_is_no_fault(table: Any) -> None:
    rig = table(**QUIET, **{"twin.sensors.acceleration.noise_m_s2": 0.0})
    rig.arm()
    rig.run(20.0)
    rig.track("triangle", speed_m_s=0.001, amplitude_m=0.002, cycles=2)
    rows = rig.run(20.0)
    assert rig.trip == 0
    assert rows.mode[-1] == Mode.HOLD


SELDOM = {f"twin.sensors.pressure_{side}.{key}": value for side in "ab"
          for key, value in {"period_s": 0.025, "quantum_pa": 2e4, "noise_pa": 1e4}.items()}  # fmt: skip


def test_coarse_transducers_that_are_read_forty_times_a_second_are_not_stuck(table: Any) -> None:
    """More than half of their readings are those before; four of these are a tenth of a second."""
    rig = table("table-500-mixed", **SELDOM)
    rig.arm()
    rig.track("triangle", speed_m_s=0.02, amplitude_m=0.02, cycles=4)
    rows = rig.run(20.0)
    same = np.diff(np.flatnonzero(np.diff(rows["pressure_a_pa"])))
    assert same.max() > 100, "it was the same for longer than the window"
    assert rig.trip == 0


@pytest.mark.parametrize("sensor", ["pressure_a", "pressure_b"])
def test_one_of_them_that_sticks_while_the_table_is_driven_trips(table: Any, sensor: str) -> None:
    rig = table("table-500-mixed", **SELDOM)
    rig.arm()
    rig.track("triangle", speed_m_s=0.02, amplitude_m=0.02, cycles=8)
    rig.run(0.5)
    fail(rig, sensor)
    assert farthest_mm(rig, 3.0) < 25.0
    assert (rig.trip, SENSORS[rig.law.guard.trip_sensor]) == (Trip.SENSOR_STUCK, sensor)


def test_a_stall_is_no_evidence_of_a_reading_that_stands_still(table: Any) -> None:
    """By chance the reading after a stall equals the one before it: between the two the sensor was not read."""
    rig = table(**{"limits.late.action": "warn"})
    rig.arm()
    equal = 0
    for _ in range(40):
        before, after = rig.run(0.5), rig.run(0.001, first_skip=300)
        equal += before["displacement_m"][-1] == after["displacement_m"][0]
        assert not int(after["warnings"][0]) >> Trip.SENSOR_STUCK & 1
    assert equal > 2
    assert (rig.trip, rig.law.mode) == (0, Mode.HOLD)
