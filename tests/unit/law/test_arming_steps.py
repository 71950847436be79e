"""Arming, step by step, on a table that answers as the test says."""

import math

import numpy as np
import pytest

from hilctl.law.arming import (
    ARMING,
    rt_arming,
    rt_arming_forget,
    rt_arming_opening,
    rt_arming_start,
    rt_arming_unknown,
)
from hilctl.law.bumps import ARMED, GOING
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.machine import hydraulic_frequency
from hilctl.signals import Arming as Step
from hilctl.signals import Trip
from tests.forms import blank, changed, filled
from tests.unit.law.arming_rig import DT, FULL, C, M, Rig
from tests.unit.law.given import _rig

pytestmark = pytest.mark.usefixtures("forms")


def test_a_start_begins_at_rest_where_the_table_is():
    a = filled(ARMING)
    before = a.copy()
    rt_arming_start(0.25, a)
    assert changed(before, a) == {"step": 1, "in_step_s": 0.0, "begin_m": 0.25, "n": 0.0, "t": 0.0, "tt": 0.0, "x": 0.0,
                                  "tx": 0.0, "corrections": 0, "rounds": 0, "searched": 0, "smaller": 0.0}


def test_what_may_have_changed_is_proved_again_from_the_nominal_null():
    a = filled(ARMING)
    before = a.copy()
    rt_arming_unknown(0.031, a)
    assert changed(before, a) == {"null": 0.031, "kept": 0.031, "proved": 0, "overlap": 0.0}


@pytest.mark.parametrize("proved", [0, 1])
def test_a_null_that_no_bumps_confirmed_is_not_kept(proved):
    a = filled(ARMING)
    a.null, a.kept, a.proved = 0.02, 0.01, proved
    rt_arming_forget(a)
    assert (a.null, a.kept) == (0.02 if proved else 0.01, 0.01)


def test_only_the_bumps_open_the_valve():
    a = blank(ARMING)
    a.bump = 0.01
    a.search.way, a.search.opening, a.search.pulse_s = -1.0, 0.03, 0.1
    openings = {}
    for step in Step:
        a.step = step
        openings[step] = rt_arming_opening(a)
    assert openings == dict.fromkeys(Step, 0.0) | {
        Step.SEARCH: -0.03, Step.BUMP_UP: 0.01, Step.BUMP_DOWN: -0.01,
    }  # fmt: skip


def test_a_healthy_rig_passes_every_step_in_order_and_is_armed():
    rig = Rig().run()
    assert rig.outcome == ARMED
    assert rig.steps == [1, 2, 3, 5, 6, 5, 6, 7, 8, 0]
    assert (rig.a.proved, rig.a.rounds, rig.a.disturbed) == (1, 2, 0)
    assert rig.a.gain_m_s == pytest.approx(FULL, rel=0.02)
    assert rig.a.null == rig.a.kept == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("null", [0.0012, -0.0035, 0.02, -0.03])
def test_the_null_is_where_the_table_stands_still(null):
    rig = Rig(null=null).run()
    assert rig.outcome == ARMED
    assert rig.a.null == pytest.approx(null, abs=C.bump / 20)
    assert rig.a.kept == rig.a.null


def test_the_signs_once_proved_are_not_proved_again():
    rig = Rig()
    rig.a.proved, rig.a.null = 1, 0.01
    rig.null = 0.01
    rig.run()
    assert (rig.outcome, rig.steps) == (ARMED, [1, 2, 7, 8, 0])


@pytest.mark.parametrize("way", [1, -1])
def test_the_table_must_stand_still_over_the_whole_rest(way):
    rig = Rig()
    rig.rest_v = rig.v = way * C.rest_speed_m_s * 0.99
    rig.to(Step.LOW_PRESSURE)
    rig = Rig()
    rig.rest_v = rig.v = way * C.rest_speed_m_s * 1.01
    rig.run()
    assert rig.ended == (Trip.NOT_AT_REST, pytest.approx(way * C.rest_speed_m_s * 1.01), C.rest_speed_m_s, DISPLACEMENT)
    assert rig.steps == [1]


def test_a_place_that_is_no_number_is_no_rest():
    rig = Rig()
    rig.value[DISPLACEMENT] = math.nan
    rig.run()
    assert rig.ended[0] == Trip.NOT_AT_REST


