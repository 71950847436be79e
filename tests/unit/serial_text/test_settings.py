"""What a rig file may not say of serial devices is refused when it is read, with its key and what to do."""

import pytest

from firmware_bridge.registry import configured, find
from firmware_bridge.serial_text.driver import has
from hilctl import rig
from hilctl.params import BadValues, plain
from hilctl.rig_file import presets
from tests.system.text_parts import table as preset
from tests.unit.serial_text.text_talk import table

OPTIONAL = ("spool", "oil_temperature", "supply_pressure")
ABSENT = {f"sensors.{name}.present": False for name in OPTIONAL}
BASE = table(preset("/dev/ttyUSB0"), devices__amplifier__baud=460_800, answer_timeout_s=0.01, **{
    f"reading__{name}__stale_s": 0.05 for name in ("displacement", "acceleration", "pressure_a", "pressure_b")})
GAUGE = {
    "devices__gauge": {"port": "/dev/ttyUSB1", "baud": 115_200, "checksum": "crc8"},
    "messages__gauge": {"device": "gauge", "period_s": 0.001, "answer": "\\x55{displacement:i32le}{check:u8}"},
    "messages__status__answer": "{acceleration:+9.4f},{pressure_a:8.4f},{pressure_b:8.4f},{status:X2}*{check:X4}\\r",
}  # fmt: skip
SLOW_A = {"messages__slow": {"device": "amplifier", "every": 20, "request": "A\\r", "answer": "{pressure_a:8.4f}\\r"},
          "messages__status__answer": "{displacement:+9.4f},{acceleration:+9.4f},{pressure_b:8.4f},{status:X2}\\r",
          "reading__pressure_a__stale_s": 0.5}  # fmt: skip


def resolved(rate_hz=200.0, changes=None, **given):
    facts = rig.load("table-500", twin=True, changes={**ABSENT, **(changes or {})}).facts()._replace(rate_hz=rate_hz)
    return configured(find("serial_text"), table(BASE, **given), facts)


def test_the_table_is_taken_and_travels_as_plain_values():
    made = resolved()
    assert plain(made)["messages"]["setpoint"]["request"] == "V{valve:+8.5f}\\r"
    own = has(BASE)
    assert own.outputs == ("valve", "enable", "supply") and own.waits
    assert own.readings == ("displacement", "acceleration", "pressure_a", "pressure_b", "emergency_stop")
    assert resolved(**GAUGE)


