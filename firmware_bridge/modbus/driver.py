"""The Modbus driver: opens and checks devices by pymodbus, and hands their descriptors to the compiled exchange."""

import struct
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from firmware_bridge.described.fixed_watchdog import Device as Watched
from firmware_bridge.described.fixed_watchdog import measure, unmeasured
from firmware_bridge.described.signals import OUTPUTS as WRITTEN
from firmware_bridge.driver import OUTPUTS, DriverError, Has, Note, RigFacts
from firmware_bridge.modbus import checking
from firmware_bridge.modbus.budget import read_back_every, refusals
from firmware_bridge.modbus.exchange import rt_modbus_exchange
from firmware_bridge.modbus.fill import fill, health
from firmware_bridge.modbus.link import Link, Refused
from firmware_bridge.modbus.plan import READ_HOLDING, READ_WRITE, Request, buses
from firmware_bridge.modbus.record import SIZE, head
from firmware_bridge.modbus.settings import DEVICES, Register
from firmware_bridge.modbus.settings import Config as ModbusConfig
from firmware_bridge.modbus.values import raw_of, words_of
from hilctl.params import BadValues, Params, Problem, check
from hilctl.signals import SENSORS


def resolve(table: Mapping[str, Any], rig: RigFacts, at: str = "driver") -> ModbusConfig:
    """The rig file's table, checked: also what its buses cannot carry, and sensors without a register."""
    config = check(ModbusConfig, table, at)
    problems = _against_the_rig(config, rig, at)
    if problems:
        raise BadValues(problems)
    return config


def has(table: Mapping[str, Any], at: str = "driver") -> Has:
    """What its register map has."""
    config = check(ModbusConfig, table, at)
    named = [key.split(".")[1] for key, _ in config.registers() if "." in key]
    return Has(readings=tuple(s for s in SENSORS if s in named), outputs=tuple(o for o in OUTPUTS if o in named),
               waits=any(bus.fast for bus in buses(config)))


def _against_the_rig(config: ModbusConfig, rig: RigFacts, at: str) -> list[Problem]:
    carried = refusals(config, rig.rate_hz, rig.exchange_share, at)
    return [*carried, *_undriven(config, rig, at), *_unread(config, rig, at)]


def _undriven(config: ModbusConfig, rig: RigFacts, at: str) -> Iterator[Problem]:
    if "valve" in rig.takes and config.output.valve.device == "none":
        yield Problem(f"{at}.output.valve.device", "none", "is missing: every rig has a valve",
                      f"name one of {', '.join(DEVICES)} and the register")


def _unread(config: ModbusConfig, rig: RigFacts, at: str) -> Iterator[Problem]:
    sensors = rig.tables["sensors"]
    for name in SENSORS:
        if getattr(sensors, name).present and getattr(config.reading, name).device == "none":
            yield Problem(f"{at}.reading.{name}.device", "none", f"sensors.{name}.present is true",
                          "give its register, or set present = false")


