"""Messages built and read by the compiled code: what is sent comes back, and what is spoilt never gives a value."""

import itertools
import random
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.serial_text.rt_codec import BAD_CHECK, OTHER_ADDRESS
from firmware_bridge.serial_text.rt_numbers import MORE, WRONG
from tests.unit.serial_text.text_talk import BINARY, LINES, POLLED, desk_of, table

WIDE = st.floats(-999.9999, 999.9999, allow_nan=False)


@pytest.fixture(scope="module")
def polled():
    return desk_of(POLLED)


@pytest.fixture(scope="module")
def binary():
    return desk_of(BINARY)


def one_field(form, end="!"):
    return desk_of(table(LINES, messages__sample__answer="{displacement" + (f":{form}" if form else "") + "}" + end))


def shown(polled, x=1.5, a=100.0, b=99.5, status=0):
    return polled.answer("ask", {"displacement": x, "pressure_a": a, "pressure_b": b, "status": status})


def test_an_answer_is_what_its_template_says(polled):
    made = shown(polled, -12.34567, 250.25, 3.0, 0xA1)
    assert made.startswith(b">07 -12.3457 mm, 250.250,   3.000,A1*") and made.endswith(b"\r")
    assert polled.read("ask", made) == len(made)
    assert polled.numbers("ask") == {"displacement": -12.3457, "pressure_a": 250.25, "pressure_b": 3.0, "status": 161.0}
    assert polled.value("displacement", -12.3457) == pytest.approx(-0.0123457)
    assert polled.value("fault", 161.0) == 1.0 and polled.value("emergency_stop", 161.0) == 1.0
    assert polled.value("fault", 1.0) == 0.0


@given(x=WIDE, a=st.floats(0, 999.999), b=st.floats(0, 999.999), status=st.integers(0, 255))
def test_numbers_come_back_as_they_were_sent(polled, x, a, b, status):
    made = shown(polled, x, a, b, status)
    assert polled.read("ask", made + b"behind it") == len(made)
    found = polled.numbers("ask")
    assert found["displacement"] == pytest.approx(x, abs=0.51e-4)
    assert found["pressure_a"] == pytest.approx(a, abs=0.51e-3) and found["status"] == status


@given(value=st.floats(-1e6, 1e6), decimals=st.integers(0, 6), width=st.integers(0, 20), plus=st.booleans(),
       zeros=st.booleans())  # fmt: skip
@settings(max_examples=300)
def test_a_number_is_written_as_python_writes_it(value, decimals, width, plus, zeros):
    form = f"{'+' if plus else ''}{'0' if zeros and width else ''}{width or ''}.{decimals}f"
    wide = len(f"{value:+.{decimals}f}") <= width or not width
    if (width and width < decimals + 2 + plus) or not wide:
        return
    scaled = abs(value) * 10**decimals
    if abs(scaled % 1 - 0.5) < 1e-6 or (value <= 0 and round(scaled) == 0):
        return  # ties, and a null with a sign, are written otherwise
    desk = one_field(form)
    assert desk.answer("sample", {"displacement": value}) == f"{value:{form}}!".encode()


@pytest.mark.parametrize(("form", "value", "text"), [
    ("5.1f", 12345.0, b"999.9"), ("+6.1f", -12345.0, b"-999.9"), ("X4", 70000, b"FFFF"), ("x2s", -200, b"80"),
    ("i16", 40000, b"\x7f\xff"), ("u8", -5, b"\x00"), ("5.1f", float("nan"), b"-----"), ("04d", -7, b"-007"),
    ("u16le", 0x1234, b"\x34\x12"), ("u32sw", 0x12345678, b"\x56\x78\x12\x34"), ("f32le", 1.5, struct.pack("<f", 1.5)),
    ("f64", -2.25, struct.pack(">d", -2.25)), ("i24", -2, b"\xff\xff\xfe"), ("OFF|ON|MAX", 2, b"MAX"),
    ("OFF|ON|MAX", 9, b"MAX"), ("OFF|ON|MAX", float("nan"), b"OFF"),
])  # fmt: skip
def test_what_does_not_fit_is_held_within_what_the_field_can_say(form, value, text):
    assert one_field(form).answer("sample", {"displacement": value}) == text + b"!"


