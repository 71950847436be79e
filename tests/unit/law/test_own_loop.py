"""A rig that closes its own loop takes places for commands."""

import pytest

from hilctl.law.arming import ARMING
from hilctl.law.own_loop import OwnLoop, rt_own_command, rt_own_null
from hilctl.params import pack
from tests.forms import blank

C = pack(OwnLoop(reach_m=0.2))
pytestmark = pytest.mark.usefixtures("forms")


def arm(null):
    a = blank(ARMING)
    a.null = null
    return a


def test_in_closed_loop_the_command_is_the_reference_as_a_share_of_the_reach():
    assert rt_own_command(C, True, 0.05, 0.3, arm(0.7)) == pytest.approx(0.25)


def test_while_arming_it_is_where_the_table_stood_and_the_bump():
    assert rt_own_command(C, False, 0.05, -0.01, arm(0.7)) == pytest.approx(0.69)


@pytest.mark.parametrize(("position_m", "null"), [(0.05, 0.25), (-0.05, -0.25), (0.3, 1.0), (-0.3, -1.0)])
def test_before_it_is_enabled_its_null_is_where_the_table_stands(position_m, null):
    a = arm(0.7)
    rt_own_null(C, 0, position_m, a)
    assert a.null == pytest.approx(null)


def test_once_enabled_its_null_stays():
    a = arm(0.7)
    rt_own_null(C, 1, 0.05, a)
    assert a.null == 0.7
