"""The speed a while ago, from speeds held over steps of every length."""

import numpy as np
import pytest

from hilctl.friction import STATES
from hilctl.friction.delay import rt_delayed, rt_remember
from hilctl.rt.jit import jit

HZ = 100.0
W = 2 * np.pi * HZ


@jit()
def told(z, v, dt, delay, out):
    for i in range(v.size):
        rt_remember(z, v[i], dt[i], delay)
        out[i] = rt_delayed(z, delay)


def delayed(v, dt, delay):
    z, out = np.zeros(STATES), np.zeros(len(v))
    told(z, np.asarray(v, float), np.broadcast_to(np.asarray(dt, float), len(v)).copy(), delay, out)
    return out


def error(dt, delay, *, halves=False):
    """The greatest on a sine of 100 Hz, each speed told for the step around it, in one call or two."""
    dt = np.asarray(dt)
    ends = np.cumsum(dt)
    v = np.sin(W * (ends - 0.5 * dt) + 0.3)
    if halves:
        v, dt = np.repeat(v, 2), np.repeat(0.5 * dt, 2)
        ends = np.cumsum(dt)
    off = np.abs(delayed(v, dt, delay) - np.sin(W * (ends - delay) + 0.3))
    return np.max(off[ends > 2.5 * delay + 6 * np.max(dt)])


@pytest.mark.parametrize("delay", [5e-4, 0.001, 0.005, 0.02, 0.05])
@pytest.mark.parametrize("dt", [5e-6, 2e-5, 5e-5, 1e-4])
@pytest.mark.parametrize("halves", [False, True])
def test_a_sine_of_100_hz_is_read_within_a_millionth_at_equal_steps(delay, dt, halves):
    # 0.3 % longer, for no two samples to stand level beside a crest
    assert error(np.full(int(4 * max(delay, 0.01) / dt), 1.003 * dt), delay, halves=halves) < 2e-6


@pytest.mark.parametrize("delay", [5e-4, 0.001, 0.005, 0.02, 0.05])
def test_and_at_steps_that_vary_by_three(delay):
    dt = np.random.default_rng(0).uniform(3e-5, 9e-5, int(5 * max(delay, 0.01) / 6e-5))
    assert error(dt, delay) < 2e-6


def test_two_level_samples_beside_a_crest_cost_an_eighth_of_the_step_squared():
    dt = 5e-5
    v = np.cos(W * dt * (np.arange(-400, 400) + 0.5))
    v = 0.5 * (v + v[::-1])  # level to the last bit
    ends = dt * np.arange(-399, 401)
    off = np.abs(delayed(v, dt, 0.005) - np.cos(W * (ends - 0.005)))[ends > 0]
    assert 1e-6 < np.max(off) < 1.1 * (W * dt) ** 2 / 8


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_steps_up_to_the_delay_are_as_good_as_a_one_sided_cubic(share):
    delay = 0.001
    assert error(np.full(400, 1.003 * share * delay), delay) < 10 * (W * share * delay) ** 4 / 43


def test_a_delay_of_the_step_or_less_gives_the_speed_of_about_then():
    v = np.sin(0.01 * np.arange(400))
    assert delayed(v, 1e-3, 5e-4) == pytest.approx(v, abs=0.011)
    assert delayed(v, 1e-3, 1e-6) == pytest.approx(v, abs=0.011)


def test_what_was_held_is_read_as_it_was_held_and_a_jump_over_six_points():
    delay, dt = 0.0043, 1e-5
    near = 6.01 * delay / 43
    for before in (np.full(20000, 0.2), np.zeros(20000)):
        v = np.concatenate([before, np.full(2000, -0.5)])
        out, past = delayed(v, dt, delay), dt * np.arange(1, len(v) + 1) - delay
        jump = dt * len(before)
        assert out[(past > near) & (past < jump - near)] == pytest.approx(before[0], abs=1e-12)
        assert out[past > jump + near] == pytest.approx(-0.5, abs=1e-12)
        assert np.max(np.abs(out)) < 0.6


@pytest.mark.parametrize("hold_s", [1e-4, 0.01, 3.0])
def test_a_motion_out_of_a_rest_however_long_is_read_as_it_begins(hold_s):
    delay, dt = 0.005, 2e-5
    t = dt * (np.arange(1500) + 0.5)
    v = 1 - np.cos(40 * t)
    out = delayed(np.concatenate([[0.0], v]), np.concatenate([[hold_s], np.full(1500, dt)]), delay)[1:]
    past = dt * np.arange(1, 1501) - delay
    assert out == pytest.approx(np.where(past > 0, 1 - np.cos(40 * past), 0), abs=2e-6)


def test_speeds_held_for_longer_than_the_delay_are_read_as_held_though_all_are_as_long():
    delay, dt = 0.005, 1e-4
    v = np.repeat([0.1, -0.2, 0.3, 0.05], 100)  # 10 ms each
    past = dt * np.arange(1, 401) - delay
    clear = (past > 0) & (np.abs(past - 0.01 * np.round(past / 0.01)) > 6.01 * delay / 43)
    expected = v[np.floor(past[clear] / dt).astype(int)]
    assert delayed(v, dt, delay)[clear] == pytest.approx(expected, abs=1e-12)


def test_a_hold_shorter_than_the_delay_among_far_shorter_steps_is_read_as_held():
    delay, dt = 0.005, 2e-5
    t = dt * (np.arange(1000) + 0.5)
    out = delayed(np.concatenate([[0.2], 1 + t]), np.concatenate([[0.003], np.full(1000, dt)]), delay)[1:]
    past = dt * np.arange(1, 1001) - delay  # since the jump
    held = (past > -0.003 + 6.01 * delay / 43) & (past < -6.01 * delay / 43)
    assert out[held] == pytest.approx(0.2, abs=1e-12)
    assert out[past > 6.01 * delay / 43] == pytest.approx((1 + past)[past > 6.01 * delay / 43], abs=1e-9)
