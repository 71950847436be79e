"""The C tick that the benchmark measures against does what ours does; a difference would be seen."""

import shutil

import pytest

from hilctl.bench import tick, tick_course, tick_troubles, tick_yardstick
from hilctl.bench.tick_blocks import BLOCKS
from hilctl.rt.jit import PLAIN

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(PLAIN, reason="nothing is compiled"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
]


@pytest.fixture(scope="module")
def yardstick(tmp_path_factory):
    return tick_yardstick.Yardstick(str(tmp_path_factory.mktemp("c")))


@pytest.fixture(scope="module")
def course():
    made = tick_course.Course()
    tick_course.whole(made)
    return made


def test_c_computes_every_channel_as_we_do_over_a_whole_course(course, yardstick):
    off, where, ticks = tick.difference(course, yardstick)
    assert off < tick.AGREE, where
    assert ticks > 10_000
    names = {stretch.name for stretch in course.stretches}
    assert names >= {
        "arming", "triangle", "blend", "notches", "to the PID", "learned", "learned behind an overlap",
        "learned too far", "stop", "sine", "chirp", "move", "waveform",
    }  # fmt: skip


def test_c_computes_the_same_for_a_rig_that_closes_its_own_loop(yardstick):
    course = tick_course.Course(tick_course.OWN_LOOP)
    tick_course.own(course)
    off, where, ticks = tick.difference(course, yardstick)
    assert off < tick.AGREE, where
    assert ticks > 10_000
    assert {stretch.name for stretch in course.stretches} >= {"arming", "limited, to null", "null", "move"}


@pytest.mark.parametrize(
    ("trouble", "names"),
    [
        (tick_troubles.stalled, {"rejoined", "rejoined under the PID", "too long", "held, null, off"}),
        (tick_troubles.disturbed, {"now and then", "a second master", "no supply", "blocked"}),
        (tick_troubles.supplied, {"low pressure", "moved at low pressure", "high pressure", "it does not come"}),
        (tick_troubles.faulty, {"POLARITY", "PRESSURES_EXCHANGED", "NULL_NOT_CONFIRMED", "the device starts again"}),
    ],
)
def test_c_computes_the_same_whatever_goes_wrong(trouble, names, yardstick):
    course = tick_course.Course()
    trouble(course)
    off, where, ticks = tick.difference(course, yardstick)
    assert off < tick.AGREE, where
    assert ticks > 10_000
    assert {stretch.name for stretch in course.stretches} >= names


def test_a_yardstick_that_fills_a_gap_otherwise_is_found_out(tmp_path, monkeypatch):
    course = tick_course.Course()
    tick_course.arm(course)
    course.track("sine", amplitude_m=0.01, frequency_hz=2.0, cycles=8)
    course.run("rejoined", 1000, stalls={700: 4})
    monkeypatch.setitem(tick_yardstick._CONSTANTS, "STRAIGHT", 5)
    off, where, _ = tick.difference(course, tick_yardstick.Yardstick(str(tmp_path)))
    assert off > tick.AGREE, where


def test_a_yardstick_that_learns_the_valve_otherwise_is_found_out(course, tmp_path, monkeypatch):
    monkeypatch.setitem(tick_yardstick._CONSTANTS, "ADAPT_GAIN", 501.0)
    off, where, _ = tick.difference(course, tick_yardstick.Yardstick(str(tmp_path)))
    assert off > tick.AGREE, where


def test_a_yardstick_that_smooths_friction_otherwise_is_found_out(course, tmp_path, monkeypatch):
    monkeypatch.setitem(tick_yardstick._CONSTANTS, "SMOOTH_M_S", 3.1e-3)
    off, where, _ = tick.difference(course, tick_yardstick.Yardstick(str(tmp_path)))
    assert off > tick.AGREE, where


def test_the_report_says_what_each_block_costs(told):
    result = told("tick")
    assert result["bench"] == "tick"
    assert set(result["figures"]["blocks_ns"]) == set(BLOCKS)
    assert sum(result["figures"]["blocks_ns"].values()) > 0.0
    assert result["ratio"]["tick_vs_c"] > 0.0
