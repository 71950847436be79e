"""An amplifier behind registers: what is written becomes commands, what is read is the newest sample."""

import time
from collections.abc import Iterable
from typing import Any

from pymodbus.constants import ExcCodes
from pymodbus.exceptions import NoSuchIdException

from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.emulate import modbus_map
from firmware_bridge.emulate.amplifier import LONGEST_S, SHORTEST_S, Amplifier
from firmware_bridge.emulate.amplifier_device import AmplifierDevice
from firmware_bridge.modbus.plan import requests
from firmware_bridge.modbus.settings import DEVICES, Config, Register
from firmware_bridge.modbus.values import raw_of, words_of

_WRITES = (6, 16, 23)


class Datastore:
    """What pymodbus' server reads and writes: the devices of one bus, by their units."""

    def __init__(self, device: "ModbusDevice", units: dict[int, str]) -> None:
        self._device, self._units = device, units

    def device_ids(self) -> list[int]:
        """Every unit."""
        return list(self._units)

    async def async_getValues(self, device_id: int, func_code: int, address: int, count: int = 1) -> Any:
        """Registers, as they are now."""
        if func_code not in (3, 4, *_WRITES):
            return ExcCodes.ILLEGAL_FUNCTION
        if func_code not in _WRITES and (code := self._device.asked()):  # else the writing was asked before
            return ExcCodes(code)
        return self._device.read(self._name(device_id), range(address, address + count))

    async def async_setValues(self, device_id: int, func_code: int, address: int, values: Any) -> Any:
        """Writes registers."""
        if func_code not in _WRITES:
            return ExcCodes.ILLEGAL_FUNCTION
        if code := self._device.asked():
            return ExcCodes(code)
        return self._device.write(self._name(device_id), range(address, address + len(values)), values)

    def _name(self, unit: int) -> str:
        if unit not in self._units:
            raise NoSuchIdException(f"unit {unit}")
        return self._units[unit]


