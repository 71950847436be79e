"""Devices that a rig file describes by messages: requests become commands, answers show the newest sample."""

import math

from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.emulate.amplifier import LONGEST_S, SHORTEST_S, Amplifier
from firmware_bridge.emulate.amplifier_device import AmplifierDevice
from firmware_bridge.emulate.faults import TEXT, FaultError
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.settings import TIME_TO_LIVE, Described, Told
from firmware_bridge.serial_text.template import ADDRESS
from hilctl.signals import SENSORS

_UNITS = {b"bar": b"psi", b"mm": b"in", b"degC": b"degF", b"MPa": b"psi"}


class TextDevice(AmplifierDevice):
    """One plant behind the messages of all devices of a rig file."""

    def __init__(self, described: Described, amplifier: Amplifier) -> None:
        super().__init__(TEXT, amplifier)
        self.described, self.desk = described, Desk(described)
        self._readings: dict[str, list[tuple[str, str]]] = {}  # of each message: field and reading
        for name in READINGS:
            place = described.read_in(name)
            if place is not None:
                self._readings.setdefault(place[0].name, []).append((place[1], name))
        self._heart = described.sent_in("heartbeat")
        if not self._takes_time_to_live():
            amplifier.fixed_s = described.watchdog.fixed_s
            amplifier.boot()
        self._begin()

    def _begin(self) -> None:
        """As after switching on."""
        self._wanted = dict.fromkeys(OUTPUTS, 0.0)
        self._keeps_s, self._heartbeat = self.amplifier.time_to_live_s, -1.0
        self._echoes = self._other_unit = False

    def _takes_time_to_live(self) -> bool:
        return self.described.sent_in(TIME_TO_LIVE) is not None

    def heard(self, told: Told, came_ns: int) -> bytes:
        """A request has come, and stands in the desk's fields: the answer, empty for none."""
        self.requests += 1
        self.amplifier.advance(came_ns, asked=True)
        numbers = self.desk.numbers(told.name, "request")
        self._obey(told, {name: self.desk.output(name, number) for name, number in numbers.items()})
        return self.said(told) if told.own.answer else b""

    def _obey(self, told: Told, values: dict[str, float]) -> None:
        if TIME_TO_LIVE in values and SHORTEST_S <= values[TIME_TO_LIVE] <= LONGEST_S * (1 + 1e-9):
            self.amplifier.time_to_live_s = self._keeps_s = values[TIME_TO_LIVE]
        if values.get("heartbeat", self._heartbeat) != self._heartbeat:
            self._heartbeat = values["heartbeat"]
            self.amplifier.feed()
        if told.own.when == "reset" or values.get("reset", 0.0) > 0.5:
            self.amplifier.reset()  # before what the same request commands
        commands: dict[str, float] = {name: values[name] for name in ("valve", "enable", "supply") if name in values}
        if not commands:
            return
        self._wanted |= commands
        missing: dict[str, float] = {name: value for name, value in (("enable", 1.0), ("supply", 2.0))
                   if self.described.sent_in(name) is None}  # fmt: skip
        now = self._wanted | missing
        self.amplifier.command(now["valve"], int(now["enable"]), int(now["supply"]))
        if self._heart is None:
            self.amplifier.feed()  # a device without heartbeat lives on its commands

    def said(self, told: Told) -> bytes:
        """The answer, or what it sends by itself, with the newest sample."""
        values, tick = self.amplifier.shown()
        numbers = dict.fromkeys(told.answer.names, 0.0)
        for field, name in self._readings.get(told.name, ()):
            numbers[field] = self._number(name, values, tick, numbers[field])
        for name in told.answer.names:
            if name in OUTPUTS:
                place = self.described.output
                numbers[name] = (self._wanted[name] - getattr(place, name).offset) / getattr(place, name).scale
            elif name == TIME_TO_LIVE:
                numbers[name] = self._keeps_s / self.described.watchdog.scale
        data = self.desk.answer(told.name, numbers)
        if self._other_unit:
            for own, other in _UNITS.items():
                data = data.replace(own, other)
        return data

    def _number(self, name: str, values: list[float], tick: int, before: float) -> float:
        """What stands in the field of a reading; bits of one field are joined."""
        place = self.desk.place(name)
        if name == "device_tick":
            return float(tick & 0xFFFFFF)
        value = values[SENSORS.index(name)] if name in SENSORS else float(self.amplifier.trip)
        if place.mask:
            return float(int(before) | (int(place.mask) & -int(place.mask) if value > 0.5 else 0))
        return (value - place.offset) / place.scale if math.isfinite(value) else value

    def address_at(self, told: Told) -> int:
        """Where the last byte of its address stands in an answer, -1 where it has none."""
        at = 0
        for piece in told.answer.pieces:
            at += piece.least
            if piece.name == ADDRESS:
                return at - 1
            if piece.least != piece.most:
                break
        return -1

    def do_clear(self) -> None:
        """Ends all faults."""
        super().do_clear()
        self._echoes = self._other_unit = False

    def do_reboot(self) -> None:
        """Boots."""
        super().do_reboot()
        self._begin()

    def do_echo(self) -> None:
        """The line returns what is sent."""
        self._echoes = True

    def do_other_unit(self) -> None:
        """The device shows another unit."""
        texts = b" ".join(piece.text for told in self.described.of_tick() for piece in told.answer.pieces)
        if not any(unit in texts for unit in _UNITS):
            raise FaultError("no answer of this rig file shows a unit")
        self._other_unit = True

    @property
    def echoes(self) -> bool:
        """Whether the line returns what is sent."""
        return self._echoes
