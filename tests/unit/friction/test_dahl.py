"""Dahl's law against closed forms, an integration of its own, and the form that is often printed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from hilctl.friction import STATES, check_friction
from hilctl.friction.dahl import rt_advance, rt_approach, rt_force
from hilctl.params import BadValues

FC, S0 = 287.0, 1e7
K = S0 / FC  # 1/m

# How far the force still is from its level, as a share of it, after a path s from a distance r: by hand for each alpha.
CLOSED = {
    0.0: lambda r, s: max(r - K * s, 0.0),
    0.5: lambda r, s: max(math.sqrt(r) - K * s / 2, 0.0) ** 2,
    1.0: lambda r, s: r * math.exp(-K * s),
    2.0: lambda r, s: r / (1 + K * s * r),
    3.0: lambda r, s: 1 / math.sqrt(1 / r**2 + 2 * K * s),
}


def law(**changes):
    return check_friction({"model": "dahl", "fc": FC, "s0": S0, **changes})


def courses():
    """Speeds held for a while each: ramps, a sine with reversals, and at random."""
    rng = np.random.default_rng(1)
    t = np.arange(200) * 1e-3
    return {
        "ramp": (np.linspace(-0.02, 0.02, 200), np.full(200, 1e-3)),
        "sine": (0.01 * np.sin(2 * np.pi * 20 * t), np.full(200, 1e-3)),
        "random": (rng.normal(0, 0.05, 200), 10.0 ** rng.uniform(-6, -2, 200)),
    }


@pytest.mark.parametrize("alpha", CLOSED)
@pytest.mark.parametrize("course", courses())
def test_it_follows_the_closed_forms(alpha, course):
    p, z, force = law(alpha=alpha).packed(), np.zeros(STATES), 0.0
    for v, dt in zip(*courses()[course], strict=True):
        rt_advance(p, z, v, dt)
        away = 1 - math.copysign(force, force * v) / FC
        force = math.copysign(FC, v) * (1 - CLOSED[alpha](away, abs(v) * dt)) if away > 0 and v else force
        assert z[0] == pytest.approx(force, rel=1e-10, abs=1e-9)
        force = z[0]


@pytest.mark.parametrize("alpha", [0.7, 1.0, 1.0000001, 1.5, 2.7])
def test_it_agrees_with_an_integration_of_the_law_itself(alpha):
    p, z, force = law(alpha=alpha).packed(), np.zeros(STATES), 0.0
    rng = np.random.default_rng(2)
    for move in rng.normal(0, 1e-5, 40):
        way = math.copysign(1, move)
        exact = solve_ivp(
            lambda _, y, way=way: way * S0 * np.abs(1 - y / FC * way) ** alpha * np.sign(1 - y / FC * way),
            (0, abs(move)), [force], method="DOP853", rtol=1e-12, atol=1e-10,
        )  # fmt: skip
        rt_advance(p, z, way * 0.01, abs(move) / 0.01)
        assert z[0] == pytest.approx(exact.y[0, -1], rel=1e-9, abs=1e-7)
        force = z[0]


def test_below_one_it_arrives_after_a_finite_path():
    for alpha in (0.0, 0.3, 0.6):
        path = 1 / ((1 - alpha) * K)
        assert rt_approach(0.0, FC, S0, alpha, 0.999 * path) < FC
        assert rt_approach(0.0, FC, S0, alpha, 1.001 * path) == pytest.approx(FC, rel=1e-15)
        assert rt_approach(0.0, FC, S0, alpha, -1.001 * path) == pytest.approx(-FC, rel=1e-15)


@given(st.floats(0, 10), st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1e4))
def test_the_force_never_leaves_its_range(alpha, share, v, dt):
    after = rt_approach(share * FC, FC, 1e12, alpha, v * dt)
    assert abs(after) <= FC * (1 + 1e-12)
    assert (after - share * FC) * v >= -1e-12


@pytest.mark.parametrize(("alpha", "printed"), [(0.5, math.nan), (1.5, math.nan), (2.0, 1.0)])
def test_beyond_its_level_the_force_comes_back_where_the_form_that_is_printed_fails(alpha, printed):
    force = 1.2 * FC  # as after a set with a smaller fc was adopted
    with np.errstate(invalid="ignore"):
        slope = np.sign(np.float64(1 - force / FC) ** alpha)
    assert np.array_equal(slope, printed, equal_nan=True)  # no number, or away from fc
    nearer = rt_approach(force, FC, S0, alpha, 1e-6)
    assert FC < nearer < force
    assert rt_approach(force, FC, S0, alpha, 1.0) == pytest.approx(FC, rel=1e-2)


def test_at_rest_it_is_a_spring_and_in_steady_sliding_the_coulomb_level_with_the_viscous_part():
    declared = law(sigma=3251, alpha=1.5)
    p, z = declared.packed(), np.zeros(STATES)
    rt_advance(p, z, 1e-9, 1.0)
    assert z[0] / 1e-9 == pytest.approx(declared.params.spring, rel=1e-3)
    for _ in range(1000):
        rt_advance(p, z, -0.1, 1.0)
    assert rt_force(p, z, -0.1) == pytest.approx(declared.steady(-0.1), rel=1e-9)
    assert declared.steady(-0.1) == pytest.approx(-FC - 325.1)


@pytest.mark.parametrize(("key", "value"), [("s0", -1e7), ("fc", 0), ("sigma", -1), ("alpha", -0.5), ("alpha", 11)])
def test_what_cannot_be_is_refused_by_name(key, value):
    with pytest.raises(BadValues, match=rf"friction\.{key}"):
        law(**{key: value})
