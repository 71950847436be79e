"""A sine and a sweep under their envelopes, against the formulas of their displacement alone."""

import math

import numpy as np
import pytest

from hilctl.law.reference.chirp import CHIRP, rt_chirp
from hilctl.law.reference.sine import SINE, rt_sine
from tests.forms import blank
from tests.unit.law.reference.models import envelope, jet, point

pytestmark = pytest.mark.usefixtures("forms")
LASTS = 3.0
TIMES = (0.05, 0.31, 0.68, 1.0, 1.37, 2.0, 2.45, 2.71, 2.93)  # in the rise until 0.6, in the fall from 2.4


def sine(**changes):
    s = blank(SINE)
    s.center_m, s.amplitude_m, s.frequency_hz, s.rise_s, s.fall_s = 0.3, 0.2, 1.3, 0.6, 0.6
    for name, value in changes.items():
        s[name] = value
    return s


def chirp(**changes):
    c = blank(CHIRP)
    c.center_m, c.amplitude_m, c.start_hz, c.rise_s, c.fall_s = 0.3, 0.2, 0.8, 0.6, 0.6
    for name, value in changes.items():
        c[name] = value
    return c


def of_sine(s, t, lasts=LASTS):
    out = point()
    rt_sine(s, lasts, t, out)
    return out.tolist()


def of_chirp(c, t, lasts=LASTS):
    out = point()
    rt_chirp(c, lasts, t, out)
    return out.tolist()


def near(wanted):
    return pytest.approx(wanted, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("t", TIMES)
def test_a_sine_is_faded_in_and_out_about_its_centre(t):
    def x(at):
        return 0.3 + envelope(at, LASTS, 0.6, 0.6) * 0.2 * np.sin(2 * np.pi * 1.3 * at)

    assert of_sine(sine(), t) == near(jet(x, t, 0.04))


@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("knee", [0.0, 0.9])
@pytest.mark.parametrize(
    ("rate", "growth", "cycles"),
    [(0.5, 0.0, lambda t: 0.8 * t + 0.25 * t**2), (0.0, 0.4, lambda t: 0.8 / 0.4 * (np.exp(0.4 * t) - 1))],
    ids=["linear", "logarithmic"],
)
def test_a_sweep_has_that_many_cycles_behind_it_and_the_amplitude_of_its_knee(rate, growth, cycles, knee, t):
    def x(at):
        f = 0.8 * np.exp(growth * at) + rate * at
        gain = 1 / (1 + (f / knee) ** 2) if knee else 1.0
        return 0.3 + envelope(at, LASTS, 0.6, 0.6) * gain * 0.2 * np.sin(2 * np.pi * cycles(at))

    assert of_chirp(chirp(rate_hz_s=rate, growth_per_s=growth, knee_hz=knee), t) == near(jet(x, t, 0.04))


W = 2 * math.pi * 1.25


@pytest.mark.parametrize("days", [0, 12, 1000])
def test_the_phase_is_not_lost_in_days(days):
    """An eighth of a second after whole periods: cycles and their fraction are exact in binary."""
    t = days * 86400.0 + 0.125
    wanted = [0.3 + 0.2 * math.sin(W / 8), 0.2 * W * math.cos(W / 8), -0.2 * W**2 * math.sin(W / 8),
              -0.2 * W**3 * math.cos(W / 8)]  # fmt: skip
    assert of_sine(sine(frequency_hz=1.25, rise_s=0.0), t, 1e9) == pytest.approx(wanted, rel=1e-13)
    assert of_chirp(chirp(start_hz=1.25, rise_s=0.0), t, 1e9) == pytest.approx(wanted, rel=1e-13)


def test_without_ramps_both_are_at_full_speed_from_their_first_instant_to_their_last():
    for t in (0.0, 3.2):  # whole periods
        wanted = [0.3, 0.2 * W, 0.0, -0.2 * W**3]
        assert of_sine(sine(frequency_hz=1.25, rise_s=0.0, fall_s=0.0), t, 3.2) == pytest.approx(wanted, abs=1e-12)
        assert of_chirp(chirp(start_hz=1.25, rise_s=0.0, fall_s=0.0), t, 3.2) == pytest.approx(wanted, abs=1e-12)


def test_both_begin_and_end_at_rest_at_the_centre():
    for t in (0.0, LASTS):
        assert of_sine(sine(), t) == (0.3, 0.0, 0.0, 0.0)
        assert of_chirp(chirp(growth_per_s=0.4, knee_hz=1.7), t) == (0.3, 0.0, 0.0, 0.0)
