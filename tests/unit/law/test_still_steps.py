"""Readings that stand still, tick by tick: what is counted, learnt at rest, and made of the opening."""

import math
from itertools import pairwise

import numpy as np
import pytest

from firmware_bridge.driver import READINGS
from hilctl.law.sensors import COUNT
from hilctl.law.stillness import (
    STEPS,
    STILL,
    TURNS,
    WATCHED,
    rt_still,
    rt_still_learnt,
    rt_still_opened,
    rt_still_rest,
)
from tests.forms import blank, changed, filled

pytestmark = pytest.mark.usefixtures("forms")
NAMES = ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa")
DT = 1e-3


def readings(*values):
    record = blank(READINGS)
    for name, value in zip(NAMES, values, strict=True):
        record[name] = value
    return record


def test_the_watched_sensors_are_the_first_four():
    assert WATCHED == len(NAMES) < COUNT


@pytest.mark.parametrize("k", range(WATCHED))
@pytest.mark.parametrize("driven", [True, False])
def test_the_time_for_which_each_reading_is_the_same_is_counted_by_itself(k, driven):
    w = filled(STILL)
    last = w.last.copy()
    same, while_driven = w.same_s.copy(), w.driven_s.copy()
    seen = last.copy()
    seen[k] += 0.25
    rt_still(readings(*seen), False, driven, False, 3 * DT, w)
    for i in range(WATCHED):
        assert w.last[i] == seen[i]
        assert w.same_s[i] == (0.0 if i == k else pytest.approx(same[i] + 3 * DT))
        assert w.driven_s[i] == (pytest.approx(while_driven[i] + 3 * DT) if driven and i != k else 0.0)


def test_a_failed_exchange_shows_nothing():
    w = filled(STILL)
    before = w.copy()
    rt_still(readings(1.0, 2.0, 3.0, 4.0), True, True, True, DT, w)
    assert changed(before, w) == {}


def test_while_the_table_does_not_rest_nothing_is_learnt():
    w = filled(STILL)
    before = w.copy()
    rt_still(readings(1.0, 2.0, 3.0, 4.0), False, True, False, DT, w)
    assert {name.partition("[")[0] for name in changed(before, w)} == {"last", "same_s", "driven_s"}


COURSES = (
    [0.0, 2.0, 2.0, 1.5, 4.0, 4.0, 4.0, 3.75, 3.75, -1.0],
    [0.0, 1.0, 2.0, 3.0, 3.0, 5.0, 5.0, 6.0, 7.0, 7.5],
    [0.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0],
    [0.0, 0.5, math.nan, math.inf, 0.5, 0.25, math.nan, 9.0, 9.0, 9.5],
)


def by_hand(course):
    """low, high, step, turns, longest of a course of readings."""
    seen = [v for v in course if math.isfinite(v)]
    steps = [b - a for a, b in pairwise(course) if math.isfinite(b - a) and b != a]
    turns = sum(a * b < 0 for a, b in pairwise(steps))
    runs, run = [0], 0
    for a, b in pairwise(course):
        run = run + 1 if a == b else 0
        runs.append(run if math.isfinite(b) else 0)
    return min(seen), max(seen), min(abs(s) for s in steps), turns, max(runs)


def test_what_each_reading_shows_at_rest_is_learnt():
    w = blank(STILL)
    rt_still_rest(True, w)
    for row in zip(*COURSES, strict=True):
        rt_still(readings(*row), False, False, True, DT, w)
    # the first row repeats the zero of a blank record: one tick more of the same
    for k, course in enumerate(COURSES):
        low, high, step, turns, longest = by_hand([0.0, *course])
        assert (w.low[k], w.high[k], w.step[k], w.turns[k]) == (low, high, step, turns), k
        assert w.longest_s[k] == pytest.approx(longest * DT), k


@pytest.mark.parametrize("unknown", [True, False])
def test_a_rest_begins_without_what_was_seen_before(unknown):
    w = filled(STILL)
    before = w.copy()
    rt_still_rest(unknown, w)
    assert (w.low == math.inf).all()
    assert (w.step == math.inf).all()
    assert (w.high == -math.inf).all()
    assert not w.longest_s.any()
    assert not w.by.any()
    assert not w.turns.any()
    assert not w.age_s.any()
    assert w.rested == 0.0
    assert (w.most_s == (0.0 if unknown else before.most_s)).all()
    assert (w.every_s == (0.0 if unknown else before.every_s)).all()
    assert {name.partition("[")[0] for name in changed(before, w)} == (
        {"low", "step", "high", "longest_s", "by", "turns", "age_s", "rested"}
        | ({"most_s", "every_s"} if unknown else set())
    )


def shown(turns, spread, step=0.25):
    w = filled(STILL)
    w.turns[:], w.step[:], w.low[:], w.high[:], w.longest_s[:] = turns, step, 2.0, 2.0 + spread, 0.5
    w.every_s[:] = 2.0 * w.age_s
    return w


@pytest.mark.parametrize("ticks", [1, 7, 25])
def test_how_often_a_pressure_is_read_follows_from_its_age_at_rest(ticks):
    """Also where many in a row are the same; displacement and acceleration are held to the window."""
    w, seen = blank(STILL), readings(0.0, 0.0, 5.0, 5.0)
    rt_still_rest(True, w)
    for k in range(20 * ticks):
        seen.age_ns[:WATCHED] = 1_000_000 * (k % ticks)
        rt_still(seen, False, False, True, DT, w)
    rt_still_learnt(4.0, DT, w)
    assert w.every_s == pytest.approx([0.0, 0.0, (ticks - 1) * DT, (ticks - 1) * DT])


@pytest.mark.parametrize(
    ("turns", "spread", "noisy"),
    [(TURNS, 0.25 * STEPS, True), (TURNS - 1, 9.0, False), (99, 0.2499 * STEPS, False), (99, 9.0, True)],
)
def test_only_a_reading_that_spreads_and_turns_round_is_held_to_its_noise(turns, spread, noisy):
    w = shown(turns, spread)
    before = w.copy()
    rt_still_learnt(4.0, 2 * DT, w)
    if noisy:
        assert w.most_s == pytest.approx(np.full(WATCHED, 4.0 * (0.5 + 2 * DT)))
    else:
        assert changed(before, w) == {}


@pytest.mark.parametrize("opening", [0.3, -0.3, 2.0, -2.0])
def test_the_opening_beyond_that_of_the_bumps_makes_a_way_of_its_sign(opening):
    w = filled(STILL)
    w.same_s[0], w.opened_m = 0.1, 0.25
    rt_still_opened(True, opening, 0.05, 0.8, DT, w)
    beyond = min(abs(opening), 1.0) - 0.05
    assert w.opened_m == pytest.approx(0.25 + math.copysign(beyond * 0.8 * DT, opening), abs=1e-15)


@pytest.mark.parametrize("opening", [0.05, -0.05, 0.02, 0.0])
def test_the_opening_of_the_bumps_makes_no_way(opening):
    w = filled(STILL)
    w.opened_m = 0.25
    rt_still_opened(True, opening, 0.05, 0.8, DT, w)
    assert w.opened_m == 0.25


@pytest.mark.parametrize(("closed", "same_s"), [(False, 0.1), (True, 0.0), (False, 0.0)])
def test_the_way_begins_again_where_displacement_changed_or_the_loop_is_open(closed, same_s):
    w = filled(STILL)
    w.same_s[0] = same_s
    rt_still_opened(closed, 0.5, 0.05, 0.8, DT, w)
    assert w.opened_m == 0.0
