"""Frames as bytes: COBS, CRC-32, delimiter. Pure; the compiled exchange and the firmware do the same.

`unseal` raises only FrameError, whatever it is given.
"""

import zlib
from collections.abc import Iterator

MOST_BODY = 96  # with its checksum
MOST_STUFFED = MOST_BODY + 1
CHECKSUM = 4


class FrameError(ValueError):
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


def seal(body: bytes) -> bytes:
    """The frame of a body, with its delimiter."""
    if len(body) + CHECKSUM > MOST_BODY:
        raise FrameError(f"a body of {len(body)} bytes is too long")
    return stuff(body + zlib.crc32(body).to_bytes(CHECKSUM, "little")) + b"\0"


def unseal(stuffed: bytes) -> bytes:
    """The body of a frame that came without its delimiter."""
    if not CHECKSUM + 2 <= len(stuffed) <= MOST_STUFFED:
        raise FrameError(f"{len(stuffed)} bytes cannot be a frame")
    whole = unstuff(stuffed)
    body, checksum = whole[:-CHECKSUM], whole[-CHECKSUM:]
    if zlib.crc32(body).to_bytes(CHECKSUM, "little") != checksum:
        raise FrameError("its checksum differs")
    return body


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
