"""Frames as bytes: COBS, check, delimiter. Pure; the compiled exchange and the firmware do the same.

The check is the CRC-32 of what COBS has made, so that a wrong bit on the line is one wrong bit to the CRC, in COBS's
own bytes too. `unseal` raises only FrameError, whatever it is given.
"""

import zlib
from collections.abc import Iterator

from hilctl.errors import HilctlError

MOST_BODY = 91
CHECK = 5  # bytes, seven bits of the CRC in each, the eighth set: none is ever zero
MOST_STUFFED = MOST_BODY + 1 + CHECK


class FrameError(HilctlError, ValueError):
    """Bytes that are no frame."""


def stuff(body: bytes) -> bytes:
    """COBS: the same without zeros, one byte longer. For less than 254 bytes."""
    return b"".join(bytes([len(part) + 1]) + part for part in body.split(b"\0"))


def unstuff(stuffed: bytes) -> bytes:
    """The bytes that `stuff` was given."""
    parts, at = [], 0
    while at < len(stuffed):
        code = stuffed[at]
        part = stuffed[at + 1 : at + code]
        if code == 0 or len(part) != code - 1 or 0 in part:
            raise FrameError("not COBS")
        parts.append(part)
        at += code
    return b"\0".join(parts)


def check_of(stuffed: bytes) -> bytes:
    """The bytes that follow these."""
    crc = zlib.crc32(stuffed)
    return bytes(0x80 | (crc >> 7 * i) & 0x7F for i in range(CHECK))


def seal(body: bytes) -> bytes:
    """The frame of a body, with its delimiter."""
    if not 0 < len(body) <= MOST_BODY:
        raise FrameError(f"a body of {len(body)} bytes: must be 1 to {MOST_BODY}")
    stuffed = stuff(body)
    return stuffed + check_of(stuffed) + b"\0"


def unseal(line: bytes) -> bytes:
    """The body of a frame that came without its delimiter."""
    if not CHECK + 2 <= len(line) <= MOST_STUFFED:
        raise FrameError(f"{len(line)} bytes cannot be a frame")
    if check_of(line[:-CHECK]) != line[-CHECK:]:
        raise FrameError("its check differs")
    return unstuff(line[:-CHECK])


class Splitter:
    """Cuts what comes from a line into frames, however it is cut up. Holds at most one frame."""

    def __init__(self) -> None:
        self._part = bytearray()
        self._overflow = False
        self.bytes = self.dropped = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies of the frames that end in these bytes."""
        for byte in data:
            self.bytes += 1
            if byte:
                if len(self._part) < MOST_STUFFED:
                    self._part.append(byte)
                else:
                    self._overflow = True
                continue
            stuffed, overflow = bytes(self._part), self._overflow
            self._part.clear()
            self._overflow = False
            try:
                if overflow:
                    raise FrameError("too long")
                if stuffed:
                    yield unseal(stuffed)
            except FrameError:
                self.dropped += 1
