"""The smooth step, the envelope and the pulse: against models, and where they begin and end."""

import numpy as np
import pytest

from hilctl.law.reference.smooth import rt_envelope, rt_half_pulse, rt_pulse, rt_step
from tests.unit.law.reference.models import envelope, jet, pulse, smooth_step

pytestmark = pytest.mark.usefixtures("forms")
REST = (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("lasts", [0.7, 3.0])
def test_the_step_is_the_lowest_polynomial_whose_first_three_derivatives_join_rest(lasts):
    for s in np.linspace(0.03, 0.97, 12):
        wanted = jet(lambda t: smooth_step(t / lasts), s * lasts, 0.02 * lasts)
        assert rt_step(s * lasts, lasts) == pytest.approx(wanted, rel=1e-7, abs=1e-7)


# In binary, 49 · (1/49) is not quite 1: the ends must not depend on it.
@pytest.mark.parametrize("lasts", [0.0, 0.7, 49.0])
def test_a_step_is_exactly_0_until_it_begins_and_exactly_1_once_it_is_over(lasts):
    assert rt_step(-0.1, lasts) == REST
    assert rt_step(0.0, lasts) == REST
    assert rt_step(lasts + 0.1, lasts) == (1.0, 0.0, 0.0, 0.0)
    if lasts > 0.0:
        assert rt_step(lasts, lasts) == (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("rise", "fall", "times"),
    [(0.5, 0.3, [0.2, 0.4, 1.0, 1.75, 1.9]), (1.5, 1.2, [0.3, 1.0, 1.3, 1.7])],
    ids=["apart", "overlapping"],
)
def test_the_envelope_is_a_step_up_times_a_step_down(rise, fall, times):
    for t in times:
        wanted = jet(lambda at: envelope(at, 2.0, rise, fall), t, 0.04)
        assert rt_envelope(t, 2.0, rise, fall) == pytest.approx(wanted, rel=1e-7, abs=1e-7)


def test_an_envelope_without_a_fall_is_up_until_its_last_instant():
    assert rt_envelope(2.0, 2.0, 0.5, 0.0) == (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("lasts", [0.4, 3.0])
def test_the_pulse_has_the_acceleration_of_two_flanks_and_a_plateau(lasts):
    for s in (0.05, 0.2, 0.3, 0.45, 0.5, 0.6, 0.73, 0.8, 0.97):
        wanted = pulse(s * lasts, lasts)
        assert rt_pulse(s * lasts, lasts) == pytest.approx(wanted, rel=1e-7, abs=1e-7)
        if s <= 0.5:
            assert rt_half_pulse(s * lasts, lasts) == pytest.approx(wanted, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("lasts", [0.0, 0.4])
def test_nothing_has_moved_before_a_pulse_begins(lasts):
    assert rt_half_pulse(-0.1, lasts) == REST
    assert rt_half_pulse(0.0, lasts) == REST
    assert rt_pulse(0.0, lasts) == REST


def test_a_pulse_takes_half_its_time_in_distance_and_then_goes_straight_on():
    assert rt_pulse(0.4, 0.4) == (0.2, 1.0, 0.0, 0.0)
    assert rt_pulse(1.4, 0.4) == pytest.approx((1.2, 1.0, 0.0, 0.0))
