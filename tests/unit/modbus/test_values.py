"""Registers to values and back, beside struct's idea of them."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.modbus.record import SIZE
from firmware_bridge.modbus.settings import TYPES, Register
from firmware_bridge.modbus.values import is_garbled, raw_of, rt_put_raw, rt_raw, words_of

AT = SIZE - 8
RANGES = {"int16": (-(2**15), 2**15 - 1), "uint16": (0, 2**16 - 1), "int32": (-(2**31), 2**31 - 1),
          "uint32": (0, 2**32 - 1)}  # fmt: skip
FORMATS = {"int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "float32": ">f"}
KINDS = pytest.mark.parametrize("kind", TYPES)
ORDERS = pytest.mark.parametrize("words", ["high_first", "low_first"])


def value_of(kind):
    if kind == "float32":
        return st.floats(width=32, allow_nan=False)
    return st.integers(*RANGES[kind])


@KINDS
@ORDERS
@given(data=st.data())
def test_a_register_is_read_and_written_as_struct_has_it(kind, words, data):
    value = data.draw(value_of(kind))
    packed = struct.pack(FORMATS[kind], value)
    expected = packed if words == "high_first" or len(packed) == 2 else packed[2:] + packed[:2]
    memory, low_first = np.zeros(SIZE, np.uint8), int(words == "low_first")
    rt_put_raw(memory, AT, TYPES.index(kind), low_first, float(value))
    assert memory[AT : AT + len(packed)].tobytes() == expected
    assert rt_raw(memory, AT, TYPES.index(kind), low_first) == value
    own = Register(device="amplifier", address=0, type=kind, words=words)
    registers = [int.from_bytes(expected[k : k + 2], "big") for k in range(0, len(expected), 2)]
    assert raw_of(own, registers) == value
    assert words_of(own, float(value)) == registers


@pytest.mark.parametrize("kind", ["int16", "uint16", "int32", "uint32"])
@pytest.mark.parametrize("far", [1e9 * 1e9, -1e9 * 1e9, math.inf, -math.inf])
def test_what_a_register_cannot_say_is_held_at_its_end(kind, far):
    memory, number = np.zeros(SIZE, np.uint8), TYPES.index(kind)
    rt_put_raw(memory, AT, number, 0, far)
    assert rt_raw(memory, AT, number, 0) == RANGES[kind][far > 0]


def test_a_value_is_rounded_to_the_next_count():
    memory = np.zeros(SIZE, np.uint8)
    for raw, expected in ((0.4, 0), (0.6, 1), (-0.6, -1), (-0.4, 0), (1234.49, 1234)):
        rt_put_raw(memory, AT, TYPES.index("int16"), 0, raw)
        assert rt_raw(memory, AT, TYPES.index("int16"), 0) == expected


@pytest.mark.parametrize(("raw", "garbled"), [(0.0, False), (1.5, False), (math.nan, True), (math.inf, True),
                                              (2.3e-41, True), (-1e-30, False)])  # fmt: skip
def test_a_float_that_no_transducer_gives_is_seen(raw, garbled):
    assert is_garbled(Register(type="float32"), raw) is garbled
    assert not is_garbled(Register(type="int32"), raw)