@pytest.mark.parametrize(("step", "asked"), [(Step.LOW_PRESSURE, M.Ps_low), (Step.HIGH_PRESSURE, M.Ps)])
def test_a_measured_supply_is_waited_for_until_its_share_is_there(step, asked):
    rig = Rig(supply_pa=0.0)
    rig.a.proved = 1
    rig.to(Step.LOW_PRESSURE)
    rig.supply_pa = C.supply_share * M.Ps_low
    if step == Step.HIGH_PRESSURE:
        rig.to(step)
    rig.supply_pa = C.supply_share * asked * 0.999
    for _ in range(50):
        rig.tick()
    assert rig.a.step == step
    rig.supply_pa = C.supply_share * asked
    rig.tick()
    assert rig.a.step == (Step.HIGH_PRESSURE if step == Step.LOW_PRESSURE else Step.SETTLE)


@pytest.mark.parametrize(("step", "wait_s"), [(Step.LOW_PRESSURE, 0.01), (Step.HIGH_PRESSURE, 0.015)])
def test_a_supply_that_is_not_measured_is_given_its_time(step, wait_s):
    rig = Rig()
    rig.a.proved = 1
    rig.to(step)
    ticks = 0
    while rig.a.step == step:
        rig.tick()
        ticks += 1
    assert ticks in (round(wait_s / DT), round(wait_s / DT) + 1)


def test_a_step_that_lasts_too_long_ends_arming():
    rig = Rig(supply_pa=0.0).to(Step.LOW_PRESSURE)
    ticks = 0
    while rig.tick() == GOING:
        ticks += 1
    assert ticks in (249, 250)
    assert rig.ended == (Trip.ARMING, pytest.approx(0.5, abs=1.5 * DT), C.timeout_s, -1)


@pytest.mark.parametrize("way", [1, -1])
def test_full_authority_is_given_until_the_table_is_at_rest(way):
    rig = Rig().to(Step.SETTLE)
    rig.rest_v = rig.v = way * C.rest_speed_m_s * 1.1
    for _ in range(60):
        assert rig.tick() == GOING
    rig.rest_v = rig.v = way * C.rest_speed_m_s * 0.9
    assert rig.tick() == ARMED
    assert rig.a.step == Step.NONE


def test_at_rest_it_still_settles_for_the_time_of_rest():
    rig = Rig().to(Step.SETTLE)
    rig.rest_v = rig.v = 0.0
    ticks = 1
    while rig.tick() == GOING:
        ticks += 1
    assert ticks in (10, 11)


@pytest.mark.parametrize(
    ("see", "trip", "sensor"),
    [
        ((-1, 1, 1, 1), Trip.SENSOR_REVERSED, DISPLACEMENT), ((0, 1, 1, 1), Trip.SENSOR_DEAD, DISPLACEMENT),
        ((1, -1, 1, 1), Trip.SENSOR_REVERSED, ACCELERATION), ((1, 0, 1, 1), Trip.SENSOR_DEAD, ACCELERATION),
        ((1, 1, -1, -1), Trip.PRESSURES_EXCHANGED, -1), ((1, 1, -1, 1), Trip.SENSOR_REVERSED, PRESSURE_A),
        ((1, 1, 1, -1), Trip.SENSOR_REVERSED, PRESSURE_B), ((1, 1, 0, 1), Trip.SENSOR_DEAD, PRESSURE_A),
        ((1, 1, 1, 0), Trip.SENSOR_DEAD, PRESSURE_B),
    ],
)  # fmt: skip
def test_a_sensor_with_a_fault_ends_arming_and_is_named(see, trip, sensor):
    rig = Rig()
    rig.see = np.array(see, float)
    rig.run()
    assert rig.ended[0] == trip
    assert rig.ended[3] == sensor
    assert rig.a.proved == 0


def test_a_reversed_valve_and_one_that_moves_nothing_end_arming():
    assert Rig(gain=-1.0).run().ended[::3] == (Trip.POLARITY, -1)
    rig = Rig(gain=0.0).run()
    assert rig.ended[::3] == (Trip.NO_MOTION, -1)
    assert rig.ended[2] == pytest.approx(C.response * C.bump * FULL * C.bump_s)


