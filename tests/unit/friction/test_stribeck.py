"""Stribeck's curve and Karnopp's zone: what three papers print of them, and what holds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.friction import STATES, check_friction, rt_friction
from hilctl.params import BadValues, leaves

CURVE = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}


def law(model="stribeck", **changes):
    return check_friction({"model": model, **CURVE, **changes})


def felt(friction, v, applied=0.0):
    z = np.zeros(STATES)
    z[0] = applied
    return rt_friction(friction.code, friction.packed(), z, v, 1e-3)


@given(st.floats(0.3, 4), st.floats(1e-6, 5), st.sampled_from([1, -1]))
def test_it_is_the_falling_level_and_the_viscous_part(delta, speed, way):
    shape = math.exp(delta * math.log(speed / 0.115))
    expected = way * (287 + 2831 * math.exp(-shape) + 3251 * speed)
    assert law(delta=delta).steady(way * speed) == pytest.approx(expected, rel=1e-10)
    assert felt(law(delta=delta), way * speed) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("model", ["stribeck", "karnopp"])
@pytest.mark.parametrize("v", [math.nan, math.inf, -math.inf])
def test_a_speed_that_is_none_gives_a_force_that_is_none(model, v):
    assert not math.isfinite(felt(law(model), v))
    assert not math.isfinite(law(model).steady(v))


@pytest.mark.parametrize(("delta", "at_1_mm_s", "at_320"), [(2, 3121, 1329), (1, 3097, 1503)])
def test_an_exponential_without_its_minus_grows_instead_of_falling(delta, at_1_mm_s, at_320):
    """Two papers print exp((v/vs)^delta)."""

    def printed(v):
        return 287 + 2831 * math.exp((v / 0.115) ** delta) + 3251 * v

    assert law(delta=delta).steady(0.001) == pytest.approx(at_1_mm_s, abs=0.6)
    assert law(delta=delta).steady(0.32) == pytest.approx(at_320, abs=0.6)
    assert printed(0.32) > 30 * at_320
    assert printed(0.8) > 1000 * law(delta=delta).steady(0.8)


def test_the_ratio_of_a_signed_speed_needs_its_magnitude_and_the_force_a_sign():
    """Zhang and Wang print v/vs without either: for negative speeds the level grows, and does not turn round."""
    minus_restored = 287 + 2831 * math.exp(-(-0.32 / 0.115))
    assert minus_restored > 40_000
    assert isinstance((-0.32 / 0.115) ** 1.7, complex)
    for delta in (1.0, 1.7, 2.0):
        assert law(delta=delta).steady(-0.32) == -law(delta=delta).steady(0.32) < 0


def test_the_force_balance_as_printed_holds_for_positive_speeds_only():
    """Ling and Zhu's equations 4 and 5 leave the sign out."""

    def printed(v):
        return 287 + 2831 * math.exp(-((v / 0.115) ** 2)) + 3251 * v

    assert printed(0.32) == pytest.approx(law().steady(0.32), rel=1e-12)
    assert printed(-0.32) == pytest.approx(-752, abs=1)
    assert law().steady(-0.32) == pytest.approx(-1329, abs=1)


def test_the_high_speed_line_meets_the_axis_at_fc():
    """Not at fs, as is printed."""
    v = np.linspace(0.5, 0.8, 20)
    slope, intercept = np.polyfit(v, law().curve(v), 1)
    assert intercept == pytest.approx(287, abs=0.01)
    assert abs(intercept - 3118) > 2800
    assert slope == pytest.approx(3251, rel=1e-5)


def test_the_viscous_slope_is_in_newtons_per_metre_a_second():
    """Table 1 prints N/m/s."""
    assert {leaf.unit for leaf in leaves(type(law().params)) if leaf.path.endswith("sigma")} == {"N·s/m"}


@pytest.mark.parametrize(("delta", "meets_at"), [(1.0, 0.115), (2.0, None), (0.5, None)])
def test_the_tangent_at_rest_meets_fc_at_vs_for_a_shape_of_one_only(delta, meets_at):
    """Zhang and Wang read vs off that tangent."""
    friction, step = law(delta=delta, sigma=0), 1e-8
    level, next_level = friction.curve(np.array([step, 2 * step]))
    fall = (level - next_level) / step
    meets = (level - 287) / fall if fall > 0 else math.inf
    if meets_at is None:
        assert not 0.01 < meets / 0.115 < 100
    else:
        assert meets == pytest.approx(meets_at, rel=1e-5)


STUCK = [(0.0, 1500.0), (0.0, -1500.0), (5e-5, 9000.0), (-5e-5, -1500.0), (-5e-5, -9000.0), (5e-5, 0.0)]


@pytest.mark.parametrize(("v", "applied"), STUCK)
def test_in_the_zone_what_is_applied_is_held_up_to_fs(v, applied):
    assert felt(law("karnopp"), v, applied) == float(np.clip(applied, -3118, 3118))


def test_each_push_is_held_up_to_the_level_of_its_own_direction():
    friction = law("karnopp", negative={"fs": 2000})
    assert [felt(friction, 0.0, applied) for applied in (9000.0, -9000.0, -1999.0)] == [3118, -2000, -1999]


def test_the_printed_stick_branch_holds_nothing_at_rest_and_pushes_the_wrong_way():
    """Ling and Zhu's equation 2: min(F, fs) times the smooth sign of v."""

    def printed(v, applied):
        return min(applied, 3118) * (1 - math.exp(-50 * v)) / (1 + math.exp(-50 * v))

    assert printed(0.0, 1500.0) == 0.0
    assert printed(-5e-5, -1500.0) > 0  # pushed and creeping backwards: friction must be negative
    assert abs(printed(-5e-5, 1500.0)) < 2
    assert printed(1.0, -9000.0) == pytest.approx(-9000)  # no limit to that side
    assert felt(law("karnopp"), 0.0, 1500.0) == 1500
    assert felt(law("karnopp"), -5e-5, -1500.0) == -1500
    assert felt(law("karnopp"), 5e-5, -9000.0) == -3118


def test_the_zone_ends_at_a_speed_of_either_sign():
    """Zhang and Wang print v < Dv, by which every negative speed sticks."""
    assert felt(law("karnopp", v0=1e-3), -0.32, -50.0) == pytest.approx(-1329, abs=1)
    assert felt(law("karnopp", v0=1e-3), -0.9e-3, -50.0) == -50


@pytest.mark.parametrize("model", ["stribeck", "karnopp"])
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fs": 100}, r"friction\.fs: 100\.0 refused, must be at least fc = 287 N"),
        ({"negative": {"fs": 100}}, r"friction\.negative\.fs: 100\.0 refused, must be at least fc = 287 N"),
        ({"negative": {"fc": 4000}}, r"friction\.negative\.fc: 4000\.0 refused, must be at most fs = 3118 N"),
        ({"vs": 0}, r"friction\.vs: 0 refused, must be 1e-05 to 10 m/s"),
        ({"negative": {"vs": -1}}, r"friction\.negative\.vs: -1 refused"),
    ],
)
def test_what_makes_no_curve_is_refused_with_its_key(model, changes, said):
    with pytest.raises(BadValues, match=said):
        law(model, **changes)
