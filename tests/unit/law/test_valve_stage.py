"""From an opening to the command: overlap, null and dither."""

import math

import pytest

from hilctl.law.valve_stage import VALVE, ValveStage, rt_valve_stage
from hilctl.params import pack
from tests.forms import blank

DT = 1e-3
pytestmark = pytest.mark.usefixtures("forms")


def stage(**keys):
    return pack(ValveStage(**keys))


def settled(c, opening, null=0.0):
    s = blank(VALVE)
    for _ in range(100):
        command = rt_valve_stage(c, opening, null, DT, s)
    return command


def test_without_overlap_and_dither_the_command_is_the_opening_and_the_null():
    s = blank(VALVE)
    assert rt_valve_stage(stage(), 0.3, -0.02, DT, s) == pytest.approx(0.28)
    assert s.phase == 0.0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_command_jumps_over_the_overlap_and_a_full_opening_stays_full(way):
    c = stage(dead_band=0.05)
    assert settled(c, way) == pytest.approx(way)
    assert settled(c, 0.4 * way) == pytest.approx(way * (0.95 * 0.4 + 0.05))
    assert settled(c, 0.4 * way, 0.01) == pytest.approx(way * (0.95 * 0.4 + 0.05) + 0.01)


def test_nothing_is_added_at_an_opening_of_zero():
    assert settled(stage(dead_band=0.05), 0.0) == 0.0


def test_a_crossing_at_rest_is_as_narrow_as_the_narrowest():
    c = stage(dead_band=0.05, crossing_min=2e-3)
    assert settled(c, 1e-3) == pytest.approx(0.95e-3 + 0.05 * math.tanh(0.5))


def test_a_fast_crossing_is_as_wide_as_the_command_goes_in_the_crossing_time():
    c = stage(dead_band=0.05, crossing_s=5e-3, crossing_min=1e-5)
    s = blank(VALVE)
    s.opening, s.rate = -0.001, 2.0
    command = rt_valve_stage(c, 0.001, 0.0, DT, s)  # 2 per second, as it has been
    assert s.rate == pytest.approx(2.0)
    assert command == pytest.approx(0.95 * 0.001 + 0.05 * math.tanh(0.001 / (2.0 * 5e-3)))


def test_the_rate_follows_over_two_ticks_and_has_no_sign():
    s = blank(VALVE)
    for want in (5.0, 7.5, 8.75):
        rt_valve_stage(stage(), s.opening - 0.01, 0.0, DT, s)
        assert s.rate == pytest.approx(want)
    assert s.opening == pytest.approx(-0.03)


def test_the_dither_is_a_sine_of_its_frequency_about_the_command():
    c, s = stage(dither=0.02, dither_hz=90.0), blank(VALVE)
    for k in range(1, 400):
        command = rt_valve_stage(c, 0.3, 0.01, DT, s)
        assert command == pytest.approx(0.31 + 0.02 * math.sin(2 * math.pi * 90.0 * k * DT), abs=1e-10)
        assert 0.0 <= s.phase <= 2 * math.pi


def test_a_long_gap_leaves_the_phase_of_the_dither_within_a_turn():
    c, s = stage(dither=0.02, dither_hz=90.0), blank(VALVE)
    command = rt_valve_stage(c, 0.0, 0.0, 5.003, s)
    assert 0.0 <= s.phase <= 2 * math.pi
    assert command == pytest.approx(0.02 * math.sin(2 * math.pi * 90.0 * 5.003), abs=1e-9)
