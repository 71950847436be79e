"""The proof of the pressures' signs: with a supply that settles slowly, other friction than the file's, and noise."""

from typing import Any

import numpy as np
import pytest

from hilctl.law.pressure_signs import FIT, rt_fit_add, rt_fit_begin, rt_fit_count, rt_fit_judge
from hilctl.law.requests import Refusal, RequestKind
from hilctl.law.sensors import COUNT, PRESSURE_A, PRESSURE_B
from hilctl.signals import Mode, Trip
from sim.driver import record

LOW_PA = 5.0e6
OILED = {"twin.friction.fc": 3.0, "twin.friction.fs": 31.0, "twin.friction.sigma": 33.0}  # a hundredth of the file's
UNSEEN = {"sensors.supply_pressure.present": False, "arming.low_pressure_s": 0.3}
TWELVE_BITS = {
    f"twin.sensors.pressure_{which}.{key}": value
    for which in "ab"
    for key, value in (("noise_pa", 80e3), ("quantum_pa", 40e6 / 4096))
}
AT_THE_END = {"twin.cylinder.position_m": 0.08}  # the chambers' volumes are as 1 to 4

HEALTHY: dict[str, dict[str, Any]] = {
    "as in the file": {},
    "oiled": OILED,
    "no supply sensor": UNSEEN,
    "oiled, no supply sensor": OILED | UNSEEN,
    "12 bits, 0.2 %": TWELVE_BITS,
    "oiled, 12 bits, 0.2 %": OILED | TWELVE_BITS,
    "oiled, at the end": OILED | AT_THE_END,
    "longer bumps": OILED | {"arming.bump_s": 0.5},
    "shorter bumps": OILED | {"arming.bump_s": 0.05},
    "400 Hz": {"loop.rate_hz": 400.0},
    "few ticks": OILED | {"loop.rate_hz": 200.0, "arming.bump_s": 0.1},
    "0.5 %": {"twin.sensors.pressure_a.noise_pa": 200e3, "twin.sensors.pressure_b.noise_pa": 200e3},
    "10 kHz": OILED | {"loop.rate_hz": 10000.0},
}
RISES_S = (0.001, 0.05, 0.2, 0.5)

FAULTS: dict[str, tuple[Trip, int]] = {
    "exchanged": (Trip.PRESSURES_EXCHANGED, -1),
    "a dead": (Trip.SENSOR_DEAD, PRESSURE_A),
    "b dead": (Trip.SENSOR_DEAD, PRESSURE_B),
    "a mirrored": (Trip.SENSOR_REVERSED, PRESSURE_A),
    "b mirrored": (Trip.SENSOR_REVERSED, PRESSURE_B),
}


def spoil(rig: Any, fault: str) -> None:
    """The twin with one fault of its pressures."""
    if fault == "exchanged":
        rig.exchanged = True
        return
    sensor = record(rig.driver.state)[f"pressure_{fault[0]}"]
    if fault.endswith("dead"):
        sensor.gain, sensor.bias = 0.0, 0.4 * LOW_PA
    else:  # about what it is, so that its range does not see it
        sensor.gain, sensor.bias = -sensor.gain, LOW_PA


def armed(rig: Any) -> None:
    """Asks, and waits for the end of it."""
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    for _ in range(60):
        rig.run(0.25)
        if rig.law.mode in (Mode.HOLD, Mode.OFF):
            return


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("rise_s", RISES_S)
@pytest.mark.parametrize("how", HEALTHY)
def test_a_healthy_rig_arms_however_slowly_its_supply_settles(table: Any, how: str, rise_s: float) -> None:
    for seed in (1, 2):
        rig = table(**{"twin.supply.rise_s": rise_s, "twin.seed": seed}, **HEALTHY[how])
        rig.run(0.1)
        armed(rig)
        assert rig.law.mode == Mode.HOLD, (Trip(rig.trip), rig.law.guard.trip_sensor, rig.law.guard.trip_value)


@pytest.mark.parametrize("rise_s", [0.05, 0.5])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("how", ["as in the file", "oiled", "oiled, 12 bits, 0.2 %", "oiled, at the end", "few ticks"])
def test_each_fault_of_the_pressures_is_named_however_slowly_the_supply_settles(
    table: Any, how: str, fault: str, rise_s: float
) -> None:
    rig = table(**{"twin.supply.rise_s": rise_s}, **HEALTHY[how])
    rig.run(0.1)
    spoil(rig, fault)
    rig.run(0.1)
    armed(rig)
    assert (Trip(rig.trip), rig.law.guard.trip_sensor) == FAULTS[fault]


# --- the fit alone


def fitted(a: Any, p: Any, way: Any = None, dt_s: float = 1e-3, drift: Any = 0.0) -> float:
    """The signed correlation that the fit finds for chamber A."""
    n = len(a)
    way = np.where(np.arange(n) < n // 2, 1.0, -1.0) if way is None else way
    fit, value = np.zeros(1, FIT)[0], np.zeros(COUNT)
    value[PRESSURE_A] = value[PRESSURE_B] = 2e6
    rt_fit_begin(value, fit)
    for k in range(n):
        value[PRESSURE_A] = 2e6 + p[k] + (drift[k] if np.ndim(drift) else drift)
        rt_fit_add(a[k], way[k], 5e-3, dt_s, value, fit)
    rt_fit_count(fit)
    rt_fit_judge(fit)
    return float(fit.found[0]) / float(fit.bound)


def wave(n: int) -> Any:
    """An acceleration as in the bumps: rings after each step of the valve."""
    t = np.arange(n) * 1e-3
    ring = np.exp(-t / 0.03) * np.sin(2 * np.pi * 44 * t)
    turned = np.zeros(n)
    turned[n // 2 :] = ring[: n - n // 2]
    return ring - 2 * turned


def test_a_pressure_of_noise_alone_is_dead() -> None:
    chance = np.random.default_rng(1)
    worst = max(abs(fitted(wave(n), 50e3 * chance.standard_normal(n))) for n in (16, 120, 300) for _ in range(100))
    assert worst < 1.0


@pytest.mark.parametrize("ticks", [0, 3, 8, 300])
def test_a_pressure_that_never_changes_is_dead_however_few_the_ticks(ticks: int) -> None:
    assert fitted(wave(ticks), np.zeros(ticks)) == 0.0


def test_a_pressure_that_only_drifts_is_dead() -> None:
    t = np.arange(300) * 1e-3
    assert abs(fitted(wave(300), 1e6 * t - 2e6 * t**2)) < 1.0
    chance = np.random.default_rng(2)
    assert abs(fitted(wave(300), 25e3 * chance.standard_normal(300), drift=3e5 * np.exp(-t / 0.3))) < 1.0


@pytest.mark.parametrize("friction", [0.0, 1.0])
@pytest.mark.parametrize("gain", [1.0, -1.0])
def test_motion_is_seen_with_and_without_friction_and_under_a_drift_ten_times_as_large(
    friction: float, gain: float
) -> None:
    a = wave(300)
    t = np.arange(300) * 1e-3
    way = np.where(np.arange(300) < 150, 1.0, -1.0)
    p = gain * (60e3 * a + 0.5e6 * friction * way) + 20e3 * np.random.default_rng(3).standard_normal(300)
    assert gain * fitted(a, p, drift=6e5 * np.exp(-t / 0.2)) > 2.0
