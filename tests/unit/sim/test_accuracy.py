"""The twin's integration against scipy's: high order, tight errors, every start and stop located.

Errors are relative to the greatest speed. Bounds are those that are promised (1e-5 for Karnopp at 50 µs; 1e-4, 5e-4 and
5e-5 for LuGre), and beside them what was measured when this was written, with room of about ten: there a loss of order
shows.
"""

import numpy as np
import pytest

EXACT = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5}
CURVE = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}


def commands(name: str, count: int) -> np.ndarray:
    t = np.arange(1, count + 1) * 1e-3
    return {
        "reversals": 0.15 * np.sin(2 * np.pi * 2 * t),
        "slow": 0.02 * np.sin(2 * np.pi * t),
        "fast": 0.55 * np.sin(2 * np.pi * 4 * t),
        "rough": np.random.default_rng(1).normal(0, 0.1, count),
    }[name]


def start(make_rig, friction, substep_s):
    return make_rig(friction, valve=EXACT, cylinder={"position_m": -0.02}, substep_s=substep_s).ready()


def run(rig, u):
    """The speeds at the ends of the periods in which each command acts."""
    rig.own.valve_command = u[0]
    return rig.run(np.append(u[1:], 0))


@pytest.mark.parametrize(("course", "measured"), [("reversals", 3e-9), ("slow", 6e-9), ("fast", 2e-9), ("rough", 5e-7)])
def test_karnopp_through_reversals_and_sticking_at_50_us(make_rig, make_exact, course, measured):
    u = commands(course, 700)
    rig = start(make_rig, {"model": "karnopp", **CURVE}, 50e-6)
    exact = make_exact(rig)
    true = exact.run(u, exact.sliding_tick)
    ours = run(rig, u)
    assert np.any(true == 0), "the course must stick"
    assert np.min(true) * np.max(true) < 0, "and reverse"
    error = np.max(np.abs(ours - true)) / np.max(np.abs(true))
    assert error < measured < 1e-5
    assert np.array_equal(ours == 0, true == 0)


@pytest.mark.parametrize(
    ("s0", "s1", "vd", "promised", "measured"),
    [
        (1e8, 1e5, 0.1, {20e-6: 1e-4, 5e-6: 5e-5}, {50e-6: 1e-4, 20e-6: 2e-5, 5e-6: 2e-6}),
        (3e8, 2e5, 0.07, {20e-6: 5e-4, 5e-6: 5e-5}, {50e-6: 2e-4, 20e-6: 4e-5, 5e-6: 3e-6}),
    ],
)
def test_lugre_keeps_its_errors_small_and_its_order(make_rig, make_exact, s0, s1, vd, promised, measured):
    friction = {"model": "lugre", **CURVE, "s0": s0, "s1": s1, "vd": vd}
    u = commands("fast", 160)
    exact = make_exact(start(make_rig, friction, 50e-6))
    true = exact.run(u, exact.bristle_tick)
    errors = {}
    for substep_s in measured:
        ours = run(start(make_rig, friction, substep_s), u)
        errors[substep_s] = np.max(np.abs(ours - true)) / np.max(np.abs(true))
    assert np.min(true) < -0.1
    assert np.max(true) > 0.7
    for substep_s, error in errors.items():
        assert error < measured[substep_s] <= promised.get(substep_s, 1)
    assert errors[20e-6] < errors[50e-6] / 3  # second order is 6.25
    assert errors[5e-6] < errors[20e-6] / 8  # and 16


def test_lugre_does_not_diverge_at_50_us_up_to_full_speed(make_rig):
    friction = {"model": "lugre", **CURVE, "s0": 3e8, "s1": 2e5, "vd": 0.07}
    rig = start(make_rig, friction, 50e-6)
    v, z = run(rig, commands("fast", 2000)), rig.plant.z[0]
    assert 0.75 < np.max(np.abs(v)) < 0.9
    assert abs(z) <= 3118 / 3e8


def test_half_the_substep_is_sixteen_times_better_while_it_slides(make_rig, make_exact):
    u = np.full(60, 0.2)
    errors = []
    for substep_s in (1e-3, 5e-4):
        rig = start(make_rig, {"model": "karnopp", **CURVE}, substep_s)
        rig.run([0.2] * 30)
        exact = make_exact(rig)
        exact.direction = 1
        true = exact.run(u, exact.sliding_tick)
        errors.append(np.max(np.abs(run(rig, u) - true)))
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.4)
