"""The linear feed-forward: what it is made of, and what each part is for."""

import math

import pytest

from hilctl.friction import MODELS, check_friction
from hilctl.law.feed import (
    GRID_S,
    LINEAR,
    SMOOTH_M_S,
    SMOOTH_S,
    SMOOTH_TICKS,
    Feed,
    lead_ticks,
    rt_feed_linear,
    rt_feed_prepare,
    rt_lead_ticks,
    rt_pressure_for,
)
from hilctl.law.inverse import INVERSE, rt_inverse_advance
from hilctl.law.reference import HISTORY, POINT
from hilctl.law.settings import FRICTION, pack_settings
from hilctl.machine import GRAVITY
from hilctl.params import pack
from tests.forms import blank
from tests.unit.law.given import controller, machine, settings

DT = 1e-3
M = machine(Kc=2e-12, Ctc=3e-12, B=700.0, K=4e5, zv=0.8, wv=600.0)
SIGMA = 250.0
pytestmark = pytest.mark.usefixtures("forms")


def linear(m=M, extra_s=0.0):
    c = blank(LINEAR)
    rt_feed_prepare(m, SIGMA, pack(Feed(extra_preview_s=extra_s)), DT, c)
    return c


def test_the_coefficients_are_those_of_the_linear_machine():
    c = linear()
    kq, kce, oil = M.Qn / M.A, M.Kc + M.Ctc, M.Vt / (4 * M.beta * M.A**2)
    bt = M.B + SIGMA
    assert c.c_x == pytest.approx(M.K * kce / M.A**2 / kq)
    assert c.c_v == pytest.approx((1 + kce * bt / M.A**2 + oil * M.K) / kq)
    assert c.c_a == pytest.approx((kce * M.m / M.A**2 + oil * bt) / kq)
    assert c.c_j == pytest.approx(oil * M.m / kq)
    assert (c.p_x, c.p_v, c.p_a, c.p_f) == pytest.approx((M.K / M.A, M.B / M.A, M.m / M.A, 1 / M.A))
    assert c.p_0 == 0.0


def test_a_vertical_axis_carries_its_weight():
    assert linear(machine(vertical=1)).p_0 == pytest.approx(M.m * GRAVITY / M.A)


def test_the_preview_is_one_and_a_half_ticks_and_the_valves_lag():
    assert linear().preview_ticks == pytest.approx(1.5 + 2 * 0.8 / 600.0 / DT)
    assert linear(extra_s=2e-3).preview_ticks == pytest.approx(3.5 + 2 * 0.8 / 600.0 / DT)
    assert linear(extra_s=-9e-3).preview_ticks == 0.0


def test_the_opening_is_the_sum_over_the_reference_and_its_derivatives():
    c, point = linear(), blank(POINT)
    point.x_m, point.v_m_s, point.a_m_s2, point.j_m_s3 = 0.02, -0.3, 4.0, -500.0
    assert rt_feed_linear(c, point) == pytest.approx(0.02 * c.c_x - 0.3 * c.c_v + 4.0 * c.c_a - 500.0 * c.c_j)


@pytest.mark.parametrize(("preview", "extra_s", "dt_s"),
                         [(3.0, 0.0, 1e-3), (40.0, 0.0, 1e-3), (2.2, 1e-3, 5e-5), (3.0, 0.0, 2.5e-3)])  # fmt: skip
def test_the_head_is_one_tick_beyond_what_either_model_looks_ahead(preview, extra_s, dt_s):
    inverse = 2 + (max(SMOOTH_S, SMOOTH_TICKS * dt_s) / 2 + 4 * min(dt_s, GRID_S) + extra_s) / dt_s
    assert rt_lead_ticks(preview, extra_s, 5e-3, 0.0, dt_s) == math.ceil(max(preview, inverse)) + 1


@pytest.mark.parametrize(("smooth_s", "cross_s"), [(6.5e-3, 5e-3), (3e-3, 3e-3), (5e-3, 2e-3)])
@pytest.mark.parametrize("dt_s", [2e-4, 5e-4, 1e-3, 2e-3])
def test_the_head_is_as_far_ahead_as_a_whole_crossing_of_the_overlap_takes(smooth_s, cross_s, dt_s):
    """The crossing is then not cut short, which would make it steeper; without an overlap nothing is added."""
    lead = rt_lead_ticks(3.0, 0.0, smooth_s, cross_s, dt_s)
    plain = rt_lead_ticks(3.0, 0.0, smooth_s, 0.0, dt_s)
    assert lead >= plain
    s, now = blank(INVERSE), settings()
    rt_inverse_advance(now.machine, now.friction, math.nan, 0.0, smooth_s, cross_s, blank(HISTORY), lead, 0, dt_s, s)
    assert s.crossing.width == round(cross_s / dt_s * s.steps / 4)
    assert s.width == round(smooth_s / dt_s * s.steps / 4)


def test_a_planner_and_the_loop_agree_on_the_lead():
    tables = controller()
    now = settings()
    c = blank(LINEAR)
    rt_feed_prepare(now.machine, 0.0, now.law.feed, now.dt_s, c)
    assert lead_ticks(tables.machine, tables.law.feed, DT) == rt_lead_ticks(c.preview_ticks, 0.0, 5e-3, 0.0, DT)


@pytest.mark.parametrize("rate_hz", [500.0, 1000.0, 2000.0, 5000.0])
def test_a_planner_allows_for_no_less_lead_than_the_loop_has(rate_hz):
    tables, dt_s = controller(machine__dead_band=0.03), 1 / rate_hz
    now = pack_settings(tables, check_friction({"model": "karnopp", **MODELS["karnopp"].typical}), dt_s, 1)
    c = blank(LINEAR)
    rt_feed_prepare(now.machine, 0.0, now.law.feed, dt_s, c)
    feed = now.law.feed
    loop = rt_lead_ticks(c.preview_ticks, 0.0, feed.smooth_s, feed.cross_s, dt_s)
    assert loop <= lead_ticks(tables.machine, tables.law.feed, dt_s) <= loop + 4e-3 / dt_s


@pytest.mark.parametrize("v", [0.2, -0.2, 0.5 * SMOOTH_M_S, 0.0])
def test_the_load_pressure_carries_mass_spring_damping_weight_and_the_nominal_friction(v):
    from hilctl.friction import rt_steady

    friction = blank(FRICTION)
    nominal = settings().friction
    friction.code, friction.p[:] = nominal.code, nominal.p
    c, point = linear(machine(vertical=1, B=700.0, K=4e5)), blank(POINT)
    point.x_m, point.v_m_s, point.a_m_s2 = 0.02, v, 4.0
    rubbing = rt_steady(friction.code, friction.p, math.tanh(v / SMOOTH_M_S), v)
    assert rt_pressure_for(c, friction, point) * M.A == pytest.approx(
        M.m * GRAVITY + 4e5 * 0.02 + 700.0 * v + M.m * 4.0 + rubbing
    )
    assert (rubbing > 0) == (v > 0)
