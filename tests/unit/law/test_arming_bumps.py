"""Ticks of the bumps, and what a round of them says at its end."""

import functools
import math

import numpy as np
import pytest

from hilctl.law.arming import ARMING, rt_arming
from hilctl.law.bumps import GOING
from hilctl.law.nominal import rt_unweighted
from hilctl.law.sensors import ACCELERATION, COUNT, DISPLACEMENT, PRESSURE_A
from hilctl.law.signs import rt_signs_step
from hilctl.machine import hydraulic_frequency
from hilctl.rt.records import words_of
from hilctl.signals import Arming as Step
from hilctl.signals import Trip
from tests.forms import blank, filled
from tests.unit.law.arming_rig import DT, FULL, C, M, Rig
from tests.unit.law.given import _rig, machine
from tests.unit.law.states import put

HYDRAULIC = hydraulic_frequency(_rig().controller.machine)  # rad/s
LAG_S = 2 * M.zv / M.wv + 1 / HYDRAULIC
WAY_M = C.bump * FULL * C.bump_s  # of a bump that moves the table as nominal
LEAST_M = C.response * WAY_M
pytestmark = pytest.mark.usefixtures("forms")


def tick(a, value, own_m=0.0, dt_s=DT):
    return rt_arming(C, M, own_m, value, 0.0, math.nan, dt_s, True, a)


def bumping(step=Step.BUMP_UP, x=0.0, **values):
    value = np.zeros(COUNT)
    value[DISPLACEMENT] = x
    return put(blank(ARMING), step=step, bump=C.bump, first=1.0, **values), value


@pytest.mark.parametrize("begin", [0.5, -0.5])
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("share", "ends"), [(0.999, False), (1.001, True)])
def test_the_way_from_where_it_began_is_bounded(begin, way, share, ends):
    a, value = bumping(x=begin + way * share * C.travel_m, begin_m=begin)
    outcome = tick(a, value)
    assert outcome == (Trip.ARMING_TRAVEL if ends else GOING)
    if ends:
        assert (a.value, a.limit) == (pytest.approx(way * share * C.travel_m), C.travel_m)


@pytest.mark.parametrize(("offset_s", "n"), [(-1e-6, 0), (1e-6, 1)])
def test_the_speed_is_that_of_the_second_half(offset_s, n):
    a, value = bumping(in_step_s=0.5 * C.bump_s + offset_s - DT, x=0.001)
    tick(a, value)
    assert a.n == n
    assert a.t == pytest.approx(offset_s if n else 0.0, abs=1e-9)


def fitted(a, speed, in_step_s):
    """Puts a speed over the second half of a bump into its sums."""
    for k in range(20):
        t = in_step_s - DT * (20 - k) - 0.5 * C.bump_s
        for name, by in (("n", 1.0), ("t", t), ("tt", t * t), ("x", speed * t), ("tx", speed * t * t)):
            a[name] += by
    return speed * (in_step_s - 0.5 * C.bump_s)


@pytest.mark.parametrize(("offset_s", "step"), [(-1e-6, Step.BUMP_UP), (1e-6, Step.BUMP_DOWN)])
def test_up_is_followed_by_down_and_its_speed_is_kept(offset_s, step):
    a, value = bumping(in_step_s=C.bump_s + offset_s - DT, signs__s=0.25)
    value[DISPLACEMENT] = fitted(a, 0.01, C.bump_s + offset_s)
    assert tick(a, value) == GOING
    assert a.step == step
    if step == Step.BUMP_DOWN:
        assert a.up_m_s == pytest.approx(0.01)
        assert (a.in_step_s, a.n, a.signs.x_turn, a.signs.s_turn) == (0.0, 0.0, value[DISPLACEMENT], 0.25)


@pytest.mark.parametrize(("step", "way"), [(Step.BUMP_UP, 1.0), (Step.BUMP_DOWN, -1.0)])
def test_the_speed_is_that_without_the_weight_of_a_vertical_axis(step, way):
    heavy = machine(vertical=1)
    a, value = bumping(step=step, in_step_s=C.bump_s, signs__s=0.25)
    a.first = way
    value[DISPLACEMENT] = fitted(a, way * 0.01, C.bump_s + DT)
    rt_arming(C, heavy, 0.0, value, 0.0, math.nan, DT, True, a)
    speed = a.up_m_s if way > 0.0 else a.down_m_s
    assert speed == pytest.approx(rt_unweighted(heavy, math.nan, way * 0.01, way), rel=1e-3)


