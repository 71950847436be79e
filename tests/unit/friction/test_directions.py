"""One parameter set a direction, through every law without bristles that there is; with them: test_sides.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.friction import MODELS, STATES, Kind, check_friction, linear_models, rt_friction, rt_steady
from hilctl.friction.directions import rt_side
from hilctl.params import fields_of, leaves

LEVEL, SLOPE = st.floats(0, 5e3), st.floats(0, 5e3)
SHAPE, SPEED, POWER = st.floats(0.3, 4), st.floats(1e-3, 1), st.floats(0.1, 3)


@st.composite
def ordered(draw, low, high, **others):
    """Two levels, the second not below the first, and the rest of a set."""
    least = draw(LEVEL)
    return {low: least, high: least + draw(LEVEL), **{key: draw(value) for key, value in others.items()}}


CURVE = ordered("fc", "fs", vs=SPEED, sigma=SLOPE, delta=SHAPE)
SETS = {
    "stribeck": CURVE,
    "karnopp": CURVE,
    "coulomb": st.fixed_dictionaries({"fc": LEVEL}),
    "viscous": st.fixed_dictionaries({"fv": SLOPE, "dv": POWER}),
    "static": ordered("fc", "fs", fv=SLOPE, dv=POWER),
    "tanh": CURVE,
    "breakaway": ordered("fc", "fbrk", vbrk=SPEED, sigma=SLOPE),
    "breakaway-rotational": ordered("tc", "tbrk", wbrk=SPEED, sigma=SLOPE),
}
FASTER = st.floats(1e-3, 5)  # beyond Karnopp's zone
ALL = pytest.mark.parametrize("model", SETS)


def law(model, one, other=None):
    return check_friction({"model": model, **one, "negative": other or {}}, joint=True)


def felt(friction, v):
    return rt_friction(friction.code, friction.packed(), np.zeros(STATES), v, 1e-3)


def test_every_law_with_two_directions_is_covered_here():
    sided = {n for n, m in MODELS.items() if any(f.name == "negative" for f in fields_of(m.Params))}
    assert set(SETS) == {name for name in sided if MODELS[name].kind != Kind.BRISTLES}


def test_the_second_set_begins_behind_the_first():
    assert [rt_side(d, 5) for d in (1.0, 0.3, 0.0, -0.0, -0.3, -1.0)] == [0, 0, 0, 0, 5, 5]


@ALL
@given(data=st.data())
def test_each_direction_feels_a_symmetric_law_with_its_own_set(model, data):
    one, other, v = data.draw(SETS[model]), data.draw(SETS[model]), data.draw(FASTER)
    both = law(model, one, other)
    assert both.steady(v) == law(model, one).steady(v)
    assert both.steady(-v) == -law(model, other).steady(v)
    assert felt(both, v) == pytest.approx(both.steady(v), rel=1e-14)
    assert felt(both, -v) == pytest.approx(both.steady(-v), rel=1e-14)


@ALL
@given(data=st.data())
def test_with_one_set_it_is_odd_and_never_drives_the_motion(model, data):
    alike, v = law(model, data.draw(SETS[model])), data.draw(FASTER)
    assert alike.steady(-v) == -alike.steady(v)
    assert alike.steady(v) * v >= 0


@ALL
@given(data=st.data())
def test_with_two_sets_it_never_drives_the_motion(model, data):
    both, v = law(model, data.draw(SETS[model]), data.draw(SETS[model])), data.draw(st.floats(-5, 5))
    assert both.steady(v) * v >= 0
    assert felt(both, v) * v >= 0


@ALL
def test_what_the_negative_set_leaves_out_is_as_in_the_positive(model):
    one = dict(MODELS[model].typical)
    forward = law(model, one)
    paths = [leaf.path for leaf in leaves(MODELS[model].Params)]
    for key in [path.removeprefix("negative.") for path in paths if path.startswith("negative.")]:
        value = getattr(forward.params, key)
        changed = law(model, one, {key: value * 1.01 or 1.0})
        assert changed.steady(0.013) == forward.steady(0.013)
        assert changed.steady(-0.013) == -law(model, {**one, key: value * 1.01 or 1.0}).steady(0.013)


@ALL
def test_the_set_at_rest_is_that_of_the_push(model):
    part, friction = MODELS[model], law(model, MODELS[model].typical)
    if part.kind != Kind.JUMPS or part.hold is None:
        assert friction.steady(0.0) == 0.0
        return
    key = {"coulomb": "fc", "viscous": None}.get(model, "fs")
    other = law(model, part.typical, {key: 5000.0} if key else {})
    assert part.hold(other.packed(), 1.0) == part.hold(friction.packed(), -1.0)
    assert part.hold(other.packed(), -1.0) == (5000.0 if key else 0.0)


@ALL
def test_a_direction_between_the_signs_crosses_zero_without_a_jump(model):
    """What a feed-forward needs, which smooths the sign of its reference."""
    other = {key: value * 0.9 for key, value in MODELS[model].typical.items() if key not in ("a", "dv")}
    friction = law(model, MODELS[model].typical, other)
    p, v = friction.packed(), np.linspace(-2e-3, 2e-3, 4001)
    force = np.array([rt_steady(friction.code, p, math.tanh(s / 3e-4), s) for s in v])
    assert force[2000] == 0
    assert np.abs(np.diff(force)).max() < 0.02 * np.abs(force).max()
    assert np.all(force * v >= 0)


@pytest.mark.parametrize("model", sorted(m for m in linear_models() if MODELS[m].kind != Kind.SMOOTH))
def test_a_law_knows_by_how_much_it_jumps_at_a_reversal(model):
    law = MODELS[model]
    friction = check_friction({"model": model, **law.typical})
    near = friction.curve(np.array([1e-12, -1e-12]))
    expected = near[0] - near[1] if law.kind == Kind.JUMPS else 0.0
    assert friction.params.jump == pytest.approx(expected, abs=1e-6)
