"""The observer of position and velocity, and its delay lines."""

import math

import numpy as np
import pytest

from hilctl.law.estimate import (
    ESTIMATE,
    FOLLOWS_S,
    FOLLOWS_TICKS,
    LINE,
    REFILLED,
    STRAIGHT,
    Estimator,
    _rt_mean,
    rt_estimate,
    rt_estimate_prepare,
    rt_estimate_shift,
    rt_estimate_start,
    rt_predicted_acceleration,
    rt_predicted_position,
    rt_seen_speed,
)
from hilctl.law.sensors import Sensor, Sensors
from hilctl.params import pack
from tests.forms import changed, filled

DT = 1e-3
pytestmark = pytest.mark.usefixtures("forms")


def sensors(x_s=0.0, a_s=0.0):
    one = {"low": -1.0, "high": 1.0}
    return pack(Sensors(displacement=Sensor(**one, delay_s=x_s), acceleration=Sensor(**one, delay_s=a_s),
                        pressure_a=Sensor(**one), pressure_b=Sensor(**one)))


def observer(x=0.0, a=0.0, x_s=0.0, a_s=0.0, hz=5.0):
    e = filled(ESTIMATE)
    rt_estimate_prepare(pack(Estimator(bandwidth_hz=hz)), sensors(x_s, a_s), DT, e)
    rt_estimate_start(x, a, e)
    return e


def test_the_pole_follows_the_bandwidth_and_the_shorter_delay_is_made_up():
    e = filled(ESTIMATE)
    before = e.copy()
    rt_estimate_prepare(pack(Estimator(bandwidth_hz=4.0)), sensors(0.0007, 0.0032), DT, e)
    assert changed(before, e) == pytest.approx(
        {"q": math.exp(-2 * math.pi * 4.0 * DT), "delay_ticks": 3.2, "delay_x": 2.5, "delay_a": 0.0}, abs=1e-12
    )
    rt_estimate_prepare(pack(Estimator(bandwidth_hz=4.0)), sensors(0.0032, 0.0007), DT, e)
    assert (e.delay_ticks, e.delay_x, e.delay_a) == pytest.approx((3.2, 0.0, 2.5))


def test_a_start_is_at_rest_at_what_is_measured_and_takes_the_acceleration_for_bias():
    e = observer(0.02, 0.3)
    assert (e.x, e.v, e.b, e.a, e.b_start, e.at) == (0.02, 0.0, -0.3, 0.3, -0.3, 0)
    assert (e.line_x == 0.02).all()
    assert (e.line_a == 0.3).all()


def test_a_table_at_rest_with_a_biased_accelerometer_stays_at_rest():
    e = observer(0.02, 0.3)
    for _ in range(500):
        rt_estimate(0.02, 0.3, 0.0, False, DT, 1, e)
    assert (e.x, e.v, e.b) == pytest.approx((0.02, 0.0, -0.3), abs=1e-12)


def test_one_step_is_the_recursion_of_the_page():
    e = observer()
    e.x, e.v, e.b, e.a = 0.01, 0.2, 0.05, 1.5
    rt_estimate(0.013, 2.5, 0.0, False, DT, 1, e)
    q = math.exp(-2 * math.pi * 5.0 * DT)
    x = 0.01 + DT * 0.2 + DT * DT * ((2 * 1.5 + 2.5) / 6 + 0.5 * 0.05)
    v = 0.2 + DT * (0.5 * (1.5 + 2.5) + 0.05)
    r = 0.013 - x
    assert e.x == pytest.approx(x + (1 - q**3) * r, abs=1e-15)
    assert e.v == pytest.approx(v + 1.5 * (1 - q * q) * (1 - q) / DT * r, abs=1e-13)
    assert e.b == pytest.approx(0.05 + (1 - q) ** 3 / DT**2 * r, abs=1e-12)
    assert e.a == 2.5
    assert e.at == 1
    assert e.line_x[1] == 0.013
    assert e.line_a[1] == 2.5


@pytest.mark.parametrize(("x_s", "a_s"), [(0.0, 0.0), (0.0013, 0.0), (0.0, 0.0026), (0.002, 0.0045)])
def test_readings_with_different_delays_give_one_estimate_as_late_as_the_later(x_s, a_s):
    """A table under constant acceleration: position and velocity are exact, at the later sensor's delay."""
    e = observer(0.0, 2.0, x_s, a_s)
    e.b = e.b_start = 0.0
    e.v = 0.0
    late = max(x_s, a_s)
    def true_x(t):
        return 0.2 + 0.1 * t + t * t
    rt_estimate_start(true_x(-x_s), 2.0, e)
    e.b = 0.0
    for k in range(1, 2500):
        rt_estimate(true_x(k * DT - x_s), 2.0, 0.0, False, DT, 1, e)
    t = 2499 * DT - late
    assert e.x == pytest.approx(true_x(t), abs=2e-6)
    assert e.v == pytest.approx(0.1 + 2 * t, abs=2e-5)
    assert e.b == pytest.approx(0.0, abs=2e-3)


