"""The proof of the plant's signs, step by step: what is measured, and which trip follows from it."""

import numpy as np
import pytest

from hilctl.law.pressure_signs import FIT
from hilctl.law.sensors import ACCELERATION, COUNT, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.law.signs import (
    SIGNS,
    rt_signs_begin,
    rt_signs_count,
    rt_signs_drift,
    rt_signs_motion,
    rt_signs_pressures,
    rt_signs_rest,
    rt_signs_step,
    rt_signs_turn,
    rt_signs_unsure,
)
from hilctl.signals import Trip
from tests.forms import blank, changed, filled

pytestmark = pytest.mark.usefixtures("forms")
DT, LAG, LEAST = 1e-3, 5e-3, 1e-3
DEAD, REVERSED = Trip.SENSOR_DEAD, Trip.SENSOR_REVERSED


def reading(x=0.0, a=0.0):
    value = np.zeros(COUNT)
    value[DISPLACEMENT], value[ACCELERATION], value[PRESSURE_A], value[PRESSURE_B] = x, a, 2e6, 1e6
    return value


def roots(names):
    return {name.partition("[")[0].partition(".")[0] for name in names}


def test_the_mean_acceleration_at_rest_begins_again_when_it_is_asked_to():
    s = filled(SIGNS)
    before = s.copy()
    rt_signs_rest(2.0, True, s)
    assert (s.rest_a, s.rest_n, s.rest_squares, s.square, s.product) == (2.0, 1.0, 0.0, 0.0, 0.0)
    assert not s.pressures.left.any()
    assert s.pressures.way == 0.0
    for a in (5.0, -1.0, 4.0):
        rt_signs_rest(a, False, s)
    assert s.rest_a == pytest.approx(2.5, rel=1e-15)
    assert s.rest_n == 4.0
    assert s.rest_squares == pytest.approx(4 * np.var([2.0, 5.0, -1.0, 4.0]), rel=1e-15)
    assert roots(changed(before, s)) == {"rest_a", "rest_n", "rest_squares", "square", "product", "pressures"}


def test_a_restart_forgets_a_mean_that_never_ended():
    s = filled(SIGNS)
    s.rest_a = float("inf")
    rt_signs_rest(2.0, True, s)
    assert s.rest_a == 2.0


def test_a_tick_of_rest_leaves_the_rounds_before_alone():
    s = filled(SIGNS)
    before = s.copy()
    rt_signs_rest(2.0, False, s)
    assert roots(changed(before, s)) == {"rest_a", "rest_n", "rest_squares"}


def test_the_bumps_begin_where_the_table_is():
    s = filled(SIGNS)
    before = s.copy()
    rt_signs_begin(reading(0.025), s)
    assert (s.x_begin, s.v, s.s) == (0.025, 0.0, 0.0)
    assert s.pressures.begin[0] == 2e6
    assert s.pressures.t == 0.0
    assert roots(changed(before, s)) == {"x_begin", "v", "s", "pressures"}


def test_the_turn_keeps_both_measures_of_the_way():
    s = filled(SIGNS)
    before = s.copy()
    rt_signs_turn(reading(0.025), s)
    assert changed(before, s) == {"x_turn": 0.025, "s_turn": before.s}


def test_acceleration_less_its_mean_at_rest_is_integrated_twice():
    s = blank(SIGNS)
    s.rest_a, s.v, s.s = 0.5, 0.01, 0.002
    for _ in range(50):
        rt_signs_step(reading(a=3.5), 1.0, LAG, DT, s)
    t = 50 * DT
    assert s.v == pytest.approx(0.01 + 3.0 * t)
    assert s.s == pytest.approx(0.002 + 0.01 * t + 1.5 * t * t)
    assert s.pressures.sums[0, 0] == 50
    assert s.pressures.sums[0, 3] == pytest.approx(150.0)
    assert s.pressures.t == pytest.approx(t)
    assert s.pressures.way == pytest.approx(1 - (1 + DT / LAG) ** -50)


