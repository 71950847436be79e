"""Registers to values and back, by compiled code, and the same in plain Python for what happens outside the tick."""

import math
import struct
from typing import Any

import numpy as np

from firmware_bridge.modbus.frames import rt_get16, rt_put16
from firmware_bridge.modbus.record import SCRATCH_AT
from firmware_bridge.modbus.settings import TYPES, Register
from hilctl.rt.jit import jit

INT16, UINT16, INT32, UINT32, FLOAT32 = range(len(TYPES))
_LOWEST = (-(2.0**15), 0.0, -(2.0**31), 0.0)
_HIGHEST = (2.0**15 - 1, 2.0**16 - 1, 2.0**31 - 1, 2.0**32 - 1)
_FORMAT = {"int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "float32": ">f"}
_SMALLEST = 2.0**-126  # of a float32 with all its digits: below it stands what two swapped words look like


@jit()
def rt_raw(memory: Any, at: int, kind: int, low_first: int) -> float:
    """The register's number."""
    if kind in (INT16, UINT16):
        one = rt_get16(memory, at)
        return float(one - 65536 if kind == INT16 and one >= 32768 else one)
    high, low = rt_get16(memory, at), rt_get16(memory, at + 2)
    if low_first != 0:
        high, low = low, high
    both = (high << 16) | low
    if kind == FLOAT32:
        for i in range(4):
            memory[SCRATCH_AT + i] = (both >> (8 * i)) & 0xFF
        return float(memory[SCRATCH_AT : SCRATCH_AT + 4].view(np.float32)[0])
    return float(both - (1 << 32) if kind == INT32 and both >= 1 << 31 else both)


@jit()
def rt_bits(memory: Any, at: int, kind: int) -> int:
    """What stands in the register's words, whatever it means."""
    if kind in (INT16, UINT16):
        return rt_get16(memory, at)
    return (rt_get16(memory, at) << 16) | rt_get16(memory, at + 2)


@jit()
def rt_put_raw(memory: Any, at: int, kind: int, low_first: int, raw: float) -> None:
    """The number into its registers: rounded, and held within what they can say."""
    if kind == FLOAT32:
        memory[SCRATCH_AT : SCRATCH_AT + 4].view(np.float32)[0] = raw
        both = 0
        for i in range(4):
            both |= int(memory[SCRATCH_AT + i]) << (8 * i)
    else:
        both = math.floor(min(max(raw, _LOWEST[kind]), _HIGHEST[kind]) + 0.5)
        if kind in (INT16, UINT16):
            rt_put16(memory, at, both & 0xFFFF)
            return
    high, low = (both >> 16) & 0xFFFF, both & 0xFFFF
    rt_put16(memory, at, low if low_first != 0 else high)
    rt_put16(memory, at + 2, high if low_first != 0 else low)


def raw_of(own: Register, words: list[int], *, swapped: bool = False) -> float:
    """The register's number, in plain Python."""
    ordered = words if (own.words == "high_first") is not swapped else words[::-1]
    return float(struct.unpack(_FORMAT[own.type], struct.pack(f">{len(words)}H", *ordered))[0])


def words_of(own: Register, value: float) -> list[int]:
    """The value in its registers, in plain Python."""
    raw = (value - own.offset) / own.scale
    if own.type != "float32":
        kind = TYPES.index(own.type)
        raw = math.floor(min(max(raw, _LOWEST[kind]), _HIGHEST[kind]) + 0.5)
    packed = struct.pack(_FORMAT[own.type], raw if own.type == "float32" else int(raw))
    words = [int(word) for word in struct.unpack(f">{own.length}H", packed)]
    return words if own.words == "high_first" else words[::-1]


def is_garbled(own: Register, raw: float) -> bool:
    """A float that no transducer gives: not finite, or so small that its exponent is nonsense."""
    return own.type == "float32" and not (math.isfinite(raw) and (raw == 0 or abs(raw) >= _SMALLEST))
