"""The classical law: a level at rest, another in motion, and a power of the speed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.friction import MODELS, STATES, check_friction, rt_friction
from hilctl.params import BadValues

TABLE = {"model": "static", "fc": 287, "fs": 3118, "fv": 3251}


@given(st.floats(0.1, 3), st.floats(1e-9, 5), st.sampled_from([1, -1]))
def test_in_motion_it_is_the_level_and_the_power_of_the_speed(dv, speed, way):
    law = check_friction({**TABLE, "dv": dv})
    expected = way * (287 + 3251 * math.exp(dv * math.log(speed)))
    assert law.steady(way * speed) == pytest.approx(expected, rel=1e-10)
    felt = rt_friction(law.code, law.packed(), np.zeros(STATES), way * speed, 1e-3)
    assert felt == pytest.approx(expected, rel=1e-10)


@given(st.floats(-1e4, 1e4))
def test_at_rest_it_is_what_is_applied_up_to_breakaway(applied):
    law, z = check_friction({**TABLE, "negative": {"fs": 2000}}), np.zeros(STATES)
    z[0] = applied
    assert rt_friction(law.code, law.packed(), z, 0.0, 1e-3) == float(np.clip(applied, -2000, 3118))


def test_what_holds_is_fs_and_what_slides_is_fc():
    law = check_friction({**TABLE, "negative": {"fs": 2000, "fc": 200}})
    hold = MODELS["static"].hold
    assert (hold(law.packed(), 1.0), hold(law.packed(), -1.0)) == (3118, 2000)
    assert law.curve(np.array([1e-15, -1e-15])) == pytest.approx([287, -200], rel=1e-10)


@pytest.mark.parametrize("v", [math.nan, math.inf, -math.inf])
def test_a_speed_that_is_none_gives_a_force_that_is_none(v):
    law = check_friction(TABLE)
    assert math.isnan(rt_friction(law.code, law.packed(), np.zeros(STATES), v, 1e-3))
    assert math.isnan(law.steady(v))


def test_its_slopes_are_those_of_the_power():
    assert check_friction(TABLE).params.steepest == check_friction(TABLE).params.viscous == 3251
    assert check_friction({**TABLE, "dv": 2}).params.steepest == 2 * 3251 * 20
    other = check_friction({**TABLE, "negative": {"fv": 4000, "fc": 1, "fs": 1}}).params
    assert (other.viscous, other.steepest) == (3251, 4000)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fs": 100}, "friction.fs: 100.0 refused, must be at least fc = 287 N"),
        ({"negative": {"fs": 100}}, "friction.negative.fs: 100.0 refused, must be at least fc = 287 N"),
        ({"negative": {"fc": 4000}}, "friction.negative.fc: 4000.0 refused, must be at most fs = 3118 N"),
        ({"negative": {"fc": 90, "fs": 80}}, "friction.negative.fs: 80.0 refused, must be at least fc = 90 N"),
    ],
)
def test_a_breakaway_below_sliding_is_refused_in_either_direction(changes, said):
    with pytest.raises(BadValues) as refused:
        check_friction({**TABLE, **changes})
    (problem,) = refused.value.problems
    assert str(problem).startswith(said)
    assert ("as in the positive" in problem.remedy) == ("negative" in changes)
