"""One tick of arming, as the mode machine sees it: supply, enable line and authority of each step."""

import math

import pytest

from hilctl.law.modes import rt_arm_step, rt_hurry, rt_rest_here
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B, SUPPLY
from hilctl.law.settings import RIG_FEEDBACK
from hilctl.signals import Action, Arming, Mode, Trip
from tests.forms import changed
from tests.unit.law.given import DT
from tests.unit.law.states import SET, TICK, law, put

C, MACHINE = SET.arming, SET.machine
pytestmark = pytest.mark.usefixtures("forms")


def arming(step, supply_pa=0.0, **values):
    """In a step of arming, with outputs that no step sets."""
    s = law(Mode.STANDBY, arm__step=step, supply=7, enable=8, authority=0.9)
    s.checked.value[SUPPLY] = supply_pa
    return put(s, **values)


def stepped(s):
    rt_arm_step(s, TICK)
    return s


def outputs(s):
    return Arming(s.arm.step), int(s.supply), int(s.enable), float(s.authority)


def test_within_a_step_nothing_is_switched():
    s = stepped(arming(Arming.REST, periods=3))
    assert outputs(s) == (Arming.REST, 7, 8, 0.9)
    assert s.arm.in_step_s == pytest.approx(3 * DT)


def test_at_rest_the_low_supply_is_switched_on_and_the_noise_of_the_sensors_is_known():
    s = arming(Arming.REST, arm__in_step_s=C.rest_s, periods=3)
    for name, value in (("turns", 99), ("high", 1.0), ("low", 0.0), ("step", 0.01), ("longest_s", 0.02)):
        s.still[name][DISPLACEMENT] = value
    assert outputs(stepped(s)) == (Arming.LOW_PRESSURE, 1, 0, C.first_arm_authority)
    assert s.still.most_s[DISPLACEMENT] == pytest.approx(SET.limits.stuck.runs * (0.02 + 3 * DT))


def test_at_low_pressure_the_valve_is_enabled_where_its_signs_are_not_known():
    s = stepped(arming(Arming.LOW_PRESSURE, MACHINE.Ps_low, still__turns=99, estimate__x=0.3))
    assert outputs(s) == (Arming.ENABLE, 1, 1, C.first_arm_authority)
    assert not s.still.most_s.any(), "what noise is has been learnt at rest"
    assert s.here.x_m == 0.0


def closing(**values):
    """The step in which the loop is closed."""
    return arming(Arming.LOW_PRESSURE, MACHINE.Ps_low, arm__proved=1, estimate__x=0.03, valve__opening=0.2,
                  valve__rate=0.3, pid__integral=0.4, pid__error=0.5, three_state__integral=0.6, **values)  # fmt: skip


def test_where_they_are_known_the_loop_is_closed_at_once_from_where_the_table_is_with_nothing_stored():
    s = closing(linear__p_0=3e5)
    s.checked.value[PRESSURE_A], s.checked.value[PRESSURE_B] = 7e6, 5e6
    assert outputs(stepped(s)) == (Arming.HIGH_PRESSURE, 2, 1, C.first_arm_authority)
    assert s.here.x_m == s.head.x_m == 0.03
    assert (s.valve.opening, s.valve.rate, s.pid.integral, s.pid.error, s.three_state.integral) == (0.0,) * 5
    needed = 3e5 + s.linear.p_x * 0.03
    assert s.three_state.slow_pa == pytest.approx(2e6 - needed, abs=0.1)


def test_at_full_pressure_the_authority_is_whole_and_the_reference_stays():
    s = stepped(arming(Arming.HIGH_PRESSURE, MACHINE.Ps, estimate__x=0.03))
    assert outputs(s) == (Arming.SETTLE, 2, 1, 1.0)
    assert s.here.x_m == 0.0


def test_settled_it_is_armed():
    s = stepped(arming(Arming.SETTLE, MACHINE.Ps, arm__in_step_s=C.rest_s))
    assert (s.mode, *outputs(s)) == (Mode.HOLD, Arming.NONE, 7, 8, 0.9)
    assert s.guard.trip == 0
    s = stepped(arming(Arming.SETTLE, MACHINE.Ps, arm__in_step_s=C.rest_s, estimate__v=2 * C.rest_speed_m_s))
    assert s.mode == Mode.STANDBY


def test_what_ends_arming_is_latched_and_acts_at_once():
    s = arming(Arming.SETTLE, arm__in_step_s=C.timeout_s, estimate__v=1.0)
    stepped(s)
    g = s.guard
    assert (g.trip, g.trip_action, g.trip_limit, g.trip_sensor) == (Trip.ARMING, Action.NULL, C.timeout_s, -1)
    assert (g.trip_value, g.trip_tick) == (pytest.approx(C.timeout_s + DT), TICK)
    assert (s.mode, s.supply, s.enable) == (Mode.NULL, 7, 8)


@pytest.mark.parametrize(
    ("periods", "rejected", "disturbed"),
    [(1, 0, 0), (2, 0, 1), (1, 1 << DISPLACEMENT, 1), (1, 1 << ACCELERATION, 1), (1, 1 << PRESSURE_A, 1),
     (1, 1 << PRESSURE_B, 1), (1, 1 << SUPPLY, 0), (3, 1 << SUPPLY, 1)],
)  # fmt: skip
def test_missed_ticks_and_rejected_readings_of_the_four_sensors_disturb_a_round(periods, rejected, disturbed):
    s = stepped(arming(Arming.REST, periods=periods, checked__rejected=rejected))
    assert s.arm.disturbed == disturbed


@pytest.mark.parametrize("own", [False, True])
def test_the_bump_of_a_rig_with_a_loop_of_its_own_does_not_depend_on_the_supply(own):
    s = arming(Arming.ENABLE, MACHINE.Ps, arm__in_step_s=C.bump_s, arm__n=9.0)
    if own:
        s.now.law.feedback = RIG_FEEDBACK
    stepped(s)
    assert s.arm.step == Arming.BUMP_UP
    share = 1.0 if own else math.sqrt(MACHINE.Ps_low / MACHINE.Ps)
    assert s.arm.bump == pytest.approx(C.bump * share)


def test_the_reference_stands_where_the_table_is_and_always_did():
    s = law(Mode.STANDBY, estimate__x=0.03, motion_begun=7, motion_over=8, motion_id=9, rejoin__until=10,
            head_tick=TICK + 8, here__v_m_s=0.4, head__a_m_s2=0.5, delayed__v_m_s=0.6, ahead__j_m_s3=0.7)  # fmt: skip
    before = s.copy()
    rt_rest_here(s)
    for name in ("head", "here", "delayed", "ahead"):
        assert s[name].item() == (0.03, 0.0, 0.0, 0.0)
    assert (s.motion_begun, s.motion_over, s.motion_id) == (TICK + 8, -1, 0)
    assert (s.rejoin.until, s.motion.out.to_m, s.motion.id) == (0, 0.03, 0)
    assert (s.history.newest, set(s.history.points["x_m"].tolist())) == (TICK + 8, {0.03})
    own = ("head.", "here.", "delayed.", "ahead.", "motion", "rejoin.", "history.")
    assert all(name.startswith(own) for name in changed(before, s))


@pytest.mark.parametrize("mode", list(Mode))
def test_in_a_hurry_whatever_runs_is_brought_to_off(mode):
    s = law(mode)
    rt_hurry(s)
    assert s.mode == {Mode.TRACK: Mode.STOP, Mode.HOLD: Mode.NULL, Mode.STANDBY: Mode.NULL}.get(mode, mode)
    assert s.off_after == (mode in (Mode.TRACK, Mode.STOP))
