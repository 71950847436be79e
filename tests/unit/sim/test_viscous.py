"""Friction that is infinitely steep at rest: a power of the speed below one. The twin stops its step where v = 0."""

import numpy as np
import pytest

EXACT = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5}
T = np.arange(1, 501) * 1e-3
COURSES = {
    "slow": 0.02 * np.sin(2 * np.pi * T),
    "stop and go": 0.05 * np.sin(4 * np.pi * T) * (T < 0.25),
    "rough": np.random.default_rng(1).normal(0, 0.1, len(T)),
}


@pytest.fixture
def run(make_rig):
    def speeds(friction, course, substep_s):
        rig = make_rig(friction, valve=EXACT, cylinder={"position_m": -0.02}, substep_s=substep_s)
        return rig.ready().run(COURSES[course])

    return speeds


POWERS = [(1000, 0.1, 2e-4), (3000, 0.5, 1e-5), (3251, 1.0, 5e-7), (3000, 2.0, 5e-7)]


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize(("fv", "dv", "measured"), POWERS)
def test_50_us_are_as_good_as_1_us(run, course, fv, dv, measured):
    friction = {"model": "viscous", "fv": fv, "dv": dv}
    fine = run(friction, course, 1e-6)
    assert np.max(np.abs(run(friction, course, 50e-6) - fine)) < measured * np.max(np.abs(fine))


def test_what_brings_a_mass_to_rest_in_finite_time_leaves_it_at_rest(run):
    speeds = run({"model": "viscous", "fv": 1000, "dv": 0.1}, "stop and go", 50e-6)
    assert np.max(np.abs(speeds[:200])) > 0.05
    assert np.max(np.abs(speeds[-50:])) < 1e-6  # a step thrown back at zero rattles at 5e-6


@pytest.mark.parametrize("dv", [0.1, 0.3, 0.7])
def test_however_strong_it_is_the_twin_neither_refuses_nor_diverges(run, dv):
    speeds = run({"model": "viscous", "fv": 20_000, "dv": dv}, "rough", 50e-6)
    assert np.all(np.isfinite(speeds))
    assert np.max(np.abs(speeds)) < 0.3
