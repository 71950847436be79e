"""LuGre's bristles: the exact step, the spring before sliding, passivity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from hilctl.friction import MODELS, STATES, check_friction, step_of
from hilctl.friction.lugre import VD, first_active_speed, rt_bristle_force, rt_deflect
from hilctl.friction.stribeck import rt_level
from hilctl.params import BadValues

TABLE = {"model": "lugre", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251, "s0": 1e8, "s1": 1e5}
LAW = check_friction(TABLE)
P = LAW.packed()
rt_lugre = step_of(MODELS["lugre"])


@given(st.floats(-1, 1), st.floats(-3e-5, 3e-5), st.floats(1e-7, 1e-2), st.integers(2, 20))
def test_one_step_is_as_good_as_many_at_constant_speed(v, z, dt, parts):
    one, many = rt_deflect(P, z, v, dt), z
    for _ in range(parts):
        many = rt_deflect(P, many, v, dt / parts)
    assert one == pytest.approx(many, abs=1e-18, rel=1e-9)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=50), st.floats(1e-6, 1e-2))
def test_the_deflection_stays_within_what_breakaway_allows_however_long_the_step(speeds, dt):
    z = np.zeros(STATES)
    for v in speeds:
        assert math.isfinite(rt_lugre(P, z, v, dt))
        assert abs(z[0]) <= 3118 / 1e8 * (1 + 1e-12)


def test_before_sliding_it_is_a_spring_of_stiffness_s0():
    z, dt, v = np.zeros(STATES), 1e-5, 1e-4
    for _ in range(100):
        force = rt_lugre(P, z, v, dt)
    moved = 100 * dt * v
    assert (force - (1e5 + 3251) * v) / moved == pytest.approx(1e8, rel=0.02)


def least_dissipation(p):
    """Over speeds and deflections: what friction takes from the motion beyond what it stores in its bristles, in W."""
    least = math.inf
    for v in np.geomspace(1e-3, 1, 300):
        for z in np.linspace(-3118 / 1e8, 3118 / 1e8, 301):
            rate = v - 1e8 * v / rt_level(p, 0, v) * z
            least = min(least, rt_bristle_force(p, z, v) * v - 1e8 * z * rate)
    return least


def test_with_falling_damping_it_never_gives_back_more_than_its_bristles_hold():
    assert least_dissipation(P) >= 0
    constant = P.copy()
    constant[VD] = 100.0
    assert least_dissipation(constant) < -1  # the reason why the damping falls


def test_the_passivity_limit_is_found_where_a_constant_damping_breaks_it():
    assert first_active_speed(check_friction({**TABLE, "vd": 0.12}).params) is None
    with pytest.raises(BadValues, match=r"friction\.vd: 0\.2 refused, the model feeds energy back at 0\.09"):
        check_friction({**TABLE, "vd": 0.2})
    stiffer = {**TABLE, "s0": 3e8, "s1": 2e5}
    with pytest.raises(BadValues):
        check_friction({**stiffer, "vd": 0.1})
    check_friction({**stiffer, "vd": 0.07})


CONSTANT = {**TABLE, "vd": 100}  # a bristle damping that does not fall with the speed


def test_a_constant_damping_is_passive_up_to_82_mm_s_and_not_beyond():
    with pytest.raises(BadValues, match=r"friction\.vd: 100\.0 refused, the model feeds energy back at 0\.08"):
        check_friction(CONSTANT)
    with pytest.raises(BadValues):
        check_friction({**CONSTANT, "passive_to": 0.083})
    p = check_friction({**CONSTANT, "passive_to": 0.081}).packed()

    def margin(v: float) -> float:
        return 4 * (1e5 + 3251) / 1e10 - v / rt_level(p, 0, v)

    low, high = 0.01, 0.2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if margin(middle) > 0 else (low, middle)
    assert low == pytest.approx(0.082, abs=5e-4)


@pytest.mark.parametrize("vd", [100.0, 0.1])
@pytest.mark.parametrize("speed", [lambda t: 0.02 + 0 * t, lambda t: 0.05 * np.sin(200 * t)], ids=["constant", "sine"])
def test_it_solves_the_equation_as_a_stiff_solver_does(vd, speed):
    p = check_friction({**TABLE, "vd": vd, "passive_to": 0.08}).packed()
    end = 0.02

    def bend(t, z):
        v = speed(t)
        return v - 1e8 * abs(v) / (287 + 2831 * np.exp(-((v / 0.115) ** 2))) * z

    true = solve_ivp(bend, (0, end), [0.0], "Radau", rtol=1e-11, atol=1e-17, max_step=2e-5).y[0, -1]
    z, steps = 0.0, 20_000
    for i in range(steps):
        z = rt_deflect(p, z, float(speed((i + 0.5) * end / steps)), end / steps)
    assert z == pytest.approx(true, rel=1e-8)
    v = float(speed(end))
    force = 1e8 * true + 1e5 * math.exp(-((v / vd) ** 2)) * bend(end, true) + 3251 * v
    assert rt_bristle_force(p, z, v) == pytest.approx(force, rel=1e-6)
