"""What is fed forward: the linear model ahead, the inverse model's share of it, and the pressure that it takes."""

import numpy as np
import pytest

from hilctl.law.feed import WITHOUT_S, rt_feed_linear, rt_pressure_for
from hilctl.law.inverse import RING, rt_inverse_opening
from hilctl.law.sensors import PRESSURE_A, PRESSURE_B
from hilctl.law.tick_feed import rt_feed_forward
from hilctl.machine import GRAVITY
from hilctl.signals import Mode
from tests.forms import changed
from tests.unit.law.given import DT, settings
from tests.unit.law.states import SET, TICK, law, point

INVERSE = settings(law__feed__inverse=1.0)
CROSSING = settings(law__feed__inverse=1.0, law__feed__cross_s=4e-3, machine__dead_band=0.03)
CLOSED = (Mode.HOLD, Mode.TRACK, Mode.STOP)
SMOOTH = {0.0: 0.0, 0.25: 0.15625, 0.5: 0.5, 0.75: 0.84375, 1.0: 1.0}
pytestmark = pytest.mark.usefixtures("forms")


def fed(mode=Mode.TRACK, given=SET, **values):
    s = law(mode, given, **values)
    s.ahead, s.here = point(0.01, 0.2, 3.0, 40.0), point(0.005, 0.1, 2.0, 30.0)
    return s


@pytest.mark.parametrize("mode", list(Mode))
def test_without_the_inverse_model_the_feed_forward_is_the_linear_one_ahead_and_the_pressure_that_of_now(mode):
    s = fed(mode, inverse__running=1)
    rt_feed_forward(s)
    assert s.u_linear == s.u_feed == pytest.approx(rt_feed_linear(s.linear, s.ahead))
    assert s.u_linear > 0.0
    assert s.pressure_ref_pa == pytest.approx(rt_pressure_for(s.linear, s.now.friction, s.here))
    assert (s.u_inverse, s.inverse.running) == (0.0, 0)
    assert (s.opening_ahead, s.valve.linear) == (s.u_linear, s.u_linear)
    assert s.valve.rate == pytest.approx(0.5 * abs(s.u_linear) / (s.periods * DT))


def inverted(share, mode=Mode.TRACK, pid_share=0.0):
    s = fed(mode, INVERSE, u_inverse=0.7, pid_share=pid_share)
    s.now.law.feed.inverse = share
    s.history.points["v_m_s"] = 0.1
    rt_feed_forward(s)
    return s


@pytest.mark.many(quick=3)
@pytest.mark.parametrize(("mode", "periods", "begins", "without"), [
    (Mode.TRACK, 1, 0.0, DT / WITHOUT_S), (Mode.TRACK, 3, 0.0, 3 * DT / WITHOUT_S), (Mode.TRACK, 1, 0.399, 0.4),
    (Mode.STOP, 1, 0.4, 0.4), (Mode.HOLD, 1, 0.4, 0.4 - DT / WITHOUT_S), (Mode.HOLD, 1, 0.001, 0.0),
])  # fmt: skip
def test_a_motion_that_does_without_a_part_of_the_inverse_model_gets_the_rest_softly(mode, periods, begins, without):
    s = fed(mode, INVERSE, u_inverse=0.7, periods=periods, without_inverse=begins, motion__without_inverse=0.4)
    s.history.points["v_m_s"] = 0.1
    rt_feed_forward(s)
    assert s.without_inverse == pytest.approx(without, abs=1e-15)
    assert s.u_feed == pytest.approx(s.u_linear + (1.0 - without) * (s.u_inverse - s.u_linear))


def test_a_motion_that_does_without_all_of_it_stops_the_inverse_model():
    s = fed(Mode.TRACK, INVERSE, inverse__running=1, without_inverse=1.0, motion__without_inverse=1.0)
    rt_feed_forward(s)
    assert (s.u_inverse, s.inverse.running, s.u_feed) == (0.0, 0, s.u_linear)


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode not in CLOSED])
def test_the_inverse_model_stops_in_open_loop(mode):
    s = fed(mode, INVERSE, inverse__running=1, u_inverse=0.7)
    rt_feed_forward(s)
    assert (s.u_inverse, s.inverse.running, s.u_feed) == (0.0, 0, s.u_linear)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_the_inverse_model_takes_its_share_of_opening_and_pressure(share):
    none, s = inverted(0.0), inverted(share)
    assert s.inverse.running == 1
    whole = inverted(1.0)
    assert whole.u_inverse > 1e-3
    assert abs(whole.u_inverse - s.u_linear) > 1e-4
    assert s.u_inverse == pytest.approx(whole.u_inverse)
    assert s.u_feed == pytest.approx((1 - share) * none.u_linear + share * whole.u_inverse)
    full = whole.pressure_ref_pa
    assert abs(full - none.pressure_ref_pa) > 1e3
    assert s.pressure_ref_pa == pytest.approx((1 - share) * none.pressure_ref_pa + share * full)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_the_inverse_model_takes_its_share_of_the_side_of_the_overlap_and_of_the_opening_ahead(share):
    none, whole, s = inverted(0.0), inverted(1.0), inverted(share)
    assert none.side == pytest.approx(1.0, abs=0.01)
    assert whole.side == pytest.approx(1.0), "the opening has been on that side all along"
    assert s.side == pytest.approx((1 - share) * none.side + share * whole.side)
    assert none.opening_ahead == none.u_linear
    assert 0.0 < whole.opening_ahead != pytest.approx(none.opening_ahead, rel=1e-3)
    assert s.opening_ahead == pytest.approx((1 - share) * none.u_linear + share * whole.opening_ahead)