def test_the_bias_is_found_and_position_and_velocity_do_not_show_it():
    e = observer(0.0, 0.0)
    for k in range(1, 3000):
        rt_estimate(0.05 * k * DT, 0.7, 0.0, False, DT, 1, e)
    assert (e.x, e.v, e.b) == pytest.approx((0.05 * 2999 * DT, 0.05, -0.7), abs=1e-6)


def test_a_shift_of_the_accelerometer_changes_its_bias_and_nothing_else():
    e = observer(0.02, 0.3, a_s=0.0, x_s=0.003)
    for k in range(40):
        rt_estimate(0.02 + 1e-4 * k, 0.3 + 0.01 * k, 0.0, False, DT, 1, e)
    twin = e.copy()
    rt_estimate_shift(0.1, twin)
    assert (twin.a, twin.b, twin.b_start) == pytest.approx((e.a - 0.1, e.b + 0.1, e.b_start + 0.1))
    assert twin.line_a == pytest.approx(e.line_a - 0.1)
    for k in range(40):
        rt_estimate(0.02 + 1e-4 * k, 0.3 + 0.01 * k, 0.0, False, DT, 1, e)
        rt_estimate(0.02 + 1e-4 * k, 0.2 + 0.01 * k, 0.0, False, DT, 1, twin)
        assert (twin.x, twin.v, twin.a + twin.b) == pytest.approx((e.x, e.v, e.a + e.b), abs=1e-12)


def test_a_short_gap_is_filled_straight_and_counts_as_many_steps():
    gap, steps = observer(0.0, 0.0), observer(0.0, 0.0)
    rt_estimate(0.004, 8.0, 0.0, False, DT, STRAIGHT, gap)
    for k in range(1, STRAIGHT + 1):
        rt_estimate(0.004 * k / STRAIGHT, 8.0 * k / STRAIGHT, 0.0, False, DT, 1, steps)
    assert gap.at == STRAIGHT
    assert (gap.x, gap.v, gap.b, gap.a) == pytest.approx((steps.x, steps.v, steps.b, steps.a), abs=1e-12)


@pytest.mark.parametrize("gap", [STRAIGHT + 1, 40])
def test_in_a_long_gap_the_mean_acceleration_follows_from_the_way(gap):
    """A table that brakes evenly from 0.3 m/s, while the sensor shows zero again at the end."""
    e = observer(0.0, 0.0)
    e.v = 0.3
    t = gap * DT
    brake = -0.3 / t
    rt_estimate(0.3 * t + 0.5 * brake * t * t, 0.0, 0.0, False, DT, gap, e)
    assert e.at == gap
    assert e.line_a[1:gap] == pytest.approx([brake] * (gap - 1))
    assert e.line_a[gap] == 0.0
    assert e.v == pytest.approx(0.0, abs=0.6 / gap)


@pytest.mark.parametrize(
    ("dt_s", "straight"), [(1e-4, 4), (1e-3, 4), (2.5e-3, 4), (4e-3, 2), (5e-3, 2), (8e-3, 1), (2e-2, 1)]
)
def test_a_gap_is_filled_straight_for_four_periods_and_no_longer_than_half_a_swing_of_the_oil(dt_s, straight):
    """What happened in it is not seen, however few periods it had; a period is no gap."""
    for steps, by_way in ((straight, False), (straight + 1, True)):
        e = observer(0.0, 0.0)
        rt_estimate(0.004, 0.0, 0.0, False, dt_s, steps, e)
        assert np.any(e.line_a[1 : steps + 1]) == by_way


@pytest.mark.parametrize("dt_s", [1e-3, FOLLOWS_S / FOLLOWS_TICKS, 5e-3, 0.02])
def test_a_table_that_is_not_seen_comes_to_its_references_speed_and_not_beyond(dt_s):
    """It was a quarter faster, and its accelerometer has a bias."""
    e = observer(0.0, 0.0)
    e.v, e.b, e.a = 0.25, -0.4, 0.4
    seen = []
    for _ in range(round(0.3 / dt_s)):
        x, a = rt_predicted_position(dt_s, 1, e), rt_predicted_acceleration(0.2, 0.0, dt_s, e)
        rt_estimate(x, a, 0.0, True, dt_s, 1, e)
        seen.append(e.v)
    assert seen[-1] == pytest.approx(0.2, abs=2e-3)
    assert min(seen) > 0.195 and max(seen) < 0.25


