"""The history of points: a polynomial of the fifth degree goes through it unchanged."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from hilctl.law.reference.history import HISTORY, LENGTH, rt_history_get, rt_history_put, rt_history_rest
from tests.forms import filled
from tests.unit.law.reference.models import point

pytestmark = pytest.mark.usefixtures("forms")
DT = 0.02
FIRST = 5_000_000_100  # not a multiple of the length
X = Polynomial([0.3, -0.2, 0.5, 1.1, -0.8, 0.6])


def wanted(t):
    return [X.deriv(n)(t) for n in range(4)]


def history(ticks):
    """Ticks 0 … ticks - 1 since FIRST were put into it, one after the other."""
    h, p = filled(HISTORY), point()
    for k in range(ticks):
        p.x_m, p.v_m_s, p.a_m_s2, p.j_m_s3 = wanted(k * DT)
        rt_history_put(h, FIRST + k, p)
    return h


def read(h, tick, fraction):
    out = point()
    rt_history_get(h, tick, fraction, DT, out)
    return out.tolist()


@pytest.mark.parametrize(("tick", "fraction"), [(3, 0.1), (3, 0.5), (4, 0.87), (9, -2.3), (2, 3.6)])
def test_between_two_ticks_it_is_the_polynomial(tick, fraction):
    assert read(history(12), FIRST + tick, fraction) == pytest.approx(wanted((tick + fraction) * DT), rel=1e-9)


def test_a_jerk_that_bends_is_the_slope_of_the_cubic_through_the_acceleration():
    """With an acceleration t⁴ the cubic is not exact: Hermite's error by a textbook, (t (1 - t))², and its slope."""
    h, p = filled(HISTORY), point()
    for k in (0, 1):
        p.x_m, p.v_m_s, p.a_m_s2, p.j_m_s3 = 0.0, 0.0, float(k), 4.0 * k
        rt_history_put(h, FIRST + k, p)
    for s in (0.2, 0.5, 0.9):
        out = point()
        rt_history_get(h, FIRST, s, 1.0, out)
        assert out.a_m_s2 == pytest.approx(s**4 - (s * (1 - s)) ** 2)
        assert out.j_m_s3 == pytest.approx(4 * s**3 - 2 * s * (1 - s) * (1 - 2 * s))


def test_on_a_tick_it_is_the_point_itself_to_the_last_bit():
    h = history(200)
    for k in range(200):
        assert read(h, FIRST, float(k)) == tuple(wanted(k * DT))
        assert read(h, FIRST + 100, float(k - 100)) == tuple(wanted(k * DT))


def test_ahead_of_the_newest_it_stays_there():
    h = history(12)
    assert h.newest == FIRST + 11
    for fraction in (0.0, 0.5, 40.5):
        assert read(h, FIRST + 11, fraction) == tuple(wanted(11 * DT))
    assert read(h, FIRST + 10, 0.5) == pytest.approx(wanted(10.5 * DT), rel=1e-9)


def test_before_the_oldest_it_stays_there():
    h = history(LENGTH + 10)
    for back in (0.0, -0.5, -1.0, -300.0):
        assert read(h, FIRST + 10, back) == tuple(wanted(10 * DT))
    assert read(h, FIRST + 10, 0.5) == pytest.approx(wanted(10.5 * DT), rel=1e-9)


def test_rest_fills_all_of_it():
    h = history(12)
    rt_history_rest(h, FIRST + 500, 0.04)
    assert h.newest == FIRST + 500
    assert (h.points["x_m"] == 0.04).all()
    assert not np.any([h.points[name] for name in ("v_m_s", "a_m_s2", "j_m_s3")])
