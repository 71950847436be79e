"""Coulomb's law: one level, a jump, what is held at rest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.friction import STATES, check_friction, rt_friction
from hilctl.friction.coulomb import rt_hold
from hilctl.params import BadValues

LAW = check_friction({"model": "coulomb", "fc": 287, "negative": {"fc": 300}})
P = LAW.packed()


@given(st.floats(-20, 20).filter(bool))
def test_it_is_the_level_of_the_direction_at_any_speed(v):
    assert rt_friction(LAW.code, P, np.zeros(STATES), v, 1e-3) == LAW.steady(v) == (287 if v > 0 else -300)


@given(st.floats(-1e4, 1e4))
def test_at_rest_it_is_what_is_applied_up_to_the_level(applied):
    z = np.zeros(STATES)
    z[0] = applied
    assert rt_friction(LAW.code, P, z, 0.0, 1e-3) == float(np.clip(applied, -300, 287))
    assert z[0] == applied


def test_the_level_that_holds_is_that_of_the_push():
    assert (rt_hold(P, 1.0), rt_hold(P, -1.0)) == (287, 300)


@pytest.mark.parametrize("v", [math.nan, math.inf, -math.inf])
def test_a_speed_that_is_none_gives_a_force_that_is_none(v):
    assert math.isnan(rt_friction(LAW.code, P, np.zeros(STATES), v, 1e-3))
    assert math.isnan(LAW.steady(v))


@pytest.mark.parametrize("table", [{"fc": -1}, {"fc": 287, "negative": {"fc": -1}}])
def test_a_negative_level_is_refused_with_its_key(table):
    with pytest.raises(BadValues, match=r"friction\.(negative\.)?fc: -1 refused, must be 0 to 1e\+07 N"):
        check_friction({"model": "coulomb", **table})


def test_it_has_no_slope():
    assert LAW.params.viscous == LAW.params.steepest == 0
