"""Arming with a null that is far off, on a host that stalls, and from a table that is not at rest."""

from typing import Any

import numpy as np
import pytest

from hilctl.law.requests import Refusal, RequestKind
from hilctl.law.sensors import COUNT
from hilctl.law.signs import SIGNS, rt_signs_motion
from hilctl.signals import Arming, Mode, Trip
from sim.driver import record

MOST_M = 3e-3
FAULTS: dict[str, set[Trip]] = {
    "valve reversed": {Trip.POLARITY, Trip.READ_BACK},  # the spool's sensor may see it first
    "valve dead": {Trip.NO_MOTION, Trip.READ_BACK},
    "displacement reversed": {Trip.SENSOR_REVERSED},
    "displacement dead": {Trip.SENSOR_DEAD},
    "acceleration reversed": {Trip.SENSOR_REVERSED},
    "acceleration dead": {Trip.SENSOR_DEAD},
    "pressures exchanged": {Trip.PRESSURES_EXCHANGED},
    "pressure_b dead": {Trip.SENSOR_DEAD},
}


def plant(rig: Any) -> Any:
    return record(rig.driver.state)


def spoil(rig: Any, fault: str) -> None:
    what, how = fault.split(" ")
    if what == "valve":
        valve = plant(rig).plant.valve
        valve.polarity = -valve.polarity if how == "reversed" else 0.0
    elif what == "pressures":
        rig.exchanged = True
    else:
        sensor = plant(rig)[what]
        sensor.gain = -sensor.gain if how == "reversed" else 0.0
        sensor.bias = 2e6 if what.startswith("pressure") else 0.0


def armed(rig: Any, stalls: Any = None) -> float:
    """Asks, and waits for the end of it; how far the table went. `stalls`: says when the host stalls."""
    begun = float(plant(rig).plant.x)
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    far = 0.0
    for _ in range(1500):
        late = stalls is not None and stalls.random() < 0.3
        rig.run(0.02, first_skip=int(stalls.choice([1, 2, 4, 8, 15])) if late else -1)
        far = max(far, float(np.abs(rig.truth[:, 0] - begun).max()))
        if rig.law.mode in (Mode.HOLD, Mode.OFF):
            return far
    raise AssertionError("arming has no end")


@pytest.mark.many(quick=3)
# The pressures are judged last, and until its null is found a column goes 4.5 mm.
@pytest.mark.parametrize(
    ("rig_file", "null", "fault"),
    [
        (rig_file, null, fault)
        for rig_file in ("table-500", "column-50")
        for null in (-0.03, 0.01, 0.055)
        for fault in FAULTS
        if (rig_file, null) != ("column-50", -0.03) or not fault.startswith("pressure")
    ],
)
def test_a_fault_is_named_within_three_millimetres_however_far_the_null_is_off(
    table: Any, rig_file: str, null: float, fault: str
) -> None:
    rig = table(rig_file, **{"twin.valve.null_bias": null})
    rig.run(0.1)
    spoil(rig, fault)
    rig.run(0.05)
    far = armed(rig)
    assert Trip(rig.trip) in FAULTS[fault]
    assert far <= MOST_M


@pytest.mark.parametrize("null", [-0.055, -0.03, 0.0, 0.02])
def test_a_null_that_is_off_is_found_and_kept(table: Any, null: float) -> None:
    rig = table(**{"twin.valve.null_bias": null})
    rig.run(0.1)
    assert armed(rig) <= MOST_M
    assert rig.law.mode == Mode.HOLD
    assert rig.law.arm.kept == pytest.approx(-null, abs=1e-3)


