"""The arithmetic that protects: what a device or its line cannot do is refused with the sum shown."""

import pytest

from firmware_bridge.serial_frame.checking import ANSWER_BYTES, COMMAND_BYTES, implausible, line_s, problems
from firmware_bridge.serial_frame.messages import SCHEMA, VERSION, Identity
from hilctl import rig

SLOW = {"limits.velocity.max_m_s": 0.1, "loop.time_to_live_s": 0.1}
BOARD = Identity(
    VERSION, SCHEMA, 1, 1, 2000, 1000, 100_000, 25_000, 0, -98_000_000, 98_000_000, 0, 7,
    (1e-9, 1e-6, 0.1, 0.1, 2000.0, 1e-4, 0.01),
)  # fmt: skip


def facts(**changes):
    named = {key.replace("__", "."): value for key, value in changes.items()}
    return rig.load("table-500", twin=True, changes={**SLOW, **named}).facts()


def told(identity=BOARD, *, baud=921_600, **changes):
    return list(problems(identity, facts(**changes), baud))


def test_a_board_that_fits_has_no_problems():
    assert told() == []


def test_a_rate_that_the_line_cannot_carry_is_refused_with_the_sum():
    (said,) = told(baud=115_200)
    assert "20 + 44 bytes of 10 bits take 5.56 ms at driver.baud = 115200" in said
    assert "at most 144 Hz, or 800000 Bd" in said
    assert told(baud=800_000) == [] and told(baud=799_000) != []


def test_the_sum_is_that_of_the_frames_that_are_sent(far):
    assert len(far.readings_frame()) == ANSWER_BYTES
    far.put(far.readings_frame())
    far.exchange()
    assert far.said(1) and far.splitter.bytes == COMMAND_BYTES
    assert line_s(115_200) == (ANSWER_BYTES + COMMAND_BYTES) * 10 / 115_200


def test_a_rate_above_the_devices_own_is_refused():
    (said,) = told(BOARD._replace(tick_hz=999))
    assert "the device ticks at 999 Hz" in said


def test_an_input_that_the_rig_file_names_and_the_board_lacks_is_told():
    (said,) = told(BOARD._replace(inputs=6))
    assert said.startswith("sensors.emergency_stop: the device has no such input")


@pytest.mark.parametrize("seconds", [0.002, 0.05])
def test_a_time_to_live_out_of_the_devices_bounds_is_refused(seconds):
    (said,) = told(BOARD._replace(shortest_us=3000, longest_us=40_000), loop__time_to_live_s=seconds)
    assert f"loop.time_to_live_s = {seconds:g}: the device accepts 0.003 to 0.04 s" in said


def test_a_time_to_live_of_less_than_two_device_ticks_is_refused():
    said = told(BOARD._replace(tick_hz=1000), baud=3_000_000, loop__time_to_live_s=0.0015, loop__rate_hz=1500)
    assert "less than two of the device's ticks" in said[-1]


def test_a_time_to_live_longer_than_the_travel_margin_allows_is_refused():
    slow, fast = facts(), facts(limits__velocity__max_m_s=0.2, loop__time_to_live_s=0.05)
    mixed = {**slow.tables, "limits": fast.tables["limits"]}
    (said,) = problems(BOARD, slow._replace(tables=mixed), 921_600)
    assert "travels 20 mm meanwhile, and the margin beyond limits.position is 10 mm" in said


@pytest.mark.parametrize(("low", "high"), [(-89, 98), (-98, 89), (-101, 98), (-98, 101)])
def test_end_stops_inside_the_limits_or_beyond_the_stroke_are_refused(low, high):
    (said,) = told(BOARD._replace(end_low=low * 1_000_000, end_high=high * 1_000_000))
    assert "the device's end stops at" in said


@pytest.mark.parametrize("milli", [0, 25_990])
def test_a_ramp_to_null_steeper_than_the_rigs_deceleration_or_none_is_refused(milli):
    (said,) = told(BOARD._replace(slew_milli=milli))
    assert "at most 25.98" in said


def test_a_sensor_that_the_device_has_not_got_is_refused_unless_the_rig_has_none_either():
    blind = BOARD._replace(scales=(*BOARD.scales[:5], 0.0, 0.01))
    (said,) = told(blind)
    assert "sensors.spool: the device has none" in said
    assert told(blind, sensors__spool__present=False) == []


def test_counts_that_end_before_the_sensors_range_are_refused():
    (said,) = told(BOARD._replace(scales=(*BOARD.scales[:4], 1000.0, 1e-4, 0.01)))
    assert said.startswith("sensors.supply_pressure: the device's counts end at ±3.2768e+07, ")
    assert "the range in the rig file at ±4e+07" in said


def test_a_virtual_clock_is_refused():
    (said,) = problems(BOARD, facts()._replace(virtual=True), 921_600)
    assert "needs the real clock" in said


def test_all_problems_are_told_at_once():
    assert len(told(BOARD._replace(slew_milli=0, tick_hz=10, end_low=0), baud=9600)) == 5


def test_readings_that_cannot_be_are_told_by_name():
    good = [0.0, 0.0, 1e5, 1e5, 0.0, 0.0, 40.0]
    assert list(implausible(good, facts())) == []
    assert "sensors.displacement: reads 0.2" in next(implausible([0.2, *good[1:]], facts()))
    assert list(implausible([*good[:6], 400.0], facts(sensors__oil_temperature__present=False))) == []
