"""A tick as a whole: that each of its phases takes place, and in which order."""

import pytest

from firmware_bridge.driver import COMMAND
from hilctl.law.tick import rt_tick
from hilctl.signals import SAMPLE, Arming, Mode, Status, Trip
from tests.forms import blank
from tests.unit.law.given import DT
from tests.unit.law.states import SET, TICK, law, readings

pytestmark = [pytest.mark.usefixtures("forms"), pytest.mark.parametrize("forms", ["plain"], indirect=True)]


def ticked(mode, status=Status.OK, **values):
    s, sample = law(mode, **values), blank(SAMPLE)
    given = readings(device_tick=77, displacement_m=1e-4, supply_pressure_pa=SET.machine.Ps, emergency_stop=0.0)
    s.tick = TICK + 1
    rt_tick(s, blank(COMMAND), given, int(status), s.estimate.line_x, sample)
    return s, sample


def test_a_tick_blends_reads_advances_watches_and_commands():
    s = law(Mode.HOLD)
    s, sample = ticked(Mode.HOLD, blend=0.5, target__law__pid__kp_per_m=99.0)
    assert s.blend == pytest.approx(0.5 + DT / SET.law.blend_s)
    assert (s.device_tick, s.checked.value[0]) == (77, 1e-4)
    assert s.head_tick == TICK + s.lead + 1
    assert s.pressure_ref_pa == pytest.approx(s.linear.p_0)
    assert s.u_law == sample.u_law != 0.0
    assert s.output.command == sample.u_cmd != 0.0
    assert s.u_notched == s.u_law
    assert (sample.mode, sample.status, sample.device_tick) == (Mode.HOLD, Status.OK, 77)


def test_the_feed_forward_of_a_tick_is_for_the_reference_of_the_same_tick():
    s, _ = ticked(Mode.HOLD, ahead__v_m_s=0.3, u_linear=0.9, pressure_ref_pa=3e5)
    assert (s.u_linear, s.u_feed) == (0.0, 0.0)


def test_the_guard_sees_the_readings_of_the_same_tick():
    s, sample = ticked(Mode.HOLD, Status.TIMEOUT)
    assert s.guard.warnings & 1 << Trip.DRIVER
    assert sample.warnings == s.guard.warnings


@pytest.mark.parametrize("mode", [Mode.STANDBY, Mode.HOLD])
def test_arming_goes_on_in_standby_alone(mode):
    s, _ = ticked(mode, arm__step=Arming.REST)
    assert s.arm.in_step_s == pytest.approx(DT if mode == Mode.STANDBY else 0.0)


def test_a_motion_whose_end_is_here_is_done():
    assert ticked(Mode.TRACK, motion_over=TICK + 1)[0].mode == Mode.HOLD
    assert ticked(Mode.TRACK, motion_over=TICK + 2)[0].mode == Mode.TRACK
