"""What comes on a line, and what it is likely to be: listened to, never spoken to."""

import re
import time
from collections.abc import Iterator
from typing import NamedTuple

from firmware_bridge.driver import DriverError
from firmware_bridge.serial_port import opened, read_within, tried
from firmware_bridge.serial_text.checksums import CHECKSUMS, computed
from firmware_bridge.serial_text.diagnosis import BAUDS, shown
from firmware_bridge.serial_text.link import settings
from firmware_bridge.serial_text.settings import Device

_ENDS = (b"\r\n", b"\n\r", b"\n", b"\r", b"\x03")
_PAUSE_S = 0.005  # of a line that begins a new piece
_FEWEST = 4  # messages that show a framing
_LONGEST = 64  # bytes of a message without terminator
_NUMBER = re.compile(rb"[ ]*[+-]?[ ]*\d+(?:\.(\d+))?")
_PRINTABLE = bytes(range(32, 127)) + b"\r\n\t\x02\x03"


class Chunk(NamedTuple):
    """Bytes that came without a pause."""

    at_s: float
    data: bytes


class Framing(NamedTuple):
    """How the bytes seem to be made up. Empty where nothing shows it."""

    text: str = ""  # for a person
    terminator: bytes = b""
    length: int = 0
    header: bytes = b""
    checksum: str = ""
    period_s: float = 0.0
    template: str = ""  # as a rig file would have it


class Probed(NamedTuple):
    """What came, at which settings."""

    device: Device
    chunks: tuple[Chunk, ...]
    framing: Framing

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(chunk.data for chunk in self.chunks)


def probe(device: Device, seconds: float, *, every_speed: bool = False) -> Probed:
    """Listens; at every usual speed, where that is not known, and then longest at the likeliest."""
    if not every_speed:
        return _probed(device, seconds)
    tries = [_probed(_at(device, baud), seconds / len(BAUDS)) for baud in BAUDS]
    return max(tries, key=lambda one: (_score(one), -BAUDS.index(one.device.baud)))


def _at(device: Device, baud: int) -> Device:
    import msgspec

    return msgspec.structs.replace(device, baud=baud)


def _probed(device: Device, seconds: float) -> Probed:
    chunks = tuple(_listened(device, seconds))
    return Probed(device, chunks, framing(chunks))


def _listened(device: Device, seconds: float) -> Iterator[Chunk]:
    port = tried(device.port, opened, device.port, device.baud, **settings(device))
    try:
        begun_s, data, first_s = time.monotonic(), b"", 0.0
        while (now_s := time.monotonic()) < begun_s + seconds:
            more = tried(device.port, read_within, port.fileno(), _PAUSE_S if data else begun_s + seconds - now_s)
            if more:
                first_s = first_s if data else time.monotonic() - begun_s
                data += more
            if data and not more:
                yield Chunk(first_s, data)
                data = b""
        if data:
            yield Chunk(first_s, data)
    finally:
        try:
            port.close()
        except (OSError, DriverError):
            pass


def _score(probed: Probed) -> float:
    """How much it looks like messages, and not like noise."""
    data = probed.data
    if not data:
        return -1.0
    readable = sum(byte in _PRINTABLE for byte in data) / len(data)
    found = probed.framing
    lines = bool(found.terminator and readable > 0.9)
    return readable + 2.0 * lines + 2.0 * bool(found.checksum) + 1.0 * bool(found.header)


def framing(chunks: tuple[Chunk, ...]) -> Framing:
    """The likeliest make-up of what came."""
    data = b"".join(chunk.data for chunk in chunks)
    lasted_s = chunks[-1].at_s - chunks[0].at_s if len(chunks) > 1 else 0.0
    return _terminated(data, lasted_s) or _of_a_length(data, lasted_s) or Framing(_nothing(data))


def _nothing(data: bytes) -> str:
    if not data:
        return "nothing came: the device waits for requests, or it is not connected, or RX and TX are exchanged"
    high = sum(byte >= 0x80 for byte in data) / len(data)
    more = "; many bytes have their eighth bit set: wrong baud or parity, or binary" if high > 0.3 else ""
    return f"no message is repeated often enough to show its make-up{more}; try another baud, or listen longer"


