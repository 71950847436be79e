"""The displacement PID, term by term."""

import math

import numpy as np
import pytest

from hilctl.law.pid import PID, Pid, rt_pid, rt_pid_start
from hilctl.params import pack
from tests.forms import blank, changed, filled

DT = 2e-3
C = pack(Pid(kp_per_m=7.0, ki_per_m_s=11.0, kd_s_per_m=0.3, derivative_hz=40.0, unwind_per_s=50.0))
pytestmark = pytest.mark.usefixtures("forms")


def started(integral=0.0, error=0.0):
    s = filled(PID)
    rt_pid_start(integral, error, s)
    return s


def test_a_start_sets_the_integral_and_the_error_and_clears_all_else():
    s = started(0.25, -0.125)
    assert s.item() == (0.25, 0.0, -0.125, 0.0, 0.0, 0.0)


def test_the_opening_is_the_sum_of_the_three_terms_and_each_is_kept_for_the_sample():
    s = started(0.2, 0.01)
    u = rt_pid(C, 0.03, 0.0, True, DT, s)
    fade = math.exp(-2 * math.pi * 40.0 * DT)
    assert s.p == pytest.approx(7.0 * 0.03)
    assert s.i == s.integral == pytest.approx(0.2 + DT * 11.0 * 0.03)
    assert s.slope == pytest.approx((1 - fade) * (0.03 - 0.01) / DT)
    assert s.d == pytest.approx(0.3 * s.slope)
    assert u == pytest.approx(s.p + s.i + s.d, abs=1e-15)
    assert s.error == 0.03


def test_the_derivative_fades_by_its_filter_once_the_error_stands():
    s = started(0.0, 0.0)
    rt_pid(C, 0.02, 0.0, True, DT, s)
    first = s.slope
    rt_pid(C, 0.02, 0.0, True, DT, s)
    assert s.slope == pytest.approx(first * math.exp(-2 * math.pi * 40.0 * DT))


def test_the_derivative_of_a_ramp_comes_to_its_slope():
    s = started(0.0, 0.0)
    for k in range(1, 200):
        rt_pid(C, 0.4 * k * DT, 0.0, True, DT, s)
    assert s.slope == pytest.approx(0.4, rel=1e-9)


def test_the_first_step_after_a_start_makes_no_jump():
    s = started(0.2, 0.03)
    assert rt_pid(C, 0.03, 0.0, False, DT, s) == pytest.approx(0.2 + 7.0 * 0.03)


def test_the_integral_stands_while_not_live_even_where_the_command_was_refused():
    s = started(0.2, 0.01)
    rt_pid(C, 0.03, 0.5, False, DT, s)
    assert s.integral == 0.2
    assert s.p == pytest.approx(7.0 * 0.03)


def test_refused_opening_is_taken_out_of_the_integral_at_the_unwinding_rate():
    s = started(0.2, 0.0)
    rt_pid(C, 0.0, 0.3, True, DT, s)
    assert s.integral == pytest.approx(0.2 - DT * 50.0 * 0.3)


@pytest.mark.parametrize(("dt_s", "share"), [(0.0199, 0.995), (0.02, 1.0), (0.05, 1.0)])
def test_no_more_is_unwound_in_a_step_than_was_refused(dt_s, share):
    s = started(0.2, 0.0)
    rt_pid(C, 0.0, 0.3, True, dt_s, s)
    assert s.integral == pytest.approx(0.2 - share * 0.3)


def test_a_saturated_integral_settles_where_the_error_feeds_what_is_unwound():
    """ki e = unwind · refused, with refused = integral - limit."""
    s = started()
    for _ in range(2000):
        rt_pid(C, 0.1, max(s.integral - 0.4, 0.0), True, DT, s)
    assert s.integral == pytest.approx(0.4 + 11.0 * 0.1 / 50.0)


def test_nothing_but_its_own_state_changes():
    c, s = C.copy(), started()
    rt_pid(c, 0.1, 0.0, True, DT, s)
    assert changed(C, c) == {}
    assert np.isfinite([float(value) for value in s.item()]).all()
    assert blank(PID).integral == 0.0
