"""The rig file's [driver] table for name = "serial_text": devices, messages, and the signals in them.

    [driver.devices.NAME]          a device on a serial port; devices with the same port share the line
    [driver.messages.NAME]         what is sent to a device, and what it answers, as templates (template.py)
    [driver.reading.displacement]  a signal that is read: unit, scale, offset of the field of its name
    [driver.output.valve]          a signal that is sent: scale, offset
    [driver.watchdog]              the device's watchdog

A field of a request is an output (valve, enable, supply, heartbeat, reset) or time_to_live. A field of an answer is a
reading by its name, or by `field` of a reading.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec

from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS, UnitName
from firmware_bridge.serial_text.checksums import CHECKSUMS
from firmware_bridge.serial_text.template import Template, TemplateError, read
from hilctl.params import Params, Problem, extended, nearest, note, number, whole

TIME_TO_LIVE = "time_to_live"
SENT = (*OUTPUTS, TIME_TO_LIVE)
MOST_LINES, MOST_DEVICES, MOST_MESSAGES = 4, 16, 32

Baud = Annotated[int, whole(300, 12_000_000, "Bd", "bits per second")]
Checksum = Literal[("none", *CHECKSUMS)]  # type: ignore[valid-type]


class Device(Params, kw_only=True):
    """A device on a serial port. Devices with the same port share its line, and its settings."""

    port: Annotated[str, note("the serial port: /dev/ttyUSB0, or better its name below /dev/serial/by-id")]
    baud: Baud = 9600
    data_bits: Annotated[int, whole(7, 8, "", "data bits of a character")] = 8
    parity: Annotated[Literal["none", "even", "odd"], note("parity")] = "none"
    stop_bits: Annotated[int, whole(1, 2, "", "stop bits")] = 1
    flow: Annotated[
        Literal["none", "hardware", "software"], note("flow control: RTS and CTS, or XON and XOFF")
    ] = "none"
    echo: Annotated[bool, note("the line returns what is sent, as some RS-485 adapters do")] = False
    address: Annotated[int, whole(0, 65535, "", "what {address} in its templates means")] = 0
    checksum: Annotated[Checksum, note("what {check} in its templates means")] = "none"
    gap_s: Annotated[float, number(0, 1, "s", "silence that it needs between an answer and the next request")] = 0.0
    answer_s: Annotated[float, number(0, 1, "s", "delay before it begins to answer, by its data sheet")] = 0.0


class Message(Params, kw_only=True):
    """A request and its answer; without a request, what the device sends by itself; without an answer, a command."""

    device: Annotated[str, note("the device, by its name in [driver.devices]")]
    request: Annotated[str, note("template of what is sent; empty: the device sends by itself")] = ""
    answer: Annotated[str, note("template of what comes back; empty: nothing does")] = ""
    request_length: Annotated[int, whole(0, 240, "", "bytes of the request; 0: as many as its template has")] = 0
    answer_length: Annotated[int, whole(0, 240, "", "bytes of the answer; 0: as many as its template has")] = 0
    when: Annotated[
        Literal["tick", "reset", "open", "arm", "disarm"],
        note("in the tick; in the tick where a fault is to be reset; or once, in the order of the rig file: at open "
             "for identification and setting up, at arm, at disarm"),
    ] = "tick"
    every: Annotated[int, whole(1, 10_000, "", "in every n-th tick; what has outputs also when these change")] = 1
    period_s: Annotated[
        float, number(0, 60, "s", "how often the device sends it by itself; with an empty request")
    ] = 0.0


class Reading(Params):
    """A signal that is read: value = scale × number + offset, in the unit that is named."""

    field: Annotated[str, note("the field, or MESSAGE.FIELD; empty: the field of the signal's name")] = ""
    unit: Annotated[UnitName, note("unit of scale and offset; empty: the signal's own SI unit")] = ""
    scale: Annotated[float, number(-1e9, 1e9, "", "value of one")] = 1.0
    offset: Annotated[float, number(-1e9, 1e9, "", "value of 0")] = 0.0
    mask: Annotated[int, whole(0, 0xFFFFFF, "", "bits of the number that mean it: 1 where one of them is set; 0: the "
                    "number itself")] = 0  # fmt: skip
    stale_s: Annotated[float, number(1e-3, 600, "s", "a reading older than this is not used")] = 0.05

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A scale that means something."""
        if self.scale == 0:
            yield Problem(f"{at}.scale", self.scale, "must not be 0", "give the value of one")


