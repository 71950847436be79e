"""Every checksum gives what its data sheet says of the nine characters 123456789, in the tick and outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.serial_text.checksums import CHECKSUMS, computed
from tests.unit.serial_text.text_talk import LINES, desk_of, table

NAMES = pytest.mark.parametrize("name", CHECKSUMS)


@NAMES
def test_a_checksum_is_that_of_its_catalogue(name):
    assert computed(CHECKSUMS[name], b"123456789") == CHECKSUMS[name].check


@NAMES
def test_the_tick_computes_the_same(name):
    desk = desk_of(table(LINES, devices__gauge__checksum=name,
                         messages__sample__answer="{from}{displacement:9}{to}!{check:u16}\\n"))  # fmt: skip
    for number, text in ((123456789.0, b"123456789"), (-42.0, b"  -42.000")):
        made = desk.answer("sample", {"displacement": number})
        assert made[:9] == text or number == 123456789.0
        assert int.from_bytes(made[10:12], "big") == computed(CHECKSUMS[name], made[:9])
        assert desk.read("sample", made) == len(made)


@given(data=st.binary(min_size=1, max_size=40), bit=st.integers(0, 319))
def test_a_crc_notices_one_wrong_bit(data, bit):
    at = bit % (8 * len(data))
    spoilt = bytearray(data)
    spoilt[at // 8] ^= 1 << at % 8
    for name, own in CHECKSUMS.items():
        if "crc" in name:
            assert computed(own, bytes(spoilt)) != computed(own, data)
