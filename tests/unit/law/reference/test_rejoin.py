"""After a stall, the way back to the motion: it begins as asked for, ends at rest, and keeps within its limits."""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from hilctl.law.reference.point import POINT
from hilctl.law.reference.rejoin import (
    BRAKE,
    HOME,
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


def planned(values, most_a=MOST_A, most_j=MOST_J, most_v=math.inf):
    r = filled(REJOIN)
    rt_rejoin_plan(point_of(values), most_v, most_a, most_j, TICK, DT, r)
    return r


def added(r, tick):
    p = point_of((1.0, 2.0, 3.0, 4.0))
    rt_rejoin_add(r, tick, DT, p)
    return np.array(p.tolist()) - (1.0, 2.0, 3.0, 4.0)


def lasting(d, lasts):
    """A way over its own time, and its slopes, at one instant or many; nothing after its end."""
    ways = [d.deriv(n) / lasts**n for n in range(4)]
    return lambda t: np.where(np.asarray(t) < lasts, [way(np.asarray(t) / lasts) for way in ways], 0.0)


def turn(a, j, lasts):
    """The cubic from this acceleration and jerk to none, twice integrated: it ends at rest at zero."""
    d2 = Polynomial(np.linalg.solve([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 1, 2, 3]], [a, j * lasts, 0, 0]))
    d = (d2 * lasts**2).integ(lbnd=1).integ(lbnd=1)
    return lasting(d, lasts)


def polynomial(lasts, begins, ends):
    """The lowest that begins and ends with these slopes, None: whichever."""
    rows, wanted = [], []
    known = [(0.0, n, value) for n, value in enumerate(begins)] + [(1.0, n, value) for n, value in enumerate(ends)]
    known = [one for one in known if one[2] is not None]
    for at, order, value in known:
        rows.append([math.perm(i, order) * (at ** (i - order) if i > order else 1.0) if i >= order else 0.0
                     for i in range(len(known))])  # fmt: skip
        wanted.append(value * lasts**order)
    d = Polynomial(np.linalg.solve(rows, wanted))
    return lasting(d, lasts)


def brake(v, lasts):
    """From this speed to rest at zero; no acceleration nor jerk at both ends."""
    return polynomial(lasts, (None, v, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))


def home(x, lasts):
    """From rest at this place to rest at zero; no acceleration nor jerk at both ends."""
    return polynomial(lasts, (x, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))


def parts(plan, r):
    """The turn, the brake and the way home: each begins where those before it leave the offset."""
    (x, v, a, j), _, _, turn_s = plan
    first = turn(a, j, turn_s)
    then = brake(v - first(0.0)[1], r.B_s)
    return first, then, home(x - first(0.0)[0] - then(0.0)[0], r.T_s)


def peaks(part, lasts):
    """Speed, acceleration and jerk at the most."""
    return np.abs(part(np.linspace(0.0, lasts * (1 - 1e-12), 2001))[1:]).max(axis=1)


@every
def test_at_the_join_the_offset_is_the_one_that_was_asked_for(plan):
    values, most_a, most_j, _ = plan
    assert added(planned(values, most_a, most_j), TICK) == pytest.approx(values, rel=1e-9, abs=1e-9)


@every
def test_on_the_way_it_is_the_turn_the_brake_and_the_way_home(plan):
    values, most_a, most_j, turn_s = plan
    r = planned(values, most_a, most_j)
    assert (r.begun, r.U_s) == (TICK, pytest.approx(turn_s))
    ways = parts(plan, r)
    for passed in {2, 5, round(0.6 * turn_s / DT), *(round(s * r.T_s / DT) for s in (0.2, 0.5, 0.9)),
                   *(round(s * r.B_s / DT) for s in (0.3, 0.7))}:  # fmt: skip
        wanted = sum(part(passed * DT) for part in ways)
        assert added(r, TICK + passed) == pytest.approx(wanted, rel=1e-8, abs=1e-8)


@every
def test_nothing_is_left_of_it_from_its_end_on(plan):
    r = planned(*plan[:3])
    assert (r.until - TICK) * DT >= max(r.T_s, r.B_s, r.U_s) > (r.until - TICK - 1) * DT * (1 + 1e-12)
    for later in (0, 1, 1000):
        assert (added(r, r.until + later) == 0.0).all()


@every
@pytest.mark.parametrize("most_v", [math.inf, 0.02])
def test_brake_and_way_home_take_as_long_as_their_share_of_the_limits_asks(plan, most_v):
    _, most_a, most_j, _ = plan
    r = planned(*plan[:3], most_v)
    _, then, back = parts(plan, r)
    for part, lasts, limits in (
        (then, r.B_s, (math.inf, BRAKE * most_a, most_j / 2)), (back, r.T_s, (most_v, HOME * most_a, most_j / 2)),
    ):  # fmt: skip
        passed = (peaks(part, lasts) / limits).max()
        assert passed <= 1.001
        assert passed == pytest.approx(1.0, rel=1e-3) or lasts == 8 * DT


@pytest.mark.parametrize(("x", "v"), [(0.004, 0.0), (-0.004, 0.0), (0.0008, 0.2), (-0.001, -0.2)])
@pytest.mark.parametrize("most_v", [0.02, 0.1])
def test_led_away_by_a_stall_it_comes_back_no_faster_than_that(x, v, most_v):
    r = planned((x, v, 0.0, 0.0), most_v=most_v)
    ways = np.array([added(r, TICK + k)[:2] for k in range(r.until - TICK)])
    assert (np.abs(ways[ways[:, 0] * ways[:, 1] < 0, 1]) <= most_v * 1.001).all()


def test_a_small_offset_takes_eight_ticks():
    r = planned((1e-9, 0.0, 0.0, 0.0))
    assert (r.T_s, r.B_s, r.U_s, r.until) == (8 * DT, 8 * DT, 8 * DT, TICK + 8)


def test_a_turn_that_takes_longer_than_the_way_home_decides_the_end():
    """0.0225 s of turn, and hardly anything to go home from: x and v are what the turn brings."""
    x, v = turn(6.0, 0.0, 0.0225)(0.0)[:2]
    r = planned((float(x), float(v), 6.0, 0.0))
    assert r.T_s == pytest.approx(8 * DT)
    assert r.until == TICK + 23


def test_without_an_acceleration_allowed_a_thousandth_is_taken():
    assert planned((1e-4, 0.0, 0.0, 0.0), 0.0).T_s == planned((1e-4, 0.0, 0.0, 0.0), 1e-3).T_s


def test_to_none_its_ticks_are_cleared_and_what_was_missed():
    r = filled(REJOIN)
    before = r.copy()
    rt_rejoin_none(r)
    assert changed(before, r) == {"begun": 0, "until": 0, "missed_s": 0.0}


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
