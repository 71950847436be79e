"""Differences between the devices and the rig file: identity, addresses, word order, plausible values, other masters.

Nothing is written here: `hilctl check` may be run on a rig that is at work.
"""

import time
from collections.abc import Iterator
from typing import Any

from firmware_bridge.described.signals import READINGS, UNITS
from firmware_bridge.driver import DriverError, Note
from firmware_bridge.modbus.link import Link, Refused
from firmware_bridge.modbus.plan import READ_HOLDING, Request
from firmware_bridge.modbus.settings import Config, Reading
from firmware_bridge.modbus.values import is_garbled, raw_of
from hilctl.signals import SENSORS

_HEARTBEAT_WATCH_S = 0.05  # longer than the period of any rate at which a rig is driven but the slowest


def identity(config: Config, link: Link) -> Iterator[str]:
    """Function 43, where the rig file expects something of it."""
    for name in link.bus.devices:
        own = config.device(name)
        expected = (own.vendor, own.product, own.revision)
        if not any(expected):
            continue
        said = link.identity(own.unit)
        if said is None:
            yield f"driver.{name}: {link.name} does not answer function 43, and the rig file expects {expected}"
            continue
        for key, wanted, is_ in zip(("vendor", "product", "revision"), expected, said, strict=True):
            if wanted and wanted != is_:
                yield f"driver.{name}.{key}: the device says {is_!r}, the rig file {wanted!r}"


def readings(config: Config, link: Link, sensors: Any, found: dict[int, float]) -> Iterator[str]:
    """Every signal, read once; `found` takes the values by the index of READINGS."""
    for request in (*link.bus.fast, *link.bus.slow):
        if not request.read_count:
            continue
        try:
            words = _read(config, link, request, request.read_at, request.read_count)
        except Refused:
            yield from _one_by_one(config, link, request)
            continue
        except DriverError as error:
            yield f"driver.{request.device}: {error}; check address, unit, baud and parity"
            return
        for place in request.readings:
            own: Reading = getattr(config.reading, READINGS[place.signal])
            piece = words[place.word : place.word + own.length]
            found[place.signal] = _value(own, place.signal, raw_of(own, piece))
            yield from _plausible(own, place.signal, piece, sensors)
            if READINGS[place.signal] == "fault" and config.output.reset.device == "none":  # else arming resets it
                yield from _at_fault(raw_of(own, piece))


def _read(config: Config, link: Link, request: Request, at: int, count: int) -> list[int]:
    function = READ_HOLDING if request.function not in (3, 4) else request.function
    return link.read(config.device(request.device).unit, function, at, count)


def _one_by_one(config: Config, link: Link, request: Request) -> Iterator[str]:
    """A block was refused: which of its signals are."""
    good = True
    for place in request.readings:
        name = READINGS[place.signal]
        own: Reading = getattr(config.reading, name)
        try:
            _read(config, link, request, own.address or 0, own.length)
        except DriverError as error:
            good = False
            yield f"driver.reading.{name}.address = {own.address}: {error}; addresses count from 0"
    if good:
        yield (f"driver.{request.device}.read_across: the device accepts single registers, but refuses "
               f"{request.text()}; lower read_across")


def at_once(config: Config, link: Link) -> Iterator[str]:
    """A device that does not answer each of two requests that wait together, or takes one's number for the other's."""
    name = link.bus.devices[0]
    asked = next((request for request in link.bus.fast if request.read_count), None)
    if link.is_rtu or config.device(name).requests_at_once < 2 or asked is None:
        return
    function = READ_HOLDING if asked.function not in (3, 4) else asked.function
    counts = (asked.read_count, max(asked.read_count - 1, 1))
    try:
        found = link.both(config.device(asked.device).unit, function, asked.read_at, counts)
    except DriverError:
        found = []
    if found != list(enumerate(counts)):
        yield (f"driver.{name}.requests_at_once = 2: of two requests that are sent together the device does not answer "
               "each, in order and by its number; set 1")
    link.reconnect()


def read_back(config: Config, link: Link) -> Iterator[str]:
    """Outputs that cannot be read: then another master's writes are not noticed."""
    for request in link.bus.back:
        try:
            _read(config, link, request, request.read_at, request.read_count)
        except Refused as refused:
            said = (f"{refused}: the outputs of driver.{request.device} cannot be read back, so that another master's "
                    "writes are not noticed")
            asked = config.read_back_every is not None
            yield f"driver.read_back_every = {config.read_back_every}: {said}; set 0" if asked else Note(said)
        except DriverError:
            return  # its readings say so


def _value(own: Reading, signal: int, raw: float) -> float:
    return UNITS[READINGS[signal]][own.unit] * (own.scale * raw + own.offset)


def _at_fault(raw: float) -> Iterator[str]:
    if raw != 0:
        yield f"driver.reading.fault: the device reports fault {raw:g}; remove the cause and reset it at the device"


def _plausible(own: Reading, signal: int, words: list[int], sensors: Any) -> Iterator[str]:
    name, raw = READINGS[signal], raw_of(own, words)
    if signal >= len(SENSORS):
        return
    sensor = getattr(sensors, name)
    if not sensor.present or _fits(own, signal, raw, sensor):
        return
    key, value = f"driver.reading.{name}", _value(own, signal, raw)
    other = raw_of(own, words, swapped=True)
    said = f"{key}: reads {value:.6g}, outside sensors.{name}.low and high ({sensor.low:g} to {sensor.high:g})"
    if len(words) == 2 and _fits(own, signal, other, sensor):
        order = "low_first" if own.words == "high_first" else "high_first"
        yield f"{said}; with words = \"{order}\" it would read {_value(own, signal, other):.6g}: word order is wrong"
    else:
        yield f"{said}; check address, type, scale, offset and unit"


def _fits(own: Reading, signal: int, raw: float, sensor: Any) -> bool:
    if is_garbled(own, raw):
        return False
    low, high = sorted((sensor.low, sensor.high))
    return bool(low <= sensor.gain * (_value(own, signal, raw) - sensor.offset) <= high)


def other_master(config: Config, link: Link) -> Iterator[str]:
    """A heartbeat that changes while this program does not write it is another master's."""
    own = config.output.heartbeat
    if own.device not in link.bus.devices:
        return
    unit = config.device(own.device).unit
    try:
        first = link.read(unit, READ_HOLDING, own.address or 0, own.length)
        time.sleep(_HEARTBEAT_WATCH_S)
        second = link.read(unit, READ_HOLDING, own.address or 0, own.length)
    except DriverError:
        return  # not every device lets its outputs be read
    if first != second:
        yield (f"driver.output.heartbeat: register {own.address} of driver.{own.device} changes: another master drives "
               "the device; end that one first")
