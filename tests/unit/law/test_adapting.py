"""What freezes learning of the valve, and what becomes of a null that was learned."""

import pytest

from hilctl.law.adapt import CALM_S, rt_null
from hilctl.law.adapting import rt_adapt_calm, rt_adapt_keep_null, rt_adapt_tick
from hilctl.law.sensors import DISPLACEMENT, PRESSURE_A, SUPPLY
from hilctl.law.settings import PID_FEEDBACK, RIG_FEEDBACK
from hilctl.signals import Arming, Mode, Status, Trip
from tests.unit.law.states import law, put

pytestmark = pytest.mark.usefixtures("forms")


def learns(mode=Mode.HOLD, **values):
    """A rig that learns."""
    s = law(mode, fresh__live=1, **values)
    s.now.law.adapt.share = 1.0
    return s


def test_undisturbed_it_learns_while_the_loop_is_closed():
    for mode in Mode:
        assert rt_adapt_calm(learns(mode), 0) == (mode in (Mode.HOLD, Mode.TRACK, Mode.STOP))
    assert not rt_adapt_calm(learns(Mode.STANDBY, arm__step=Arming.SETTLE), 0)


@pytest.mark.parametrize("values", [
    {"periods": 2}, {"checked__rejected": 1 << DISPLACEMENT}, {"checked__rejected": 1 << PRESSURE_A},
    {"checked__rejected": 1 << SUPPLY}, {"output__refused": 1e-9}, {"output__saturated": 1}, {"blend": 0.99},
    {"authority": 0.5}, {"guard__trip": Trip.POSITION}, {"guard__warnings": 1 << Trip.SUPPLY_PRESSURE},
    {"fresh__live": 0}, {"pid_share": 0.5}, {"rejoin__until": 1 << 40}, {"effort__beyond": 0.9},
    {"now__law__valve__inverse": 0.9}, {"now__law__feedback": RIG_FEEDBACK},
])  # fmt: skip
def test_whatever_disturbs_freezes_it(values):
    assert not rt_adapt_calm(put(learns(), **values), 0)


def test_an_exchange_that_failed_freezes_it_and_an_old_one_does_not():
    assert not rt_adapt_calm(learns(), Status.TIMEOUT.value)
    assert rt_adapt_calm(learns(), Status.LATE.value)


def test_what_the_null_takes_over_the_integral_gives_back():
    for feedback, share, name in ((0, 0.0, "three_state"), (PID_FEEDBACK, 1.0, "pid")):
        s = learns(adapt__running=1, adapt__calm_s=9.0, pid_share=share)
        s.now.law.feedback = feedback
        s.adapt.theta[0] = 0.01
        s.three_state.integral = s.pid.integral = s.landing.null = 0.5
        rt_adapt_tick(s, 0)
        assert 0.0 < s.adapt.null < 1e-5
        assert s[name].integral + s.adapt.null == pytest.approx(0.5, abs=1e-12)
        assert s.landing.null + s.adapt.null == pytest.approx(0.5, abs=1e-12)
        assert s["pid" if name == "three_state" else "three_state"].integral == 0.5


def test_switched_off_nothing_is_left_of_it():
    s = learns(adapt__running=1, adapt__null=0.01, adapt__overlap=0.002, adapt__flow=1e-5, adapt__ended=2)
    s.now.law.adapt.share = 0.0
    rt_adapt_tick(s, 0)
    a = s.adapt
    assert (a.running, a.null, a.overlap, a.flow, a.ended) == (0, 0.0, 0.0, 0.0, 0)


def test_a_set_that_names_a_null_keeps_the_one_that_was_learned():
    s = learns(adapt__null=0.01, arm__null=0.002, arm__kept=0.003)
    s.now.law.adapt.share = 0.5
    rt_adapt_keep_null(s)
    assert (s.arm.null, s.arm.kept) == pytest.approx((0.007, 0.008))
    assert (s.adapt.null, s.adapt.theta[0]) == (0.0, 0.0)


@pytest.mark.parametrize("extra_s", [0.0, 1e-3])
def test_what_was_wanted_is_compared_as_late_as_the_table_shows_it(extra_s):
    """By command and hold, the sensors' delay, the valve's lag and what is looked ahead for more."""
    s = learns(adapt__running=1, adapt__calm_s=2 * CALM_S, valve__opening=0.1, u_feed=0.2, estimate__delay_ticks=3.0)
    s.now.law.feed.extra_preview_s = extra_s
    rt_adapt_tick(s, 0)
    m, dt_s = s.now.machine, s.now.dt_s
    lag_s = 4.5 * dt_s + 2.0 * m.zv / m.wv + extra_s
    part = 2.0 * dt_s / (lag_s + 2.0 * dt_s)
    assert s.adapt.wanted == pytest.approx([0.1 * part, 0.1 * part**2])
    assert s.adapt.feed == pytest.approx([0.2 * part, 0.2 * part**2])


def test_the_valve_is_taken_to_be_closed_at_armings_null_and_the_share_of_what_was_learned_since():
    s = learns(arm__null=0.01, adapt__null=-0.004)
    s.now.law.adapt.share = 0.5
    assert rt_null(s) == pytest.approx(0.008)


def test_learning_that_is_switched_on_starts_with_nothing_learned():
    s = learns(adapt__running=0, adapt__flow=1e-5, adapt__ended=4)
    rt_adapt_tick(s, 0)
    assert (s.adapt.running, s.adapt.flow, s.adapt.ended) == (1, 0.0, 0)