WRONG = [
    ({"messages__status__answer": "{displacement:9"}, "driver.messages.status.answer", "at character 0: { without }"),
    ({"messages__status__answer": "{displacement@0:8}{fault@4:X2}\\r"}, "driver.messages.status.answer", "overlaps"),
    ({"messages__status__answer_length": 10}, "driver.messages.status.answer", "outside length = 10"),
    ({"devices__amplifier__checksum": "crc99"}, "driver.devices.amplifier.checksum", "must be one of"),
    ({"devices__amplifier__checksum": "none"}, "driver.messages.status.answer", "{check} has no kind"),
    ({"messages__status__device": "amplifer"}, "driver.messages.status.device", "did you mean 'amplifier'"),
    ({"messages__setpoint__request": "V{vlave:+8.5f}\\r"}, "driver.messages.setpoint.request", "did you mean 'valve'"),
    ({"messages__setpoint__every": 2}, "driver.messages.setpoint.every", "moves in every tick"),
    ({"messages__more": {"device": "amplifier", "request": "{enable:0|1}\\r"}}, "driver.messages.more.request",
     "also sends {enable}"),
    ({"messages__status__answer": "{displacement},{acceleration}"}, "driver.messages.status.answer", "must follow"),
    ({"reading__displacement__unit": "bar"}, "driver.reading.displacement.unit", "must be one of"),
    ({"reading__spool": {"scale": 2.0}}, "driver.reading.spool.field", "stands in no answer"),
    ({"reading__fault__field": "statsu"}, "driver.reading.fault.field", "did you mean 'status'"),
    ({"messages__watchdog": None}, "driver.watchdog.fixed_s", "make its outputs safe"),
    ({"messages__watchdog__answer": "T\\r"}, "driver.messages.watchdog.answer", "must confirm the time"),
    ({"messages__watchdog__when": "tick"}, "driver.messages.watchdog.when", 'when = "arm"'),
    ({"messages__identify__request": "{valve:5}\\r"}, "driver.messages.identify.request", "which only a tick does"),
    ({"messages__empty": {"device": "amplifier"}}, "driver.messages.empty.request", "says nothing"),
    ({"watchdog__separate": True}, "driver.watchdog.fixed_s", "is required of a separate watchdog"),
    ({"devices__amplifier__prot": "x"}, "driver.devices.amplifier.prot", "did you mean 'port'"),
    ({"device": {}}, "driver.device", "did you mean 'devices'"),
    ({"devices__other": {"port": "/dev/ttyUSB0", "baud": 9600, "address": 2}}, "driver.devices.other.baud", "one line"),
    ({"devices__other": {"port": "/dev/ttyUSB0", "baud": 460_800}}, "driver.devices.other.address", "on the same line"),
    ({**GAUGE, "messages__gauge__period_s": 0.0}, "driver.messages.gauge.period_s", "is missing"),
    ({**GAUGE, "messages__gauge__period_s": 1e-4}, "driver.messages.gauge.period_s", "shorter than the message"),
    ({**GAUGE, "devices__gauge": None, "messages__gauge__device": "amplifier",
      "messages__gauge__answer": "{displacement:8}\\n"}, "answer", "nobody knows which is which"),
    ({"messages__status__answer": "{displacement:+9.4f},{acceleration:+9.4f},{pressure_a:8.4f},{status:X2}\\r"},
     "driver.reading.pressure_b.field", "did you mean 'pressure_a'"),
    ({"messages__status__answer": "{displacement:+9.4f},{pressure_a:8.4f},{pressure_b:8.4f},{status:X2}\\r",
      "reading__acceleration": None}, "driver.messages", "no {acceleration}"),
    ({"messages__setpoint": None}, "driver.messages", "put {valve} into a request"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "key", "said"), WRONG, ids=[f"{key}: {said}" for _, key, said in WRONG])
def test_it_is_refused_with_its_key(given, key, said):
    with pytest.raises(BadValues) as caught:
        resolved(**given)
    told = [str(problem) for problem in caught.value.problems]
    assert any(key in text.partition(": ")[0] and said in text for text in told), told


def test_a_rate_that_the_line_cannot_carry_is_refused_with_the_sum():
    with pytest.raises(BadValues, match=r"carries 137\.6 Hz: setpoint: 12 characters of 10 bits at 115200 Bd 1\.04 ms"):
        resolved(devices__amplifier__baud=115_200)
    with pytest.raises(BadValues, match=r"answer_s 2 ms \+ gap_s 1 ms"):
        resolved(devices__amplifier__answer_s=0.002, devices__amplifier__gap_s=0.001)


def test_pressures_that_are_too_old_for_the_pressure_term_are_refused_with_what_the_line_carries():
    old = {"sensors.pressure_a.stale_s": 1.0}
    law = {"law.feedback": "three_state", "law.three_state.kp_per_mpa": 1e-4}
    why = r"pressure_a is up to 105 ms old: asked every 20 ticks of 5 ms; .*slow: 11 characters of 10 bits at 460800 Bd"
    with pytest.raises(BadValues, match=r"law.three_state.kp_per_mpa: .*" + why) as caught:
        resolved(changes={**old, **law}, **SLOW_A)
    assert "set kp_per_mpa = 0" in str(caught.value)
    assert resolved(changes={**old, "law.three_state.kp_per_mpa": 0.0}, **SLOW_A)
    with pytest.raises(BadValues, match=r"limits\.stale\.max_s: .*pressure_a is up to 105 ms old"):
        resolved(changes={"law.three_state.kp_per_mpa": 0.0}, **SLOW_A)


@pytest.mark.parametrize("name", sorted(name for name in presets() if name in ("table-500-gauge", "table-500-rs485")))
def test_the_presets_of_serial_devices_are_taken(name):
    assert rig.load(name).driver == "serial_text"
