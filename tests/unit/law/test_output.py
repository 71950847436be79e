"""The last limits of the command, and the ramp to null."""

import math

import pytest

from hilctl import rig as rigs
from hilctl.law.output import OUTPUT, rt_half_swing_s, rt_limit, rt_ramp_start, rt_ramp_to
from hilctl.machine import hydraulic_frequency
from hilctl.params import pack
from tests.forms import blank, changed, filled

DT = 1e-3
FAST = 1e6
pytestmark = pytest.mark.usefixtures("forms")


def output(command=0.0, **fields):
    o = blank(OUTPUT)
    o.command = command
    for name, value in fields.items():
        o[name] = value
    return o


def test_a_command_within_its_limits_passes_untouched():
    o = output(0.1, saturated=1, saturated_s=0.5, refused=0.3, not_finite=1)
    rt_limit(0.2, 0.0, 0.5, FAST, DT, 1, o)
    assert (o.command, o.refused, o.saturated, o.saturated_s, o.not_finite) == (0.2, 0.0, 0, 0.0, 0)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_reach_is_about_the_centre_and_at_the_bound_nothing_is_saturated(way):
    o = output()
    rt_limit(way * 0.5 + 0.03, 0.03, 0.5, FAST, DT, 1, o)
    assert (o.command, o.saturated) == (way * 0.5 + 0.03, 0)
    rt_limit(way * 0.6 + 0.03, 0.03, 0.5, FAST, DT, 1, o)
    assert o.command == pytest.approx(way * 0.5 + 0.03)
    assert o.refused == pytest.approx(way * 0.1)
    assert o.saturated == 1


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_no_centre_takes_the_command_beyond_full_opening(way):
    o = output()
    rt_limit(way * 2.0, way * 0.2, 1.0, FAST, DT, 1, o)
    assert (o.command, o.saturated) == (way, 1)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_slew_of_one_period_bounds_a_tick_however_many_were_skipped(way):
    o = output(0.1)
    rt_limit(0.1 + way * 0.5, 0.0, 1.0, 40.0, DT, 7, o)
    assert o.command == pytest.approx(0.1 + way * 0.04)
    assert o.refused == pytest.approx(way * 0.46)
    assert (o.saturated, o.saturated_s) == (0, 0.0), "slewing is no saturation"


def test_the_time_in_saturation_counts_skipped_periods():
    o = output(0.5)
    rt_limit(0.9, 0.0, 0.5, FAST, DT, 3, o)
    rt_limit(0.9, 0.0, 0.5, FAST, DT, 2, o)
    assert o.saturated_s == pytest.approx(5 * DT)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_not_finite_keeps_the_last_one_and_says_so(bad):
    o = output(0.3)
    rt_limit(bad, 0.0, 0.5, FAST, DT, 1, o)
    assert (o.command, o.not_finite, o.refused, o.saturated) == (0.3, 1, 0.0, 0)


def test_half_a_swing_is_half_a_period_of_the_hydraulic_mode():
    machine = rigs.load("table-500").tables.machine
    assert rt_half_swing_s(pack(machine)) == pytest.approx(math.pi / hydraulic_frequency(machine))


def test_a_ramp_would_begin_at_the_last_command():
    o = filled(OUTPUT)
    before = o.copy()
    rt_ramp_start(o)
    assert changed(before, o) == {"ramp_from": before.command, "ramp_s": 0.0, "ramped[0]": 0.0, "ramped[1]": 0.0}


@pytest.mark.parametrize("target", [-0.37, 0.43])
def test_each_half_of_the_ramp_goes_at_half_the_rate_and_the_second_later(target):
    """From 0.03 by 0.4 at 10 a second: each half takes 40 ms, the second from 10 ms on."""
    o = output(0.03, refused=0.2, saturated=1, saturated_s=0.7)
    rt_ramp_start(o)
    way = math.copysign(1.0, target - 0.03)
    for k in range(1, 51):
        done = rt_ramp_to(target, 10.0, 0.0105, DT, DT, o)
        first, second = min(5.0 * k * DT, 0.2), min(max(5.0 * (k * DT - 0.0105), 0.0), 0.2)
        assert o.command == pytest.approx(0.03 + way * (first + second))
        assert not done
    assert rt_ramp_to(target, 10.0, 0.0105, DT, DT, o)
    assert o.command == target
    assert (o.refused, o.saturated, o.saturated_s) == (0.0, 0, 0.0)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_ramp_goes_towards_null_on_whichever_side_of_zero_it_is(way):
    o = output(way * 0.4)
    rt_ramp_start(o)
    rt_ramp_to(way * 0.1, 10.0, 0.02, DT, DT, o)
    assert o.command == pytest.approx(way * (0.4 - 5.0 * DT))
    o = output(way * 0.1)
    rt_ramp_start(o)
    rt_ramp_to(way * 0.4, 10.0, 0.02, DT, DT, o)
    assert o.command == pytest.approx(way * (0.1 + 5.0 * DT))


def test_after_a_stall_a_half_goes_on_by_no_more_than_the_step():
    o = output(0.4)
    rt_ramp_start(o)
    assert not rt_ramp_to(0.0, 10.0, 0.02, 4e-3, 0.1, o)
    assert list(o.ramped) == pytest.approx([0.02, 0.02])
    assert o.ramp_s == pytest.approx(0.1)


def test_a_ramp_to_where_the_command_is_has_arrived():
    o = output(0.02)
    rt_ramp_start(o)
    assert rt_ramp_to(0.02, 10.0, 0.01, DT, DT, o)
    assert o.command == 0.02
