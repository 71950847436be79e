"""Numbers in messages: text, hexadecimal digits, binary; from bytes and to bytes, by compiled code.

What reads a number returns how many bytes it takes, MORE where they have not all come, or WRONG; the number is then in
`own.number`.
"""

import math
from typing import Any

import numpy as np

from firmware_bridge.serial_text.record import SCRATCH_AT
from firmware_bridge.serial_text.template import LITTLE, MOST_NUMBER, SWAPPED
from hilctl.rt.jit import jit

MORE, WRONG = -1, -2
_MOST_DIGITS = 18  # of a mantissa: more do not fit into 63 bits
_MOST_EXPONENT = 99
_EXACT = 22  # powers of ten up to this one are exact
_SPACE, _PLUS, _MINUS, _POINT, _ZERO, _NINE = 0x20, 0x2B, 0x2D, 0x2E, 0x30, 0x39


@jit()
def rt_text_number(memory: Any, own: Any, at: int, have: int, width: int) -> int:
    """A decimal number: in exactly `width` characters, spaces around it allowed, or in as many as there are."""
    if width > 0 and have < width:
        return MORE
    limit = width if width > 0 else min(have, MOST_NUMBER)
    k = 0
    while k < limit and memory[at + k] == _SPACE:
        k += 1
    negative = False
    if k < limit and (memory[at + k] == _MINUS or memory[at + k] == _PLUS):
        negative = memory[at + k] == _MINUS
        k += 1
    while k < limit and memory[at + k] == _SPACE:
        k += 1
    digits, significant, shift, mantissa, after_point = 0, 0, 0, 0, False
    while k < limit:
        byte = int(memory[at + k])
        if byte == _POINT and not after_point:
            after_point = True
        elif _ZERO <= byte <= _NINE:
            digits += 1
            if significant > 0 or byte != _ZERO:
                significant += 1
            if significant > _MOST_DIGITS:
                return WRONG
            mantissa = 10 * mantissa + byte - _ZERO
            if after_point:
                shift -= 1
        else:
            break
        k += 1
    if digits > 0 and k < limit and (memory[at + k] | 0x20) == 0x65:  # e or E
        taken, exponent = rt_exponent(memory, at + k + 1, limit - k - 1)
        if taken == WRONG:
            return WRONG
        if taken == MORE:
            return MORE if width == 0 and limit < MOST_NUMBER else WRONG
        k += 1 + taken
        shift += exponent
    if width > 0:
        while k < limit and memory[at + k] == _SPACE:
            k += 1
        if k < limit:
            return WRONG
    elif k == limit:
        return MORE if limit < MOST_NUMBER else WRONG  # more of it may come
    if digits == 0:
        return WRONG
    value = rt_scaled(float(mantissa), shift)
    own.number = -value if negative else value
    return k


@jit()
def rt_exponent(memory: Any, at: int, have: int) -> tuple[int, int]:
    """What follows an e: bytes and value."""
    k, sign, value, digits = 0, 1, 0, 0
    if k < have and (memory[at] == _MINUS or memory[at] == _PLUS):
        sign = -1 if memory[at] == _MINUS else 1
        k += 1
    while k < have and _ZERO <= memory[at + k] <= _NINE:
        value = 10 * value + int(memory[at + k]) - _ZERO
        digits += 1
        k += 1
        if value > _MOST_EXPONENT:
            return WRONG, 0
    if digits == 0:
        return (MORE, 0) if k >= have else (WRONG, 0)
    return k, sign * value


@jit()
def rt_scaled(mantissa: float, shift: int) -> float:
    """Times a power of ten; rounded once, as far as such a power is exact."""
    if shift == 0 or mantissa == 0.0:
        return mantissa
    if -_EXACT <= shift < 0:
        return mantissa / 10.0 ** (-shift)
    return mantissa * 10.0**shift


@jit()
def rt_put_text_number(memory: Any, at: int, piece: Any, value: float) -> int:
    """The number with its decimals; held within what its width can say. Dashes for what is no number. Its bytes."""
    width, decimals = int(piece.width), int(piece.decimals)
    if not math.isfinite(value):
        count = width if width > 0 else 3
        for k in range(count):
            memory[at + k] = _MINUS
        return count
    room = width - (1 if piece.plus != 0 or value < 0.0 else 0) - (decimals + 1 if decimals > 0 else 0)
    most = 10.0 ** (room + decimals) - 1.0 if width > 0 else 1e17
    counts = int(min(math.floor(abs(value) * 10.0**decimals + 0.5), max(most, 0.0)))
    negative = value < 0.0 and counts > 0
    sign, point = 1 if negative or piece.plus != 0 else 0, 1 if decimals > 0 else 0
    digits = max(rt_digits(counts), decimals + 1)
    if piece.zeros != 0:
        digits = max(digits, width - sign - point)
    spaces = max(width - sign - point - digits, 0)
    count = spaces + sign + digits + point
    k = at + count - 1
    for place in range(digits):
        if decimals > 0 and place == decimals:
            memory[k] = _POINT
            k -= 1
        memory[k] = _ZERO + counts % 10
        counts //= 10
        k -= 1
    for i in range(spaces):
        memory[at + i] = _SPACE
    if sign > 0:
        memory[at + spaces] = _MINUS if negative else _PLUS
    return count