class ModbusDriver:
    """Amplifier and transducers behind Modbus TCP or RTU."""

    Config: ClassVar[type[Params]] = ModbusConfig
    resolve = staticmethod(resolve)
    has = staticmethod(has)

    def __init__(self, config: ModbusConfig, rig: RigFacts) -> None:
        self._config, self._rig = config, rig
        self.links = [Link(config, bus) for bus in buses(config)]
        self.state = np.zeros(SIZE, np.uint8)
        self.exchange = rt_modbus_exchange
        self._read_back_every = read_back_every(config, *self._pace)
        self._fill({})

    def open(self) -> None:
        """Connects to every device of the rig file."""
        problems = _against_the_rig(self._config, self._rig, self._rig.at)
        if problems:
            raise DriverError("; ".join(str(problem) for problem in problems))
        try:
            for link in self.links:
                link.open()
        except DriverError:
            self.close()
            raise

    def check(self) -> list[str]:
        """Identity, addresses, word order, plausible values, other masters."""
        told: list[str] = []
        found: dict[int, float] = {}
        sensors = self._rig.tables["sensors"]
        for link in self.links:
            told += checking.identity(self._config, link)
            told += checking.readings(self._config, link, sensors, found)
            told += checking.at_once(self._config, link)
            told += checking.other_master(self._config, link)
        told += _slow_watchdog(self._config, self._time_to_live_s)
        if why := _unmeasured(self._config):
            fixed_s = self._config.watchdog.fixed_s
            told.append(Note(f"driver.watchdog.fixed_s = {fixed_s:g} s is assumed, not measured: {why} that shows and "
                             "clears its trip"))
        unread = [text for link in self.links for text in checking.read_back(self._config, link)]
        self._read_back_every = 0 if unread else read_back_every(self._config, *self._pace)
        told += unread or self._without_read_back()
        self._fill(found)
        return told

    def arm(self) -> None:
        """Null command and time-to-live, read back; then the descriptors are the tick's."""
        self._measure_watchdog()
        for link in self.links:
            for request in (r for r in link.bus.fast if r.write_count):
                self._write_null(link, request)
        self._set_watchdog()
        self._prove_read_back()
        own = head(self.state)
        own.confirmed[:] = 0  # what stands there was not written by an exchange
        for row, link in zip(own.bus, self.links, strict=False):
            row.fd = link.descriptor()
            row.pending = row.earlier = -1

    def disarm(self) -> None:
        """Null command, not enabled; over a new connection where the old one is lost."""
        own = head(self.state)
        for row, link in zip(own.bus, self.links, strict=False):
            lost, row.fd = row.fd < 0, -1
            for request in (r for r in link.bus.fast if r.write_count):
                try:
                    link.drain()
                    self._write_null(link, request)
                except DriverError:
                    lost = True
            if lost:
                self._null_again(link)

    def close(self) -> None:
        """Gives connections and ports back."""
        for row in head(self.state).bus:
            row.fd = -1
        for link in self.links:
            link.close()

    def health(self) -> dict[str, Any]:
        """The counters of every bus since it was opened."""
        return health(self.state, [link.name for link in self.links])

    def _fill(self, found: dict[int, float]) -> None:
        rate_hz, share = self._pace
        fill(self.state, self._config, self._read_back_every, found)
        head(self.state).rest_ns = round(1e9 * (1 - share) / rate_hz)

    @property
    def _pace(self) -> tuple[float, float]:
        return self._rig.rate_hz, self._rig.exchange_share

    def _without_read_back(self) -> list[str]:
        if self._read_back_every or not any(link.bus.back for link in self.links):
            return []
        return [Note("driver.read_back_every: no tick has time to read the outputs back, so another master's "
                     "writes are not noticed; lower loop.rate_hz or raise baud")]

    def _prove_read_back(self) -> None:
        """What was written must stand there, or every read-back would be taken for another master's write."""
        if self._read_back_every == 0:
            return
        for link in self.links:
            for request in link.bus.back:
                unit = self._config.device(request.device).unit
                said = link.read(unit, READ_HOLDING, request.read_at, request.read_count)
                for place in request.outputs:
                    name = WRITTEN[place.signal]
                    own: Register = getattr(self._config.output, name)
                    there, wanted = said[place.word : place.word + own.length], words_of(own, 0.0)
                    if there != wanted:
                        raise DriverError(f"driver.output.{name}: register {own.address} holds {there} just after "
                                          f"{wanted} was written: another master drives the device; end that one "
                                          "first. Set driver.read_back_every = 0 only if the device does not show "
                                          "what was written")

    @property
    def _time_to_live_s(self) -> float:
        return float(self._rig.tables["loop"].time_to_live_s)

    def _write_null(self, link: Link, request: Request, heartbeat: int = 0, reset: int = 0) -> None:
        words = [0] * request.write_count
        for place in request.outputs:
            name = WRITTEN[place.signal]
            own: Register = getattr(self._config.output, name)
            value = {"heartbeat": heartbeat, "reset": reset}.get(name, 0)
            words[place.word : place.word + own.length] = words_of(own, float(value))
        unit = self._config.device(request.device).unit
        if request.function != READ_WRITE:
            link.write(unit, request.write_at, words)
            return
        try:
            link.read_write(unit, request.read_at, request.read_count, request.write_at, words)
        except Refused as refused:
            if refused.exception == 1:
                raise DriverError(f"driver.{request.device}.fc23: {refused}; set fc23 = false") from refused
            raise

    def _null_again(self, link: Link) -> None:
        """The last try: the device's own watchdog acts in any case."""
        try:
            link.open()
            for request in (r for r in link.bus.fast if r.write_count):
                self._write_null(link, request)
        except DriverError:
            link.close()

    def _measure_watchdog(self) -> None:
        """The fixed time of a watchdog is accepted only once it is measured."""
        fixed_s, fault = self._config.watchdog.fixed_s, self._config.reading.fault
        if self._config.watchdog.device != "none" or fixed_s is None or _unmeasured(self._config):
            return

        def feed(heartbeat: int, reset: int) -> None:
            for link in self.links:
                for request in (r for r in link.bus.fast if r.write_count):
                    self._write_null(link, request, heartbeat, reset)

        there = next(link for link in self.links if fault.device in link.bus.devices)
        unit = self._config.device(fault.device).unit

        def told() -> float:
            return raw_of(fault, there.read(unit, fault.function, fault.address or 0, fault.length))

        measure(Watched(feed, told), fixed_s)

    def _set_watchdog(self) -> None:
        own = self._config.watchdog
        if own.device == "none":
            return
        link = next(link for link in self.links if own.device in link.bus.devices)
        unit, words = self._config.device(own.device).unit, words_of(own, self._time_to_live_s)
        if not any(words):
            raise DriverError(f"driver.watchdog.scale = {own.scale:g}: {self._time_to_live_s:g} s is less than one "
                              "count; 0 would switch the watchdog off; lower the scale")
        link.write(unit, own.address or 0, words)
        head(self.state).sent_bits[len(WRITTEN)] = int.from_bytes(struct.pack(f">{len(words)}H", *words))
        said = link.read(unit, 3, own.address or 0, own.length)
        if said != words:
            raise DriverError(f"driver.watchdog: the device keeps {said} instead of {words} for loop.time_to_live_s = "
                              f"{self._time_to_live_s:g} s; check which times it allows")


def _slow_watchdog(config: ModbusConfig, time_to_live_s: float) -> list[str]:
    fixed_s = config.watchdog.fixed_s
    if config.watchdog.device == "none" and fixed_s is not None and fixed_s > time_to_live_s:
        return [f"driver.watchdog.fixed_s = {fixed_s:g} s is longer than loop.time_to_live_s = {time_to_live_s:g} s"]
    return []


def _unmeasured(config: ModbusConfig) -> str:
    """Why the fixed time of its watchdog cannot be measured; empty where it can, or where there is none."""
    if config.watchdog.device != "none" or config.watchdog.fixed_s is None:
        return ""
    return unmeasured(config.reading.fault.device != "none", config.output.reset.device != "none")
