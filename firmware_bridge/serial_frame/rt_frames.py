"""Frames within compiled code: the same as frames.py, in place, in the driver's own memory."""

from typing import Any

import numpy as np

from firmware_bridge.serial_frame.frames import CHECK, MOST_STUFFED
from hilctl.rt.jit import jit


def _table() -> Any:
    out = np.zeros(256, np.int64)
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
        out[byte] = crc
    return out


_TABLE = _table()


@jit()
def rt_crc32(memory: Any, first: int, count: int) -> int:
    """As zlib has it."""
    crc = 0xFFFFFFFF
    for i in range(first, first + count):
        crc = _TABLE[(crc ^ np.int64(memory[i])) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


@jit()
def rt_put(memory: Any, at: int, size: int, value: int) -> int:
    """Writes a whole number, little endian; where the next one goes."""
    for i in range(size):
        memory[at + i] = (value >> (8 * i)) & 255
    return at + size


@jit()
def rt_get(memory: Any, at: int, size: int) -> int:
    """Reads a whole number without sign."""
    value: Any = 0
    for i in range(size):
        value |= np.int64(memory[at + i]) << (8 * i)
    return value  # type: ignore[no-any-return]


@jit()
def rt_get_signed(memory: Any, at: int, size: int) -> int:
    """Reads a whole number in two's complement."""
    value, half = rt_get(memory, at, size), 1 << (8 * size - 1)
    return (value ^ half) - half


@jit()
def rt_seal(memory: Any, body: int, count: int, frame: int) -> int:
    """Writes the frame of the body at `body` at `frame`; where that ends."""
    code_at, at = frame, frame + 1
    for i in range(body, body + count):
        if memory[i] != 0:
            memory[at] = memory[i]
        else:
            memory[code_at] = at - code_at
            code_at = at
        at += 1
    memory[code_at] = at - code_at
    crc = rt_crc32(memory, frame, at - frame)
    for i in range(CHECK):
        memory[at + i] = rt_septet(crc, i)
    memory[at + CHECK] = 0
    return at + CHECK + 1


@jit()
def rt_septet(crc: int, i: int) -> int:
    """The check's byte i."""
    return 0x80 | (crc >> (7 * i)) & 0x7F


@jit()
def rt_unseal(memory: Any, frame: int, count: int) -> int:
    """Takes a frame without its delimiter apart in place: the body's length, 0 when it is refused."""
    if count < CHECK + 2 or count > MOST_STUFFED:
        return 0
    at, end, to = frame, frame + count - CHECK, frame
    crc = rt_crc32(memory, frame, count - CHECK)
    for i in range(CHECK):
        if memory[end + i] != rt_septet(crc, i):
            return 0
    while at < end:
        code = np.int64(memory[at])
        at += 1
        if code == 0 or code - 1 > end - at:
            return 0
        for _ in range(code - 1):
            if memory[at] == 0:
                return 0
            memory[to] = memory[at]
            to += 1
            at += 1
        if at < end:
            memory[to] = 0
            to += 1
    return to - frame
