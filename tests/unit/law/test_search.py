"""The search for the opening at which a table begins to move, tick by tick."""

import pytest

from hilctl.law.search import (
    EXHAUSTED,
    FOUND,
    PRESSURE_S,
    SEARCH,
    SEARCHING,
    rt_search,
    rt_search_opening,
    rt_search_start,
)
from tests.forms import filled

DT, STEP, PULSE_S, LIMIT, LEAST_M, LEAST_M_S = 1e-3, 0.01, 0.02, 0.05, 1e-4, 3e-3
BEYOND, ANSWER_PA, REST_PA = 0.02, 3e5, 1e6
TICKS = round(PULSE_S / DT)
pytestmark = pytest.mark.usefixtures("forms")


def begun(x=0.0):
    s = filled(SEARCH)
    s.rest_pa = REST_PA
    rt_search_start(STEP, PULSE_S, x, REST_PA, s)
    return s


def tick(s, x=0.0, a=0.0, known=True, load_pa=REST_PA):
    return rt_search(LIMIT, BEYOND, ANSWER_PA, LEAST_M, LEAST_M_S, known, x, a, load_pa, DT, s)


def searched(up, down, drift=0.0, known=True, way=1.0):
    """On a table that moves at the opening beyond an edge, on a drift; also the pulses, and the position."""
    s, x, outcome, pulses = begun(0.5), 0.5, SEARCHING, [(1.0, STEP)]
    while outcome == SEARCHING:
        opening = rt_search_opening(s)
        x += DT * (drift + way * (max(opening - up, 0.0) + min(opening + down, 0.0)))
        outcome = tick(s, x, known=known)
        if (s.way, s.opening) != pulses[-1]:
            pulses.append((float(s.way), float(s.opening)))
    return s, outcome, pulses, x


def test_it_starts_with_a_pulse_upwards_and_nothing_seen():
    s = begun(0.25)
    assert (s.way, s.opening, s.in_pulse_s, s.begin_m, s.felt_m_s, s.up, s.down) == (1, STEP, 0, 0.25, 0, 0, 0)
    assert (s.load_pa, s.least_pa, s.answered_up, s.answered_down) == (REST_PA, 0.0, 0.0, 0.0)


def test_pulses_go_up_and_down_in_turn_and_grow_until_the_limit():
    s, outcome, pulses, _ = searched(1.0, 1.0)
    assert outcome == EXHAUSTED
    assert pulses == [(way, pytest.approx(STEP * k)) for k in range(1, 6) for way in (1.0, -1.0)]
    assert s.opening == pytest.approx(LIMIT)


def test_a_pulse_is_followed_by_as_long_with_the_valve_closed():
    s, openings = begun(), []
    for _ in range(2 * TICKS):
        openings.append(rt_search_opening(s))
        tick(s)
    assert openings.count(STEP) in (TICKS, TICKS + 1)
    assert openings == sorted(openings, reverse=True)
    assert rt_search_opening(s) == -STEP


@pytest.mark.parametrize(("up", "down"), [(0.02, 0.03), (0.03, 0.005), (0.0, 0.03)])
def test_both_edges_are_found_within_two_steps(up, down):
    s, outcome, _, _ = searched(up, down)
    assert outcome == FOUND
    assert up < s.up <= up + 2 * STEP
    assert down < s.down <= down + 2 * STEP


def test_a_way_that_has_moved_the_table_is_left_out():
    *_, pulses, _ = searched(0.002, 0.03)
    assert [way for way, _ in pulses].count(1.0) == 1
    assert pulses[-1][0] == -1.0


def test_a_pulse_ends_when_the_motion_is_seen():
    s = begun()
    tick(s, 2 * LEAST_M)
    assert (s.up, rt_search_opening(s)) == (STEP, 0.0)


def test_a_table_that_nobody_sees_comes_back_after_each_pair_of_pulses():
    """No sensor says anything, and the valve has no overlap: the table goes by one pulse at the most."""
    s, x, far, outcome = begun(), 0.0, 0.0, SEARCHING
    while outcome == SEARCHING:
        x += DT * rt_search_opening(s)
        far = max(far, abs(x))
        outcome = tick(s)
    assert outcome == EXHAUSTED
    assert far <= LIMIT * (PULSE_S + DT)
    assert x == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("share", "moves"), [(0.99, False), (1.01, True)])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_motion_counts_from_its_way_on(share, moves, way):
    s = begun()
    s.way = way
    tick(s, way * share * LEAST_M)
    assert bool((s.up if way > 0.0 else s.down) > 0.0) is moves


