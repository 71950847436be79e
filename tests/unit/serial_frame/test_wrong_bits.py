"""One frame with 1 to 4 wrong bits, at all positions: none is accepted, by the compiled exchange or by the firmware.

Positions are those of the line, COBS's bytes and the delimiter too. Where the wrong bits make no delimiter and spoil
none, the check is linear in them, so that what holds for these frames holds for all of their lengths.
"""

import itertools
import math
import os
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.firmware.build import HERE, compiler
from firmware_bridge.serial_frame.frames import CHECK, Splitter, check_of, seal, stuff, unstuff
from firmware_bridge.serial_frame.messages import ANSWER, ANSWERS, COMMANDS, HEAD, SCHEMA, VERSION, Type, command
from firmware_bridge.serial_frame.rt_frames import rt_unseal
from hilctl.rt.jit import jit

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
STRIDE = max(1, round(1 / SHARE))
SESSION = 0x1A2B3C4D


def answer(kind: Type, *values: int) -> bytes:
    return HEAD.pack(kind + ANSWER, 3, 7, SESSION) + ANSWERS[kind].pack(*values)


_SCALES = (1, -9, 1, -6, 1, -1, 1, -1, 2, 3, 1, -4, 1, -2)
IDENTITY = (VERSION, SCHEMA, 1, 77, 2000, 1000, 100_000, 25_000, 0, -98_000_000, 98_000_000, 0, 0, *_SCALES)
FRAMES = {
    "hello": seal(command(Type.HELLO, 7, SESSION, VERSION, SCHEMA)),
    "arm": seal(command(Type.ARM, 7, SESSION, 77, 100_000)),
    "cyclic": seal(command(Type.CYCLIC, 7, SESSION, -5, 3)),
    "disarm": seal(command(Type.DISARM, 7, SESSION)),
    "reset": seal(command(Type.RESET, 7, SESSION)),
    "identity": seal(answer(Type.HELLO, *IDENTITY)),
    "armed": seal(answer(Type.ARM, 200)),
    "readings": seal(answer(Type.CYCLIC, -1, 0, 256, -65536, 5, 0, -1, 3, 0, 77)),
    "disarmed": seal(answer(Type.DISARM)),
    "was_reset": seal(answer(Type.RESET)),
    "fault": seal(answer(Type.FAULT, 1, Type.CYCLIC)),
}
every_frame = pytest.mark.parametrize("name", FRAMES)
sides = pytest.mark.parametrize("side", ["compiled", "c"])


