"""Simscape's breakaway friction: where its peak is, how steep it is, and the code that was published for it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from hilctl.friction import MODELS, STATES, check_friction, rt_friction
from hilctl.params import BadValues, leaves

NOTE = {"tbrk": 50, "tc": 20, "wbrk": 0.2, "sigma": 0.1}  # the example that was published with the misprinted code


def rotational(**changes):
    return check_friction({"model": "breakaway-rotational", **NOTE, **changes}, joint=True)


def published(w, brk, c, wbrk, f, wst):
    """The code, with the Stribeck speed as an argument."""
    stribeck = math.sqrt(2 * math.exp(1)) * (brk - c) * math.exp(-((w / wst) ** 2)) * w / wst
    return stribeck + c * math.tanh(w / (wbrk / 10)) + f * w


@given(st.floats(-5, 5), st.floats(0, 1e3), st.floats(0, 1e3), st.floats(1e-3, 5), st.floats(0, 1e3))
def test_both_laws_are_simscapes_formula(v, c, more, vbrk, sigma):
    expected = pytest.approx(published(v, c + more, c, vbrk, sigma, vbrk * math.sqrt(2)), rel=1e-10, abs=1e-9)
    straight = check_friction({"model": "breakaway", "fbrk": c + more, "fc": c, "vbrk": vbrk, "sigma": sigma})
    turning = rotational(tbrk=c + more, tc=c, wbrk=vbrk, sigma=sigma)
    for law in (straight, turning):
        assert law.steady(v) == expected
        assert rt_friction(law.code, law.packed(), np.zeros(STATES), v, 1e-3) == expected
    assert straight.steady(v) == turning.steady(v)


@given(st.floats(0, 1e3), st.floats(1, 1e3), st.floats(1e-3, 5))
def test_its_peak_lies_at_the_breakaway_speed_and_is_the_breakaway_force(c, more, vbrk):
    law = check_friction({"model": "breakaway", "fbrk": c + more, "fc": c, "vbrk": vbrk})
    v = vbrk * np.linspace(0.5, 2, 1501)
    force = law.curve(v)
    assert v[np.argmax(force)] == pytest.approx(vbrk, rel=0.03)  # flat there: tanh still rises by a few 1e-9
    assert force.max() == pytest.approx(c + more, rel=1e-7)
    assert law.steady(vbrk) == pytest.approx(c + more, rel=1e-8)


def test_the_published_stribeck_speed_puts_the_peak_at_half_the_speed():
    """The code says wbrk/sqrt(2) where Simscape has wbrk sqrt(2)."""
    wrong = [published(w, 50, 20, 0.2, 0.1, 0.2 / math.sqrt(2)) for w in np.linspace(0.01, 0.6, 5901)]
    assert np.linspace(0.01, 0.6, 5901)[np.argmax(wrong)] == pytest.approx(0.1, abs=5e-3)
    assert published(0.2, 50, 20, 0.2, 0.1, 0.2 / math.sqrt(2)) == pytest.approx(33.4, abs=0.1)
    ours = rotational()
    peak = minimize_scalar(lambda w: -ours.steady(w), (0.1, 0.2, 0.3)).x
    assert peak == pytest.approx(0.2, abs=1e-3)
    assert ours.steady(0.2) == pytest.approx(50 + 0.1 * 0.2, rel=1e-8)


@given(st.floats(0, 1e3), st.floats(0, 1e3), st.floats(1e-3, 5), st.floats(0, 1e4))
def test_no_slope_is_steeper_than_that_at_rest(c, more, vbrk, sigma):
    law = check_friction({"model": "breakaway", "fbrk": c + more, "fc": c, "vbrk": vbrk, "sigma": sigma})
    v = vbrk * np.linspace(-5, 5, 2002)
    slopes = np.diff(law.curve(v)) / np.diff(v)
    assert np.abs(slopes).max() <= law.params.steepest * (1 + 1e-9) + 1e-6
    assert law.steady(1e-7 * vbrk) / (1e-7 * vbrk) == pytest.approx(law.params.steepest, rel=1e-9, abs=1e-9)


def test_the_steeper_direction_bounds_the_slope():
    other = {"vbrk": 0.05, "sigma": 2}
    law = check_friction({"model": "breakaway", "fbrk": 5, "fc": 5, "vbrk": 0.1, "negative": other})
    assert law.params.steepest == pytest.approx(5 / 0.005 + 2)
    assert law.params.viscous == 0


def test_the_rotational_law_is_the_same_function_in_a_joints_units():
    assert MODELS["breakaway"].slip is MODELS["breakaway-rotational"].slip
    units = {leaf.path: leaf.unit for leaf in leaves(MODELS["breakaway-rotational"].Params)}
    assert units["tbrk"] == units["negative.tbrk"] == units["tc"] == "N·m"
    assert (units["wbrk"], units["sigma"]) == ("rad/s", "N·m·s/rad")


def test_a_cylinder_takes_no_torque():
    with pytest.raises(BadValues, match=r"friction\.model: 'breakaway-rotational' refused"):
        check_friction({"model": "breakaway-rotational", **NOTE})


@pytest.mark.parametrize("v", [math.nan, math.inf, -math.inf])
def test_a_speed_that_is_none_gives_a_force_that_is_none(v):
    law = rotational()
    assert math.isnan(rt_friction(law.code, law.packed(), np.zeros(STATES), v, 1e-3))
    assert math.isnan(law.steady(v))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tbrk": 10}, "friction.tbrk: 10.0 refused, must be at least tc = 20 N·m"),
        ({"negative": {"tc": 60}}, "friction.negative.tc: 60.0 refused, must be at most tbrk = 50 N·m"),
        ({"negative": {"tbrk": 5}}, "friction.negative.tbrk: 5.0 refused, must be at least tc = 20 N·m"),
        ({"wbrk": 0}, "friction.wbrk: 0 refused, must be 1e-06 to 1000 rad/s"),
    ],
)
def test_what_makes_no_law_is_refused_with_its_key(changes, said):
    with pytest.raises(BadValues) as refused:
        rotational(**changes)
    assert str(refused.value).startswith(said)


def test_a_breakaway_below_sliding_is_refused_for_a_cylinder_too():
    with pytest.raises(BadValues, match=r"friction\.fbrk: 100\.0 refused, must be at least fc = 287 N"):
        check_friction({"model": "breakaway", "fbrk": 100, "fc": 287, "vbrk": 0.01})
