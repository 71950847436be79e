"""What every law with a state promises to whoever holds a speed over a step."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.friction import MODELS, STATES, Kind, check_friction, step_of
from hilctl.rt.jit import jit

BRISTLES = [name for name, model in MODELS.items() if model.kind == Kind.BRISTLES]
PASSIVE = ["lugre", "dahl", "bliman-sorine-1", "bliman-sorine-2", "armstrong"]
PATH_ONLY = ["dahl", "bliman-sorine-1", "bliman-sorine-2"]
STIFFEST = {
    "lugre": {"s0": 1e12, "s1": 0},
    "gms": {"s0": 1e12},
    "dahl": {"s0": 1e12, "alpha": 0.5},
    "bliman-sorine-1": {"eps": 1e-9},
    "bliman-sorine-2": {"eps": 1e-9},
    "armstrong": {"kt": 1e12},
}


def packed(name, **changes):
    return check_friction({"model": name, **MODELS[name].typical, **changes}).packed()


@cache
def running(name):
    """The law over many steps, and the work done on it in each, by Simpson's rule in four parts."""
    law, force = step_of(MODELS[name]), MODELS[name].force

    @jit()
    def run(p, z, v, dt, out, work):
        for i in range(v.size):
            part, h, begin = 0.0, dt[i] / 4, force(p, z, v[i])
            for k in range(4):
                out[i] = law(p, z, v[i], h)
                part += (4.0 if k % 2 == 0 else 2.0) * out[i]
            work[i] = (begin + part - out[i]) / 3 * h * v[i]

    return run


def run(name, p, v, dt, z=None):
    out, work = np.zeros(len(v)), np.zeros(len(v))
    z = np.zeros(STATES) if z is None else z
    running(name)(p, z, np.asarray(v, float), np.broadcast_to(np.asarray(dt, float), len(v)).copy(), out, work)
    return out, work


@pytest.mark.parametrize("name", BRISTLES)
def test_a_speed_that_is_no_number_gives_none_and_leaves_the_state(name):
    p, z = packed(name), np.zeros(STATES)
    run(name, p, [0.1, -0.002, 0.3], 1e-3, z)
    before = z.copy()
    out, _ = run(name, p, [math.nan, math.inf, -math.inf], 1e-3, z)
    assert np.all(np.isnan(out))
    assert np.array_equal(z, before)


@pytest.mark.parametrize("name", BRISTLES)
def test_no_step_is_too_long_and_no_spring_too_stiff(name):
    p = packed(name, **STIFFEST[name])
    rng = np.random.default_rng(3)
    v = rng.choice([-1, 1], 400) * 10.0 ** rng.uniform(-12, 1, 400)
    v[::7] = 0
    for dt in (1e-9, 5e-5, 1e-3, 1.0, 1e4):
        out, _ = run(name, p, v, dt)
        assert np.all(np.abs(out - p_viscous(name) * v) <= 7400)  # f1 + f2, the greatest level of them all


def p_viscous(name):
    return check_friction({"model": name, **MODELS[name].typical}).params.viscous


@pytest.mark.parametrize("name", PASSIVE)
@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(1e-6, 1e-2)), max_size=8),
    st.floats(-1, 1), st.floats(1e-6, 1e-2), st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
)  # fmt: skip
def test_one_step_is_as_good_as_many_at_a_constant_speed(name, past, v, dt, parts):
    p, one = packed(name), np.zeros(STATES)
    run(name, p, [speed for speed, _ in past], [held for _, held in past], one)
    many = one.copy()
    whole, _ = run(name, p, [v], dt, one)
    in_parts, _ = run(name, p, [v] * len(parts), dt * np.array(parts) / sum(parts), many)
    assert in_parts[-1] == pytest.approx(whole[-1], rel=1e-9, abs=1e-6)
    assert many == pytest.approx(one, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("name", PATH_ONLY)
def test_the_force_depends_on_the_path_and_not_on_how_fast_it_is_passed(name):
    p = packed(name, sigma=0)
    rng = np.random.default_rng(5)
    moves = rng.normal(0, 2e-5, 300)
    slow, _ = run(name, p, np.sign(moves) * 1e-4, np.abs(moves) / 1e-4)
    speeds = 10.0 ** rng.uniform(-6, 1, 300)
    assert run(name, p, np.sign(moves) * speeds, np.abs(moves) / speeds)[0] == pytest.approx(slow, rel=1e-10, abs=1e-7)


@pytest.mark.parametrize("name", PASSIVE)
@pytest.mark.parametrize("sizes", [(1e-7, 1e-5), (1e-6, 1e-3)])
def test_it_gives_back_no_more_than_it_was_given(name, sizes):
    p = packed(name, **({} if name == "lugre" else {"fv" if name == "armstrong" else "sigma": 0}))
    rng = np.random.default_rng(7)
    amount = np.repeat(10.0 ** rng.uniform(*np.log10(sizes), 200), 200)
    v = np.repeat(rng.normal(0, 0.05, 200) * rng.choice([0.001, 0.1, 1], 200), 200)
    _, work = run(name, p, v, amount / 200 / np.maximum(np.abs(v), 1e-6))
    balance = np.cumsum(work)
    assert np.min(balance) > -1e-6 * balance[-1]
    assert balance[-1] > 0


@pytest.mark.parametrize("name", PASSIVE)
@pytest.mark.parametrize("amplitude", [3e-6, 3e-5, 3e-3])
def test_every_closed_cycle_costs_energy(name, amplitude):
    p, n, hz = packed(name), 4000, 2.0
    t = (np.arange(3 * n) + 0.5) / n / hz
    _, work = run(name, p, 2 * np.pi * hz * amplitude * np.cos(2 * np.pi * hz * t), 1 / n / hz)
    assert np.sum(work[-n:]) > 0
