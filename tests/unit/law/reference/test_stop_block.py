"""A stop against the quadrature of its acceleration: the cubic, the plateau, the release."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from hilctl.law.reference.stop import STOP, rt_plan_stop, rt_stop, rt_stopping_reach
from tests.forms import filled
from tests.unit.law.reference.models import integrals, point, smooth_step

pytestmark = pytest.mark.usefixtures("forms")
SHARES = (0.07, 0.3, 0.55, 0.8, 0.96)

# v, a, j, deceleration D, limit of jerk J, and the time of the turn: 1.5 (|a| + D)/max(J, |j|), shortened to
# 6.75 (D - |a|)/|j| while the acceleration grows, to a third at the least
STATES = {
    "from a straight": (0.3, 0.0, 0.0, 10.0, 1500.0, 0.01),
    "downwards": (-0.3, 0.0, 0.0, 10.0, 1500.0, 0.01),
    "too slow for a plateau": (0.01, 0.0, 0.0, 10.0, 1500.0, 0.01),
    "too slow, downwards": (-0.01, 0.0, 0.0, 10.0, 1500.0, 0.01),
    "at rest, braked": (0.0, -5.0, 0.0, 10.0, 1500.0, 0.015),
    "braking less and less": (0.3, -4.0, 300.0, 10.0, 1500.0, 0.014),
    "downwards, braking less": (-0.3, 4.0, -300.0, 10.0, 1500.0, 0.014),
    "a jerk beyond the limit": (0.3, 8.0, -3000.0, 10.0, 1500.0, 0.009),
    "an acceleration that grows slowly": (0.3, 1.0, 100.0, 10.0, 1500.0, 0.011),
    "one that has little room": (0.3, 8.0, 2000.0, 10.0, 1000.0, 0.00675),
    "one downwards": (0.3, -8.0, -2000.0, 10.0, 1000.0, 0.00675),
    "one that has next to none": (0.3, 9.8, 2000.0, 10.0, 1000.0, 0.00495),
    "one beyond the deceleration": (0.3, 12.0, 2000.0, 10.0, 1000.0, 0.0055),
    "gentle limits": (0.4, 0.7, 1.0, 0.85, 1.0, 1.0125),
}
every = pytest.mark.parametrize("state", STATES.values(), ids=STATES)


def planned(v, a, j, deceleration, jerk):
    stop, start = filled(STOP), point()
    start.x_m, start.v_m_s, start.a_m_s2, start.j_m_s3 = 0.02, v, a, j
    rt_plan_stop(start, deceleration, jerk, stop)
    return stop


def at(stop, t):
    out = point()
    return rt_stop(stop, t, out), out.tolist()


def model(state):
    """The lengths of the three stretches, the plateau that brings the table to rest, and acceleration and jerk."""
    v, a, j, D, J, T1 = state
    T3 = 1.875 * D / J
    turn = CubicHermiteSpline([0, T1], [a, 0.0], [j, 0.0])
    left = v + turn.integrate(0, T1)
    T2 = max(0.0, abs(left) / D - (T1 + T3) / 2)
    p = -left / (T1 / 2 + T2 + T3 / 2)
    turn = CubicHermiteSpline([0, T1], [a, p], [j, 0.0])

    def acceleration(t):
        return np.where(t < T1, turn(np.minimum(t, T1)), p * (1 - smooth_step((t - T1 - T2) / T3, 2)))

    def slope(t):
        s = np.clip((t - T1 - T2) / T3, 0, 1)
        return float(turn(t, 1)) if t < T1 else float(-30 * p / T3 * (s * (1 - s)) ** 2)

    return (T1, T2, T3), p, acceleration, slope


@every
def test_its_stretches_take_what_the_limits_ask_for_and_bring_it_to_rest(state):
    stop = planned(*state[:5])
    lengths, p, acceleration, _ = model(state)
    assert (stop.turn_s, stop.plateau_s, stop.release_s) == pytest.approx(lengths, rel=1e-12, abs=1e-15)
    assert stop.plateau_m_s2 == pytest.approx(p, rel=1e-12)
    v, way = integrals(acceleration, np.cumsum(lengths), sum(lengths))
    assert state[0] + v == pytest.approx(0.0, abs=1e-9)
    assert stop.rest_m == pytest.approx(0.02 + state[0] * sum(lengths) + way, rel=1e-9)


@every
def test_on_the_way_each_quantity_is_the_integral_of_the_next(state):
    stop = planned(*state[:5])
    lengths, _, acceleration, slope = model(state)
    for begin, lasts in zip([0.0, lengths[0], lengths[0] + lengths[1]], lengths, strict=True):
        for t in begin + lasts * np.array(SHARES) if lasts else ():
            v, way = integrals(acceleration, np.cumsum(lengths), t)
            wanted = [0.02 + state[0] * t + way, state[0] + v, float(acceleration(t)), slope(t)]
            moving, out = at(stop, float(t))
            assert moving == 0
            assert out == pytest.approx(wanted, rel=1e-8, abs=1e-10 * max(state[4], 1.0))
            assert out[0] == pytest.approx(wanted[0], rel=1e-10)


def test_it_begins_at_its_point_and_rests_from_its_last_instant_on():
    stop = planned(0.3, -4.0, 300.0, 10.0, 1500.0)
    assert at(stop, 0.0) == (0, (0.02, 0.3, -4.0, pytest.approx(300.0)))
    for late in (0.0, 1e-3, 10.0):
        assert at(stop, stop.turn_s + stop.plateau_s + stop.release_s + late) == (1, (stop.rest_m, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("v", [0.3, -0.3, 0.02, -0.02, 0.0])
def test_the_stopping_reach_is_half_the_speed_for_the_time_of_a_stop_and_a_little_more_than_its_way(v):
    stop = planned(v, 0.0, 0.0, 10.0, 800.0)
    lasts_s, way_m = stop.turn_s + stop.plateau_s + stop.release_s, stop.rest_m - 0.02
    reach_m = rt_stopping_reach(v, 10.0, 800.0, 0.0)
    assert reach_m == pytest.approx(0.5 * v * lasts_s, rel=1e-12)
    assert abs(way_m) <= abs(reach_m) <= 1.06 * abs(way_m)


@pytest.mark.parametrize("v", [0.3, -0.3, 0.02])
def test_the_stopping_reach_counts_what_the_reaction_takes(v):
    assert rt_stopping_reach(v, 10.0, 800.0, 0.03) - rt_stopping_reach(v, 10.0, 800.0, 0.0) == pytest.approx(0.03 * v)
