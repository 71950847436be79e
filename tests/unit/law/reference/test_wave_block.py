"""A waveform against the B-spline by its recursion."""

import numpy as np
import pytest

from hilctl.law.reference.wave import WAVE, rt_wave
from tests.forms import blank
from tests.unit.law.reference.models import point

pytestmark = pytest.mark.usefixtures("forms")
KNOT, CENTER = 0.4, 0.01
KNOTS = np.random.default_rng(3).uniform(-1.0, 1.0, 9)


def at(t, count=9, knots=KNOTS):
    wave, out = blank(WAVE), point()
    wave.center_m, wave.knot_s, wave.count = CENTER, KNOT, count
    rt_wave(wave, knots, t, out)
    return out.tolist()


def bump(degree, u, order=0):
    """The uniform B-spline over 0 … degree + 1, or a derivative of it."""
    if order:
        return bump(degree - 1, u, order - 1) - bump(degree - 1, u - 1, order - 1)
    if degree == 0:
        return 1.0 if 0.0 <= u < 1.0 else 0.0
    return (u * bump(degree - 1, u) + (degree + 1 - u) * bump(degree - 1, u - 1)) / degree


def spline(t, knots=KNOTS):
    sums = [sum(c * bump(5, t / KNOT + 5 - i, n) / KNOT**n for i, c in enumerate(knots)) for n in range(4)]
    return [CENTER + sums[0], *sums[1:]]


@pytest.mark.parametrize("t", [0.0, 0.03, 0.17, 0.36, 0.5, 0.71, 1.1, 1.3, 1.59])
def test_it_is_the_spline_over_its_coefficients(t):
    assert at(t) == pytest.approx(spline(t), rel=1e-10, abs=1e-10)


def test_its_ends_are_held_outside():
    first, last = at(0.0), at(4 * KNOT)
    assert at(-0.3) == first
    assert at(4 * KNOT + 0.3) == last
    assert last == pytest.approx(spline(4 * KNOT * (1 - 1e-12)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("count", "size"), [(7, 9), (9, 7)])
def test_it_reads_as_many_coefficients_as_it_has_and_the_bank_holds(count, size):
    assert at(0.6, count, KNOTS[:size]) == pytest.approx(spline(0.6), rel=1e-10)
    assert at(1.3, count, KNOTS[:size]) == at(2 * KNOT, count, KNOTS[:size])


def test_six_coefficients_are_the_least():
    assert at(0.1, 6) == pytest.approx(spline(0.1), rel=1e-10)
    assert at(0.1, 5) == (CENTER, 0.0, 0.0, 0.0)
    assert at(0.1, 0) == (CENTER, 0.0, 0.0, 0.0)