def test_the_mean_of_a_long_gap_is_as_the_sensor_shows_it_bias_included():
    e = observer(0.0, 0.4)
    rt_estimate(0.5 * 2.0 * (10 * DT) ** 2, 2.4, 0.0, False, DT, 10, e)
    assert e.line_a[1:10] == pytest.approx([2.4] * 9)


@pytest.mark.parametrize("speed", [0.1, -0.3])
@pytest.mark.parametrize("lost", [0, 4])
def test_a_reading_that_may_be_younger_than_its_tick_tells_nothing_of_the_way_in_that_time(speed, lost):
    """The exchange after a gap took 4 ms, and the device read at its end; the next reading came in time again.

    The table went on at its speed all the time, and so does the estimate.
    """
    e, gap, late_s = observer(), STRAIGHT + 1, 0.004
    for k in range(40):
        rt_estimate(speed * k * DT, 0.0, 0.0003, False, DT, 1, e)
    e.x, e.v, e.b = speed * 39 * DT, speed, 0.0
    seen = []
    rt_estimate(speed * ((39 + gap) * DT + late_s), 0.0, 0.0003 + late_s, False, DT, gap, e)
    seen.append(e.v)
    for _ in range(lost):
        rt_estimate(rt_predicted_position(DT, 1, e), 0.0, 0.0, True, DT, 1, e)
        seen.append(e.v)
    for k in range(40 + gap + lost, 80):
        rt_estimate(speed * k * DT, 0.0, 0.0003, False, DT, 1, e)
        seen.append(e.v)
    assert seen == pytest.approx([speed] * len(seen), rel=0.08)


@pytest.mark.parametrize(("read_m", "mean"), [(0.003 + 0.002 + 0.0003, 40.0), (0.003 - 0.002, -40.0)])
def test_beyond_what_its_age_explains_the_way_does_count(read_m, mean):
    """A reading that is younger than its tick shows the table further on, and never further back."""
    e = observer()
    e.v = 0.3
    rt_estimate(read_m, 0.0, 0.001, False, DT, 10, e)
    assert e.line_a[1:10] == pytest.approx([mean] * 9)


def test_a_gap_longer_than_the_line_is_cut_to_it():
    e = observer(0.0, 0.0)
    rt_estimate(0.001, 0.0, 0.0, False, DT, LINE + 50, e)
    assert e.at == LINE


def test_a_rejected_displacement_is_predicted_from_speed_and_acceleration():
    e = observer(0.0, 0.0)
    e.at, e.v, e.a, e.b = 7, 0.2, 1.5, -0.5
    e.line_x[7] = 0.05
    assert rt_predicted_position(DT, 3, e) == pytest.approx(0.05 + 0.2 * 3 * DT + 0.5 * 1.0 * (3 * DT) ** 2, abs=1e-15)


def test_the_lines_go_round():
    e = observer(0.0, 0.0, x_s=0.0, a_s=0.0024)
    for k in range(1, LINE + 20):
        rt_estimate(1e-6 * k, 0.0, 0.0, False, DT, 1, e)
    assert e.at == LINE + 19
    assert e.line_x[19] == pytest.approx(1e-6 * (LINE + 19))
    assert np.count_nonzero(e.line_x == 0.0) == 0
    assert e.x == pytest.approx(1e-6 * (LINE + 19 - 2.4), abs=2e-6)


@pytest.mark.parametrize("speed", [0.03, -0.2])
def test_the_speed_that_was_seen_is_the_slope_of_the_readings_across_the_end_of_their_line(speed):
    e = observer(0.02)
    assert rt_seen_speed(DT, e) == 0.0
    for k in range(LINE + 77):
        rt_estimate(0.02 + speed * k * DT, 0.0, 0.0, False, DT, 1, e)
    assert rt_seen_speed(DT, e) == pytest.approx(speed, rel=1e-9)


def test_the_speed_that_was_seen_hardly_changes_with_one_reading_after_a_stall():
    e = observer(0.02)
    for _ in range(LINE):
        rt_estimate(0.02, 0.0, 0.0, False, DT, 1, e)
    rt_estimate(0.02 + 1e-5, 0.0, 0.0, False, DT, 7, e)  # noise alone
    assert e.v > 1e-3
    assert rt_seen_speed(DT, e) < 2e-4


def slid(e, count, first=1):
    for k in range(first, first + count):
        rt_estimate(0.1 * k * DT, 0.05 * k, 0.0, False, DT, 1, e)


