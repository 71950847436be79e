"""The side of an overlap whose edges may be rounded, against the valve of the twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from hilctl.law.edges import SHARP, rt_covered, rt_side, rt_spool
from hilctl.params import assign
from hilctl.rig import load
from sim.settings import Valve
from sim.valve import rt_opening, valve_record

pytestmark = pytest.mark.usefixtures("forms")
OVERLAPS, ROUNDINGS, OPENINGS = some.floats(1e-3, 0.2), some.floats(1e-5, 0.05), some.floats(-1, 1)


def valve(overlap, rounding):
    machine = assign(load("table-500").tables.machine, {"overlap_a": overlap, "overlap_b": overlap})
    return valve_record(machine, Valve(edge_rounding=rounding), False, 1e-4)


@given(overlap=OVERLAPS, rounding=ROUNDINGS, opening=OPENINGS)
def test_a_spool_at_that_place_gives_the_opening_on_a_valve_with_such_edges(overlap, rounding, opening):
    place = rt_spool(opening, overlap, rt_side(opening, overlap, rounding))
    assert rt_opening(valve(overlap, rounding), place) == pytest.approx(opening, abs=2.5e-4 * overlap)


@given(overlap=OVERLAPS, rounding=ROUNDINGS, opening=OPENINGS)
def test_the_place_is_within_the_overlap_of_the_opening_and_odd(overlap, rounding, opening):
    side = rt_side(opening, overlap, rounding)
    assert abs(side) <= 1.0
    assert side * opening >= 0.0
    assert rt_side(-opening, overlap, rounding) == -side


@given(overlap=OVERLAPS, rounding=ROUNDINGS, openings=some.tuples(OPENINGS, OPENINGS))
def test_a_larger_opening_takes_the_spool_further(overlap, rounding, openings):
    low, high = (rt_spool(o, overlap, rt_side(o, overlap, rounding)) for o in sorted(openings))
    assert low <= high + 4e-4 * overlap


@pytest.mark.parametrize("rounding", [0.0, 0.99 * SHARP])
@pytest.mark.parametrize("opening", [1e-9, 0.01, 1.0])
def test_sharp_edges_have_the_sign_of_the_opening_as_their_side(rounding, opening):
    assert (rt_side(opening, 0.03, rounding), rt_side(-opening, 0.03, rounding)) == (1.0, -1.0)


def test_without_an_overlap_rounded_edges_change_nothing():
    assert rt_covered(0.0, 0.0, 0.01) == 1.0
    place = np.linspace(-0.1, 0.1, 21)
    assert [rt_opening(valve(0.0, 0.01), x) for x in place] == pytest.approx(place)


def test_at_none_the_spool_is_in_the_middle_and_far_away_it_has_left_all_of_the_overlap():
    assert rt_covered(0.0, 0.01, 0.003) == 0.0
    at_the_edge = 0.5 * 0.003 - 0.5 * (np.hypot(0.02, 0.003) - 0.02)  # less what the other edge still lets through
    assert rt_covered(at_the_edge / 0.99, 0.01, 0.003) == pytest.approx(1.0 - at_the_edge / 0.01, abs=2.5e-4)
    assert rt_covered(1.0, 0.01, 0.003) == pytest.approx(1.0, abs=3e-4)
    assert rt_covered(0.0, 0.2, SHARP) == 0.0  # nothing is divided by