@jit()
def rt_digits(counts: int) -> int:
    """How many digits a number has."""
    digits, left = 1, counts // 10
    while left > 0:
        digits += 1
        left //= 10
    return digits


@jit()
def rt_hex_number(memory: Any, own: Any, at: int, have: int, piece: Any) -> int:
    """Hexadecimal digits."""
    found = 0
    for k in range(piece.width):
        if k >= have:
            return MORE
        byte = int(memory[at + k])
        if _ZERO <= byte <= _NINE:
            digit = byte - _ZERO
        elif 0x61 <= (byte | 0x20) <= 0x66:
            digit = (byte | 0x20) - 0x61 + 10
        else:
            return WRONG
        found = found << 4 | digit
    bits = 4 * piece.width
    if piece.signed != 0 and found >> (bits - 1) & 1:
        found -= 1 << bits
    own.number = float(found)
    return int(piece.width)


@jit()
def rt_whole(value: float, bits: int, signed: bool) -> int:
    """The number rounded, and held within what so many bits can say; the lowest for what is no number."""
    low = -(2.0 ** (bits - 1)) if signed else 0.0
    high = 2.0 ** (bits - 1) - 1.0 if signed else 2.0**bits - 1.0
    if not math.isfinite(value):
        return int(low) & ((1 << bits) - 1)
    return math.floor(min(max(value, low), high) + 0.5) & ((1 << bits) - 1)


@jit()
def rt_put_hex_number(memory: Any, at: int, piece: Any, value: float) -> int:
    """Hexadecimal digits. Their number."""
    counts = rt_whole(value, 4 * piece.width, piece.signed != 0)
    ten = 0x37 if piece.upper != 0 else 0x57
    for k in range(piece.width - 1, -1, -1):
        digit = counts & 15
        memory[at + k] = digit + (_ZERO if digit < 10 else ten)
        counts >>= 4
    return int(piece.width)


@jit()
def rt_place(k: int, width: int, order: int) -> int:
    """Where byte k of a number stands, counted from the highest one."""
    if order == LITTLE:
        return width - 1 - k
    return (k + 2) % 4 if order == SWAPPED else k


@jit()
def rt_binary_number(memory: Any, own: Any, at: int, have: int, piece: Any) -> int:
    """Binary."""
    width = int(piece.width)
    if have < width:
        return MORE
    if piece.floating != 0:
        for k in range(width):  # the scratch is in the order of this machine, the lowest byte first
            memory[SCRATCH_AT + width - 1 - k] = memory[at + rt_place(k, width, piece.order)]
        if width == 4:
            own.number = float(memory[SCRATCH_AT : SCRATCH_AT + 4].view(np.float32)[0])
        else:
            own.number = float(memory[SCRATCH_AT : SCRATCH_AT + 8].view(np.float64)[0])
        return width
    found = 0
    for k in range(width):
        found = found << 8 | int(memory[at + rt_place(k, width, piece.order)])
    if piece.signed != 0 and found >> (8 * width - 1) & 1:
        found -= 1 << (8 * width)
    own.number = float(found)
    return width


@jit()
def rt_put_binary_number(memory: Any, at: int, piece: Any, value: float) -> int:
    """Binary. How many bytes."""
    width = int(piece.width)
    if piece.floating != 0:
        if width == 4:
            memory[SCRATCH_AT : SCRATCH_AT + 4].view(np.float32)[0] = value
        else:
            memory[SCRATCH_AT : SCRATCH_AT + 8].view(np.float64)[0] = value
        for k in range(width):
            memory[at + rt_place(k, width, piece.order)] = memory[SCRATCH_AT + width - 1 - k]
        return width
    counts = rt_whole(value, 8 * width, piece.signed != 0)
    for k in range(width - 1, -1, -1):
        memory[at + rt_place(k, width, piece.order)] = counts & 0xFF
        counts >>= 8
    return width
