"""Viscous friction with an exponent: the power, its slopes, and the paper's equation as printed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.friction import STATES, Kind, check_friction, rt_friction, rt_steady
from hilctl.friction.registry import MODELS
from hilctl.params import BadValues

EXPONENTS = st.one_of(st.sampled_from([0.5, 1.0, 2.0]), st.floats(0.1, 3))


def viscous(dv=1.0, fv=3251.0, **more):
    return check_friction({"model": "viscous", "fv": fv, "dv": dv, **more})


@given(EXPONENTS, st.floats(-5, 5))
def test_it_is_the_power_of_the_speed(dv, v):
    power = math.exp(dv * math.log(abs(v))) if abs(v) > 1e-300 else 0.0
    law, expected = viscous(dv), pytest.approx(math.copysign(3251.0 * power, v), rel=1e-10, abs=1e-20)
    assert law.steady(v) == expected
    assert rt_friction(law.code, law.packed(), np.zeros(STATES), v, 1e-3) == expected


def test_the_force_at_1_m_s_is_fv_whatever_the_exponent():
    assert [viscous(dv).steady(-1.0) for dv in (0.1, 0.5, 1.0, 3.0)] == [-3251] * 4


def test_nothing_is_held_and_the_twin_stops_its_step_at_zero():
    model, law = MODELS["viscous"], viscous(0.5)
    assert model.kind == Kind.JUMPS
    assert model.hold(law.packed(), 1.0) == model.hold(law.packed(), -1.0) == 0


@pytest.mark.parametrize("dv", [0.3, 0.5])
def test_below_one_it_keeps_its_direction_past_zero_so_that_no_step_is_thrown_back(dv):
    law = viscous(dv)
    assert rt_steady(law.code, law.packed(), 1.0, -1e-6) > 0


@pytest.mark.parametrize("dv", [1.0, 1.5, 2.0])
def test_from_one_on_it_goes_through_zero_by_itself(dv):
    law = viscous(dv)
    assert rt_steady(law.code, law.packed(), 1.0, -0.01) == law.steady(-0.01) < 0


@given(EXPONENTS, EXPONENTS, st.floats(0, 5e3), st.floats(0, 5e3))
def test_its_steepest_slope_bounds_every_slope_of_a_tables_speeds(dv, other, fv, against):
    law = viscous(dv, fv, negative={"fv": against, "dv": other})
    v = np.geomspace(1e-3, 20, 200)
    for way in (v, -v[::-1]):
        slopes = np.diff(law.curve(way)) / np.diff(way)
        assert slopes.max() <= law.params.steepest * (1 + 1e-9) + 1e-9
    assert law.params.viscous <= law.params.steepest * (1 + 1e-9) + 1e-9


def test_for_linear_design_it_is_its_slope_of_the_weaker_direction():
    assert viscous().params.viscous == 3251
    assert viscous(negative={"fv": 3000.0}).params.viscous == 3000
    assert viscous(0.5).params.viscous == 0.5 * 3251
    assert viscous(2.0).params.viscous == 3251


@pytest.mark.parametrize("v", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dv", [0.5, 1.0, 2.0])
def test_a_speed_that_is_none_gives_a_force_that_is_none(dv, v):
    law = viscous(dv)
    assert math.isnan(rt_friction(law.code, law.packed(), np.zeros(STATES), v, 1e-3))
    assert math.isnan(law.steady(v))


def test_the_printed_power_of_a_signed_speed_drives_the_motion_instead_of_braking_it():
    """Zhang and Wang print Fv v^dv sgn v: for dv = 1 that is positive in both directions, for others no number."""
    printed = 3251 * -0.1**1 * np.sign(-0.1)
    assert printed == pytest.approx(325.1)
    assert viscous().steady(-0.1) == pytest.approx(-325.1)
    assert isinstance((-0.1) ** 0.5, complex)
    assert viscous(0.5).steady(-0.1) == pytest.approx(-3251 * math.sqrt(0.1))


def test_an_exponent_that_makes_no_viscous_friction_is_refused():
    for dv in (0.0, -1.0, 4.0):
        with pytest.raises(BadValues, match=r"friction\.dv: .* refused, must be 0\.1 to 3"):
            viscous(dv)
    with pytest.raises(BadValues, match=r"friction\.negative\.dv: 0 refused"):
        viscous(negative={"dv": 0})