@pytest.mark.parametrize(("text", "number"), [
    ("1", 1.0), ("+1.5", 1.5), ("  -0.25", -0.25), ("- 3", -3.0), (".5", 0.5), ("5.", 5.0), ("1.25e3", 1250.0),
    ("1E-3", 1e-3), ("000123.4560", 123.456), ("9" * 15, 999999999999999.0),
])  # fmt: skip
def test_a_free_number_is_read_in_every_notation(text, number):
    desk = one_field("")
    assert desk.read("sample", f"{text}!".encode()) == len(text) + 1
    assert desk.number("sample", "displacement") == number


@pytest.mark.parametrize("text", [
    "", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "--1", "1-", "nan", "inf", "OVER", "1,5", "0x10", "9" * 19, "1e100",
    " ", "1" * 24,
])  # fmt: skip
def test_what_is_no_number_is_none(text):
    desk = one_field("")
    assert desk.read("sample", f"{text}!".encode()) in (WRONG, MORE)
    assert np.isnan(desk.number("sample", "displacement"))


@pytest.mark.parametrize(("form", "text"), [("6", "12.5 x"), ("6", "1 2   "), ("6", "      "), ("X4", "12G4"),
                                            ("OFF|ON", "OX"), ("6", "12e   ")])  # fmt: skip
def test_a_field_of_a_width_must_be_a_number_as_a_whole(form, text):
    assert one_field(form).read("sample", f"{text}!".encode()) == WRONG


@given(text=st.from_regex(r"[+-]?[0-9]{1,7}\.[0-9]{1,7}", fullmatch=True))
def test_a_decimal_number_is_pythons_to_the_last_bit(text):
    desk = _free()
    assert desk.read("sample", f"{text}!".encode()) > 0
    assert desk.number("sample", "displacement") == float(text)


_kept = []


def _free():
    if not _kept:
        _kept.append(one_field(""))
    return _kept[0]


# -- what a line does to an answer


def both(polled, binary):
    yield polled, "ask", shown(polled, 3.25, 120.5, 119.0, 0)
    yield binary, "sample", binary.answer("sample", {"displacement": 123456, "device_tick": 77})


def test_a_prefix_is_never_an_answer(polled, binary):
    for desk, name, made in both(polled, binary):
        assert {desk.read(name, made[:k]) for k in range(len(made))} == {MORE}


def test_one_two_and_three_wrong_bits_are_never_an_answer(binary):
    made = binary.answer("sample", {"displacement": 123456, "device_tick": 77})
    bits = range(8 * len(made))
    for count in (1, 2):
        for places in itertools.combinations(bits, count):
            assert binary.read("sample", _flipped(made, places)) < 0
    chance = random.Random(1)
    for _ in range(3000):
        assert binary.read("sample", _flipped(made, chance.sample(bits, 3))) < 0


def test_four_wrong_bits_of_a_text_are_never_an_answer(polled):
    """A CRC of 16 bits misses one in 32 768 patterns of four bits; and the characters must still be numbers."""
    made, chance = shown(polled, 3.25, 120.5, 119.0, 0), random.Random(1)
    for count in (1, 2, 3, 4):
        for _ in range(2000):
            spoilt = _flipped(made, chance.sample(range(8 * len(made)), count))
            taken = polled.read("ask", spoilt)
            if taken > 0:  # a capital letter of the checksum became a small one: the same answer
                assert polled.numbers("ask")["displacement"] == 3.25 and spoilt.upper() == made.upper()


def _flipped(made, places):
    spoilt = bytearray(made)
    for at in places:
        spoilt[at // 8] ^= 1 << at % 8
    return bytes(spoilt)


@given(at=st.integers(0, 60), more=st.binary(min_size=1, max_size=3))
def test_bytes_that_are_put_in_are_noticed(polled, at, more):
    made = shown(polled, 3.25, 120.5, 119.0, 0)
    at %= len(made)
    spoilt = made[:at] + more + made[at:]
    taken = polled.read("ask", spoilt)
    assert taken < 0 or spoilt[:taken] == made


def test_an_answer_of_another_address_is_known_as_that(polled):
    other = desk_of(table(POLLED, devices__box__address=8))
    assert polled.read("ask", shown(other)) == OTHER_ADDRESS


def test_a_wrong_checksum_changes_no_number(polled):
    made = shown(polled, 1.0)
    assert polled.read("ask", made) > 0
    spoilt = shown(polled, 2.0)[:-5] + b"0000\r"
    assert polled.read("ask", spoilt) == BAD_CHECK
    polled.read("ask", b"")
    assert polled.read("ask", shown(polled, 1.0)) > 0


@given(data=st.binary(max_size=300))
def test_random_bytes_are_no_answer(polled, binary, data):
    assert polled.read("ask", data) < 0 and binary.read("sample", data) < 0
