"""`check` names what is wrong as what it is: speed, parity, address, checksum, order, scale, unit, echo, silence."""

import itertools
import os
import re

import pytest

from firmware_bridge.driver import TRIES, Note, complaints
from firmware_bridge.serial_port import read_within
from firmware_bridge.serial_text.driver import SerialTextDriver, resolve
from firmware_bridge.serial_text.link import Link
from hilctl import rig
from tests.unit.serial_text.devices import answering, port, streaming
from tests.unit.serial_text.text_talk import desk_of, table

OPTIONAL = ("spool", "oil_temperature", "supply_pressure", "emergency_stop")
ABSENT = {f"sensors.{name}.present": False for name in OPTIONAL}
ASKED = {
    "devices": {"box": {"baud": 4_000_000, "address": 7, "checksum": "crc16_ccitt"}},
    "messages": {"ask": {
        "device": "box", "request": "#{address:02d}?\\r",
        "answer": ">{address:02d}{displacement:+9.4f} mm,{acceleration:8.3f},{pressure_a:8.3f} bar,"
        "{pressure_b:8.3f}*{check:X4}\\r",
    }},
    "reading": {"displacement": {"unit": "mm"}, "pressure_a": {"unit": "bar"}, "pressure_b": {"unit": "bar"}},
    "connect_timeout_s": 0.4,
}  # fmt: skip
BINARY = table(ASKED, messages__ask__answer="\\x02{displacement:i32le}{acceleration:f32le}{pressure_a:u16le}"
               "{pressure_b:u16le}{check:u16le}", reading__displacement={"unit": "um", "scale": 1e-3},
               reading__pressure_a={"unit": "bar", "scale": 0.01}, reading__pressure_b={"unit": "bar", "scale": 0.01})
SHOWN = {"displacement": 12.5, "acceleration": 0.25, "pressure_a": 60.0, "pressure_b": 59.0}
RAW = {"displacement": 12_500_000.0, "acceleration": 0.25, "pressure_a": 5885.0, "pressure_b": 5900.0}


def checked(mine, of_device, numbers=SHOWN, spoil=lambda made: made, **changes):
    """What `check` says of a rig file with the table `mine`, on a device of the other table."""
    with port(answering(of_device, numbers, spoil=spoil)) as there:
        mine = table(mine, devices__box__port=there)
        facts = rig.load("table-500", twin=True, changes={**ABSENT, **changes}).facts()
        facts = facts._replace(takes=(), rate_hz=200.0)
        driver = SerialTextDriver(resolve(mine, facts), facts)
        try:
            driver.open()
            return driver.check()
        finally:
            driver.close()


def device_of(base, **changes):
    return table(base, devices__box__port="/dev/none", **changes)


def test_a_device_as_it_is_described_shows_each_field_raw_and_converted():
    said = checked(ASKED, device_of(ASKED))
    assert complaints(said) == []
    (shown,) = (text for text in said if isinstance(text, Note))
    assert "displacement 12.5" in shown and "displacement = 0.0125" in shown and "pressure_a = 6e+06" in shown
    assert repr(b">07 +12.5000 mm")[2:-1] in shown


@pytest.mark.parametrize(("lost", "good"), [(TRIES - 1, True), (TRIES, False)])
def test_an_answer_that_is_lost_is_asked_for_again_and_what_never_comes_is_told(lost, good):
    answers = itertools.count()
    said = complaints(checked(ASKED, device_of(ASKED), spoil=lambda made: b"" if next(answers) < lost else made))
    assert (said == []) == good, said


def test_after_a_lost_answer_the_line_is_quiet_before_the_next_request():
    def late(master, over):
        os.read(master, 4096)
        os.read(master, 4096)  # asked again: what it answers to the first time; and a little later to the second
        os.write(master, answer)
        over.wait(0.05)
        os.write(master, answer)

    desk = desk_of(device_of(ASKED))
    answer = desk.answer("ask", SHOWN)
    with port(late) as there:
        own = desk_of(table(ASKED, devices__box__port=there))
        (line,) = own.tables.lines
        link = Link(line, own)
        link.open()
        assert link.asked(own.tables.described.messages["ask"]).good
        assert read_within(link.descriptor(), 0.2) == b""
        link.close()


