"""The fit of the chamber pressures, against least squares by numpy."""

import math

import numpy as np
import pytest

from hilctl.law.pressure_signs import FIT, rt_fit_add, rt_fit_begin, rt_fit_count, rt_fit_judge, rt_fit_restart
from hilctl.law.sensors import COUNT, PRESSURE_A
from tests.forms import blank, changed, filled

pytestmark = pytest.mark.usefixtures("forms")
DT, LAG = 1e-3, 5e-3
BEGIN = (2.1e6, 1.7e6)


def bumps(n, seed):
    """Acceleration and way of a round."""
    chance = np.random.default_rng(seed)
    t = np.arange(n) * DT
    return np.exp(-t / 0.02) * np.sin(300 * t) + 0.1 * chance.standard_normal(n), np.where(np.arange(n) < n // 2, 1, -1)


def followed(way, before=0.0):
    out = []
    for one in way:
        before += DT / (DT + LAG) * (one - before)
        out.append(before)
    return np.array(out)


def measured(rounds):
    """The state after rounds of (a, way, pA, pB)."""
    s, value = filled(FIT), np.zeros(COUNT)
    rt_fit_restart(s)
    for a, way, *p in rounds:
        value[PRESSURE_A : PRESSURE_A + 2] = BEGIN
        rt_fit_begin(value, s)
        for k in range(len(a)):
            value[PRESSURE_A], value[PRESSURE_A + 1] = BEGIN[0] + p[0][k], BEGIN[1] + p[1][k]
            rt_fit_add(float(a[k]), float(way[k]), LAG, DT, value, s)
        rt_fit_count(s)
    rt_fit_judge(s)
    return s


def residual(column):
    """What a parabola leaves of it."""
    t = (np.arange(len(column)) + 1) * DT
    terms = np.stack([np.ones_like(t), t, t * t], 1)
    return column - terms @ np.linalg.lstsq(terms, column, rcond=None)[0]


def best(sign, a, w, p):
    """The share of p that a and w explain with weights of one sign: the best of all choices of columns."""
    most = 0.0
    for columns in ([a], [w], [a, w]):
        m = np.stack(columns, 1)
        weights = np.linalg.lstsq(m, p, rcond=None)[0]
        if (sign * weights > 0).all():
            most = max(most, float(p @ (m @ weights)))
    return most / float(p @ p)


def expected(rounds):
    """Both r with their signs."""
    way, parts = 0.0, []
    for a, w, pa, pb in rounds:
        smooth = followed(w, way)
        way = smooth[-1]
        parts.append([residual(one) for one in (a, smooth, np.array(pa), np.array(pb))])
    a, w, *pressures = (np.concatenate(one) for one in zip(*parts, strict=True))
    out = []
    for k, p in enumerate(pressures):
        right, wrong = best(1 - 2 * k, a, w, p), best(2 * k - 1, a, w, p)
        out.append(-math.sqrt(wrong) if wrong > right else math.sqrt(right))
    return out


CASES = {
    "force and friction": (6e4, 3e4),
    "force alone": (6e4, 0.0),
    "friction alone": (0.0, 5e4),
    "force, against friction": (6e4, -1e4),
    "friction, against force": (-1e4, 5e4),
    "mirrored": (-6e4, -3e4),
    "mirrored force": (-6e4, 0.0),
    "mirrored friction": (0.0, -5e4),
    "next to nothing": (3e3, 2e3),
}


def course(force, friction, n=80, seed=1, noise=2e4):
    """A round in which chamber A goes so, and chamber B half of it against it, both over a drift."""
    a, way = bumps(n, seed)
    t, w, chance = np.arange(n) * DT, followed(way), np.random.default_rng(seed + 50)
    p = force * a + friction * w
    return (a, way, p + 4e6 * t - 2e6 * t * t + noise * chance.standard_normal(n),
            -0.5 * p - 1e6 * t + noise * chance.standard_normal(n))  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("rounds", [1, 2])
def test_what_is_found_is_what_least_squares_with_weights_of_one_sign_finds(name, rounds):
    given = [course(*CASES[name], n=60 + 20 * k, seed=3 * k + 1) for k in range(rounds)]
    s = measured(given)
    assert list(s.found) == pytest.approx(expected(given), rel=1e-6, abs=1e-9)
    assert s.freedom == sum(len(a) - 3 for a, *_ in given)


@pytest.mark.parametrize("n", [12, 30, 80])
def test_the_bound_is_passed_by_chance_once_in_ten_thousand(n):
    s = measured([course(6e4, 3e4, n)])
    assert (1 - s.bound**2) ** ((n - 5) / 2) == pytest.approx(1e-4, rel=1e-9)


def test_the_bound_of_a_long_round_is_a_quarter():
    assert measured([course(6e4, 3e4, 400)]).bound == 0.25


@pytest.mark.parametrize(("n", "counts"), [(7, False), (8, True)])
def test_a_round_of_too_few_ticks_does_not_count(n, counts):
    s = measured([course(6e4, 3e4, n)])
    assert s.freedom == (n - 3 if counts else 0)
    assert s.bound == 1.0 if not counts else s.bound < 1.0
    assert bool(s.left.any()) == counts
    assert (s.found[0] != 0.0) == counts


def test_a_pressure_that_stands_still_shows_nothing_and_does_not_spoil_the_other():
    a, way, pa, _ = course(6e4, 3e4)
    still, moving = measured([(a, way, pa, 0 * pa)]), measured([(a, way, 0 * pa, -pa)])
    assert still.found[0] > 0.5
    assert still.found[1] == 0.0
    assert moving.found[0] == 0.0
    assert moving.found[1] == pytest.approx(still.found[0], rel=1e-9)


def test_a_pressure_that_only_settles_leaves_nothing():
    a, way, *_ = course(6e4, 3e4)
    t = (np.arange(len(a)) + 1) * DT
    settles = 1e6 + 3e6 * t - 2e6 * t * t
    s = measured([(a, way, settles, settles), (a, way, settles, settles)])
    assert list(s.found) == [0.0, 0.0]


def test_without_acceleration_or_way_the_other_explains_alone():
    a, way, *_ = course(0.0, 0.0)
    chance = 1e4 * np.random.default_rng(9).standard_normal(len(a))
    w = followed(way)
    dead = measured([(0 * a, way, 5e4 * w + chance, -5e4 * w + chance)])
    assert dead.found[0] > 0.8
    assert dead.found[1] > 0.8
    straight = measured([(a, 0 * way, 5e4 * a + chance, 5e4 * a + chance)])
    assert straight.found[0] > 0.5
    assert straight.found[1] == pytest.approx(-straight.found[0], rel=1e-9)


def judged(left, freedom=1000.0):
    """What is found where so much of the columns is left: force, way, pA, pB."""
    s = filled(FIT)
    s.left[:], s.freedom = np.triu(np.array(left)), freedom
    rt_fit_judge(s)
    return s


def gram(a, w, both, pa, pw, pp):
    """Sums of products, chamber B mirrored."""
    return [[a, both, pa, -pa], [0, w, pw, -pw], [0, 0, pp, 0], [0, 0, 0, pp]]


ROOT = math.sqrt
FOUND = {  # by hand, with sums far from one
    "force alone": (gram(0.04, 0.01, 0.0, 0.02, -0.001, 0.1), ROOT(0.1)),
    "way alone": (gram(0.04, 0.01, 0.0, -0.001, 0.01, 0.1), ROOT(0.1)),
    "both, apart": (gram(0.04, 0.01, 0.0, 0.02, 0.01, 0.1), ROOT(0.2)),
    "both, mirrored": (gram(0.04, 0.01, 0.0, -0.02, -0.01, 0.1), -ROOT(0.2)),
    "both, correlated": (gram(0.02, 0.02, 0.01, 0.015, 0.015, 0.05), ROOT(0.3)),
    "one is the other": (gram(0.04, 0.01, 0.02, 0.02, 0.01, 0.1), ROOT(0.1)),
    "no force": (gram(0.0, 0.01, 0.0, 0.0, 0.01, 0.1), ROOT(0.1)),
    "no way": (gram(0.04, 0.0, 0.0, 0.02, 0.0, 0.1), ROOT(0.1)),
    "neither column": (gram(0.0, 0.0, 0.0, 0.02, 0.01, 0.1), 0.0),
    "neither share": (gram(0.04, 0.01, 0.0, 0.0, 0.0, 0.1), 0.0),
    "the better one, force": (gram(0.04, 0.01, 0.0, 0.02, -0.002, 0.1), ROOT(0.1)),
    "the better one, way": (gram(0.04, 0.01, 0.0, -0.002, -0.01, 0.1), -ROOT(0.101)),
    "no pressure": (gram(0.04, 0.01, 0.0, 0.0, 0.0, 0.0), 0.0),
}


@pytest.mark.parametrize("name", FOUND)
def test_the_share_that_is_explained_is_found_at_any_scale(name):
    left, r = FOUND[name]
    for scale in (1.0, 1e-3, 1e9):
        assert list(judged(scale * np.array(left)).found) == pytest.approx([r, r], rel=1e-9, abs=1e-15)


def test_a_column_that_is_zero_takes_nothing_out():
    a, way, pa, pb = course(6e4, 3e4, 20)
    s = measured([(0 * a, way, 0 * pa, 0 * pb)])
    assert np.isfinite(s.left).all()
    assert list(s.found) == [0.0, 0.0]


def test_what_rounding_leaves_of_a_pressure_that_only_settles_is_set_to_nothing():
    a, way, *_ = course(6e4, 3e4)
    t = (np.arange(len(a)) + 1) * DT
    s = measured([(a, way, 1e6 + 3e6 * t, -2e6 * t + 5e6 * t * t)])
    assert not s.left[:, 2:].any()
    assert s.left[0, 0] > 0.0


def test_nothing_counted_is_nothing_found():
    s = filled(FIT)
    rt_fit_restart(s)
    rt_fit_judge(s)
    assert list(s.found) == [0.0, 0.0]
    assert s.bound == 1.0


def test_a_restart_forgets_the_rounds_and_a_round_begins_with_its_own_pressures():
    s = filled(FIT)
    before = s.copy()
    rt_fit_restart(s)
    assert not s.left.any()
    assert {name.partition("[")[0] for name in changed(before, s)} == {"way", "freedom", "left"}
    assert (s.way, s.freedom) == (0.0, 0.0)
    before, value = s.copy(), np.zeros(COUNT)
    value[PRESSURE_A : PRESSURE_A + 2] = BEGIN
    rt_fit_begin(value, s)
    assert {name.partition("[")[0] for name in changed(before, s)} == {"t", "begin", "sums"}
    assert s.t == 0.0
    assert tuple(s.begin) == BEGIN
    assert not s.sums.any()


def test_a_tick_adds_the_products_of_its_columns():
    s, value = blank(FIT), np.zeros(COUNT)
    value[PRESSURE_A], value[PRESSURE_A + 1] = 5.0, 3.0
    rt_fit_add(0.5, 1.0, LAG, DT, value, s)
    column = np.array([1.0, DT, DT * DT, 0.5, DT / (DT + LAG), 5.0, 3.0])
    assert s.sums == pytest.approx(np.triu(np.outer(column, column)), rel=1e-12)
