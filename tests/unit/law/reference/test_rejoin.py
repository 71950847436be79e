"""After a stall, the way back to the motion: it begins as asked for, ends at rest, and keeps within its limits."""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from hilctl.law.reference.point import POINT
from hilctl.law.reference.rejoin import (
    REJOIN,
    rt_coast,
    rt_less,
    rt_rejoin_add,
    rt_rejoin_missed,
    rt_rejoin_none,
    rt_rejoin_plan,
)
from tests.forms import changed, filled
from tests.unit.law.reference.models import point, smooth_step

pytestmark = pytest.mark.usefixtures("forms")
DT, TICK = 1e-3, 5_000_000_000
MOST_A, MOST_J = 8.0, 400.0
FIELDS = ("x_m", "v_m_s", "a_m_s2", "j_m_s3")

# The offset and its slopes, the limits, and how long the turn takes: 1.5 |a|/J, and 8 ticks at the least.
PLANS = {
    "displaced": ((0.004, 0.0, 0.0, 0.0), MOST_A, MOST_J, 0.008),
    "displaced, downwards": ((-0.004, 0.0, 0.0, 0.0), MOST_A, MOST_J, 0.008),
    "with a speed": ((0.0, 0.3, 0.0, 0.0), MOST_A, MOST_J, 0.008),
    "on its way home": ((0.004, -0.3, 0.0, 0.0), MOST_A, MOST_J, 0.008),
    "with an acceleration": ((0.001, -0.1, 6.0, 100.0), MOST_A, MOST_J, 0.0225),
    "braked": ((-0.002, 0.1, -6.0, 100.0), MOST_A, MOST_J, 0.0225),
    "with a jerk beyond its limit": ((0.001, 0.1, -6.0, -900.0), MOST_A, MOST_J, 0.01),
    "little acceleration left": ((0.001, 0.1, 2.0, -30.0), 0.5, 4000.0, 0.008),
    "little jerk left": ((0.0002, -0.004, 0.02, 1.0), 50.0, 20.0, 0.008),
}
every = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


def point_of(values):
    p = point()
    for name, value in zip(FIELDS, values, strict=True):
        p[name] = value
    return p


def planned(values, most_a=MOST_A, most_j=MOST_J):
    r = filled(REJOIN)
    rt_rejoin_plan(point_of(values), most_a, most_j, TICK, DT, r)
    return r


def added(r, tick):
    p = point_of((1.0, 2.0, 3.0, 4.0))
    rt_rejoin_add(r, tick, DT, p)
    return np.array(p.tolist()) - (1.0, 2.0, 3.0, 4.0)


def turn(a, j, lasts):
    """The cubic from this acceleration and jerk to none, twice integrated: it ends at rest at zero."""
    d2 = Polynomial(np.linalg.solve([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 1, 2, 3]], [a, j * lasts, 0, 0]))
    d = (d2 * lasts**2).integ(lbnd=1).integ(lbnd=1)
    return lambda t: np.array([d.deriv(n)(t / lasts) / lasts**n if t < lasts else 0.0 for n in range(4)])


def home(x, v, lasts):
    """The lowest polynomial from this displacement and speed to rest; no acceleration nor jerk at both ends."""
    rows = [[(p**k if k else 1.0) * math.perm(i, n) if (k := i - n) >= 0 else 0.0 for i in range(8)]
            for p in (0.0, 1.0) for n in range(4)]  # fmt: skip
    d = Polynomial(np.linalg.solve(rows, [x, v * lasts, 0, 0, 0, 0, 0, 0]))
    return lambda t: np.array([d.deriv(n)(t / lasts) / lasts**n if t < lasts else 0.0 for n in range(4)])


def parts(plan):
    """The turn, and from which displacement and speed the way home begins."""
    (x, v, a, j), _, _, turn_s = plan
    first = turn(a, j, turn_s)
    gone = first(0.0)
    return first, x - gone[0], v - gone[1]


def peaks(x, v, lasts):
    """Acceleration and jerk on the way home at the most."""
    way = home(x, v, lasts)
    return np.max(np.abs([way(t)[2:] for t in np.linspace(0.0, lasts, 121)]), axis=0)


@every
def test_at_the_join_the_offset_is_the_one_that_was_asked_for(plan):
    values, most_a, most_j, _ = plan
    assert added(planned(values, most_a, most_j), TICK) == pytest.approx(values, rel=1e-9, abs=1e-9)


