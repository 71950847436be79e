"""Arming on valves as they are sold: overlap, hysteresis, a null that is off; on a controller that knows none of it."""

from typing import Any

import numpy as np
import pytest

from hilctl.friction import MODELS
from hilctl.law.requests import Refusal, RequestKind
from hilctl.signals import Mode, Trip
from sim.driver import record

MOST_M, NULL = 3e-3, 1e-3
RIGS = 100


def valve(seed: int) -> dict[str, Any]:
    """Overlap up to 10 %, null up to 5 % off, hysteresis up to 0.5 %; flow and static friction otherwise than told."""
    chance = np.random.default_rng(seed)
    return {
        "twin.machine.dead_band": chance.uniform(0.0, 0.1),
        "twin.valve.null_bias": chance.uniform(-0.05, 0.05),
        "twin.valve.hysteresis": chance.uniform(0.0, 0.005),
        "twin.machine.Qn": 4.6188e-3 * chance.uniform(0.8, 1.2),
        "twin.friction.fs": 3118.0 * chance.uniform(0.7, 1.3),
        "twin.seed": seed + 1,
    }


def armed(rig: Any) -> float:
    """Arms, and how far the table went."""
    rig.run(0.1)
    begun, far = float(record(rig.driver.state).plant.x), 0.0
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    for _ in range(100):
        rig.run(0.2)
        far = max(far, float(np.abs(rig.truth[:, 0] - begun).max()))
        if rig.law.mode in (Mode.HOLD, Mode.OFF):
            return far
    raise AssertionError("arming has no end")


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("seed", range(RIGS))
def test_any_valve_is_armed_near_where_it_began_and_its_null_is_found(table: Any, seed: int) -> None:
    given = valve(seed)
    rig = table(**given)
    far = armed(rig)
    assert rig.law.mode == Mode.HOLD, Trip(rig.trip)
    assert far <= MOST_M
    assert rig.law.arm.kept == pytest.approx(-given["twin.valve.null_bias"], abs=NULL)


@pytest.mark.parametrize("overlap", [0.01, 0.015, 0.02, 0.025, 0.04, 0.06])
def test_a_table_on_soft_bristles_springs_back_and_is_armed_all_the_same(table: Any, overlap: float) -> None:
    """The search takes that for a motion, so that the null is off in the rounds of bumps that follow."""
    friction = {"friction.model": "gms", **{f"friction.{key}": value for key, value in MODELS["gms"].typical.items()}}
    rig = table(**friction, **{"twin.machine.dead_band": overlap})
    far = armed(rig)
    assert rig.law.mode == Mode.HOLD, Trip(rig.trip)
    assert far <= MOST_M
    assert rig.law.arm.kept == pytest.approx(-0.01, abs=NULL)


TWIN = {  # what differs from the rig file: machine, friction, valve
    "seen by one sensor alone": (
        {"m": 467.0, "Qn": 0.004565, "beta": 7.979e8, "Ctc": 4.357e-12, "wv": 647.4, "zv": 0.856, "dead_band": 0.01853},
        {"model": "karnopp", "fc": 309.3, "fs": 3054.0, "vs": 0.1214, "sigma": 2953.0},
        {"null_bias": -0.01644, "hysteresis": 0.002755},
    ),
    "springs back": (
        {"m": 566.5, "Qn": 0.005106, "beta": 7.845e8, "dead_band": 0.01211},
        {"model": "lugre", "fc": 274.8, "fs": 2688.0, "vs": 0.09308, "sigma": 2921.0, "s0": 4.032e7, "s1": 2.836e4,
         "vd": 0.05},
        {"null_bias": -0.008904, "hysteresis": 0.004775},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "seed"), [("seen by one sensor alone", 20), ("springs back", 98)])
def test_a_table_that_moves_too_little_in_a_bump_is_no_fault(table: Any, case: str, seed: int) -> None:
    made = {
        f"twin.{at}.{key}": value
        for at, part in zip(("machine", "friction", "valve"), TWIN[case], strict=True) for key, value in part.items()
    }  # fmt: skip
    rig = table(**made, **{"twin.seed": seed})
    assert armed(rig) <= 2 * MOST_M
    assert rig.law.mode == Mode.HOLD, Trip(rig.trip)
    assert rig.law.arm.kept == pytest.approx(-made["twin.valve.null_bias"], abs=NULL)


