"""What frames say: types, layouts, codes. PROTOCOL.md tells the meaning."""

import struct
import zlib
from enum import IntEnum
from typing import NamedTuple, Self

from firmware_bridge.serial_frame.frames import FrameError
from hilctl.signals import INPUTS, REQUIRED, SENSOR_KINDS

VERSION = 1
ANSWER = 0x80
ONE = 1 << 30  # full opening


class Type(IntEnum):
    """What a frame is; an answer's type has ANSWER added. Any two differ in four bits."""

    HELLO = 0x0F
    ARM = 0x33
    CYCLIC = 0x3C
    DISARM = 0x55
    RESET = 0x5A
    FAULT = 0x66


class State(IntEnum):
    """The device's."""

    IDLE = 0
    READY = 1
    ARMED = 2
    RUNNING = 3
    TRIPPED = 4


class DeviceTrip(IntEnum):
    """What the device has latched."""

    NONE = 0
    TIME_TO_LIVE = 1
    END_STOP = 2
    EMERGENCY_STOP = 3
    SENSOR = 4
    WATCHDOG = 5


class Fault(IntEnum):
    """Why the device refused."""

    NO_SESSION = 1
    BUSY = 2
    TIME_TO_LIVE = 3
    WRONG_STATE = 4
    CAUSE_PRESENT = 5
    OTHER_BOOT = 6


SAFE_ACTIONS = ("null", "hold", "dump")
WIDE = REQUIRED  # readings of 32 bits; then those of 16 bits
NARROW = tuple(kind.name for kind in SENSOR_KINDS if not kind.required and not kind.alarm)
SCALED = (*WIDE, *NARROW)
INPUT_BITS = (0, 4, 5, 6, 7)[: len(INPUTS)]  # where input k, bit k of IDENTITY's inputs, stands in CYCLIC's flags

HEAD = struct.Struct("<BBHI")
COMMANDS = {
    Type.HELLO: struct.Struct("<HI"),
    Type.ARM: struct.Struct("<II"),
    Type.CYCLIC: struct.Struct("<iB"),
    Type.DISARM: struct.Struct("<"),
    Type.RESET: struct.Struct("<"),
}
ANSWERS = {
    Type.HELLO: struct.Struct("<HIIIIIIIiiiBB" + "Hb" * len(SCALED)),
    Type.ARM: struct.Struct("<I"),
    Type.CYCLIC: struct.Struct(f"<{'i' * len(WIDE)}{'h' * len(NARROW)}BHI"),
    Type.DISARM: struct.Struct("<"),
    Type.RESET: struct.Struct("<"),
    Type.FAULT: struct.Struct("<BB"),
}
_WHO = struct.Struct("<HI")  # how IDENTITY begins in every version: version, schema

SCHEMA_TEXT = " ".join(
    [HEAD.format]
    + [f"{kind:d}:{layout.format}" for kind, layout in COMMANDS.items()]
    + [f"{kind + ANSWER:d}:{layout.format}" for kind, layout in ANSWERS.items()]
)
SCHEMA = zlib.crc32(SCHEMA_TEXT.encode())


class Message(NamedTuple):
    """A body, read. In an answer `type` is that of the question, or FAULT."""

    type: Type
    state: State
    trip: DeviceTrip
    sequence: int
    session: int
    values: tuple[int, ...]


class Identity(NamedTuple):
    """What a device says of itself."""

    version: int
    schema: int
    build: int
    boot: int
    tick_hz: int
    shortest_us: int
    longest_us: int
    slew_milli: int
    null: int
    end_low: int
    end_high: int
    safe: int
    inputs: int  # bit k: it has the k-th of signals.INPUTS
    scales: tuple[float, ...]  # of a count, in SI units; 0: it has no such sensor

    @classmethod
    def of(cls, values: tuple[int, ...]) -> Self:
        """From the values of an answer to HELLO."""
        mantissas, exponents = values[13::2], values[14::2]
        scales = tuple(float(f"{m}e{e}") for m, e in zip(mantissas, exponents, strict=True))
        return cls._make((*values[:13], scales))


def command(kind: Type, sequence: int, session: int, *values: int) -> bytes:
    """The body of a frame from the host."""
    return HEAD.pack(kind, 0, sequence & 0xFFFF, session) + COMMANDS[kind].pack(*values)


def read_answer(body: bytes) -> Message:
    """What the device says. FrameError when it is no answer of this version."""
    if len(body) < HEAD.size:
        raise FrameError("too short")
    number, state, sequence, session = HEAD.unpack_from(body)
    try:
        kind, at, trip = Type(number - ANSWER), State(state & 15), DeviceTrip(state >> 4)
    except ValueError as error:
        raise FrameError(str(error)) from None
    layout = ANSWERS[kind]
    if kind == Type.HELLO and len(body) != HEAD.size + layout.size and len(body) >= HEAD.size + _WHO.size:
        layout, body = _WHO, body[: HEAD.size + _WHO.size]  # of another version
    if len(body) != HEAD.size + layout.size:
        raise FrameError(f"{kind.name} of {len(body)} bytes")
    return Message(kind, at, trip, sequence, session, layout.unpack_from(body, HEAD.size))