class Output(Params):
    """A signal that is sent: the number in the request is (value - offset) / scale."""

    scale: Annotated[float, number(-1e9, 1e9, "", "value of one; the valve's full opening is 1")] = 1.0
    offset: Annotated[float, number(-1e9, 1e9, "", "value of 0")] = 0.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A scale that can be inverted."""
        if self.scale == 0:
            yield Problem(f"{at}.scale", self.scale, "must not be 0", "give the value of one")


class Watchdog(Params):
    """What makes the outputs safe when this program falls silent."""

    scale: Annotated[float, number(1e-9, 1, "s", "seconds of one in {time_to_live}")] = 1e-3
    fixed_s: Annotated[
        float | None, number(1e-3, 1, "s", "fixed time of a watchdog that no message sets; it is measured at arming")
    ] = None
    separate: Annotated[bool, note("it is another device than the amplifier: {heartbeat} feeds it, and {fault} of the "
                             "amplifier shows that it has switched the amplifier off")] = False  # fmt: skip


ReadingTable = extended(Params, "ReadingTable", [(name, Reading, Reading()) for name in READINGS])
OutputTable = extended(Params, "OutputTable", [(name, Output, Output()) for name in OUTPUTS])


class General(Params):
    """What concerns every line."""

    connect_timeout_s: Annotated[
        float,
        number(0.02, 5, "s", "time limit of an answer outside the tick, beside the time on the line; a request is made "
                             "three times"),
    ] = 0.2  # fmt: skip
    answer_timeout_s: Annotated[float, number(1e-3, 1, "s", "time limit of an answer in the tick, likewise")] = 0.05
    lost_after: Annotated[
        int,
        whole(1, 1000, "", "requests without an answer in a row after which the link is lost; of what a device sends "
              "by itself, so many times its period and answer_timeout_s"),
    ] = 10


class SerialTextConfig(Params):
    """Devices and messages under names of your own."""


def config_of(devices: dict[str, Device], messages: dict[str, Message], rest: dict[str, Params],
              general: General) -> SerialTextConfig:
    """The table with these devices and messages."""
    tables = {"devices": _named("Devices", devices), "messages": _named("Messages", messages), **rest}
    fields: list[tuple[str, type, Any]] = [(name, type(value), value) for name, value in tables.items()]
    fields += [(f.name, f.type, f.default) for f in msgspec.structs.fields(General)]
    made = msgspec.defstruct("SerialText", fields, bases=(SerialTextConfig,), frozen=True, kw_only=True)
    return cast(SerialTextConfig, made(**{name: getattr(general, name) for name in General.__struct_fields__}))


def _named(name: str, tables: dict[str, Any]) -> Params:
    made = msgspec.defstruct(name, [(key, type(value)) for key, value in tables.items()], bases=(Params,), frozen=True,
                             kw_only=True)  # fmt: skip
    return cast(Params, made(**tables))


class Told(NamedTuple):
    """A message with its templates."""

    name: str
    own: Message
    device: Device
    request: Template
    answer: Template

    @property
    def streams(self) -> bool:
        """The device sends it by itself."""
        return not self.own.request

    @property
    def in_tick(self) -> bool:
        """It is exchanged in ticks."""
        return self.own.when in ("tick", "reset")

    @property
    def is_fast(self) -> bool:
        """It is sent in every tick."""
        return self.own.when == "tick" and self.own.every == 1 and not self.streams

    @property
    def outputs(self) -> tuple[str, ...]:
        """Of OUTPUTS, in the request."""
        return tuple(name for name in self.request.names if name in OUTPUTS)


class Described(NamedTuple):
    """What a table describes, read."""

    devices: dict[str, Device]
    messages: dict[str, Told]
    reading: Any
    output: Any
    watchdog: Watchdog
    general: General

    def of_tick(self) -> list[Told]:
        """What is exchanged in ticks."""
        return [told for told in self.messages.values() if told.in_tick]

    def at(self, when: str) -> list[Told]:
        """What is said once, then."""
        return [told for told in self.messages.values() if told.own.when == when]

    def read_in(self, name: str) -> tuple[Told, str] | None:
        """The message and the field of a reading."""
        place, _, field = (getattr(self.reading, name).field or name).rpartition(".")
        found = [told for told in self.messages.values() if field in told.answer.names and place in ("", told.name)]
        found = [told for told in found if told.own.when == "tick"]
        return (found[0], field) if found else None

    def sent_in(self, name: str) -> Told | None:
        """The message that has this output; of the reset, also one that says nothing else."""
        there = self.messages.values() if name == TIME_TO_LIVE else self.of_tick()
        return next((told for told in there if name in told.request.names or told.own.when == name), None)

    def shown_in(self, name: str) -> Told | None:
        """The message of the tick whose answer shows this output; first the one that sends it."""
        found = [told for told in self.of_tick() if name in told.answer.names]
        found.sort(key=lambda told: name not in told.request.names)
        return found[0] if found else None

    @property
    def shows_reboots(self) -> bool:
        """Whether something in a tick shows that the device of the valve has booted."""
        return self.read_in("device_tick") is not None or any(
            (told := self.shown_in(name)) is not None and name not in told.request.names
            for name in ("enable", TIME_TO_LIVE))

    def waits(self, told: Told) -> bool:
        """Whether a tick waits for its answer."""
        return told.is_fast and bool(told.own.answer)


def described(config: Any) -> Described:
    """The table, with its templates read. The templates must be right."""
    devices = {name: getattr(config.devices, name) for name in type(config.devices).__struct_fields__}
    messages = {name: getattr(config.messages, name) for name in type(config.messages).__struct_fields__}
    problems: list[Problem] = []
    told = read_messages(devices, messages, "driver", problems)
    general = General(**{name: getattr(config, name) for name in General.__struct_fields__})
    return Described(devices, told, config.reading, config.output, config.watchdog, general)


def read_messages(devices: dict[str, Device], messages: dict[str, Message], at: str,
                  problems: list[Problem]) -> dict[str, Told]:
    """Every message with its templates; what is wrong with one goes to the problems."""
    made: dict[str, Told] = {}
    for name, own in messages.items():
        key = f"{at}.messages.{name}"
        device = devices.get(own.device)
        if device is None:
            known = tuple(devices)
            problems.append(Problem(f"{key}.device", own.device, "is not described", nearest(own.device, known)))
            continue
        checksum = "" if device.checksum == "none" else str(device.checksum)
        parts = {}
        for part in ("request", "answer"):
            text = getattr(own, part)
            try:
                parts[part] = read(text, address=device.address, checksum=checksum,
                                   length=getattr(own, f"{part}_length"))  # fmt: skip
            except TemplateError as error:
                problems.append(Problem(f"{key}.{part}", text, str(error)))
        if len(parts) == 2:
            made[name] = Told(name, own, device, parts["request"], parts["answer"])
    return made


def units_of(name: str) -> dict[str, float]:
    """The units that a signal may have."""
    return UNITS[name]
