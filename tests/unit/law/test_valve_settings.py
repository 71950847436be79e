"""What the rig file leaves open about the valve, and what follows from the machine."""

import math

import pytest

from hilctl.friction import MODELS, check_friction
from hilctl.law.feed import CROSS_S, CROSS_TICKS
from hilctl.law.settings import pack_settings
from hilctl.law.smoothing import SHORTEST_CROSSING_S, _demand_crossing, _reversal, crossing_s
from hilctl.law.valve_stage import DITHER
from hilctl.machine import shaken, velocity_gain
from tests.unit.law.given import DT, controller


def packed(rate_hz=1 / DT, friction="karnopp", **changes):
    law = check_friction({"model": friction, **MODELS[friction].typical})
    return pack_settings(controller(**changes), law, 1 / rate_hz, 1)


def test_one_overlap_stands_for_both_sides():
    for changes, sides in (
        ({}, (0.0, 0.0)),
        ({"machine__dead_band": 0.03}, (0.03, 0.03)),
        ({"machine__overlap_a": 0.01, "machine__overlap_b": 0.04}, (0.01, 0.04)),
    ):
        machine = packed(**changes).machine
        assert (machine.overlap_a, machine.overlap_b) == sides


def test_the_dither_comes_with_the_hysteresis_or_a_threshold_at_a_quarter_of_the_rate_unless_it_is_set():
    assert packed().law.valve.dither == 0.0
    given = packed(machine__hysteresis=0.005, rate_hz=2000.0).law.valve
    assert (given.dither, given.dither_hz) == (DITHER, 500.0)
    assert packed(machine__threshold=0.001).law.valve.dither == DITHER
    assert packed(machine__hysteresis=0.005, law__valve__inverse=0.0).law.valve.dither == 0.0
    assert packed(machine__hysteresis=0.005, law__valve__dither=0.0).law.valve.dither == 0.0
    own = packed(law__valve__dither=0.004, law__valve__dither_hz=120.0).law.valve
    assert (own.dither, own.dither_hz) == (0.004, 120.0)


def test_there_is_no_dither_where_it_would_shake_the_table_unless_it_is_set():
    sticks = {"machine__hysteresis": 0.005}
    for rate_hz, dither in ((200.0, 0.0), (400.0, 0.0), (500.0, 0.0), (700.0, DITHER), (4000.0, DITHER)):
        assert packed(rate_hz=rate_hz, **sticks).law.valve.dither == dither
    assert packed(rate_hz=400.0, law__valve__dither_hz=200.0, **sticks).law.valve.dither == DITHER
    assert packed(rate_hz=2000.0, law__valve__dither_hz=60.0, **sticks).law.valve.dither == 0.0
    assert packed(rate_hz=400.0, law__valve__dither=0.01, **sticks).law.valve.dither == 0.01


@pytest.mark.parametrize(("hz", "through"), [(1.0, 1.0), (250.0, 0.158 * 0.0318)])
def test_what_a_dither_shakes_is_what_valve_and_oil_let_through(hz, through):
    machine = controller().machine
    pressure = machine.m * velocity_gain(machine) * 0.01 * 2 * math.pi * hz / machine.A
    assert shaken(machine, 0.01, hz) * machine.Ps == pytest.approx(through * pressure, rel=0.05)


@pytest.mark.parametrize("model", ["karnopp", "lugre", "gms"])
def test_a_crossing_takes_three_milliseconds_at_a_kilohertz(model):
    assert packed(friction=model, machine__dead_band=0.03).law.feed.cross_s == pytest.approx(CROSS_TICKS * DT)
    assert packed(friction=model, law__feed__cross_s=2e-3).law.feed.cross_s == 2e-3


@pytest.mark.parametrize("model", ["karnopp", "lugre", "gms"])
@pytest.mark.parametrize("rate_hz", [1000.0, 2000.0, 5000.0])
@pytest.mark.parametrize("wv", [300.0, 643.0])
def test_a_crossing_asks_no_more_of_the_valve_than_it_can(model, rate_hz, wv):
    friction = check_friction({"model": model, **MODELS[model].typical})
    machine, dt_s = controller(machine__dead_band=0.03, machine__wv=wv).machine, 1 / rate_hz
    for slew in (400.0, 4000.0):
        chosen = crossing_s(machine, friction, 1.0, slew, 4e-3, dt_s)
        assert max(SHORTEST_CROSSING_S, CROSS_TICKS * dt_s) <= chosen <= CROSS_S
        if chosen < CROSS_S:
            asked = _demand_crossing(machine, _reversal(friction), 0.03, 4e-3, chosen, dt_s)
            assert asked.command <= 0.5
            assert asked.step <= 0.9 * slew * dt_s
            assert asked.spool_per_s <= 0.9 * machine.slew_per_s


def test_a_slower_valve_crosses_more_slowly():
    times = [packed(machine__dead_band=0.03, machine__wv=wv).law.feed.cross_s for wv in (300.0, 450.0, 643.0)]
    assert times[0] == CROSS_S
    assert times == sorted(times, reverse=True)
    assert times[2] < times[1] < times[0]
