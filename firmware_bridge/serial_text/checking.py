"""What devices answer, field by field, and what is wrong where one does not: asked outside the tick, nothing is set."""

from collections.abc import Iterator
from typing import Any

from firmware_bridge.described.signals import READINGS
from firmware_bridge.driver import DriverError, Note, RigFacts
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.diagnosis import diagnosed, fits, shown, why_outside
from firmware_bridge.serial_text.link import Heard, Link
from firmware_bridge.serial_text.settings import Described, Told
from hilctl.signals import SENSORS


def everything(own: Described, links: list[Link], desk: Desk, rig: RigFacts) -> tuple[list[str], dict[str, float]]:
    """Complaints and notes about every message that only asks; and the readings that came."""
    told: list[str] = []
    found: dict[str, float] = {}
    for link in links:
        there = (*link.line.fast, *link.line.slow, *link.line.streams)
        for message in (one for one in there if one.own.answer and not one.outputs and one.own.when == "tick"):
            try:
                heard = link.listen(message) if message.streams else link.asked(message)
            except DriverError as error:
                told.append(str(error))
                break
            if not heard.good:
                told.append(f"driver.messages.{message.name}: {diagnosed(own, link, message, heard)}")
                continue
            values = _values(own, desk, message)
            data = heard.data[len(heard.data) - heard.taken :]
            found |= values
            told.append(Note(f"driver.messages.{message.name}: {_shown(desk, message, heard, values)}"))
            if not message.answer.has_check:
                told.append(Note(f"driver.messages.{message.name}: its answer has no checksum, so that a disturbed "
                                 "character can pass for another value"))  # fmt: skip
            told += _implausible(own, desk, message, values, data, rig.tables["sensors"])
            if values.get("fault") and own.sent_in("reset") is None:  # else arming resets it
                told.append(f"driver.reading.fault: the device reports fault {values['fault']:g}; remove the cause and "
                            "reset it at the device")  # fmt: skip
    return told, found


def _values(own: Described, desk: Desk, message: Told) -> dict[str, float]:
    """The readings of a message."""
    made = {}
    for name in READINGS:
        place = own.read_in(name)
        if place is not None and place[0].name == message.name:
            made[name] = desk.value(name, desk.number(message.name, place[1]))
    return made


def _shown(desk: Desk, message: Told, heard: Heard, values: dict[str, float]) -> str:
    """Raw and converted."""
    numbers = desk.numbers(message.name)
    raw = ", ".join(f"{field} {number:g}" for field, number in numbers.items())
    converted = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
    return f"{shown(heard.data)}; {raw or 'no fields'}; {converted or 'no readings'}"


def _implausible(own: Described, desk: Desk, message: Told, values: dict[str, float], data: bytes,
                 sensors: Any) -> Iterator[str]:
    """Readings outside of what the rig file says of the sensor."""
    for name, value in values.items():
        if name not in SENSORS or not getattr(sensors, name).present or fits(value, getattr(sensors, name)):
            continue
        sensor = getattr(sensors, name)
        yield (f"driver.reading.{name}: reads {value:.6g}, outside sensors.{name}.low and high ({sensor.low:g} to "
               f"{sensor.high:g}); {why_outside(own, desk, message, name, data, sensor)}")