@pytest.mark.parametrize(
    ("v", "s_m", "went", "trip"),
    [(0.02, 0.01, 0.0039, DEAD), (-0.02, -0.01, -0.0039, DEAD), (0.02, 0.01, -0.0039, DEAD), (0.02, -0.01, 0.0, DEAD),
     (0.02, 0.01, 0.0041, 0), (-0.02, -0.01, 0.0041, 0), (0.02, 0.01, -0.0041, 0), (0.0099, 0.01, 0.0, 0),
     (-0.0099, 0.01, 0.0, 0), (0.01, 0.01, 0.0, 0), (0.02, 0.01, 0.004, 0)],
)  # fmt: skip
def test_a_table_that_drifts_where_displacement_does_not_follow_is_dead(v, s_m, went, trip):
    s = filled(SIGNS)
    s.v, s.s, s.x_begin, s.rest_squares = v, s_m, 0.0, 0.0
    before = s.copy()
    assert rt_signs_drift(reading(went), 0.01, 0.1, DT, s) == trip
    if trip:
        assert (s.sensor, s.value, s.limit) == (DISPLACEMENT, went, pytest.approx(0.004))
        assert set(changed(before, s)) <= {"sensor", "value", "limit"}
    else:
        assert changed(before, s) == {}


def test_the_drift_counts_from_where_the_bumps_began():
    s = blank(SIGNS)
    s.v, s.s, s.x_begin = 0.02, 0.01, 0.05
    assert rt_signs_drift(reading(0.05), 0.01, 0.1, DT, s) == DEAD
    assert s.value == 0.0
    s.x_begin = -0.05
    assert rt_signs_drift(reading(0.0), 0.01, 0.1, DT, s) == 0


@pytest.mark.parametrize(("v", "trip"), [(0.0199, 0), (0.0201, DEAD), (-0.0199, 0), (-0.0201, DEAD)])
def test_a_speed_that_the_accelerometers_noise_makes_up_is_no_drift(v, trip):
    """0.2 m/s² of noise, over 0.1 s, is 2 mm/s: five times that is 10 mm/s."""
    s = blank(SIGNS)
    s.v, s.s, s.rest_n, s.rest_squares = v, 0.01, 500.0, 500 * 0.04
    assert rt_signs_drift(reading(0.0), 0.01, 0.1, DT, s) == trip


@pytest.mark.parametrize(("noise", "rounds", "unsure"), [(0.0, 1, False), (0.0666, 1, False), (0.0667, 1, True),
                                                         (0.1333, 4, False), (0.1334, 4, True)])  # fmt: skip
def test_an_accelerometer_whose_noise_hides_the_way_of_a_round_is_not_sure_and_surer_after_more(noise, rounds, unsure):
    """1 mm each round, in bumps of 0.3 s: 0.0667 m/s² of noise make up 0.2 mm, and twice that is 0.4 of the way."""
    s = blank(SIGNS)
    s.rest_n, s.rest_squares, s.square = 500.0, 500 * noise**2, rounds * 1e-6
    assert rt_signs_unsure(0.3, DT, s) == unsure


def bumped(went, felt, square=0.0, product=0.0):
    """A state after both bumps, with these ways of displacement and acceleration, over a drift of each."""
    s = filled(SIGNS)
    s.square, s.product = square, product
    s.x_begin, s.x_turn = 0.1, went + 0.1 + 0.003
    s.s, s.s_turn = 0.008, felt + 0.004
    return s, reading(0.1 + 0.006)


TABLE = [  # D, E, resolved; trip, sensor
    (0.002, 0.002, True, 0, None),
    (0.002, 0.0009, True, 0, None),
    (0.002, 0.0007, True, DEAD, ACCELERATION),
    (0.002, -0.0007, True, DEAD, ACCELERATION),
    (0.002, -0.0009, True, REVERSED, ACCELERATION),
    (0.002, -0.0009, False, 0, None),
    (0.002, 0.0, False, 0, None),
    (-0.002, -0.002, True, Trip.POLARITY, -1),
    (-0.002, -0.0009, True, Trip.POLARITY, -1),
    (-0.002, -0.0007, True, REVERSED, DISPLACEMENT),
    (-0.002, 0.002, True, REVERSED, DISPLACEMENT),
    (-0.002, 0.002, False, Trip.POLARITY, -1),
    (0.0009, 0.002, True, DEAD, DISPLACEMENT),
    (-0.0009, -0.002, True, DEAD, DISPLACEMENT),
    (0.0, 0.0009, True, Trip.NO_MOTION, -1),
    (0.0, -0.0009, True, Trip.NO_MOTION, -1),
    (0.0, 0.002, False, Trip.NO_MOTION, -1),
    (0.0, -0.002, False, Trip.NO_MOTION, -1),
    (0.0011, 0.0011, True, 0, None),
    (-0.0011, -0.0011, True, Trip.POLARITY, -1),
]