def test_a_null_beyond_what_is_believed_is_refused_and_not_kept(table: Any) -> None:
    rig = table(**{"twin.valve.null_bias": 0.08, "sensors.spool.present": False})
    rig.run(0.1)
    armed(rig)
    assert rig.trip == Trip.NULL_NOT_CONFIRMED
    assert rig.law.arm.null == rig.law.arm.kept == 0.0


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("null", [0.0, 0.01, 0.055])
def test_a_healthy_rig_arms_on_a_host_that_stalls(table: Any, null: float, seed: int) -> None:
    rig = table(**{"twin.valve.null_bias": null, "arming.rest_s": 0.05, "limits.late.share": 1.0})
    rig.run(0.1)
    armed(rig, np.random.default_rng(seed))
    assert rig.law.mode == Mode.HOLD, Trip(rig.trip)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_is_taken_for_health_on_a_host_that_stalls(table: Any, fault: str, seed: int) -> None:
    rig = table(**{"twin.valve.null_bias": 0.01, "limits.late.share": 1.0})
    rig.run(0.1)
    spoil(rig, fault)
    rig.run(0.05)
    far = armed(rig, np.random.default_rng(seed))
    assert rig.law.mode == Mode.OFF
    assert rig.trip != 0
    assert far <= 2 * MOST_M


def test_a_stall_at_rest_is_not_taken_for_motion(table: Any) -> None:
    for skip in range(5, 21):  # the longest gaps that are bridged spoil the estimate of speed most
        rig = table(**{"arming.rest_s": 0.05})
        rig.run(1.0)
        assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
        rig.run(0.045)
        rig.run(0.02, first_skip=skip)
        assert rig.trip == 0
        assert rig.law.arm.step > Arming.REST


@pytest.mark.parametrize(("speed_m_s", "trip"), [(0.8e-3, Trip.NONE), (1.2e-3, Trip.NOT_AT_REST)])
def test_a_table_that_moves_before_anything_is_switched_on_is_not_armed(
    table: Any, speed_m_s: float, trip: Trip
) -> None:
    rig = table(**{"arming.rest_s": 0.2})
    rig.run(0.5)  # too short for the estimate to say so
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    for _ in range(210):
        plant(rig).plant.x += speed_m_s * rig.dt_s
        rows = rig.run(rig.dt_s)
    assert rig.trip == trip
    assert rows.enabled[-1] == 0
    if trip:
        assert rig.law.guard.trip_value == pytest.approx(speed_m_s, rel=0.05)
        assert rig.law.guard.trip_limit == 1e-3


def test_bumps_are_smaller_while_the_supply_is_still_high(table: Any) -> None:
    """Armed again soon after `off`, with an accumulator that keeps its pressure."""
    rig = table(**{"twin.valve.null_bias": 0.0})
    rig.run(0.1)
    machine = rig.law.now.machine
    plant(rig).source, plant(rig).fall = machine.Ps, 0.0
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    rows = rig.run(1.5)
    assert (rows.arming == Arming.HIGH_PRESSURE).any(), "both signs and null are known"
    assert rig.law.arm.bump == pytest.approx(rig.controller.arming.bump * (machine.Ps_low / machine.Ps) ** 0.5, rel=0.1)
    assert np.ptp(rig.truth[:, 0]) <= 1e-3


@pytest.mark.parametrize(
    ("felt", "verdicts"),
    [
        ((-1.0, 0.6), (Trip.SENSOR_REVERSED, Trip.SENSOR_DEAD)),
        ((-1.0, -1.0, 0.9), (Trip.SENSOR_REVERSED, Trip.SENSOR_REVERSED, Trip.SENSOR_DEAD)),
        ((1.0, 0.0), (Trip.NONE, Trip.NONE)),
        ((0.1, 1.0), (Trip.SENSOR_DEAD, Trip.NONE)),
    ],
)
def test_the_accelerometer_is_judged_by_all_rounds_together(
    felt: tuple[float, ...], verdicts: tuple[Trip, ...]
) -> None:
    """One round that missed ticks says little of acceleration: it neither clears a sensor nor condemns it."""
    signs, value, way_m = np.zeros(1, SIGNS)[0], np.zeros(COUNT), 1e-3
    for share, verdict in zip(felt, verdicts, strict=True):
        signs.x_begin, signs.x_turn, signs.s_turn, signs.s = 0.0, way_m, share * way_m, 0.0
        assert rt_signs_motion(value, 1.0, 0.1 * way_m, True, signs) == verdict