WRONG = [
    ("address", {}, {"devices__box__address": 5}, "address = 5"),
    ("checksum", {}, {"devices__box__checksum": "crc16_modbus"}, 'checksum = "crc16_modbus"'),
    ("another checksum", {}, {"devices__box__checksum": "crc16_x25"}, 'checksum = "crc16_x25"'),
    ("unit", {}, {"messages__ask__answer": ASKED["messages"]["ask"]["answer"].replace("bar", "psi")},
     "the template has b' bar,'; has the device's unit changed?"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "mine", "theirs", "said"), WRONG, ids=[what for what, *_ in WRONG])
def test_what_is_wrong_is_named(what, mine, theirs, said):
    (complaint,) = complaints(checked(table(ASKED, **mine), device_of(ASKED, **theirs)))
    assert complaint.startswith("driver.messages.ask:") and said in complaint, complaint


def test_an_echo_is_named():
    (complaint,) = complaints(checked(ASKED, device_of(ASKED), spoil=lambda request, made: request + made))
    assert "set driver.devices.box.echo = true" in complaint


def test_seven_bits_with_parity_are_named():
    def with_parity(made):
        return bytes(byte | 0x80 if byte.bit_count() % 2 else byte for byte in made)

    (complaint,) = complaints(checked(ASKED, device_of(ASKED), spoil=with_parity))
    assert 'data_bits = 7 and parity = "even"' in complaint


def test_silence_is_named_and_what_to_look_at():
    (complaint,) = complaints(checked(ASKED, device_of(ASKED, messages__ask__request="!!\\r")))
    assert "no answer to '#07?\\r'" in complaint and "RX and TX" in complaint


@pytest.mark.parametrize(("field", "wrong", "said"), [
    ("{displacement:i32le}", "{displacement:i32be}", "as i32le it would read 0.0125: the order of its bytes is wrong"),
    ("{pressure_a:u16le}", "{pressure_a:u16be}", "as u16le it would read"),
])  # fmt: skip
def test_a_wrong_order_of_bytes_is_named(field, wrong, said):
    answer = BINARY["messages"]["ask"]["answer"].replace(field, wrong)
    found = complaints(checked(table(BINARY, messages__ask__answer=answer), device_of(BINARY), RAW))
    assert any(said in text for text in found), found


@pytest.mark.parametrize(("name", "changes", "said"), [
    ("displacement", {"unit": "m", "scale": 1.0}, 'with unit = "mm" it would read'),
    ("pressure_a", {"unit": "bar", "scale": 100.0}, "it would read"),
])  # fmt: skip
def test_a_wrong_scale_or_unit_is_named(name, changes, said):
    found = complaints(checked(table(ASKED, **{f"reading__{name}": changes}), device_of(ASKED)))
    assert any(f"driver.reading.{name}: reads" in text and said in text for text in found), found


def test_a_stream_is_listened_to_and_silence_of_one_is_named():
    own = table(ASKED, messages__ask__request="", messages__ask__period_s=0.002)
    answer = desk_of(device_of(own)).answer("ask", SHOWN)
    facts = rig.load("table-500", twin=True, changes=ABSENT).facts()._replace(takes=(), rate_hz=200.0)
    for pieces, good in ((answer, True), (b"", False)):
        with port(streaming(lambda _, pieces=pieces: pieces)) as there:
            driver = SerialTextDriver(resolve(table(own, devices__box__port=there), facts), facts)
            driver.open()
            said = complaints(driver.check())
            driver.close()
        assert (said == []) == good
        assert good or "it sends nothing by itself" in said[0]


def test_an_identification_that_differs_is_refused_at_open():
    identify = {"device": "box", "when": "open", "request": "*IDN?\\r", "answer": "ACME,{skip}\\r"}
    own = table(ASKED, messages__identify=identify)
    other = device_of(own, messages__identify__answer="OTHER,{skip}\\r")
    with pytest.raises(Exception, match=re.escape("driver.messages.identify:") + ".*b'ACME,'"):
        checked(own, other)