@pytest.mark.parametrize(("gain", "armed"), [(0.75 * C.response, False), (1.4 * C.response, True)])
def test_the_bumps_must_move_the_table_by_the_response(gain, armed):
    outcome = Rig(gain=gain).run().outcome
    assert (outcome == ARMED) is armed
    assert armed or outcome == Trip.NO_MOTION


@pytest.mark.parametrize("way", [1, -1])
def test_a_null_farther_off_than_is_believed_ends_arming(way):
    rig = Rig(null=way * (C.null_max + 0.004)).run()
    assert rig.ended[0] == Trip.NULL_NOT_CONFIRMED
    assert rig.ended[1] * way > C.null_max
    assert rig.ended[2:] == (C.null_max, -1)


@pytest.mark.parametrize("way", [1, -1])
def test_the_table_may_go_no_farther_than_its_travel(way):
    c = C.copy()
    c.travel_m = 1e-4
    rig = Rig(c=c)
    rig.gain *= way
    rig.run()
    assert rig.ended[0] == Trip.ARMING_TRAVEL
    assert 1e-4 < rig.ended[1] * way < 1.2e-4
    assert rig.ended[2:] == (1e-4, DISPLACEMENT)


def test_where_the_supply_is_still_high_the_bumps_are_smaller_and_asked_for_the_same():
    rig = Rig(supply_pa=4 * M.Ps_low, gain=2.0).to(Step.BUMP_UP)
    assert rig.a.bump == pytest.approx(C.bump / 2)
    rig = Rig(supply_pa=0.95 * M.Ps_low).to(Step.BUMP_UP)
    assert rig.a.bump == C.bump


def test_a_disturbed_round_proves_no_fault_and_is_made_again():
    rig = Rig().to(Step.BUMP_UP)
    rig.see = np.array([1.0, 0.0, 1.0, 1.0])
    while rig.a.step != Step.BUMP_DOWN:
        rig.tick(clean=False)
    while rig.a.step == Step.BUMP_DOWN:
        rig.tick()
    assert rig.outcome == GOING
    assert (rig.a.step, rig.a.rounds, rig.a.disturbed) == (Step.BUMP_UP, 1, 0)
    rig.see[:] = 1.0
    assert rig.run().outcome == ARMED


def test_a_rig_that_is_always_disturbed_ends_all_the_same():
    rig = Rig()
    rig.see = np.array([1.0, 1.0, 0.0, 1.0])
    for _ in range(6000):
        if rig.tick(clean=False) != GOING:
            break
    assert rig.ended[::3] == (Trip.SENSOR_DEAD, PRESSURE_A)
    assert 4 <= rig.a.rounds <= 10


def test_ticks_too_coarse_for_the_hydraulic_mode_are_told_apart():
    assert hydraulic_frequency(_rig().controller.machine) * DT < 1.0


def own(reached_m, reach_m=0.2):
    """A rig that closes its own loop, and goes to that share of what it is asked for."""
    rig = Rig(own_m=reach_m)
    rig.a.null = rig.a.kept = 0.1
    for _ in range(3000):
        enabled = Step.ENABLE <= rig.a.step <= Step.BUMP_DOWN
        aim = reached_m * reach_m * (rig.command - 0.1) if enabled else 0.0
        before = rig.v
        x = rig.value[DISPLACEMENT]
        rig.v = (aim - x) / 0.01
        a = (rig.v - before) / DT
        rig.value[DISPLACEMENT] += DT * 0.5 * (rig.v + before)
        rig.value[ACCELERATION] = a
        push = 1e4 * a + 3e5 * np.tanh(rig.v / 1e-4)
        rig.value[PRESSURE_A], rig.value[PRESSURE_B] = 2e6 + push, 2e6 - push
        rig.outcome = rt_arming(rig.c, rig.m, reach_m, rig.value, 0.0, math.nan, DT, True, rig.a)
        rig.command = rig.a.null + rt_arming_opening(rig.a)
        if rig.outcome != GOING:
            return rig
    raise AssertionError(Step(rig.a.step))


def test_a_rig_with_a_loop_of_its_own_is_judged_by_where_it_goes_and_keeps_its_null():
    rig = own(0.9)
    assert rig.outcome == ARMED
    assert rig.a.null == 0.1
    assert rig.a.gain_m_s == pytest.approx(0.9 * 0.2, rel=0.05)
    assert own(0.05).ended[::3] == (Trip.NO_MOTION, -1)