@pytest.mark.parametrize(("known", "moves"), [(True, False), (False, True)])
def test_the_other_direction_counts_while_the_valves_sign_is_not_known(known, moves):
    s = begun()
    tick(s, -2 * LEAST_M, known=known)
    assert bool(s.up > 0.0) is moves


@pytest.mark.parametrize(("known", "share", "moves"), [(False, 0.99, False), (False, 1.01, True), (True, 5.0, False)])
def test_acceleration_shows_a_motion_to_which_displacement_may_be_blind(known, share, moves):
    s = begun()
    tick(s, 0.0, share * LEAST_M_S / DT, known=known)
    assert bool(s.up > 0.0) is moves


def test_what_acceleration_shows_counts_from_the_pulse_on():
    s = begun()
    for _ in range(2 * TICKS + 1):
        tick(s, 0.0, 0.9 * LEAST_M_S / (2 * PULSE_S), known=False)
    assert (s.up, s.way) == (0.0, -1.0)
    assert s.felt_m_s < 0.1 * LEAST_M_S


@pytest.mark.parametrize("drift", [0.9 * LEAST_M / (2 * PULSE_S), -0.9 * LEAST_M / (2 * PULSE_S)])
def test_a_table_that_sinks_slowly_is_none_that_moves(drift):
    s, outcome, _, _ = searched(1.0, 1.0, drift, known=False)
    assert (outcome, s.up, s.down) == (EXHAUSTED, 0.0, 0.0)


def test_a_reversed_valve_ends_at_the_limit_where_its_sign_is_known():
    assert searched(0.02, 0.02, way=-1.0)[1] == EXHAUSTED
    assert searched(0.02, 0.02, way=-1.0, known=False)[1] == FOUND


@pytest.mark.parametrize(("share", "most"), [(0.99, LIMIT), (1.01, STEP + BEYOND), (-1.01, STEP + BEYOND)])
def test_once_the_pressures_answer_a_motion_must_be_seen_soon(share, most):
    s = begun()
    outcome = SEARCHING
    while outcome == SEARCHING:
        s.load_pa = REST_PA + share * ANSWER_PA * (s.in_pulse_s > 0.5 * PULSE_S)  # averaged already
        outcome = tick(s, load_pa=float(s.load_pa))
    assert s.opening == pytest.approx(most)


def test_the_pressures_first_answer_of_each_way_is_kept():
    s, most, outcome = begun(), 0.0, SEARCHING
    while outcome == SEARCHING:
        pushes = abs(rt_search_opening(s)) >= 1.5 * STEP
        most = max(most, float(s.opening))
        outcome = tick(s, load_pa=REST_PA + (20.0 * ANSWER_PA if pushes else 0.0))
    assert most > 3.5 * STEP
    assert (s.answered_up, s.answered_down) == (pytest.approx(2.0 * STEP), pytest.approx(2.0 * STEP))


def test_each_way_has_an_answer_of_its_own():
    """A null that is off opens one way long before the other."""
    s = begun()
    s.answered_up = s.up = STEP
    outcome = SEARCHING
    while outcome == SEARCHING:
        outcome = tick(s)
    assert (s.way, s.opening) == (-1.0, pytest.approx(LIMIT))


def test_the_pressures_are_averaged():
    s = begun()
    tick(s, load_pa=2e6)
    assert s.load_pa == pytest.approx(1e6 + 1e6 * DT / (DT + PRESSURE_S))


def test_what_leaks_away_of_an_earlier_pulse_is_no_answer_and_neither_is_what_comes_back_after_the_pulse():
    s = begun()
    s.load_pa = REST_PA + 3 * ANSWER_PA
    s.least_pa = 3 * ANSWER_PA
    for k in range(2 * TICKS):
        tick(s, load_pa=REST_PA if k < TICKS else REST_PA + 3 * ANSWER_PA)
    assert (s.answered_up, s.answered_down) == (0.0, 0.0)


@pytest.mark.parametrize(("felt", "moved"), [(1.01, True), (0.99, False), (-1.01, True), (-0.99, False)])
def test_where_the_signs_are_not_known_speed_in_either_direction_is_motion(felt, moved):
    s = begun()
    tick(s, a=felt * LEAST_M_S / DT, known=False)
    assert (s.up > 0.0) == moved
    s = begun()
    tick(s, a=felt * LEAST_M_S / DT, known=True)
    assert s.up == 0.0
