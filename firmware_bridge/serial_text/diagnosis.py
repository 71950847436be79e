"""Why a device does not answer as its template says: what is usually wrong is tried, one thing after the other.

Only messages without outputs are said again with other settings, and only outside the tick.
"""

import time
from collections.abc import Iterator
from typing import Any

import msgspec

from firmware_bridge.described.signals import UNITS
from firmware_bridge.driver import DriverError
from firmware_bridge.serial_text.checksums import CHECKSUMS, computed
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.link import Heard, Link
from firmware_bridge.serial_text.rt_codec import BAD_CHECK
from firmware_bridge.serial_text.settings import Described, Device, Message, Told, read_messages
from firmware_bridge.serial_text.template import ADDRESS, BINARY, CHECK, HEX, LITTLE, Piece, Template

BAUDS = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 4800, 2400, 1200)
_ADDRESSES = (*range(33), 247, 255)
_LONGEST_S = 6.0  # of all tries with one message
_PLAUSIBLE_SCALES = tuple(10.0**k for k in (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6))


def diagnosed(own: Described, link: Link, told: Told, heard: Heard) -> str:
    """The cause, or what came instead of the answer."""
    came = f"{shown(heard.data)} came" if heard.data else "nothing came"
    wanted = f"{came} instead of {told.own.answer!r}"
    if heard.data and (found := _in_the_answer(own, told, heard)):
        return f"{came}: {found}"
    if not told.streams and not told.outputs and (found := _by_trying(own, link, told)):
        return f"{came}: {found}"
    if not heard.data:
        what = "it sends nothing by itself" if told.streams else f"no answer to {shown(heard.sent)}"
        return (f"{what}; check its supply and the cable (RX and TX may be exchanged, A and B of RS-485 too), then "
                f"driver.devices.{told.own.device}: port, address, baud, parity")  # fmt: skip
    if told.streams:
        return f"{wanted}; check baud and parity, and the template; `hilctl probe {link.name}` shows what comes"
    if where := _where(told.answer, heard.data):
        return f"{wanted}: {where}"
    return f"{wanted}; check baud, parity and the template; `hilctl probe {link.name}` shows what comes"


# -- what the bytes themselves show


def _in_the_answer(own: Described, told: Told, heard: Heard) -> str:
    data, device = heard.data, f"driver.devices.{told.own.device}"
    if heard.sent and data.startswith(heard.sent) and not told.device.echo:
        behind = data[len(heard.sent) :]
        if not behind or _taken(own, told, behind) > 0:
            return f"the line returns what is sent; set {device}.echo = true, or switch the adapter's echo off"
    if any(byte >= 0x80 for byte in data) and not any(p.kind == BINARY for p in told.answer.pieces):
        seven = bytes(byte & 0x7F for byte in data)
        if _taken(own, told, seven) > 0:
            parity = _parity_of(data)
            return (f"the device sends 7 data bits and {parity} parity; set {device}.data_bits = 7 and parity = "
                    f'"{parity}"')  # fmt: skip
    for address in _ADDRESSES:
        if address != told.device.address and _taken(own, told, data, address=address) > 0:
            return f"the device answers as address {address}; set {device}.address = {address}"
    if told.answer.has_check and (name := _checksum_of(told, data)):
        return f"the checksum is right as {name}; set {device}.checksum = \"{name}\""
    if told.answer.has_check and _taken(own, told, data) == BAD_CHECK:
        return f"its checksum is none of those known; check where {{from}} and {{to}} stand, and {device}.checksum"
    return ""


def _taken(own: Described, told: Told, data: bytes, **changes: Any) -> int:
    """What the answer's template makes of it, with other settings of the device."""
    return _desk(own, told, **changes).read(told.name, data)


def _desk(own: Described, told: Told, **changes: Any) -> Desk:
    """The tables of one message, with other settings of its device."""
    device = msgspec.structs.replace(told.device, **changes)
    messages = read_messages({told.own.device: device}, {told.name: told.own}, "", [])
    return Desk(own._replace(devices={told.own.device: device}, messages=messages))


def _checksum_of(told: Told, data: bytes) -> str:
    """Which checksum the bytes have, where the template has its field."""
    for name, checksum in CHECKSUMS.items():
        for begin, end, value in _checked_spans(told.answer, data):
            if name != told.device.checksum and computed(checksum, data[begin:end]) == value:
                return name
    return ""


def _checked_spans(template: Template, data: bytes) -> Iterator[tuple[int, int, int]]:
    """From where to where the checksum reaches, and what stands there: where all pieces behind have a known length."""
    k = next(k for k, piece in enumerate(template.pieces) if piece.name == CHECK)
    piece, behind = template.pieces[k], template.pieces[k + 1 :]
    before = template.pieces[: template.covers_from]
    if any(p.least != p.most for p in (*behind, *before, piece)):
        return
    at = len(data) - sum(p.least for p in behind) - piece.width
    end = at - sum(p.least for p in template.pieces[template.covers_to : k])
    text = data[at : at + piece.width]
    for value in _as_numbers(piece, text):
        yield sum(p.least for p in before), end, value


def _as_numbers(piece: Piece, text: bytes) -> Iterator[int]:
    """What a checksum's field may hold, in either order of its bytes."""
    try:
        if piece.kind == HEX:
            yield int(text, 16)
            yield int.from_bytes(bytes.fromhex(text.decode("ascii")), "little")
        elif piece.kind == BINARY:
            yield int.from_bytes(text, "little" if piece.order == LITTLE else "big")
        else:
            yield int(text)
    except (ValueError, UnicodeDecodeError):
        return


