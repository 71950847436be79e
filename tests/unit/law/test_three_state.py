"""Three-variable control, term by term."""

import math

import pytest

from hilctl.law.freshness import FRESH
from hilctl.law.three_state import THREE_STATE, ThreeState, rt_three_state, rt_three_state_start
from hilctl.params import pack
from tests.forms import blank, filled

DT = 2e-3
C = pack(ThreeState(kd_per_m=7.0, ki_per_m_s=11.0, kv_s_per_m=-0.3, ka_s2_per_m=0.02, kp_per_mpa=0.05,
                    high_pass_hz=6.0, unwind_per_s=50.0))  # fmt: skip
KEEP = math.exp(-2 * math.pi * 6.0 * DT)
pytestmark = pytest.mark.usefixtures("forms")


def started(integral=0.0, deviation_pa=0.0):
    s = filled(THREE_STATE)
    rt_three_state_start(integral, deviation_pa, s)
    return s


def fresh(fresh_s=1.0, live=1, share=1.0):
    f = blank(FRESH)
    f.fresh_s, f.live, f.share = fresh_s, live, share
    return f


def step(s, error=0.0, v=0.0, a=0.0, pa=0.0, f=None, refused=0.0, live=True, dt_s=DT):
    return rt_three_state(C, error, v, a, pa, fresh() if f is None else f, refused, live, dt_s, s)


def test_a_start_sets_integral_and_settled_pressure_and_clears_the_terms():
    assert started(0.25, 3e5).item() == (0.25, 3e5, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_the_opening_is_the_sum_of_the_terms_and_each_is_kept_for_the_sample():
    s = started(0.2)
    u = step(s, 0.03, 0.4, 5.0, 2e6)
    assert s.position == pytest.approx(7.0 * 0.03)
    assert s.integral == pytest.approx(0.2 + DT * 11.0 * 0.03)
    assert s.velocity == pytest.approx(-0.3 * 0.4)
    assert s.acceleration == pytest.approx(0.02 * 5.0)
    assert s.slow_pa == pytest.approx((1 - KEEP) * 2e6)
    assert s.pressure == s.term == pytest.approx(-0.05 * KEEP * 2.0)
    assert u == pytest.approx(s.position + s.integral + s.velocity + s.acceleration + s.pressure)


def test_a_steady_pressure_leaves_no_term():
    s = started(0.0, 4e5)
    assert step(s, pa=4e5) == pytest.approx(0.0)
    assert step(s, pa=1.4e6) == pytest.approx(-0.05 * KEEP)
    for _ in range(400):
        u = step(s, pa=1.4e6)
    assert u == pytest.approx(0.0, abs=1e-9)


def test_old_pressures_hold_the_term_and_its_share_scales_it():
    s = started()
    s.term = 0.04
    assert step(s, pa=9e5, f=fresh(0.0, 0, 0.25)) == pytest.approx(0.01)
    assert s.term == 0.04
    assert s.slow_pa == 9e5, "while pressures are old the high-pass follows at once"


def test_young_pressures_settle_the_high_pass_before_the_term_is_live_again():
    s = started()
    s.term, s.slow_pa = 0.04, 1e5
    step(s, pa=9e5, f=fresh(DT, 0, 0.0))
    assert s.slow_pa == pytest.approx(KEEP * 1e5 + (1 - KEEP) * 9e5)
    assert s.term == 0.04


def test_the_integral_stands_while_not_live():
    s = started(0.2)
    step(s, 0.03, refused=0.5, live=False)
    assert s.integral == 0.2


@pytest.mark.parametrize(("dt_s", "share"), [(DT, 0.1), (0.0199, 0.995), (0.02, 1.0), (0.05, 1.0)])
def test_refused_opening_is_unwound_at_its_rate_and_never_by_more(dt_s, share):
    s = started(0.2)
    step(s, refused=0.3, dt_s=dt_s)
    assert s.integral == pytest.approx(0.2 - share * 0.3)
