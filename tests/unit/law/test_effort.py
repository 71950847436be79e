"""A valve that is open for a motion that does not come."""

import pytest

from hilctl.law.effort import EFFORT, LEAK, rt_effort, rt_effort_stands
from hilctl.law.limits import Holding
from hilctl.law.valve_stage import ValveStage
from hilctl.params import pack
from tests.forms import blank, filled
from tests.unit.law.given import machine

RULE = pack(Holding(opening=0.1, share=0.5, max_s=0.2))
MACHINE = machine(dead_band=0.02, overlap_a=0.025, overlap_b=0.03)
VALVE = pack(ValveStage(dither=0.01))
OVERLAP = 0.03 + 0.01
FULL = MACHINE.Qn / MACHINE.A  # m/s
DT, LEAD = 1e-3, 4e-3
pytestmark = pytest.mark.usefixtures("forms")


def step(s, opening, v=0.0, acts=True, lead_s=LEAD, passed_s=DT, m=MACHINE, valve=VALVE, found=0.0):
    rt_effort(RULE, m, valve, found, acts, opening, v, lead_s, passed_s, s)


def settled(opening, v=0.0):
    s = blank(EFFORT)
    for _ in range(200):
        step(s, opening, v)
    return s


def test_what_does_not_act_is_forgotten():
    s = filled(EFFORT)
    step(s, 0.5, acts=False)
    assert s.item() == (0.0, 0.0, 0.0, 0.0)


def test_the_opening_is_looked_at_as_late_as_the_table_follows_it():
    s = blank(EFFORT)
    step(s, 0.5)
    assert s.opening == pytest.approx(0.5 * DT / (DT + LEAD))
    step(s, 0.5)
    assert s.opening == pytest.approx(0.5 * (1 - (LEAD / (DT + LEAD)) ** 2))


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_speed_explains_an_opening_and_the_larger_overlap_with_the_dither_more(way):
    s = settled(-way * 0.6, way * 0.1 * FULL)
    assert s.explained == pytest.approx(0.1 / 0.5 + OVERLAP)
    assert s.beyond == pytest.approx(0.6 - 0.2 - OVERLAP)
    step(s, 0.0, m=machine(dead_band=0.05))
    assert s.explained == pytest.approx(0.05 + 0.01)
    step(s, 0.0, m=machine(overlap_a=0.06, overlap_b=0.02))
    assert s.explained == pytest.approx(0.06 + 0.01)
    step(s, 0.0, found=0.07)
    assert s.explained == pytest.approx(0.07 + 0.01)


def test_nothing_is_beyond_where_the_speed_explains_more():
    assert settled(0.2, 0.3 * FULL).beyond == 0.0


@pytest.mark.parametrize(("beyond", "stands"), [(0.0999, False), (0.1001, True)])
def test_the_actuator_does_not_act_once_the_opening_is_beyond_the_limit(beyond, stands):
    assert rt_effort_stands(RULE, settled(OVERLAP + beyond)) is stands


def test_at_the_limit_itself_it_acts():
    s = blank(EFFORT)
    s.beyond = RULE.opening
    assert rt_effort_stands(RULE, s) is False


def test_the_measure_fills_by_the_time_and_as_much_faster_as_the_opening_is_larger():
    s = settled(OVERLAP + 0.3)
    s.over_s = 0.05
    step(s, OVERLAP + 0.3)
    assert s.over_s == pytest.approx(0.05 + 3.0 * DT)


def test_at_the_limit_the_measure_leaks():
    s = settled(OVERLAP + 0.05)
    s.over_s = 0.05
    step(s, OVERLAP + 0.05, passed_s=DT)
    assert s.over_s == pytest.approx(0.05 - LEAK * DT)
    s.over_s = 1e-5
    step(s, OVERLAP + 0.05)
    assert s.over_s == 0.0