@pytest.mark.parametrize("believed", [0.0, 0.03, 0.06])
def test_what_the_rig_file_says_of_the_overlap_is_not_trusted_while_arming(table: Any, believed: float) -> None:
    """So a wrong overlap takes the table no farther, and a right one is within reach of the search."""
    for true in (0.0, 0.06):
        rig = table(**{"machine.dead_band": believed, "twin.machine.dead_band": true, "machine.hysteresis": 0.01})
        far = armed(rig)
        assert rig.law.mode == Mode.HOLD, Trip(rig.trip)
        assert far <= MOST_M


@pytest.mark.parametrize("overlap", [0.02, 0.05, 0.1])
def test_the_overlap_is_found_within_half_a_bump(table: Any, overlap: float) -> None:
    rig = table(**{"twin.machine.dead_band": overlap})
    armed(rig)
    assert rig.law.arm.overlap == pytest.approx(overlap, abs=0.5 * rig.controller.arming.bump)


@pytest.mark.parametrize(("most", "trip"), [(0.06, Trip.NO_MOTION), (0.07, 0)])
def test_an_overlap_beyond_the_search_is_refused_with_the_opening_that_was_tried(
    table: Any, most: float, trip: int
) -> None:
    rig = table(**{"twin.machine.dead_band": 0.06, "twin.valve.null_bias": 0.0, "arming.search_opening": most})
    armed(rig)
    assert rig.trip == trip
    if trip:
        assert rig.law.guard.trip_value == pytest.approx(most, abs=1e-3)
    assert rig.law.mode == (Mode.OFF if trip else Mode.HOLD)


@pytest.mark.parametrize("fault", ["reversed", "dead"])
@pytest.mark.parametrize("sensor", ["displacement", "acceleration", "pressure_a", "pressure_b"])
def test_a_sensor_with_a_fault_is_named_behind_an_overlap_too(table: Any, sensor: str, fault: str) -> None:
    rig = table(**{"twin.machine.dead_band": 0.05, f"twin.faults.sensor_{fault}": [sensor]})
    assert armed(rig) <= MOST_M
    expected = Trip.SENSOR_REVERSED if fault == "reversed" else Trip.SENSOR_DEAD
    if sensor.startswith("pressure") and fault == "reversed":
        expected = Trip.SENSOR_RANGE  # no chamber pulls
    assert rig.trip == expected


DEAD = ("displacement", "acceleration", "pressure_a", "pressure_b")


@pytest.mark.parametrize("overlap", [0.0, 0.005, 0.02, 0.05, 0.1])
@pytest.mark.parametrize(("dead", "most_m"), [(DEAD[:1], 2e-3), (DEAD[:2], 6e-3), (DEAD, 0.02)])
def test_a_table_that_sensors_do_not_see_stays_near_where_it_began(
    table: Any, dead: tuple[str, ...], most_m: float, overlap: float
) -> None:
    """With all of them dead within `arming.travel_m`, which then no sensor holds it to."""
    rig = table(**{"twin.machine.dead_band": overlap, "twin.faults.sensor_dead": list(dead)})
    assert rig.controller.arming.travel_m == 0.02
    assert armed(rig) <= most_m
    assert rig.trip in (Trip.NO_MOTION, Trip.SENSOR_DEAD)
    assert rig.law.mode == Mode.OFF


def test_a_reversed_valve_is_named_behind_an_overlap_too(table: Any) -> None:
    rig = table(**{"twin.machine.dead_band": 0.05, "twin.faults.reversed": True, "sensors.spool.present": False})
    assert armed(rig) <= MOST_M
    assert rig.trip == Trip.POLARITY


@pytest.mark.parametrize(("heavier", "most"), [(1.0, NULL), (1.1, 2 * NULL)])
@pytest.mark.parametrize("overlap", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("rig_file", ["column-50", "press-1500"])
def test_the_weight_of_a_vertical_axis_is_no_null(
    table: Any, rig_file: str, overlap: float, heavier: float, most: float
) -> None:
    """At the low supply it leaves half of the speed upwards, a third more downwards: as 0.5 % of null would."""
    mass = heavier * table(rig_file).controller.machine.m
    rig = table(rig_file, **{"twin.valve.null_bias": 0.01, "twin.machine.m": mass, "twin.machine.dead_band": overlap})
    assert armed(rig) <= 2 * MOST_M
    assert rig.law.mode == Mode.HOLD, Trip(rig.trip)
    assert rig.law.arm.kept == pytest.approx(-0.01, abs=most)