def test_the_opening_ahead_is_the_inverse_models_when_the_valve_will_have_followed():
    """Its lag, 2 zv/wv, and what the rig file adds."""
    s = fed(Mode.TRACK, INVERSE)
    s.history.points["v_m_s"] = 0.1 + 0.1 * np.sin(np.arange(len(s.history.points)) / 7.0)
    rt_feed_forward(s)
    lag_s = 2.0 * s.now.machine.zv / s.now.machine.wv + s.now.law.feed.extra_preview_s
    there, sooner, later = (rt_inverse_opening(TICK, share * lag_s, DT, s.inverse) for share in (1.0, 0.8, 1.2))
    assert s.opening_ahead == pytest.approx(there, rel=1e-9)
    assert abs(sooner - there) > 1e-4 and abs(later - there) > 1e-4


def test_an_inverse_model_that_begins_again_crosses_the_overlap_as_one_that_never_ran():
    fresh = law(Mode.HOLD, CROSSING)
    fresh.history.points["v_m_s"] = 0.0
    again = fresh.copy()
    again.inverse.crossing.wanted_s, again.inverse.crossing.last = CROSSING.law.feed.cross_s, 0.7
    for s in (fresh, again):
        rt_feed_forward(s)
    assert fresh.inverse.crossing.width > 1
    assert changed(fresh.inverse.crossing, again.inverse.crossing) == {}
    assert np.abs(fresh.inverse.crossing.side).max() < 1e-12, "with the valve closed it is on neither side"


def test_all_of_the_inverse_model_leaves_nothing_of_the_linear_one():
    s = inverted(1.0)
    assert s.u_feed == pytest.approx(s.u_inverse)
    assert s.pressure_ref_pa == pytest.approx(s.inverse.pressure[(TICK * s.inverse.steps) & (RING - 1)])


def standing(vertical=0, v=0.0, a=0.0):
    """A reference that stands, with friction holding the table against a load pressure."""
    s = fed(Mode.HOLD, INVERSE, estimate__x=0.02)
    s.here = point(0.005, v, a)
    s.now.machine.vertical, s.now.machine.K = vertical, 1e5
    s.checked.value[PRESSURE_A], s.checked.value[PRESSURE_B] = 7.0e6, 6.9e6
    rt_feed_forward(s)
    return s


def test_the_force_that_friction_holds_is_what_the_load_pressure_leaves():
    machine = SET.machine
    force = machine.A * 1e5 - 1e5 * 0.02
    assert standing().inverse.held == pytest.approx(force)
    assert standing(vertical=1).inverse.held == pytest.approx(force - machine.m * GRAVITY)


@pytest.mark.parametrize(("v", "a"), [(1e-6, 0.0), (0.0, 1e-6), (-0.1, 0.0), (0.0, -1.0)])
def test_while_the_reference_moves_nobody_knows_what_friction_holds(v, a):
    assert standing(v=v, a=a).inverse.held != pytest.approx(standing().inverse.held)


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("pid_share", SMOOTH)
@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_pid_has_no_linear_feed_forward_and_all_of_the_inverse_model(share, pid_share):
    linear, whole, s = inverted(0.0), inverted(1.0), inverted(share, pid_share=pid_share)
    part = (1 - share) * (1 - SMOOTH[pid_share])
    for name in ("u_feed", "side", "opening_ahead"):
        expected = part * getattr(linear, name) + share * getattr(whole, name)
        assert getattr(s, name) == pytest.approx(expected, abs=1e-15), name
    assert s.u_linear == linear.u_linear


def test_the_flow_gain_that_was_learned_scales_what_is_fed_forward_now_and_ahead():
    s, plain = (fed(here__v_m_s=0.1, adapt__flow=flow) for flow in (0.25, 0.0))
    s.adapt.flow *= s.now.machine.Qn
    s.now.law.adapt.share = 1.0
    for one in (s, plain):
        rt_feed_forward(one)
    assert s.u_feed == pytest.approx(0.8 * plain.u_feed)
    assert s.opening_ahead == pytest.approx(0.8 * plain.opening_ahead)
    assert (s.u_linear, s.pressure_ref_pa) == (plain.u_linear, plain.pressure_ref_pa)
