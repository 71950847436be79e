"""Templates are read as they are documented; what is wrong with one is said with its place."""

import pytest

from firmware_bridge.serial_text.template import BINARY, CHOICE, DECIMAL, HEX, LITERAL, SKIP, TemplateError, read

WRONG = [
    ("V{valve", 1, "without }"),
    ("V}", 1, "} without {"),
    ("{va lve}", 0, "is no field"),
    ("{valve:q7}", 0, "is no format"),
    ("{valve:u12}", 0, "is no format"),
    ("{valve:x}", 0, "need their number"),
    ("{valve:30.2f}", 0, "at most 24 characters"),
    ("{valve:3.2f}", 0, "too few for 2 decimals"),
    ("{valve:u16sw}", 0, "32 bits"),
    ("{enable:OFF|OFF}", 0, "different"),
    ("{enable:OFF|}", 0, "empty"),
    (r"a\q", 1, "is no escape"),
    ("a\u20ac", 1, "one byte"),
    ("{displacement}{fault:u8}", 0, "known characters must follow"),
    ("{displacement}5\r", 0, "could belong to it"),
    ("{skip}", 0, "known characters must follow"),
    ("{fault:u8}{fault:u8}", 10, "twice"),
    (r"\xAA{displacement@0:i32}", 4, "overlaps what ends at byte 1"),
    (r"{displacement@2:i32}{fault@5:u8}", 20, "overlaps what ends at byte 6"),
    (r"{displacement}\r{fault@9:u8}", 16, "any length"),
    ("{check:X4}", 0, "has no kind"),
]


@pytest.mark.parametrize(("text", "at", "said"), WRONG, ids=[said for _, _, said in WRONG])
def test_what_is_wrong_is_said_with_its_place(text, at, said):
    with pytest.raises(TemplateError, match="at character") as caught:
        read(text)
    assert caught.value.at == at, caught.value
    assert said in str(caught.value)


def test_a_field_outside_the_length_is_refused():
    with pytest.raises(TemplateError, match="end at byte 6, outside length = 5"):
        read(r"\xAA\x55{displacement:i32}", length=5)
    assert read(r"\xAA\x55{displacement:i32}", length=9).least == 9


def test_a_checksum_needs_room():
    with pytest.raises(TemplateError, match="must hold the 16 bits of crc16_arc"):
        read("V{check:X2}", checksum="crc16_arc")
    assert read("V{check:X4}", checksum="crc16_arc").has_check


def test_the_pieces_are_what_the_text_says():
    made = read(r"{{\x02{displacement:+8.3f} mm{fault:OK|ERR}{skip:2}{device_tick:X4s}{spool:f32le}\r\n", address=5)
    assert [piece.kind for piece in made.pieces] == [LITERAL, DECIMAL, LITERAL, CHOICE, SKIP, HEX, BINARY, LITERAL]
    assert made.pieces[0].text == b"{\x02" and made.pieces[-1].text == b"\r\n"
    assert made.pieces[1].plus and made.pieces[1].width == 8 and made.pieces[1].decimals == 3
    assert made.pieces[3].words == (b"OK", b"ERR") and made.pieces[5].signed and made.pieces[6].real
    assert made.least == made.most - 1 and made.names == ("displacement", "fault", "device_tick", "spool")


def test_an_address_becomes_bytes_that_are_known():
    for form, text in (("02d", b"07"), ("X2", b"07"), ("u8", b"\x07"), ("", b"7"), ("u16le", b"\x07\x00")):
        (piece,) = read(f"{{address:{form}}}" if form else "{address}", address=7).pieces
        assert (piece.kind, piece.text) == (LITERAL, text)


@pytest.mark.parametrize(("text", "end"), [
    (r"{displacement}\r\n", b"\r\n"), (r"{displacement} mm\x03", b"\x03"), ("{displacement:8}", b""),
    (r"\r\n{displacement}\r\n", b""), (r"{displacement:i32}\r", b""), (r"\x02{displacement}\x03{check:X2}", b""),
])  # fmt: skip
def test_a_terminator_is_what_stands_nowhere_else(text, end):
    assert read(text, checksum="xor").terminator == end
