"""A stop takes over from any point without a jump, and is at rest soon."""

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.law.reference import POINT, new_motion, new_point, rt_stop_motion
from hilctl.law.reference.scan import rt_table

NAMES = ("x_m", "v_m_s", "a_m_s2", "j_m_s3")
NONE = np.zeros(0)


def stop_from(x: float, v: float, a: float, j: float, deceleration: float, jerk: float) -> Any:
    point, motion = new_point(), new_motion()
    point.x_m, point.v_m_s, point.a_m_s2, point.j_m_s3 = x, v, a, j
    rt_stop_motion(point, deceleration, jerk, 7, motion)
    return motion


def points_of(motion: Any, times: Any) -> Any:
    out = np.zeros(len(times), POINT)
    rt_table(motion, NONE, np.ascontiguousarray(times, np.float64), out)
    return out


states = st.tuples(
    st.floats(-0.1, 0.1), st.floats(-1, 1), st.floats(-40, 40), st.floats(-8000, 8000),
    st.floats(1, 50), st.floats(100, 5000),
)  # fmt: skip


@given(states)
@settings(max_examples=200, deadline=None)
def test_it_starts_at_the_point_and_ends_at_rest(state: tuple[float, ...]) -> None:
    motion = stop_from(*state)
    first, last = points_of(motion, [0.0, motion.body_s])
    np.testing.assert_allclose(first.tolist(), state[:4], rtol=1e-9, atol=1e-9)
    assert last.tolist() == (motion.out.to_m, 0, 0, 0)
    before = points_of(motion, [motion.body_s * (1 - 1e-7)])[0]
    np.testing.assert_allclose(before.tolist(), last.tolist(), atol=1e-2)


@given(states)
@settings(max_examples=200, deadline=None)
def test_nothing_jumps_and_each_quantity_is_the_integral_of_the_next(state: tuple[float, ...]) -> None:
    motion = stop_from(*state)
    stop = motion.stop
    edges = np.unique(np.concatenate([
        np.linspace(0, stop.turn_s, 20), stop.turn_s + np.linspace(0, stop.plateau_s, 5),
        motion.body_s - np.linspace(stop.release_s, 0, 20),
    ]))  # fmt: skip
    nodes, weights = np.polynomial.legendre.leggauss(8)
    width = np.diff(edges)
    times = edges[:-1, None] + 0.5 * width[:, None] * (1 + nodes)
    inner, at = points_of(motion, times.ravel()), points_of(motion, edges)
    for low, high in pairwise(NAMES):
        change = 0.5 * width * (inner[high].reshape(times.shape) @ weights)
        scale = np.max(np.abs(at[low])) + np.max(np.abs(inner[high])) * motion.body_s
        np.testing.assert_allclose(np.diff(at[low]), change, atol=1e-9 * scale + 1e-14)
    # Jerk has no integral to jump against: look at both sides of the two seams.
    for seam in (stop.turn_s, stop.turn_s + stop.plateau_s):
        sides = points_of(motion, [seam * (1 - 1e-9), seam * (1 + 1e-9)])["j_m_s3"]
        assert abs(sides[1] - sides[0]) <= 1e-5 * np.max(np.abs(inner["j_m_s3"]))


@given(states)
@settings(max_examples=200, deadline=None)
def test_acceleration_stays_within_the_deceleration_or_where_it_was(state: tuple[float, ...]) -> None:
    _, _, a, j, deceleration, jerk = state
    motion = stop_from(*state)
    points = points_of(motion, np.linspace(0, motion.body_s, 2000))
    still_gaining = 4 / 27 * abs(j) * motion.stop.turn_s
    assert np.max(np.abs(points["a_m_s2"])) <= max(abs(a), deceleration) + still_gaining + 1e-9
    if j == 0:
        assert np.max(np.abs(points["j_m_s3"])) <= jerk * (1 + 1e-9)


def test_an_acceleration_that_grows_is_kept_below_the_deceleration_while_there_is_room() -> None:
    motion = stop_from(0, 0.3, 8.0, 2000.0, 10.0, 1000.0)
    assert np.max(points_of(motion, np.linspace(0, motion.body_s, 2000))["a_m_s2"]) < 10.0
    assert motion.stop.turn_s < 0.9 * stop_from(0, 0.3, 8.0, 0.0, 10.0, 2000.0).stop.turn_s


def test_a_jerk_beyond_the_limit_is_met_quickly_not_ridden_out() -> None:
    motion = stop_from(0, 0.3, 0.0, 8000.0, 10.0, 500.0)
    assert np.max(points_of(motion, np.linspace(0, motion.body_s, 2000))["a_m_s2"]) < 0.25 * 10.0


def test_it_is_finite_at_any_time() -> None:
    motion = stop_from(0.01, 0.8, -20, 1000, 10, 1500)
    points = points_of(motion, [-1.0, 0.0, 1e300, np.inf, np.nan])
    assert np.all(np.isfinite(points.view(np.float64)))
    assert points[0].tolist() == points[1].tolist()
    assert [p.x_m for p in points[2:]] == [motion.out.to_m] * 3


@given(st.floats(0.05, 1), st.floats(2, 50))
@settings(max_examples=50, deadline=None)
def test_from_a_straight_it_takes_little_more_than_the_shortest_way(speed: float, deceleration: float) -> None:
    motion = stop_from(0, speed, 0, 0, deceleration, 2000.0)
    shortest_m = speed**2 / (2 * deceleration)
    flanks_s = (1.5 + 1.875) * deceleration / 2000.0
    assert shortest_m < motion.out.to_m <= shortest_m + 0.5 * speed * flanks_s


def test_rest_stays_where_it_is() -> None:
    motion = stop_from(0.02, 0, 0, 0, 10, 1000)
    assert set(points_of(motion, np.linspace(0, 1, 50))["x_m"]) == {0.02}


def test_a_stop_may_follow_a_stop() -> None:
    first = stop_from(0, 0.8, -20, 1000, 10, 1500)
    middle = points_of(first, [0.4 * first.body_s])[0]
    second = new_motion()
    rt_stop_motion(middle, 10.0, 1500.0, 8, second)
    np.testing.assert_allclose(points_of(second, [0.0])[0].tolist(), middle.tolist(), rtol=1e-12)