def _terminated(data: bytes, lasted_s: float) -> Framing | None:
    for end in _ENDS:
        pieces = data.split(end)[1:-1]
        if len(pieces) < _FEWEST or any(byte not in _PRINTABLE for piece in pieces for byte in piece):
            continue
        sizes = {len(piece) for piece in pieces}
        checksum, digits = _text_checksum(pieces)
        period_s = lasted_s / len(pieces)
        template = _text_template(pieces[-1], digits) + _escaped(end)
        size = f"{min(sizes)} to {max(sizes)}" if len(sizes) > 1 else f"{min(sizes)}"
        text = (f"lines of {size} characters that end with {_escaped(end)}, {len(pieces)} of them"
                + (f", checksum {checksum}" if checksum else ""))  # fmt: skip
        return Framing(text, end, 0, b"", checksum, period_s, template)
    return None


def _text_checksum(pieces: list[bytes]) -> tuple[str, int]:
    """Which checksum stands as hexadecimal digits at the end of every line, and how many digits."""
    if len(set(pieces)) < 3:
        return "", 0
    for digits in (4, 2):
        for name, own in CHECKSUMS.items():
            if own.bits != 4 * digits:
                continue
            if all(_is_hex(piece[-digits:], computed(own, piece[:-digits]), own.bits) for piece in pieces):
                return name, digits
    return "", 0


def _is_hex(text: bytes, value: int, bits: int) -> bool:
    try:
        return int(text, 16) == value and len(text) == bits // 4
    except ValueError:
        return False


def _text_template(line: bytes, digits: int) -> str:
    """The line with its numbers as fields."""
    body, made, at = line[: len(line) - digits], "", 0
    for k, found in enumerate(_NUMBER.finditer(body), start=1):
        decimals = f".{len(found[1])}" if found[1] else ".0"
        made += _escaped(body[at : found.start()]) + f"{{value_{k}:{len(found[0])}{decimals}}}"
        at = found.end()
    return made + _escaped(body[at:]) + (f"{{check:X{digits}}}" if digits else "")


def _of_a_length(data: bytes, lasted_s: float) -> Framing | None:
    """A length at which the first bytes of every message are the same, others are not."""
    best: tuple[int, int, int] | None = None
    for length in range(3, min(_LONGEST, len(data) // _FEWEST) + 1):
        for begin in range(length):
            rows = [data[at : at + length] for at in range(begin, len(data) - length + 1, length)]
            if len(set(rows)) < 3:
                continue
            same = 0
            while same < length and len({row[same] for row in rows}) == 1:
                same += 1
            if same and rows[0][:same].strip(b"\0") and (best is None or same > best[0]):
                best = same, length, begin
    if best is None:
        return None
    same, length, begin = best
    rows = [data[at : at + length] for at in range(begin, len(data) - length + 1, length)]
    checksum, form = _binary_checksum(rows)
    header = rows[0][:same]
    width = length - same - (CHECKSUMS[checksum].bits // 8 if checksum else 0)
    template = _escaped(header) + f"{{skip:{width}}}" + (f"{{check:{form}}}" if checksum else "")
    text = (f"messages of {length} bytes that begin with {header.hex(' ').upper()}, {len(rows)} of them"
            + (f", checksum {checksum} ({form})" if checksum else ""))  # fmt: skip
    return Framing(text, b"", length, header, checksum, lasted_s / len(rows), template)


def _binary_checksum(rows: list[bytes]) -> tuple[str, str]:
    for name, own in sorted(CHECKSUMS.items(), key=lambda item: -item[1].bits):
        size = own.bits // 8
        for order in ("le", "be") if size > 1 else ("be",):
            kind = "little" if order == "le" else "big"
            if all(computed(own, row[:-size]) == int.from_bytes(row[-size:], kind) for row in rows):  # type: ignore[arg-type]
                return name, f"u{own.bits}{order}" if size > 1 else "u8"
    return "", ""


def _escaped(data: bytes) -> str:
    """Bytes as a template has them."""
    known = {0x0D: r"\r", 0x0A: r"\n", 0x5C: r"\\", 0x7B: "{{", 0x7D: "}}"}
    return "".join(known.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02X}") for b in data)


def lines(probed: Probed, most: int = 40) -> Iterator[str]:
    """What came, in text and in hexadecimal digits."""
    end = probed.framing.terminator
    count = 0
    for chunk in probed.chunks:
        pieces = [piece + end for piece in chunk.data.split(end) if piece] if end else [chunk.data]
        for piece in pieces:
            count += 1
            if count > most:
                return
            yield f"{chunk.at_s:8.3f} s  {shown(piece, 24):<34} {piece[:16].hex(' ').upper()}"
