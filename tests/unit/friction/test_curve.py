"""The curve of the reference rig (Table 1 of the paper), through every model that has it."""

import numpy as np
import pytest

from hilctl.friction import MODELS, STATES, check_friction, rt_friction

CURVE = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
TABLES = {
    "stribeck": CURVE,
    "karnopp": CURVE,
    "lugre": {**CURVE, "s0": 1e8, "s1": 1e5},
    "gms": {**CURVE, "s0": 1e8, "elements": 10},
    "coulomb": {"fc": 287},
    "viscous": {"fv": 3251},
    "static": {"fc": 287, "fs": 3118, "fv": 3251},
    "tanh": {**CURVE, "a": 1e5},
    "breakaway": {"fbrk": 3118, "fc": 287, "vbrk": 0.01, "sigma": 3251},
    "breakaway-rotational": {"tbrk": 3118, "tc": 287, "wbrk": 0.01, "sigma": 3251},
    "armstrong": {"fc": 287, "fv": 3251, "dfsa": 2831, "dfsinf": 2831, "vs": 0.115, "gamma": 1, "tauL": 0, "kt": 1e8},
    "dahl": {"fc": 287, "sigma": 3251, "s0": 1e7},
    "bliman-sorine-1": {"fc": 287, "sigma": 3251, "eps": 3e-5},
    "bliman-sorine-2": {"f1": 3800, "f2": 3513, "sigma": 3251, "eta": 0.3, "eps": 3e-5},
}
# What steady motion feels at these speeds: the paper's curve, and that of models that have another one.
PAPERS = {0.001: 3121, 0.32: 1329, 0.8: 2888}
COULOMB = {0.001: 290.25, 0.32: 287 + 1040.32, 0.8: 287 + 2600.8}
PEAK = {0.01: 3118 + 32.51, 0.32: 287 + 1040.32, 0.8: 287 + 2600.8}
OWN = {
    "coulomb": {0.001: 287, 0.32: 287, 0.8: 287},
    "viscous": {0.001: 3.251, 0.32: 1040.32, 0.8: 2600.8},
    "static": COULOMB,
    "armstrong": {0.001: 3121.04, 0.32: 287 + 323.80 + 1040.32, 0.8: 287 + 57.32 + 2600.8},
    "dahl": COULOMB,
    "bliman-sorine-1": COULOMB,
    "bliman-sorine-2": COULOMB,
    "breakaway": PEAK,
    "breakaway-rotational": PEAK,
}


def friction(model: str, **changes: float):
    return check_friction({"model": model, **TABLES[model], **changes}, joint=True)


def test_every_model_is_covered_here():
    assert set(TABLES) == set(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_a_steady_motion_feels_the_papers_friction_or_the_models_own_in_both_directions(model):
    law = friction(model)
    for speed, force in OWN.get(model, PAPERS).items():
        for direction in (1, -1):
            z, p = np.zeros(STATES), law.packed()
            for _ in range(5000):
                felt = rt_friction(law.code, p, z, direction * speed, 1e-4)
            assert felt == pytest.approx(direction * force, abs=0.6)
            assert law.steady(direction * speed) == pytest.approx(felt, rel=1e-6)


def test_the_falling_branch_has_its_ends_its_minimum_and_its_steepest_slope_where_it_should():
    law = friction("stribeck")
    v = np.linspace(1e-3, 0.4, 4000)
    f = np.array([law.steady(x) for x in v])
    slope = np.gradient(f, v)
    falling = v[slope < 0]
    assert falling[0] == pytest.approx(0.0076, abs=2e-4)
    assert falling[-1] == pytest.approx(0.209, abs=1e-3)
    assert v[np.argmin(slope)] == pytest.approx(0.0813, abs=1e-3)
    assert slope.min() == pytest.approx(-17865, rel=1e-3)
    assert f[v > 0.1].min() == pytest.approx(1071, abs=1)


@pytest.mark.parametrize("delta", [0.5, 1.0, 1.7, 2.0])
def test_the_shape_exponent_is_followed(delta):
    law = friction("stribeck", delta=delta)
    for v in (0.01, 0.115, 0.3):
        expected = 287 + (3118 - 287) * np.exp(-((v / 0.115) ** delta)) + 3251 * v
        assert law.steady(v) == pytest.approx(expected, rel=1e-12)


def test_at_rest_karnopp_holds_what_is_applied_up_to_breakaway():
    law = friction("karnopp", v0=1e-4)
    z = np.zeros(STATES)
    for applied, held in ((0.0, 0.0), (1500.0, 1500.0), (-1500.0, -1500.0), (9000.0, 3118.0), (-9000.0, -3118.0)):
        z[0] = applied
        assert rt_friction(law.code, law.packed(), z, 5e-5, 1e-3) == held
    z[0] = 100.0
    assert rt_friction(law.code, law.packed(), z, 2e-4, 1e-3) == pytest.approx(3118, abs=2)


def test_an_unknown_code_gives_no_number():
    assert np.isnan(rt_friction(999, np.zeros(32), np.zeros(STATES), 0.1, 1e-3))
