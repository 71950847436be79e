"""By how much a smoothed jump of friction begins earlier at a reversal, and where the fit of it comes from.

In units of the smoothing time: c(t) is the integral of a cubic B-spline over [-1/2, 1/2], J the jump, and
s = m a / J. The lead is the one for which the lag of the module's equation is zero:

    lead(s) = t2 + 1/s ∫ (1 - c) dt from t2 on            c(t2) = 1 - s
"""

import numpy as np
import pytest

from hilctl.friction import rt_steady
from hilctl.law.inverse import _rt_jump_lead
from tests.unit.law import given

pytestmark = pytest.mark.usefixtures("forms")
BASE_S = 4e-3


def exact(shares):
    """The lead by numerical integration, as a share of the smoothing time."""
    t = np.linspace(-0.5, 0.5, 40_001)
    u = np.abs(4 * t)
    density = np.where(u < 1, (4 - 6 * u**2 + 3 * u**3) / 6, np.maximum(2 - u, 0) ** 3 / 6)
    c = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    c /= c[-1]
    missing = 1 - c
    after = np.concatenate([np.cumsum((missing[1:] + missing[:-1])[::-1])[::-1], [0.0]]) * (t[1] - t[0]) / 2
    inside = missing > 0
    lead = t[inside] + after[inside] / missing[inside]
    return np.interp(shares, missing[inside][::-1], lead[::-1])


def lead_at(share, base_s=BASE_S, mass=500.0, sign=1.0):
    friction = given.settings().friction
    jump = rt_steady(friction.code, friction.p, 1.0, 0.0) - rt_steady(friction.code, friction.p, -1.0, 0.0)
    return _rt_jump_lead(given.machine(m=mass), friction, sign * share * jump / mass, base_s)


@pytest.mark.parametrize("share", [0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_it_solves_the_equation_within_a_third_of_a_percent_of_the_smoothing_time(share):
    assert lead_at(share) / BASE_S == pytest.approx(float(exact(share)), abs=3.3e-3)


def test_its_four_figures_are_the_least_squares_fit_at_every_two_hundredth_of_the_jump():
    share = np.arange(1, 200) / 200
    rest, root = 1 - share, np.sqrt(share)
    terms = rest[:, None] * np.stack([np.ones(199), rest, root, np.sqrt(root)], 1)
    fit = np.linalg.lstsq(terms, exact(share), rcond=None)[0]
    assert fit == pytest.approx([0.7062, -0.2341, -0.1293, -0.3122], abs=5.1e-5)
    for k in (1, 20, 77, 150, 198):
        assert lead_at(share[k]) == pytest.approx(BASE_S * float(terms[k] @ fit), abs=1e-4 * BASE_S)


def test_it_grows_with_the_smoothing_time_and_not_with_mass_and_direction_apart():
    assert lead_at(0.3, base_s=8e-3) == pytest.approx(2 * lead_at(0.3), rel=1e-12)
    assert lead_at(0.3, mass=1000.0) == pytest.approx(lead_at(0.3), rel=1e-12)
    assert lead_at(0.3, sign=-1.0) == lead_at(0.3)


@pytest.mark.parametrize("share", [1.0 + 1e-12, 1.5, 20.0])
def test_where_nothing_sticks_nothing_begins_earlier(share):
    assert lead_at(share) == 0.0


def test_it_goes_to_zero_without_a_jump():
    assert 0.0 < lead_at(0.999) < 1e-3 * BASE_S