@every
def test_on_the_way_it_is_the_turn_and_the_way_home(plan):
    values, most_a, most_j, turn_s = plan
    r = planned(values, most_a, most_j)
    first, x, v = parts(plan)
    assert (r.begun, r.U_s) == (TICK, pytest.approx(turn_s))
    back = home(x, v, r.T_s)
    for passed in {2, 5, round(0.6 * turn_s / DT), *(round(s * r.T_s / DT) for s in (0.2, 0.5, 0.9))}:
        wanted = first(passed * DT) + back(passed * DT)
        assert added(r, TICK + passed) == pytest.approx(wanted, rel=1e-8, abs=1e-8)


@every
def test_nothing_is_left_of_it_from_its_end_on(plan):
    r = planned(*plan[:3])
    assert (r.until - TICK) * DT >= max(r.T_s, r.U_s) > (r.until - TICK - 1) * DT * (1 + 1e-12)
    for later in (0, 1, 1000):
        assert (added(r, r.until + later) == 0.0).all()


@every
def test_the_way_home_keeps_its_limits_in_the_shortest_time_of_a_geometric_row(plan):
    _, most_a, most_j, _ = plan
    r = planned(*plan[:3])
    _, x, v = parts(plan)
    first_s = max(8 * DT, 2 * abs(v) / most_a, math.sqrt(6 * abs(x) / most_a))
    tries = math.log(r.T_s / first_s) / math.log(1.2)
    assert tries == pytest.approx(round(tries), abs=1e-6)
    assert (peaks(x, v, r.T_s) <= np.array([most_a, most_j]) * 1.03).all()  # it looks at thirteen instants of it
    assert (peaks(x, v, r.T_s / 1.2) > (most_a, most_j)).any() or tries == pytest.approx(0.0)


def test_a_small_offset_takes_eight_ticks():
    r = planned((1e-9, 0.0, 0.0, 0.0))
    assert (r.T_s, r.U_s, r.until) == (8 * DT, 8 * DT, TICK + 8)


def test_a_turn_that_takes_longer_than_the_way_home_decides_the_end():
    """0.0225 s of turn, and hardly anything to go home from: x and v are what the turn brings."""
    x, v = turn(6.0, 0.0, 0.0225)(0.0)[:2]
    r = planned((float(x), float(v), 6.0, 0.0))
    assert r.T_s == pytest.approx(8 * DT)
    assert r.until == TICK + 23


def test_without_an_acceleration_allowed_a_thousandth_is_taken():
    assert planned((1e-4, 0.0, 0.0, 0.0), 0.0).T_s == planned((1e-4, 0.0, 0.0, 0.0), 1e-3).T_s


@pytest.mark.parametrize(("x", "v", "tries"), [(-2e-5, 4e-4, 14), (-1e-4, 0.0, 15)])
def test_where_no_time_of_the_row_keeps_the_limits_the_one_that_passes_them_least_is_taken(x, v, tries):
    """Its sixteen run from 8 ticks to 15 times as much. The first case turns for the worse after the fifteenth."""
    r = planned((x, v, 0.0, 0.0), 40.0, 0.02)
    assert r.T_s == pytest.approx(max(8 * DT, math.sqrt(6 * abs(x) / 40.0)) * 1.2**tries)
    back = home(x, v, r.T_s)
    wanted = back(12 * DT)
    assert added(r, TICK + 12) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_to_none_only_its_ticks_are_cleared():
    r = filled(REJOIN)
    before = r.copy()
    rt_rejoin_none(r)
    assert changed(before, r) == {"begun": 0, "until": 0}


# An eighth of a second is exact in binary.
def stalls():
    r = filled(REJOIN)
    r.begun, r.until, r.missed_s, r.T_s, r.U_s = 100, 108, 0.4, 0.75, 0.25
    return r


@pytest.mark.parametrize("since", [102.0, 102.5, 105.0, 107.9])
def test_of_an_earlier_stall_what_the_way_home_has_not_led_back_counts_again(since):
    left = 1 - smooth_step((since - 100) * 0.125 / 0.75)
    assert rt_rejoin_missed(stalls(), since, 0.125) == pytest.approx(left * 0.4 + 0.25 + 0.125)


@pytest.mark.parametrize("since", [100.0, 101.9, 108.0, 300.0])
def test_a_stall_within_the_turn_or_after_the_end_counts_alone(since):
    assert rt_rejoin_missed(stalls(), since, 0.125) == 0.0


def test_a_point_coasts_at_its_speed():
    p = point()
    rt_coast(0.02, -0.3, 0.05, p)
    assert p.tolist() == (pytest.approx(0.005), -0.3, 0.0, 0.0)


def test_less_another_point_is_the_difference_and_the_other_stays():
    p, other = filled(POINT, 1), filled(POINT, 2)
    wanted, kept = np.subtract(p.tolist(), other.tolist()), other.copy()
    rt_less(p, other)
    assert p.tolist() == pytest.approx(wanted, abs=1e-15)
    assert changed(kept, other) == {}
