"""Requests and answers by their tables: built from numbers, and taken apart into numbers, by compiled code.

The same tables serve both ways: a driver builds requests and reads answers, an emulated device reads requests and
builds answers. Numbers stand in `own.held`; those of a message that is being read in `own.came`, until it is whole.
"""

from typing import Any

from firmware_bridge.serial_text.checksums import CRC, XOR
from firmware_bridge.serial_text.record import TEXTS_AT
from firmware_bridge.serial_text.rt_numbers import (
    MORE,
    WRONG,
    rt_binary_number,
    rt_hex_number,
    rt_put_binary_number,
    rt_put_hex_number,
    rt_put_text_number,
    rt_text_number,
)
from firmware_bridge.serial_text.template import BINARY, CHOICE, DECIMAL, HEX, LITERAL, MOST_SKIP
from hilctl.rt.jit import jit

BAD_CHECK, OTHER_ADDRESS = -3, -4
CHECK_FIELD = -2  # of a piece: the checksum


@jit()
def rt_checksum(memory: Any, own: Any, side: Any, at: int, count: int) -> int:
    """Of these bytes."""
    found, mask = int(side.begin), (1 << side.bits) - 1
    if side.kind == CRC:
        table = own.crc[side.crc]
        for k in range(at, at + count):
            if side.reflected != 0:
                found = table[(found ^ int(memory[k])) & 0xFF] ^ (found >> 8)
            else:
                found = table[((found >> (side.bits - 8)) ^ int(memory[k])) & 0xFF] ^ (found << 8) & mask
        return int((found ^ side.final) & mask)
    for k in range(at, at + count):
        found = found ^ int(memory[k]) if side.kind == XOR else found + int(memory[k])
    return int((-found if side.negative != 0 else found ^ side.final) & mask)


@jit()
def rt_build(memory: Any, own: Any, side: Any, at: int) -> int:
    """The message at `at`: how many bytes."""
    end = covers_from = covers_to = at
    for k in range(side.count):
        piece = own.piece[side.piece + k]
        if k == side.covers_from:
            covers_from = end
        if k == side.covers_to:
            covers_to = end
        if piece.kind == LITERAL:
            for i in range(piece.count):
                memory[end + i] = memory[TEXTS_AT + piece.text_at + i]
            end += piece.count
        elif piece.slot == CHECK_FIELD:
            end += rt_put(memory, own, piece, end, float(rt_checksum(memory, own, side, covers_from,
                                                                     covers_to - covers_from)))  # fmt: skip
        elif piece.slot < 0:
            count = piece.width if piece.width > 0 else 1
            for i in range(count):
                memory[end + i] = 0x20
            end += count
        else:
            end += rt_put(memory, own, piece, end, own.held[piece.slot])
    return int(end - at)


@jit()
def rt_put(memory: Any, own: Any, piece: Any, at: int, value: float) -> int:
    """One field: how many bytes."""
    if piece.kind == DECIMAL:
        return rt_put_text_number(memory, at, piece, value)
    if piece.kind == HEX:
        return rt_put_hex_number(memory, at, piece, value)
    if piece.kind == BINARY:
        return rt_put_binary_number(memory, at, piece, value)
    word = 0 if not value > 0.0 else min(int(value), piece.count - 1)
    place = int(piece.text_at)
    for _ in range(word):
        place += 1 + int(memory[TEXTS_AT + place])
    count = int(memory[TEXTS_AT + place])
    for i in range(count):
        memory[at + i] = memory[TEXTS_AT + place + 1 + i]
    return count


@jit()
def rt_read(memory: Any, own: Any, side: Any, at: int, have: int) -> int:
    """The message that begins at `at`: its bytes, MORE, WRONG, BAD_CHECK or OTHER_ADDRESS. Only a whole and right one
    changes the numbers of its fields."""
    end, outcome, check = 0, 0, -1.0
    covers_from = covers_to = at
    for k in range(side.count):
        piece = own.piece[side.piece + k]
        if k == side.covers_from:
            covers_from = at + end
        if k == side.covers_to:
            covers_to = at + end
        taken = rt_take_piece(memory, own, side, k, piece, at + end, have - end)
        if taken == OTHER_ADDRESS:
            outcome, taken = OTHER_ADDRESS, piece.count
        if taken < 0:
            return taken
        if piece.slot == CHECK_FIELD:
            check = own.number
        elif piece.slot >= 0:
            own.came[piece.slot] = own.number
        end += taken
    if outcome != 0:
        return outcome
    if side.bits != 0 and check != float(rt_checksum(memory, own, side, covers_from, covers_to - covers_from)):
        return BAD_CHECK
    for k in range(side.count):
        field = own.piece[side.piece + k].slot
        if field >= 0:
            own.held[field] = own.came[field]
    return end


@jit()
def rt_take_piece(memory: Any, own: Any, side: Any, k: int, piece: Any, at: int, have: int) -> int:
    """One piece: its bytes, or why not."""
    if piece.kind == DECIMAL:
        return rt_text_number(memory, own, at, have, piece.width)
    if piece.kind == HEX:
        return rt_hex_number(memory, own, at, have, piece)
    if piece.kind == BINARY:
        return rt_binary_number(memory, own, at, have, piece)
    if piece.kind == LITERAL:
        same = rt_same(memory, at, have, piece.text_at, piece.count)
        return OTHER_ADDRESS if same == WRONG and piece.address != 0 and have >= piece.count else same
    if piece.kind == CHOICE:
        return rt_choose(memory, own, piece, at, have)
    if piece.width > 0:
        return int(piece.width) if have >= piece.width else MORE
    after = own.piece[side.piece + k + 1]
    for i in range(min(have, MOST_SKIP)):
        if rt_same(memory, at + i, have - i, after.text_at, after.count) == after.count:
            return i
    return MORE if have < MOST_SKIP else WRONG


@jit()
def rt_same(memory: Any, at: int, have: int, text_at: int, count: int) -> int:
    """Whether bytes are these: how many, MORE or WRONG."""
    for i in range(count):
        if i >= have:
            return MORE
        if memory[at + i] != memory[TEXTS_AT + text_at + i]:
            return WRONG
    return count


@jit()
def rt_choose(memory: Any, own: Any, piece: Any, at: int, have: int) -> int:
    """Which of its words stands there: the longest one that fits."""
    place, best, outcome = int(piece.text_at), 0, WRONG
    for word in range(piece.count):
        count = int(memory[TEXTS_AT + place])
        same = rt_same(memory, at, have, place + 1, count)
        if same > best:
            best = same
            own.number = float(word)
        elif same == MORE:
            outcome = MORE
        place += 1 + count
    if outcome == MORE:  # a longer one may still come
        return MORE
    return best if best > 0 else outcome