class ModbusDevice(AmplifierDevice):
    """One plant behind the registers of all devices of a map."""

    def __init__(self, transport: str, config: Config, amplifier: Amplifier) -> None:
        super().__init__(transport, amplifier)
        self.config = config
        self._master, self.came_ns, self._asked_ns = False, 0, 0
        if config.watchdog.device == "none":
            amplifier.fixed_s = config.watchdog.fixed_s
            amplifier.boot()
        there = [name for name in DEVICES if config.device(name).transport != "none"]
        self._memory = {name: dict.fromkeys(_addresses(config, name), 0) for name in there}
        self._fast = [
            (modbus_map.sensor_at(name), name, own.device, own.address or 0, modbus_map.packer(name, own))
            for name in READINGS
            if (own := getattr(config.reading, name)).device != "none"
        ]
        self._outputs = {
            name: (own.device, modbus_map.unpacker(own))
            for name in OUTPUTS
            if (own := getattr(config.output, name)).device != "none"
        }
        self._show_time_to_live()

    def datastore(self, names: Iterable[str]) -> "Datastore":
        """The datastore of one bus with these devices."""
        return Datastore(self, {self.config.device(name).unit: name for name in names})

    def asked(self) -> int:
        """Counts a request, and dates it: what it writes acts from when it came, and what it reads is as it was then.
        Returns the exception to answer with, or 0."""
        self.requests += 1
        self._asked_ns = self.came_ns or time.monotonic_ns()
        return self.line.exception()

    # -- registers

    def advance(self) -> None:
        """Up to now, without a request."""
        super().advance()
        if self._master:
            own = self.config.output.heartbeat
            if own.device != "none" and own.address is not None:
                self._memory[own.device][own.address] = (self._memory[own.device][own.address] + 1) & 0xFFFF

    def read(self, name: str, addresses: range) -> Any:
        """Registers of a device, as they are now."""
        memory = self._memory[name]
        self._sample()
        try:
            return [memory[k] for k in addresses]
        except KeyError:
            return ExcCodes.ILLEGAL_ADDRESS

    def write(self, name: str, written: range, values: list[int]) -> Any:
        """Writes registers of a device; returns an exception if the device refuses."""
        memory = self._memory[name]
        if any(k not in memory for k in written):
            return ExcCodes.ILLEGAL_ADDRESS
        if self._is(self.config.watchdog, name, written) and not self._takes_time_to_live(written.start, values):
            return ExcCodes.ILLEGAL_VALUE
        self.amplifier.advance(self._asked_ns, asked=True)
        memory.update(zip(written, values, strict=True))
        self._written(name, written)
        return None

    def _sample(self) -> None:
        """Puts the newest readings into their registers."""
        self.amplifier.advance(self._asked_ns, asked=True)
        values, tick = self.amplifier.shown()
        for sensor, name, device, address, pack in self._fast:
            value = values[sensor] if sensor >= 0 else float(tick if name == "device_tick" else self.amplifier.trip)
            for k, word in enumerate(pack(value)):
                self._memory[device][address + k] = word

    def _written(self, name: str, written: range) -> None:
        output = self.config.output
        if self._is(output.heartbeat, name, written):
            heartbeat = self._value("heartbeat")
            if heartbeat != self._heartbeat:
                self._heartbeat = heartbeat
                self.amplifier.feed()
        if self._is(output.reset, name, written):
            if self._value("reset"):
                self.amplifier.reset()  # before what the same request commands
            self._memory[name].update(dict.fromkeys(_span(output.reset), 0))
        if any(self._is(getattr(output, key), name, written) for key in ("valve", "enable", "supply")):
            self.amplifier.command(self._value("valve"), int(self._value("enable", 1)), int(self._value("supply", 2)))
            if output.heartbeat.device == "none":
                self.amplifier.feed()  # a device without heartbeat lives on its commands

    _heartbeat: float = -1.0

    @staticmethod
    def _is(own: Register, name: str, written: range) -> bool:
        return own.device == name and own.address in written

    def _value(self, name: str, missing: float = 0.0) -> float:
        """The value in an output's registers; a switch that is not in the map is on."""
        if name not in self._outputs:
            return missing
        device, unpack = self._outputs[name]
        return unpack(self._memory[device])

    def _takes_time_to_live(self, address: int, values: list[int]) -> bool:
        own = self.config.watchdog
        begin = (own.address or 0) - address
        words = values[begin : begin + own.length]
        if len(words) < own.length:
            return False
        asked_s = own.scale * raw_of(own, words) + own.offset
        if not SHORTEST_S <= asked_s <= LONGEST_S * (1 + 1e-9):
            return False
        self.amplifier.time_to_live_s = asked_s
        return True

    def _show_time_to_live(self) -> None:
        own = self.config.watchdog
        if own.device != "none":
            words = words_of(own, self.amplifier.time_to_live_s)
            self._memory[own.device].update(
                zip(range(own.address or 0, (own.address or 0) + own.length), words, strict=True)
            )

    def status(self) -> dict[str, Any]:
        """The state of the device."""
        return {
            **super().status(),
            "registers": {name: {str(k): word for k, word in sorted(memory.items())}
                          for name, memory in self._memory.items()},
        }  # fmt: skip

    # -- faults of the device itself

    def do_clear(self) -> None:
        """Ends all faults."""
        super().do_clear()
        self._master = False

    def do_reboot(self) -> None:
        """Boots."""
        super().do_reboot()
        for memory in self._memory.values():
            memory.update(dict.fromkeys(memory, 0))
        self._heartbeat = -1.0
        self._show_time_to_live()

    def do_other_master(self) -> None:
        """Another master writes the heartbeat."""
        self._master = True


def _span(own: Register) -> range:
    return range(own.address or 0, (own.address or 0) + own.length)


def _addresses(config: Config, name: str) -> set[int]:
    """Every register that the map knows of a device, and what one request may read across."""
    found: set[int] = set()
    for request in requests(config, name):
        found |= set(range(request.read_at, request.read_at + request.read_count))
        found |= set(range(request.write_at, request.write_at + request.write_count))
    if config.watchdog.device == name and config.watchdog.address is not None:
        found |= set(range(config.watchdog.address, config.watchdog.address + config.watchdog.length))
    return found
