"""What the simulated machine must do with any integrator: balances, limits, and the figures of the reference rig."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from sim.cylinder import rt_stop_force

NONE = {"model": "stribeck", "fc": 0, "fs": 0, "vs": 1, "sigma": 0}
VISCOUS = {**NONE, "sigma": 3251}
EXACT = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5, "null_leakage": 1e-5}
A, VT, BETA, PS, MASS = 3e-3, 8.5e-4, 9e8, 21e6, 500


def ring(make_rig, friction, machine=None, amplitude=0.02, seconds=0.4):
    """Speeds at 10 kHz after a blow to the mass, the valve closed."""
    rig = make_rig(friction, rate_hz=10_000, machine=machine, valve=EXACT).ready()
    rig.plant.v, rig.plant.direction = amplitude, 1.0
    return rig.run([0.0] * int(seconds * 1e4))


def test_the_hydraulic_mode_has_the_frequency_and_damping_of_the_reference_rig(make_rig):
    v = ring(make_rig, VISCOUS)
    t = np.arange(1, len(v) + 1) * 1e-4

    def decaying(t, size, rate, frequency, phase):
        return size * np.exp(-rate * t) * np.cos(frequency * t + phase)

    (_, rate, frequency, _), _ = curve_fit(decaying, t, v, (0.02, 14, 276, 0))
    natural = np.hypot(rate, frequency)
    assert natural / (2 * np.pi) == pytest.approx(43.9, abs=0.1)
    assert rate / natural == pytest.approx(0.038 + 0.012, abs=0.001)


def test_without_leakage_and_friction_no_energy_is_lost(make_rig):
    v = ring(make_rig, NONE, {"Ctc": 0})
    assert np.max(np.abs(v[-300:])) == pytest.approx(0.02, rel=0.01)


def test_a_blow_to_the_mass_against_closed_chambers_keeps_the_oil(make_rig):
    rig = make_rig(NONE, rate_hz=10_000, machine={"Ctc": 0}, valve=EXACT).ready()
    rig.plant.v, rig.plant.direction = 0.3, 1.0
    seen = rig.run([0.0] * 200, lambda own: (own.plant.x, own.plant.pa, own.plant.pb))
    x, pa, pb = seen.T
    assert np.ptp(x) > 1e-3
    # p = p0 - beta ln(V / V0) for a fixed amount of oil
    for pressure, volume in ((pa, VT / 2 + A * x), (pb, VT / 2 - A * x)):
        assert np.max(np.abs(pressure - (PS / 2 - BETA * np.log(volume / (VT / 2))))) < 2e-3 * np.ptp(pressure)


def test_the_oil_column_is_as_stiff_as_its_volume_says_and_stiffer_off_centre(make_rig):
    frequency = {}
    for place in (0.0, 0.08):
        rig = make_rig(NONE, rate_hz=10_000, machine={"Ctc": 0}, valve=EXACT, cylinder={"position_m": place}).ready()
        rig.plant.v, rig.plant.direction = 0.01, 1.0
        v = rig.run([0.0] * 5000)
        crossings = np.flatnonzero((v[:-1] < 0) & (v[1:] >= 0))
        at = crossings - v[crossings] / (v[crossings + 1] - v[crossings])
        frequency[place] = (len(at) - 1) / (at[-1] - at[0]) * 1e4
    assert frequency[0.0] == pytest.approx(43.9, abs=0.1)
    assert (frequency[0.08] / frequency[0.0]) ** 2 == pytest.approx(1 / (1 - (0.08 / 0.1417) ** 2), rel=2e-3)


def test_leakage_at_null_fills_both_chambers_until_their_sum_is_the_supply(make_rig):
    rig = make_rig(valve={**EXACT, "null_leakage": 0.01}).ready()
    rig.plant.pa = rig.plant.pb = 2e6
    rig.run([0.0] * 1500)
    assert rig.plant.pa + rig.plant.pb == pytest.approx(PS, rel=1e-3)


def test_the_nominal_flow_pressure_coefficient_is_what_the_valve_has_at_null(make_rig):
    kc = 2e-11
    rig = make_rig(NONE, machine={"Ctc": 0, "Kc": kc}, valve=EXACT).ready()
    rig.plant.pa, rig.plant.pb = PS / 2 + 5e4, PS / 2 - 5e4
    rig.plant.cylinder.per_mass = 0.0  # the table does not move: what leaves the chambers leaves through the valve
    rig.run([0.0])  # one period of decay, time constant Vt / (4 beta Kc)
    expected = 1e5 * np.exp(-4 * BETA * kc / VT * 1e-3)
    assert rig.plant.pa - rig.plant.pb == pytest.approx(expected, rel=1e-4)


def test_the_fully_open_valve_moves_the_free_table_at_its_no_load_speed(make_rig):
    rig = make_rig(NONE, machine={"Ctc": 1e-10}, valve=EXACT, cylinder={"position_m": -0.09}).ready()
    speeds = rig.run([1.0] * 100)
    assert speeds[-1] == pytest.approx(1.5396, rel=3e-4)


def test_friction_is_paid_for_with_load_pressure(make_rig):
    rig = make_rig(valve=EXACT, cylinder={"position_m": -0.08}).ready()
    rig.run([0.22] * 400)
    v = rig.plant.v
    friction = 287 + 2831 * np.exp(-((v / 0.115) ** 2)) + 3251 * v
    assert v > 0.3
    assert A * (rig.plant.pa - rig.plant.pb) == pytest.approx(friction, rel=0.01)


def test_a_hanging_table_sinks_as_fast_as_its_weight_leaks(make_rig):
    rig = make_rig(NONE, machine={"vertical": True, "Ctc": 2e-11}, valve=EXACT).ready()
    assert A * (rig.plant.pa - rig.plant.pb) == pytest.approx(MASS * 9.80665)
    speeds = rig.run([0.0] * 1000)
    pressure = MASS * 9.80665 / A
    assert np.mean(speeds[500:]) == pytest.approx(-2e-11 * pressure / A, rel=0.02)


def test_a_load_spring_pushes_back(make_rig):
    rig = make_rig(NONE, machine={"K": 1e5, "Ctc": 0}, valve=EXACT, cylinder={"position_m": 0.01}).ready()
    assert A * (rig.plant.pa - rig.plant.pb) == pytest.approx(1e3)
    rig.run([0.0] * 100)
    assert rig.plant.x == pytest.approx(0.01, abs=1e-5)


@pytest.mark.parametrize("way", [1, -1])
def test_an_end_stop_holds_the_table_against_the_full_supply(make_rig, way):
    rig = make_rig(valve=EXACT, cylinder={"position_m": 0.05 * way}).ready()
    positions = rig.run([1.0 * way] * 1500, lambda own: own.plant.x) * way
    deepest = A * PS / (MASS * (2 * np.pi * 70) ** 2)
    assert 0.1 < positions[-1] < 0.1 + deepest * 1.02
    assert np.max(positions) < 0.1 + 0.006  # 1.1 m/s against a 70 Hz stop
    assert abs(rig.plant.v) < 1e-6
    assert way * (rig.plant.pa - rig.plant.pb) == pytest.approx(PS, rel=0.01)


def test_an_end_stop_never_pulls(make_rig):
    rig = make_rig(valve=EXACT, cylinder={"position_m": 0.0999}).ready()
    rig.run([0.2] * 200)
    c = rig.plant.cylinder
    assert rt_stop_force(c, 0.1005, 0.0) == pytest.approx(c.stop_stiffness * 5e-4)
    assert rt_stop_force(c, 0.1005, -5.0) == 0.0
    assert rt_stop_force(c, -0.1005, 5.0) == 0.0
    assert rt_stop_force(c, -0.1005, -5.0) < rt_stop_force(c, -0.1005, 0.0) < 0.0
    assert rt_stop_force(c, 0.0999, 5.0) == rt_stop_force(c, -0.0999, -5.0) == 0.0
    left = rig.run([-0.5] * 60, lambda own: own.plant.x)
    assert left[-1] < 0.0999


def test_a_chamber_boils_instead_of_pulling(make_rig):
    rig = make_rig(NONE, valve=EXACT).ready()
    rig.plant.v, rig.plant.direction = 1.5, 1.0
    pressures = rig.run([0.0] * 40, lambda own: (own.plant.pa, own.plant.pb))
    assert pressures.min() == -0.98e5
    assert pressures.max() > 20e6


def test_a_mass_at_rest_stays_at_rest_below_breakaway_and_leaves_above_it(make_rig):
    rig = make_rig(valve=EXACT).ready()
    for share, moves in ((0.98, False), (1.02, True)):
        rig.plant.pa, rig.plant.pb = PS / 2 + share * 3118 / A / 2, PS / 2 - share * 3118 / A / 2
        rig.run([0.0])
        assert (rig.plant.x != 0) == moves


def test_a_droop_takes_pressure_when_flow_is_drawn(make_rig):
    rig = make_rig(valve=EXACT, supply={"droop_pa_s_m3": 1e9}, cylinder={"position_m": -0.09}).ready()
    rig.run([0.3] * 150)
    flow = rig.plant.supply_flow
    assert flow == pytest.approx(A * rig.plant.v, rel=0.05)
    assert rig.plant.ps == pytest.approx(PS - 1e9 * flow, rel=0.01)