@jit()
def rt_accepted(line, work, length, bits, at, stride):
    """As wrong_bits.c; `at` holds the places of the wrong bits: how many were tried, and how many accepted."""
    seen, tried, accepted = 0, 0, 0
    for k in range(bits):
        at[k] = k
        line[k // 8] ^= 1 << k % 8
    while True:
        if seen % stride == 0:
            tried += 1
            first = 0
            for i in range(length + 1):
                if line[i] == 0:
                    for j in range(first, i):
                        work[j - first] = line[j]
                    if rt_unseal(work, 0, i - first) > 0:
                        accepted += 1
                    first = i + 1
        seen += 1
        k = bits - 1
        while k >= 0 and at[k] == 8 * length - bits + k:
            line[at[k] // 8] ^= 1 << at[k] % 8
            k -= 1
        if k < 0:
            return tried, accepted
        line[at[k] // 8] ^= 1 << at[k] % 8
        for j in range(k, bits):
            at[j] = at[k] + 1 if j == k else at[j - 1] + 1
            line[at[j] // 8] ^= 1 << at[j] % 8


def compiled(frame: bytes, bits: int, stride: int) -> tuple[int, int]:
    line, work = np.zeros(len(frame) + 1, np.uint8), np.zeros(128, np.uint8)
    line[:-1] = list(frame)
    tried, accepted = rt_accepted(line, work, len(frame), bits, np.zeros(bits, np.int64), stride)
    assert line[:-1].tobytes() == frame
    return tried, accepted


@pytest.fixture(scope="module")
def in_c(tmp_path_factory):
    """The firmware's own function."""
    gcc = compiler()
    if gcc is None:
        pytest.skip("needs a C compiler")
    program = tmp_path_factory.mktemp("wrong_bits") / "wrong_bits"
    sources = [Path(__file__).with_name("wrong_bits.c"), HERE / "core" / "frame.c"]
    subprocess.run([gcc, "-std=c99", "-O2", f"-I{HERE / 'core'}", *sources, "-o", program], check=True)

    def count(frame: bytes, bits: int, stride: int) -> tuple[int, int]:
        words = [program, frame.hex(), str(bits), str(stride)]
        tried, accepted = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        return int(tried), int(accepted)

    return count


def none_accepted(count, name: str, bits: int, stride: int = 1) -> None:
    tried, accepted = count(FRAMES[name], bits, stride)
    assert tried == math.ceil(math.comb(8 * len(FRAMES[name]), bits) / stride)
    assert accepted == 0


@sides
@every_frame
def test_one_and_two_wrong_bits_at_all_positions_are_never_accepted(request, side, name):
    count = compiled if side == "compiled" else request.getfixturevalue("in_c")
    assert count(FRAMES[name], 0, 1) == (1, 1)
    none_accepted(count, name, 1)
    none_accepted(count, name, 2)


@sides
def test_three_wrong_bits_at_all_positions_of_a_command_are_never_accepted(request, side):
    none_accepted(compiled if side == "compiled" else request.getfixturevalue("in_c"), "cyclic", 3)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@sides
@every_frame
def test_three_wrong_bits_at_all_positions_are_never_accepted(request, side, name):
    none_accepted(compiled if side == "compiled" else request.getfixturevalue("in_c"), name, 3, STRIDE)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@sides
@pytest.mark.parametrize("name", ["cyclic", "readings"])
def test_four_wrong_bits_at_all_positions_of_every_ticks_frames_are_never_accepted(request, side, name):
    none_accepted(compiled if side == "compiled" else request.getfixturevalue("in_c"), name, 4, STRIDE * STRIDE)


@every_frame
def test_the_splitter_outside_the_tick_never_accepts_a_wrong_bit(name):
    frame = FRAMES[name]
    for bit in range(8 * len(frame)):
        bent = bytearray(frame)
        bent[bit // 8] ^= 1 << bit % 8
        assert list(Splitter().feed(bytes(bent) + b"\0")) == []


def test_four_wrong_bits_that_a_crc_of_the_body_alone_would_let_through_are_refused():
    """One of them hits COBS's first byte: zeros become numbers, and the body's CRC happens to stay the same."""
    body = bytes.fromhex("bc0380a4fcf3dfca29773c00002000000001b6074032d9070400f800a00f06000015af1e00")
    sent = seal(body)
    bent = bytearray(sent)
    for at, bit in ((0, 4), (15, 5), (19, 3), (31, 0)):
        bent[at] ^= 1 << bit
    other = unstuff(bytes(bent[: -CHECK - 1]))
    assert len(other) == len(body) and other != body and zlib.crc32(other) == zlib.crc32(body)
    assert list(Splitter().feed(sent + bytes(bent))) == [body]


def test_what_is_cut_off_by_a_new_delimiter_cannot_pass_for_a_shorter_message_by_four_wrong_bits():
    """The length of a type is fixed, and any two types differ in four bits; the delimiter costs a fifth."""
    for one, other in itertools.combinations(Type, 2):
        assert (one ^ other).bit_count() >= 4
    for kind in Type:
        assert kind in ANSWERS and (kind in COMMANDS) == (kind != Type.FAULT)


def test_no_byte_of_the_check_is_ever_a_delimiter():
    for body in (b"\1", b"\xff" * 9, bytes(91)):
        assert all(byte & 0x80 for byte in check_of(stuff(body))) and len(check_of(body)) == CHECK
