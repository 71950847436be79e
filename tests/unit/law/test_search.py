"""The search for the opening at which a table begins to move, tick by tick."""

import numpy as np
import pytest

from hilctl.law.search import (
    EXHAUSTED,
    FELT_S,
    FOUND,
    PRESSURE_S,
    SEARCH,
    SEARCHING,
    rt_search,
    rt_search_opening,
    rt_search_start,
)
from tests.forms import filled

DT, RATE, LIMIT, LEAST_M, LEAST_M_S, OVER_S, REST_S = 1e-3, 0.1, 0.05, 1e-4, 3e-3, 0.15, 0.02
BEYOND, ANSWER_PA = 0.02, 3e5
pytestmark = pytest.mark.usefixtures("forms")


def begun(x=0.0):
    s = filled(SEARCH)
    s.rest_pa = 1e6
    rt_search_start(x, 1e6, s)
    return s


def tick(s, x=0.0, a=0.0, known=True, load_pa=1e6):
    return rt_search(RATE, LIMIT, BEYOND, ANSWER_PA, LEAST_M, LEAST_M_S, known, OVER_S, REST_S, x, a, load_pa, DT, s)


def searched(up, down, drift=0.0, known=True, way=1.0, speed=1.0):
    """On a table that moves at the opening beyond an edge times `speed`, on a drift."""
    s, x, outcome = begun(0.5), 0.5, SEARCHING
    for _ in range(5000):
        opening = rt_search_opening(s)
        x += DT * (drift + way * speed * (max(opening - up, 0.0) + min(opening + down, 0.0)))
        outcome = tick(s, x, known=known)
        if outcome != SEARCHING:
            break
    return s, outcome


def test_it_starts_upwards_from_the_null_with_nothing_seen():
    s = begun(0.25)
    assert (s.way, s.opening, s.wait_s, s.last_m, s.went_m, s.felt_m_s, s.up, s.down) == (1, 0, 0, 0.25, 0, 0, 0, 0)
    assert (s.rest_pa, s.load_pa, s.least_pa, s.most) == (1e6, 1e6, 0.0, 1.0)


def test_the_opening_grows_at_its_rate_until_the_limit():
    s, ticks = begun(), 1
    while tick(s) == SEARCHING:
        ticks += 1
        assert rt_search_opening(s) == pytest.approx(RATE * DT * (ticks - 1))
    assert ticks in (round(LIMIT / RATE / DT), round(LIMIT / RATE / DT) + 1)
    assert tick(s) == EXHAUSTED


@pytest.mark.parametrize(("up", "down"), [(0.02, 0.03), (0.03, 0.005)])
def test_both_edges_are_found_and_a_little_more(up, down):
    s, outcome = searched(up, down)
    assert outcome == FOUND
    assert up < s.up < up + 0.01
    assert s.up - up == pytest.approx(s.down - down, abs=2 * RATE * DT)


def test_between_the_ways_the_valve_is_closed_for_its_time():
    s, closed = begun(), 0
    assert tick(s, 2 * LEAST_M) == SEARCHING
    assert (s.up, rt_search_opening(s)) == (0.0, 0.0)
    while s.way > 0.0:
        assert tick(s, 0.0) == SEARCHING
        assert rt_search_opening(s) == 0.0
        closed += 1
    assert closed in (round(REST_S / DT), round(REST_S / DT) + 1)


@pytest.mark.parametrize(("share", "moves"), [(0.99, False), (1.01, True)])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_motion_counts_from_its_way_on(share, moves, way):
    s = begun()
    s.way = way
    outcome = tick(s, way * share * LEAST_M)
    assert bool(outcome == FOUND or s.wait_s > 0.0) is moves


@pytest.mark.parametrize(("known", "moves"), [(True, False), (False, True)])
def test_the_other_direction_counts_while_the_valves_sign_is_not_known(known, moves):
    s = begun()
    tick(s, -2 * LEAST_M, known=known)
    assert bool(s.wait_s > 0.0) is moves


@pytest.mark.parametrize(("known", "share", "moves"), [(False, 0.99, False), (False, 1.01, True), (True, 5.0, False)])
def test_acceleration_shows_a_motion_to_which_displacement_may_be_blind(known, share, moves):
    s = begun()
    tick(s, 0.0, share * LEAST_M_S / DT, known=known)
    assert bool(s.wait_s > 0.0) is moves


def test_what_acceleration_shows_is_forgotten():
    s = begun()
    for _ in range(round(20 * FELT_S / DT)):
        s.opening = 0.0
        tick(s, 0.0, 0.9 * LEAST_M_S / FELT_S, known=False)
    assert s.wait_s == 0.0
    assert s.felt_m_s == pytest.approx(0.9 * LEAST_M_S, rel=0.01)


@pytest.mark.parametrize("drift", [0.9 * LEAST_M / OVER_S, -0.9 * LEAST_M / OVER_S])
def test_a_table_that_sinks_slowly_is_none_that_moves(drift):
    s, outcome = searched(1.0, 1.0, drift, known=False)
    assert (outcome, s.up) == (EXHAUSTED, 0.0)


def test_a_reversed_valve_ends_at_the_limit_where_its_sign_is_known():
    assert searched(0.02, 0.02, way=-1.0)[1] == EXHAUSTED
    assert searched(0.02, 0.02, way=-1.0, known=False)[1] == FOUND
    assert np.isfinite(searched(0.02, 0.02)[0].down)


@pytest.mark.parametrize(("share", "most"), [(0.99, LIMIT), (1.01, BEYOND), (-1.01, BEYOND)])
def test_once_the_pressures_answer_a_motion_must_be_seen_soon(share, most):
    s, ticks = begun(), 0
    s.load_pa += share * ANSWER_PA  # averaged already
    while tick(s, load_pa=1e6 + share * ANSWER_PA) == SEARCHING:
        ticks += 1
    assert s.opening == pytest.approx(most, abs=2 * RATE * DT)


def test_the_pressures_are_averaged():
    s = begun()
    tick(s, load_pa=2e6)
    assert s.load_pa == pytest.approx(1e6 + 1e6 * DT / (DT + PRESSURE_S))


def test_what_is_still_trapped_from_the_first_way_is_no_answer():
    s = begun()
    s.load_pa, s.least_pa = 1e6 + 3 * ANSWER_PA, 3 * ANSWER_PA
    for _ in range(200):
        tick(s)
    assert s.most == 1.0
