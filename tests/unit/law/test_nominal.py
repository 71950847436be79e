"""What arming expects of a machine, against the orifice's equation."""

import math

import pytest

from hilctl.law.nominal import rt_hydraulic_rad_s, rt_lag_s, rt_low_share, rt_promised, rt_unweighted
from hilctl.machine import GRAVITY, hydraulic_frequency
from tests.unit.law.given import _rig, machine

pytestmark = pytest.mark.usefixtures("forms")
M = machine(vertical=1, Kc=3e-12)
PS, LOW = M.Ps, M.Ps_low
WEIGHT_PA = M.m * GRAVITY / M.A


@pytest.mark.parametrize(("supply", "share"), [(LOW, 1.0), (0.5 * LOW, 1.0), (4.0 * LOW, 0.5), (math.nan, 1.0)])
def test_above_the_low_pressure_a_smaller_opening_moves_it_as_much(supply, share):
    assert rt_low_share(M, supply) == pytest.approx(share)


@pytest.mark.parametrize(("supply", "of"), [(PS, PS), (0.25 * PS, 0.25 * PS), (math.nan, LOW), (-1e5, 0.0)])
def test_a_full_opening_promises_the_flow_at_the_supply_that_is_there(supply, of):
    assert rt_promised(M, supply) == pytest.approx(M.Qn / M.A * math.sqrt(of / PS))


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("supply", [PS, 0.4 * PS, math.nan])
def test_the_weight_of_a_vertical_axis_is_taken_out_of_a_speed(supply, way):
    there = LOW if math.isnan(supply) else supply
    drop = there - way * WEIGHT_PA
    flow = way * 0.02 * M.Qn * math.sqrt(drop / PS)
    leaks = (M.Ctc + M.Kc) * WEIGHT_PA
    bare = way * 0.02 * M.Qn / M.A * math.sqrt(there / PS)
    assert rt_unweighted(M, supply, (flow - leaks) / M.A, way) == pytest.approx(bare)
    assert rt_unweighted(machine(), supply, 0.3, way) == 0.3


def test_a_weight_that_is_not_carried_leaves_a_tenth_of_the_low_supply():
    heavy = machine(vertical=1, m=1e5, Ctc=0.0, Kc=0.0)
    assert rt_unweighted(heavy, LOW, 0.1, 1.0) == pytest.approx(0.1 / math.sqrt(0.1))
    assert rt_unweighted(heavy, 0.0, 0.1, 1.0) == pytest.approx(0.1)


def test_the_lag_is_that_of_valve_and_oil():
    w = hydraulic_frequency(_rig().controller.machine)
    assert rt_hydraulic_rad_s(M) == pytest.approx(w)
    assert rt_lag_s(M) == pytest.approx(2 * M.zv / M.wv + 1 / w)
