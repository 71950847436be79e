"""The friction that a linear design sees at rest is the derivative of the law's own step there, whichever law it is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl import rig as rigs
from hilctl.design.loop import Plant, gains_of, margins, open_loop, peak_of, rubbing, with_mode
from hilctl.design.resting import BREAKS_M, at_rest, cases, harmonic
from hilctl.friction import MODELS, STATES, check_friction, linear_models, rt_friction
from hilctl.rt.jit import jit

RIG = rigs.load("table-500")
MACHINE = RIG.tables.machine
V = 1e-7  # m/s: far below every speed at which a law bends, far above its rounding
MORE = {
    "lugre": [{"s0": 3e7, "s1": 5e4}, {"s1": 0.0}],
    "gms": [{"elements": 10}, {"s0": None, "alpha": [0.3, 0.7], "k": [4e7, 2e6]}],
    "dahl": [{"alpha": 0.0}, {"alpha": 2.5, "sigma": 0.0}],
    "bliman-sorine-2": [{"eta": 0.7}],
    "armstrong": [{"tauL": 0.0, "kt": 1e6}],
    "tanh": [{"a": 300.0}, {"negative": {"fs": 5000.0, "sigma": 10.0}}],
    "breakaway": [{"vbrk": 0.001}, {"negative": {"fc": 100.0}}],
    "viscous": [{"fv": 200.0, "negative": {"fv": 900.0}}, {"dv": 2.0}],
    "stribeck": [{"fc": 0.0, "fs": 0.0}, {"fc": 0.0, "fs": 0.0, "negative": {"sigma": 50.0}}],
    "static": [{"fc": 0.0, "fs": 0.0}],
}
LAWS = [(name, {}) for name in linear_models()] + [(name, one) for name, more in MORE.items() for one in more]


@jit()
def rt_steps(code, p, speeds, step_s, out):
    """The force after one step from rest at each of these speeds, every one with nothing bent."""
    for i in range(speeds.size):
        out[i] = rt_friction(code, p, np.zeros(STATES), speeds[i], step_s)


def law_of(name, changes):
    table = {"model": name, **MODELS[name].typical, **changes}
    return check_friction({key: value for key, value in table.items() if value is not None})


def slope_of(friction, step_s):
    """dF/dv of a step from rest, across zero."""
    out = np.zeros(2)
    rt_steps(friction.code, friction.packed(), np.array([-V, V]), step_s, out)
    return (out[1] - out[0]) / (2 * V)


@pytest.mark.parametrize(("name", "changes"), LAWS)
def test_what_is_linear_at_rest_is_the_derivative_of_the_laws_step(name, changes):
    """A step at a speed v goes v dt far: dF/dv = damping + spring dt."""
    friction = law_of(name, changes)
    rest = at_rest(friction)
    if rest.held_n[1] > 0:
        hold, p = MODELS[name].hold, friction.packed()
        assert rest.held_n == tuple(sorted((hold(p, -1.0), hold(p, 1.0))))
        return
    for step_s in (1e-9, 1e-5, 1e-3, 2e-2):
        assert slope_of(friction, step_s) == pytest.approx(rest.slope + rest.spring * step_s, rel=2e-3, abs=1e-3)


def test_a_slope_without_end_at_rest_is_no_case():
    friction = law_of("viscous", {"dv": 0.5})
    assert at_rest(friction).slope == math.inf
    assert [case.where for case in cases(MACHINE, friction)] == ["", "friction falling"]


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["lugre", "gms", "dahl", "bliman-sorine-1", "bliman-sorine-2", "armstrong"]),
       st.floats(50.0, 1500.0))  # fmt: skip
def test_small_swings_find_the_same_and_large_ones_give_way_and_are_damped(name, w):
    friction = law_of(name, {})
    rest, reach = at_rest(friction), friction.params.reach
    spring, slope = harmonic(friction, 1e-5 * reach, w)
    assert spring == pytest.approx(rest.spring, rel=1e-3)
    assert slope == pytest.approx(rest.slope, rel=1e-3, abs=1e-3 * rest.spring / w)
    weaker, more = harmonic(friction, reach, w)
    assert weaker < 0.9 * rest.spring
    assert more > friction.params.viscous


def test_a_spring_and_a_dashpot_are_found_in_a_swing_as_they_are():
    friction = law_of("dahl", {"alpha": 0.0, "s0": 2e6, "sigma": 700.0})
    spring, slope = harmonic(friction, 0.5 * friction.params.reach, 300.0)
    assert (spring, slope) == (pytest.approx(2e6, rel=1e-9), pytest.approx(700.0, rel=1e-6))


def test_a_law_that_holds_gets_springs_that_break_away_where_seals_do():
    found = {plant.where: plant for plant in rubbing(MACHINE, RIG.friction)}
    assert list(found) == ["", "friction falling", "in soft pre-sliding", "in stiff pre-sliding"]
    assert found["in stiff pre-sliding"].spring * BREAKS_M["stiff"] == pytest.approx(3118)
    assert found["in soft pre-sliding"].slope == found[""].slope == 3251
    assert found["friction falling"].slope == pytest.approx(-17863, rel=1e-3)


def test_bristles_bring_their_own_spring_and_damping():
    column = rigs.load("column-50")
    stands = rubbing(column.tables.machine, column.friction)[2]
    assert (stands.where, stands.spring, stands.slope) == ("in pre-sliding", 1.5e7, 4450.0)
    assert margins(column.controller, column.friction, column.dt_s).good


def test_a_peak_of_little_damping_does_not_fall_between_two_frequencies():
    plant, gains = Plant(MACHINE, 300.0, 1e8), gains_of(RIG.controller, "three_state")

    def peak(w):
        return peak_of(open_loop(plant, RIG.controller, RIG.dt_s, "three_state", w), gains)

    few = np.geomspace(1.0, 3000.0, 100)
    dense = peak(np.geomspace(1.0, 3000.0, 20_000))
    assert peak(few) < 0.9 * dense
    assert peak(with_mode(few, plant, RIG.dt_s)) == pytest.approx(dense, rel=0.02)
    assert len(with_mode(few, Plant(MACHINE, 8e6, 0.0), RIG.dt_s)) == len(with_mode(few, plant, RIG.dt_s))