def test_where_the_rig_closes_its_own_loop_the_place_stands_for_the_speed():
    a, value = bumping(in_step_s=C.bump_s, x=0.004)
    tick(a, value, own_m=0.2)
    assert a.up_m_s == 0.004
    a, value = bumping(in_step_s=C.bump_s, x=0.004)
    tick(a, value)
    assert a.up_m_s == 0.0


@pytest.mark.parametrize(("step", "way"), [(Step.BUMP_UP, 1.0), (Step.BUMP_DOWN, -1.0)])
def test_the_signs_follow_each_bump_in_its_direction(step, way):
    a, value = put(filled(ARMING), step=step, in_step_s=0.0, begin_m=0.0), np.zeros(COUNT)
    value[ACCELERATION], value[PRESSURE_A] = 3.0, 0.3
    expected = a.signs.copy()
    rt_signs_step(value, way, LAG_S, DT, expected)
    tick(a, value)
    assert words_of(a.signs) == pytest.approx(words_of(expected), rel=1e-9, nan_ok=True)


@functools.cache
def _before_the_end(see, gain):
    rig = Rig(gain=gain)
    rig.see = np.array(see, float)
    rig.to(Step.BUMP_DOWN)
    while rig.a.step != Step.BUMP_DOWN or rig.a.in_step_s + DT < C.bump_s - 1e-9:
        assert rig.tick() == GOING
    return rig.a.copy(), rig.value.copy()


def ended(see=(1, 1, 1, 1), gain=1.0, rounds=1, off=None, own_m=0.0, dt_s=DT, far=None, **values):
    """The last tick of a round; `off` is the null's error that it shows, `far` how far it is from its beginning, in
    ways of a bump.
    """
    a, value = (one.copy() for one in _before_the_end(see, gain))
    a.rounds = rounds
    put(a, **values)
    if off is not None:
        trial = a.copy()
        tick(trial, value)
        a.up_m_s = -trial.down_m_s * (1 + off / a.bump) / (1 - off / a.bump)
    if far is not None:
        a.begin_m = value[DISPLACEMENT] - far * WAY_M
    a.in_step_s = C.bump_s - dt_s + 1e-9
    return a, tick(a, value, own_m, dt_s)


def test_a_healthy_second_round_proves_signs_and_null():
    a, outcome = ended(null=0.01, value=7.0, limit=8.0, sensor=9)
    assert (outcome, a.step, a.proved, a.rounds) == (GOING, Step.HIGH_PRESSURE, 1, 2)
    assert (a.value, a.limit, a.sensor) == (7.0, 8.0, 9), "nothing has ended it"
    assert a.kept == a.null
    assert a.gain_m_s == pytest.approx((a.up_m_s - a.down_m_s) / (2 * C.bump))


def test_a_first_round_is_never_enough():
    a, outcome = ended(rounds=0)
    assert (outcome, a.step, a.proved, a.rounds) == (GOING, Step.BUMP_UP, 0, 1)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(
    ("rounds", "share", "step", "ends"),
    [
        (1, 0.049, Step.HIGH_PRESSURE, False),
        (1, 0.051, Step.BUMP_UP, False),
        (2, 0.30, Step.BUMP_UP, False),
        (2, 0.40, Step.BUMP_UP, False),
        (6, 0.40, Step.BUMP_UP, False),
        (7, 0.09, Step.HIGH_PRESSURE, False),
        (7, 0.11, Step.BUMP_DOWN, True),
        (8, 0.09, Step.HIGH_PRESSURE, False),
    ],
)
def test_the_null_moves_by_what_a_round_shows_until_it_moves_little_or_eight_were_made(way, rounds, share, step, ends):
    off = way * share * C.bump
    a, outcome = ended(rounds=rounds, off=off, null=0.01)
    assert a.null == pytest.approx(0.01 - off)
    assert a.step == step
    assert outcome == (Trip.NULL_NOT_CONFIRMED if ends else GOING)
    if ends:
        assert (a.value, a.limit, a.sensor) == (pytest.approx(off), pytest.approx(C.bump / 10), -1)


@pytest.mark.parametrize("way", [1, -1])
def test_a_null_beyond_what_is_believed_ends_arming_but_not_for_a_place(way):
    assert ended(off=0.0, null=way * (C.null_max - 1e-4))[1] == GOING
    a, outcome = ended(off=0.0, null=way * (C.null_max + 1e-4))
    assert (outcome, a.limit, a.sensor) == (Trip.NULL_NOT_CONFIRMED, C.null_max, -1)
    assert a.value == pytest.approx(way * (C.null_max + 1e-4))