def _parity_of(data: bytes) -> str:
    """Of characters of 7 bits whose eighth makes the number of ones even, or odd."""
    ones = [byte.bit_count() % 2 for byte in data]
    return "even" if sum(ones) <= len(ones) / 2 else "odd"


def _where(template: Template, data: bytes) -> str:
    """The first known characters that stand otherwise, where everything before them has a known length."""
    at = 0
    for piece in template.pieces:
        if piece.text and piece.name != ADDRESS and data[at : at + len(piece.text)] != piece.text:
            if len(data) < at + len(piece.text):
                return f"it ends after {len(data)} bytes, and {piece.text!r} should follow"
            found = data[at : at + len(piece.text)]
            return f"at byte {at} stands {found!r}, the template has {piece.text!r}; has the device's unit changed?"
        if piece.least != piece.most:
            break
        at += piece.least
    missing = [p.text for p in template.pieces if p.text and p.name != ADDRESS and p.text not in data]
    return f"{missing[0]!r} of the template does not come; has the device's unit or format changed?" if missing else ""


# -- what shows when the line is tried with other settings


def _by_trying(own: Described, link: Link, told: Told) -> str:
    """Other speeds, parities and addresses, until one gives the answer."""
    give_up_s, device = time.monotonic() + _LONGEST_S, told.device
    try:
        for key, changed in _others(device):
            if time.monotonic() > give_up_s:
                break
            link.tune(changed)
            differs = {name: getattr(changed, name) for name in key}
            if link.ask(_with(told, changed), desk=_desk(own, told, **differs), wait_s=_wait_s(own)).taken > 0:
                found = ", ".join(f"{name} = {_toml(value)}" for name, value in differs.items())
                return f"the device answers with {found}; set it in driver.devices.{told.own.device}"
    except DriverError:
        return ""  # a pseudo-terminal takes not every setting
    finally:
        link.tune(device)
    return ""


def _wait_s(own: Described) -> float:
    return min(own.general.connect_timeout_s, 0.15)


def _others(device: Device) -> Iterator[tuple[tuple[str, ...], Device]]:
    replace = msgspec.structs.replace
    for address in _ADDRESSES[:17]:
        if address != device.address:
            yield ("address",), replace(device, address=address)
    for baud in BAUDS:
        if baud != device.baud:
            yield ("baud",), replace(device, baud=baud)
    for bits, parity in ((8, "none"), (8, "even"), (8, "odd"), (7, "even"), (7, "odd")):
        if (bits, parity) != (device.data_bits, device.parity):
            yield ("data_bits", "parity"), replace(device, data_bits=bits, parity=parity)


def _with(told: Told, device: Device) -> Told:
    own: Message = told.own
    return read_messages({own.device: device}, {told.name: own}, "", [])[told.name]


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


# -- a value that cannot be


def why_outside(own: Described, desk: Desk, told: Told, name: str, data: bytes, sensor: Any) -> str:
    """What would bring a reading into its range: the other order of its bytes, another unit, another scale."""
    place = own.read_in(name)
    piece = next(p for p in told.answer.pieces if place is not None and p.name == place[1])
    for text, number in _other_orders(told, piece, data):
        if fits(desk.value(name, number), sensor):
            return f"as {text} it would read {desk.value(name, number):.6g}: the order of its bytes is wrong"
    number = desk.number(told.name, piece.name)
    reading = getattr(own.reading, name)
    for unit, factor in UNITS[name].items():
        value = factor * (reading.scale * number + reading.offset)
        if unit and unit != reading.unit and number != 0 and fits(value, sensor):
            return f'with unit = "{unit}" it would read {value:.6g}: the unit is wrong, or the sensor is'
    for scale in _PLAUSIBLE_SCALES:
        value = desk.value(name, number * scale)
        if number != 0 and fits(value, sensor):
            return f"with scale = {scale * reading.scale:g} it would read {value:.6g}: the scale or the sensor is wrong"
    return "check scale, offset, unit and format"


def _other_orders(told: Told, piece: Piece, data: bytes) -> Iterator[tuple[str, float]]:
    """The number of a binary field with its bytes in another order."""
    if piece.kind != BINARY or piece.width == 1:
        return
    at = 0
    for one in told.answer.pieces:
        if one is piece:
            break
        if one.least != one.most:
            return
        at += one.least
    kind = f"{'f' if piece.real else 'i' if piece.signed else 'u'}{8 * piece.width}"
    raw = data[at : at + piece.width]
    for order, text in enumerate(("be", "le", "sw")):
        if order != piece.order and (text != "sw" or piece.width == 4):
            yield f"{kind}{text}", _decoded(kind, text, raw)


def _decoded(kind: str, order: str, raw: bytes) -> float:
    import struct

    straight = raw if order == "be" else raw[::-1] if order == "le" else raw[2:] + raw[:2]
    if kind[0] == "f":
        return float(struct.unpack(">f" if len(raw) == 4 else ">d", straight)[0])
    return float(int.from_bytes(straight, "big", signed=kind[0] == "i"))


def shown(data: bytes, most: int = 60) -> str:
    """Bytes for a person: as text where they are, else in hexadecimal digits."""
    cut = data[:most]
    printable = sum(32 <= byte < 127 or byte in b"\r\n\t\x02\x03\x06\x15" for byte in cut)
    text = repr(cut.decode("latin-1")) if printable >= 0.8 * len(cut) else cut.hex(" ").upper()
    return text + (" …" if len(data) > most else "")


def fits(value: float, sensor: Any) -> bool:
    """Whether a sensor may show this."""
    low, high = sorted((sensor.low, sensor.high))
    return bool(low <= sensor.gain * (value - sensor.offset) <= high)