@pytest.mark.parametrize("lost", [1, 3, 4, 20, REFILLED - 1])
def test_when_readings_come_again_what_was_predicted_is_forgotten(lost):
    """A table that sticks while its reference goes on: the acceleration that was predicted never was."""
    e, skipped = observer(0.0, 0.0, a_s=0.0024), observer(0.0, 0.0, a_s=0.0024)
    slid(e, 30)
    slid(skipped, 30)
    for _ in range(lost):
        rt_estimate(rt_predicted_position(DT, 1, e), 14.0, 0.0, True, DT, 1, e)
    assert e.v > skipped.v + 0.005 * lost - 0.01
    rt_estimate(0.0031, 0.2, 0.0, False, DT, 1, e)
    rt_estimate(0.0031, 0.2, 0.0, False, DT, 1 + lost, skipped)
    assert (e.x, e.v, e.b, e.a, e.at) == (skipped.x, skipped.v, skipped.b, skipped.a, skipped.at)
    slid(e, 40, 31 + lost + 1)
    slid(skipped, 40, 31 + lost + 1)
    assert (e.x, e.v, e.b, e.a) == (skipped.x, skipped.v, skipped.b, skipped.a)


def test_of_more_than_fits_into_a_line_nothing_is_gone_through_again():
    e, skipped = observer(), observer()
    for _ in range(REFILLED):
        rt_estimate(0.0, 1.0, 0.0, True, DT, 1, e)
        rt_estimate(0.0, 1.0, 0.0, False, DT, 1, skipped)
    rt_estimate(0.0, 0.0, 0.0, False, DT, 1, e)
    rt_estimate(0.0, 0.0, 0.0, False, DT, 1, skipped)
    assert (e.x, e.v, e.b, e.a, e.at, e.predicted) == (skipped.x, skipped.v, skipped.b, skipped.a, skipped.at, 0)


def test_zeroing_while_readings_are_missing_counts_for_the_time_that_is_gone_through_again():
    e, twin = observer(0.0, 0.3), observer(0.0, 0.3)
    for each in (e, twin):
        rt_estimate(0.0, 0.3, 0.0, False, DT, 1, each)
        rt_estimate(0.0, 0.3, 0.0, True, DT, 1, each)
    rt_estimate_shift(0.1, twin)
    rt_estimate(0.0, 0.3, 0.0, False, DT, 1, e)
    rt_estimate(0.0, 0.2, 0.0, False, DT, 1, twin)
    assert (twin.x, twin.v, twin.a + twin.b) == pytest.approx((e.x, e.v, e.a + e.b), abs=1e-15)


def gap(way, a_from=2.0, a=-1.0, v=0.5, bias=0.2, gap_s=0.02, age_s=0.0, older_s=0.0):
    """The mean acceleration of a gap in which the table went `way` beyond what its speed explains."""
    e = observer(0.1)
    e.v, e.b, e.age_s = v, bias, older_s
    return float(_rt_mean(0.1 + v * gap_s + way, a, a_from, age_s, gap_s, e))


def test_the_mean_acceleration_of_a_gap_is_what_makes_the_way_that_was_gone():
    for mean in (-40.0, 3.0, 25.0):
        assert gap((mean + 0.2) * 0.02**2 / 2) == pytest.approx(mean)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_way_that_the_ages_of_its_readings_explain_says_nothing_of_a_gap(side):
    """Straight, acceleration falls by thirds. The last reading may be younger than its tick by its age, and the one
    before the gap was.
    """
    straight = ((2 * 2.0 - 1.0) / 6 + 0.2 / 2) * 0.02**2
    ages = {"age_s": 1e-3 if side > 0 else 0.0, "older_s": 1e-3 if side < 0 else 0.0}
    for share, known in ((1.01, True), (0.99, False), (0.5, False), (0.01, False), (-0.01, True)):
        way = straight + side * share * 0.5 * 1e-3
        assert math.isnan(gap(way, **ages)) is not known, share


@pytest.mark.parametrize("beyond", [3e-4, -3e-4])
@pytest.mark.parametrize("ages_s", [(1e-3, 2e-3), (1e-4, 2e-4)])
def test_of_what_the_ages_leave_open_what_is_nearest_to_straight_is_taken(beyond, ages_s):
    straight = ((2 * 2.0 - 1.0) / 6 + 0.2 / 2) * 0.02**2
    last, before = (0.5 * age_s for age_s in ages_s)
    mean = gap(straight + beyond + (last if beyond > 0 else -before), age_s=ages_s[0], older_s=ages_s[1])
    assert mean == pytest.approx(2 * (straight + beyond) / 0.02**2 - 0.2)