@pytest.mark.parametrize("more", [0.0, 1e-3])
def test_a_table_that_had_stopped_by_the_second_half_shows_no_motion(more):
    trial, _ = ended()
    a, outcome = ended(up_m_s=trial.down_m_s - more, searched=1)
    assert outcome == Trip.NO_MOTION
    assert (a.value, a.limit, a.sensor) == (0.0, pytest.approx(LEAST_M), -1)


@pytest.mark.parametrize(("rounds", "ends"), [(1, False), (2, False), (3, True)])
def test_while_a_pressure_says_too_little_up_to_four_rounds_are_made(rounds, ends):
    a, outcome = ended(see=(1, 1, 0, 1), rounds=rounds)
    assert (outcome, a.step) == ((Trip.SENSOR_DEAD, Step.BUMP_DOWN) if ends else (GOING, Step.BUMP_UP))
    assert not ends or a.sensor == PRESSURE_A


def test_a_pressure_that_is_reversed_needs_no_more_rounds():
    a, outcome = ended(see=(1, 1, -1, 1))
    assert (outcome, a.sensor) == (Trip.SENSOR_REVERSED, PRESSURE_A)


@pytest.mark.parametrize(
    ("disturbed", "rounds", "far", "ends"),
    [(0, 0, 0.0, True), (1, 0, 0.0, False), (2, 0, 0.0, False), (1, 8, 0.0, False), (1, 9, 0.0, True),
     (1, 0, 1.98, False), (1, 0, -1.98, False), (1, 0, 2.02, True), (1, 0, -2.02, True)],
)  # fmt: skip
def test_a_disturbed_round_proves_no_fault_of_a_table_that_is_near_ten_times_at_the_most(disturbed, rounds, far, ends):
    a, outcome = ended(see=(1, 0, 1, 1), disturbed=disturbed, rounds=rounds, far=far)
    again = Step.BUMP_DOWN if far > 1.0 else Step.BUMP_UP  # back to where it began
    assert (outcome, a.step) == ((Trip.SENSOR_DEAD, Step.BUMP_DOWN) if ends else (GOING, again))
    assert (a.sensor == ACCELERATION) or not ends
    assert ends or a.disturbed == 0


@pytest.mark.parametrize("disturbed", [0, 1])
def test_a_table_that_shows_no_motion_is_not_tried_again(disturbed):
    assert ended(gain=0.0, disturbed=disturbed, searched=1)[1] == Trip.NO_MOTION


@pytest.mark.parametrize(("smaller", "ends"), [(0.0, False), (9.0 * C.bump, True)])
def test_behind_an_overlap_a_round_is_compared_with_the_one_before_only_where_that_was_measured(smaller, ends):
    speed_m_s = FULL * C.bump
    before = {"smaller": smaller, "slower_m_s": speed_m_s if smaller else 0.0}
    a, outcome = ended(overlap=9.0 * C.bump, bump=10.0 * C.bump, **before)
    assert outcome == (Trip.NO_MOTION if ends else GOING)
    if ends:
        assert (a.value, a.limit, a.sensor) == (0.0, pytest.approx(LEAST_M), -1)


@pytest.mark.parametrize(("gain", "overlap", "found"), [
    (0.3, 0.0, 0.7), (0.97, 0.0, 0.0), (1.5, 0.0, 0.0), (0.3, 1.0, 1.7), (0.97, 1.0, 1.03), (1.5, 1.0, 0.5),
    (1.5, 0.3, 0.0),
])  # fmt: skip
def test_a_speed_that_is_missing_beyond_an_overlap_is_more_of_it_and_one_too_many_less(gain, overlap, found):
    """In openings of a bump beyond it. Of a table without one a little that is missing is the gain's."""
    a, _ = ended(gain=gain, overlap=overlap * C.bump, bump=(1 + overlap) * C.bump)
    assert a.overlap == pytest.approx(found * C.bump, abs=0.03 * C.bump)


def test_a_disturbed_round_that_finds_no_fault_counts():
    a, outcome = ended(disturbed=3)
    assert (outcome, a.step) == (GOING, Step.HIGH_PRESSURE)


@pytest.mark.parametrize(
    ("share", "disturbed", "rounds", "judged"),
    [(0.99, 0, 0, True), (1.01, 0, 0, False), (1.01, 1, 9, True), (0.99, 1, 9, True), (1.01, 0, 9, False)],
)
def test_the_accelerometer_is_not_judged_by_ticks_too_coarse_for_the_hydraulic_mode(share, disturbed, rounds, judged):
    _, outcome = ended(see=(1, 0, 1, 1), disturbed=disturbed, rounds=rounds, dt_s=share / HYDRAULIC)
    assert (outcome == Trip.SENSOR_DEAD) is judged
