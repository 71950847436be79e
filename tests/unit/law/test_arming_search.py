"""A table that does not move at a bump: its overlap is searched for, and arming goes on from what was found."""

import functools
from typing import Any

import pytest

from hilctl.law.arming import rt_arming
from hilctl.law.bumps import GOING
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.signals import Arming as Step
from hilctl.signals import Trip
from tests.unit.law.arming_rig import DT, FULL, C, M, Rig

pytestmark = pytest.mark.usefixtures("forms")
LEAST_M = C.response * C.bump * FULL * C.bump_s


@pytest.mark.parametrize("null", [0.004, -0.01])
@pytest.mark.parametrize("overlap", [0.02, 0.05])
def test_behind_an_overlap_null_and_overlap_are_found_and_the_signs_proved(overlap, null):
    rig = Rig(null=null, overlap=overlap).to(Step.SEARCH)
    while rig.a.step == Step.SEARCH:
        assert rig.tick() == GOING
    assert (rig.a.rounds, rig.a.smaller, rig.a.searched, rig.a.disturbed) == (0, 0.0, 1, 0)
    assert rig.a.null == pytest.approx(null, abs=0.6 * C.bump)
    assert rig.a.overlap == pytest.approx(overlap, abs=1.1 * C.bump)
    assert rig.a.bump == pytest.approx(rig.a.overlap + C.bump)
    while rig.a.proved == 0:
        assert rig.tick() == GOING
    assert (rig.a.null, rig.a.overlap) == pytest.approx((null, overlap), abs=1e-6)
    assert rig.a.gain_m_s == pytest.approx(FULL, rel=1e-6)
    assert rig.steps[:6] == [Step.REST, Step.LOW_PRESSURE, Step.ENABLE, Step.BUMP_UP, Step.BUMP_DOWN, Step.SEARCH]


@functools.cache
def _searching(supply_pa: float) -> Any:
    """In the middle of the first pulse, away from where it began."""
    rig = Rig(overlap=0.05, supply_pa=supply_pa).to(Step.SEARCH)
    for _ in range(5):
        assert rig.tick() == GOING
    return rig.a.copy(), rig.value.copy()


def searching(supply_pa=M.Ps_low):
    return (one.copy() for one in _searching(supply_pa))


def test_it_begins_with_a_bumps_opening_for_a_sixth_of_its_time_or_as_long_as_valve_and_oil_take():
    a, value = searching()
    s = a.search
    assert s.opening == s.step == pytest.approx(C.bump)
    assert s.pulse_s == pytest.approx(C.bump_s / 6)
    assert s.load_pa == pytest.approx(value[PRESSURE_A] - value[PRESSURE_B], abs=1.0)
    a, _ = searching(4 * M.Ps_low)
    assert a.search.opening == pytest.approx(0.5 * C.bump), "the supply is still high"


@pytest.mark.parametrize(("share", "moved"), [(0.99, False), (1.01, True), (-0.99, False), (-1.01, True)])
def test_before_the_displacements_sign_is_known_two_fifths_of_a_bumps_speed_is_a_motion_either_way(share, moved):
    a, value = searching()
    a.signs.shown, a.search.felt_m_s, a.signs.rest_a = 0, 0.0, 0.3
    value[ACCELERATION] = 0.3 + share * 0.4 * C.bump * FULL / DT
    assert rt_arming(C, M, 0.0, value, 0.0, M.Ps_low, DT, True, a) == GOING
    assert bool(a.search.up > 0.0) is moved


@pytest.mark.parametrize("begin", [0.3, -0.3])
@pytest.mark.parametrize(("way", "ends"), [(0.999, False), (1.001, True), (-0.999, False), (-1.001, True)])
def test_it_takes_the_table_no_farther_than_it_may_go(begin, way, ends):
    a, value = searching()
    a.begin_m = begin
    value[DISPLACEMENT] = begin + way * C.travel_m
    outcome = rt_arming(C, M, 0.0, value, 0.0, M.Ps_low, DT, True, a)
    assert outcome == (Trip.ARMING_TRAVEL if ends else GOING)
    if ends:
        assert (a.value, a.limit, a.sensor) == (pytest.approx(way * C.travel_m), C.travel_m, DISPLACEMENT)


def test_a_table_that_moves_at_no_opening_ends_it_with_the_largest_that_was_tried():
    rig = Rig(overlap=0.9)
    while rig.tick() == GOING:
        pass
    trip, value, limit, sensor = rig.ended
    assert (trip, sensor, limit) == (Trip.NO_MOTION, -1, pytest.approx(LEAST_M))
    assert C.search_opening - C.bump < value <= C.search_opening + 1e-9
