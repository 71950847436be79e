"""The emulated registers are those that the presets read, and hold what the driver takes out of them again."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS
from firmware_bridge.emulate.modbus_map import MEANINGS, default_config, packer, unpacker
from firmware_bridge.modbus.settings import Output, Reading
from firmware_bridge.modbus.values import raw_of, words_of
from hilctl import rig


@pytest.mark.parametrize(("preset", "transport"), [("table-500-modbus", "tcp"), ("table-500-rtu", "rtu")])
def test_the_map_is_what_the_preset_reads(preset, transport):
    read, served = rig.load(preset).driver_config, default_config(transport)
    assert dict(read.registers()) == dict(served.registers())
    ours, theirs = read.amplifier, served.amplifier
    place = ("host", "port") if transport == "tcp" else ("serial", "baud", "parity", "stop_bits", "gap_s")
    assert [getattr(ours, key) for key in place] == [getattr(theirs, key) for key in place]


KINDS = st.sampled_from(["int16", "uint16", "int32", "uint32"])


@given(KINDS, st.sampled_from(["high_first", "low_first"]), st.floats(-2e4, 2e4), st.floats(1e-3, 10.0),
       st.floats(-5, 5))  # fmt: skip
def test_a_value_comes_out_of_its_registers_as_it_went_in(kind, words, value, scale, offset):
    own = Reading(device="amplifier", address=0, type=kind, words=words, scale=scale, offset=offset, unit="bar")
    pack = packer("pressure_a", own)
    si = value * UNITS["pressure_a"]["bar"]
    read = own.scale * raw_of(own, pack(si)) + own.offset
    lowest, highest = sorted((raw_of(own, pack(-math.inf)), raw_of(own, pack(1e300))))
    held = min(max(value, scale * lowest + offset), scale * highest + offset)
    assert read == pytest.approx(held, abs=0.51 * scale + 1e-9 * abs(held))


@given(st.sampled_from(["int16", "uint16", "int32", "uint32", "float32"]), st.floats(-1.0, 1.0))
def test_what_the_driver_writes_is_what_the_device_takes(kind, value):
    own = Output(device="amplifier", address=7, type=kind, scale=1 / 32767)
    words = words_of(own, value)
    taken = unpacker(own)(dict(zip(range(7, 9), words, strict=False)))
    assert taken == pytest.approx(own.scale * raw_of(own, words), abs=1e-12)


def test_what_is_no_number_is_nan_or_the_lowest_count():
    assert packer("displacement", Reading(type="int32"))(math.nan) == [0x8000, 0]
    assert packer("oil_level", Reading(type="uint16"))(math.nan) == [0]
    own = Reading(type="float32")
    assert math.isnan(raw_of(own, packer("acceleration", own)(math.nan)))


def test_a_counter_wraps():
    assert packer("device_tick", Reading(type="uint16"))(65537.0) == [1]


def test_meanings_are_of_signals_that_exist():
    assert set(MEANINGS) <= {*READINGS, *OUTPUTS}