@pytest.mark.parametrize(("went", "felt", "resolved", "trip", "sensor"), TABLE)
def test_each_row_of_the_table_names_its_fault(went, felt, resolved, trip, sensor):
    s, value = bumped(went, felt)
    before = s.copy()
    assert rt_signs_motion(value, 1.0, LEAST, resolved, s) == trip
    moved = abs(went) >= LEAST
    assert s.shown == (np.sign(went) if moved else 0)
    assert (s.square, s.product) == (pytest.approx(went**2), pytest.approx(went * felt)) if moved else (0.0, 0.0)
    if not trip:
        assert (s.sensor, s.value, s.limit) == (before.sensor, before.value, before.limit)
    elif sensor == ACCELERATION:
        assert (s.sensor, s.value, s.limit) == (sensor, pytest.approx(felt / went), 0.4)
    else:
        assert (s.sensor, s.value, s.limit) == (sensor, pytest.approx(went), LEAST)


def test_what_acceleration_says_is_taken_from_all_rounds_together():
    s, value = bumped(0.002, 0.002, square=4e-6, product=0.0)
    assert rt_signs_motion(value, 1.0, LEAST, True, s) == 0
    assert (s.square, s.product) == (pytest.approx(8e-6), pytest.approx(4e-6))
    s, value = bumped(0.002, 0.002, square=8e-6, product=0.0)
    assert rt_signs_motion(value, 1.0, LEAST, True, s) == DEAD
    assert s.value == pytest.approx(1 / 3)


def test_exactly_the_least_way_is_a_way():
    s = blank(SIGNS)
    s.x_turn = s.s_turn = 0.5
    assert rt_signs_motion(reading(0.0), 1.0, 0.5, True, s) == 0
    s = blank(SIGNS)
    s.x_turn, s.s_turn = -0.5, -0.5
    assert rt_signs_motion(reading(0.0), 1.0, 0.5, True, s) == Trip.POLARITY
    s = blank(SIGNS)
    s.s_turn = -0.5
    assert rt_signs_motion(reading(0.0), 1.0, 0.5, True, s) == DEAD


def fitted(ra, rb):
    """Pressures that go with the motion by these correlations, in many ticks: the bound is a quarter."""
    s = filled(SIGNS)
    s.pressures = blank(FIT)
    s.pressures.freedom = 1000.0
    left = s.pressures.left
    left[0, 0] = left[2, 2] = left[3, 3] = 1.0
    left[0, 2], left[0, 3] = ra, -rb
    return s


@pytest.mark.parametrize(
    ("ra", "rb", "trip", "sensor"),
    [(0.9, 0.8, 0, None), (0.26, 0.26, 0, None), (-0.9, -0.8, Trip.PRESSURES_EXCHANGED, -1),
     (-0.26, -0.26, Trip.PRESSURES_EXCHANGED, -1), (-0.9, 0.8, REVERSED, PRESSURE_A), (0.9, -0.8, REVERSED, PRESSURE_B),
     (-0.9, 0.1, REVERSED, PRESSURE_A), (0.1, -0.8, DEAD, PRESSURE_A), (0.24, 0.8, DEAD, PRESSURE_A),
     (-0.24, 0.8, DEAD, PRESSURE_A), (0.9, 0.24, DEAD, PRESSURE_B), (0.9, -0.24, DEAD, PRESSURE_B),
     (0.0, 0.0, DEAD, PRESSURE_A), (0.9, 0.0, DEAD, PRESSURE_B), (-0.9, -0.1, REVERSED, PRESSURE_A)],
)  # fmt: skip
def test_the_pressures_name_their_fault(ra, rb, trip, sensor):
    s = fitted(ra, rb)
    before = s.copy()
    assert rt_signs_pressures(s) == trip
    if trip:
        assert (s.sensor, s.value, s.limit) == (sensor, pytest.approx(rb if sensor == PRESSURE_B else ra), 0.25)
    else:
        assert (s.sensor, s.value, s.limit) == (before.sensor, before.value, before.limit)


def test_a_round_counts_once_the_motion_is_proved():
    s = blank(SIGNS)
    for k in range(20):
        rt_signs_step(reading(a=float(k % 3)), 1.0, LAG, DT, s)
    assert s.pressures.freedom == 0.0
    rt_signs_count(s)
    assert s.pressures.freedom == 17.0
