"""Frames within compiled code are those of Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.serial_frame import rt_frames
from firmware_bridge.serial_frame.frames import MOST_BODY, seal
from tests.unit.serial_frame.unsealing import unsealed_alike

BODIES = st.binary(min_size=1, max_size=MOST_BODY) | st.lists(
    st.sampled_from([0, 1, 255]), min_size=1, max_size=MOST_BODY
).map(bytes)


@given(BODIES)
def test_compiled_code_seals_as_python_does(body):
    memory = np.zeros(256, np.uint8)
    memory[: len(body)] = list(body)
    end = rt_frames.rt_seal(memory, 0, len(body), 128)
    assert memory[128:end].tobytes() == seal(body)


@given(st.binary(max_size=120) | BODIES.map(lambda body: seal(body)[:-1]))
def test_compiled_code_refuses_what_python_refuses(line):
    unsealed_alike(line)


@given(st.integers(-(2**31), 2**31 - 1))
def test_compiled_code_writes_and_reads_numbers_as_struct_does(value):
    memory = np.zeros(8, np.uint8)
    rt_frames.rt_put(memory, 1, 4, value)
    assert memory[1:5].tobytes() == value.to_bytes(4, "little", signed=True)
    assert rt_frames.rt_get_signed(memory, 1, 4) == value
    assert rt_frames.rt_get(memory, 1, 4) == value & 0xFFFFFFFF
