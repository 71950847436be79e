"""What all emulated devices have in common: one method `do_NAME` for each command of faults.py."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from firmware_bridge.emulate.faults import FaultError, help_text, parse
from firmware_bridge.emulate.line_faults import LineFaults
from firmware_bridge.emulate.plant import Plant
from firmware_bridge.emulate.sensor_faults import SensorFaults
from hilctl.signals import INPUTS

HARDWARE_WATCHDOG_S = 0.02


class Emulated(ABC):
    """A device with faults on command. A subclass adds transport, sensors, line and the abstract methods."""

    transport = ""
    plant: Plant
    sensors: SensorFaults
    line: LineFaults
    later: Callable[[float, Callable[[], None]], Any]  # seconds, what to do then
    finish: Callable[[], None]  # ends the emulation

    @staticmethod
    def now_s() -> float:
        """The clock of every fault."""
        return time.monotonic()

    def obey(self, text: str) -> str:
        """The answer to a line: `ok`, the result, or `error:` and what to write instead."""
        try:
            command = parse(text, self.transport)
            own = getattr(self, f"do_{command.name}", None) or partial(self.raise_input, command.name)
            said = own(*command.values)
        except FaultError as error:
            return f"error: {error}"
        return "ok" if said is None else str(said)

    # -- of each transport

    @abstractmethod
    def advance(self) -> None:
        """Runs plant and device up to now."""

    @abstractmethod
    def status(self) -> dict[str, Any]:
        """The state of the device."""

    # -- orders

    def do_status(self) -> str:
        """As one JSON object."""
        self.advance()
        return json.dumps(self.status() | self.plant.travel())

    def do_help(self) -> str:
        """Every command."""
        return help_text(self.transport)

    def do_clear(self) -> None:
        """Ends all faults."""
        self.sensors.clear()
        self.line.clear()

    def do_begin(self) -> None:
        """Puts the plant back to its beginning."""
        self.plant.begin()

    def do_mark(self) -> None:
        """Measures travel from here."""
        self.advance()
        self.plant.mark()

    def do_quit(self) -> None:
        """Ends."""
        self.finish()

    # -- sensors

    def do_nan(self, sensor: str) -> None:
        """The sensor gives no number."""
        self.sensors.none(sensor)

    def do_sentinel(self, sensor: str) -> None:
        """The sensor reads its lowest count."""
        self.sensors.lowest(sensor)

    def do_stuck(self, sensor: str) -> None:
        """The reading no longer changes."""
        self.sensors.stuck(sensor)

    def do_range(self, sensor: str, value: float) -> None:
        """The sensor reads this value."""
        self.sensors.hold(sensor, value)

    def do_drift(self, sensor: str, rate: float) -> None:
        """The reading drifts."""
        self.sensors.drift(sensor, rate, self.now_s)

    def do_sign(self, sensor: str) -> None:
        """The sign is reversed."""
        self.sensors.flip(sensor)

    def do_dead(self, sensor: str) -> None:
        """The sensor reads 0."""
        self.sensors.hold(sensor, 0.0)

    def do_swap(self) -> None:
        """The two pressures are exchanged."""
        self.sensors.swap_pressures()

    def do_spike(self, sensor: str, size: float) -> None:
        """One sample is off."""
        self.sensors.spike(sensor, size)

    def do_supply(self, share: float) -> None:
        """The supply pressure reads low or high."""
        self.sensors.scale("supply_pressure", share)

    def do_read_back(self, offset: float) -> None:
        """The spool position reads off."""
        self.sensors.shift("spool", offset)

    def raise_input(self, name: str) -> None:
        """It reads 1: the command of every input that has no method of its own."""
        if name not in INPUTS:
            raise FaultError(f"no rig has the input {name}")
        self.sensors.hold(name, 1.0)

    # -- the line

    def do_timeout(self, seconds: float) -> None:
        """Ignores requests for a time."""
        self.line.silent_until_s = self.now_s() + seconds

    def do_half_open(self) -> None:
        """Never answers again."""
        self.line.silent_until_s = float("inf")

    def do_delay(self, seconds: float, every: int) -> None:
        """Delays answers."""
        self.line.delay_s, self.line.delay_every = seconds, every

    def do_flip(self, bits: int, count: int) -> None:
        """Flips bits of answers."""
        self.line.bits, self.line.flips = bits, count

    def do_truncate(self, size: int, count: int) -> None:
        """Cuts answers short."""
        self.line.keep, self.line.cuts = size, count

    def do_oversize(self, size: int, count: int) -> None:
        """Lengthens answers."""
        self.line.more, self.line.grows = size, count

    def do_unit(self, count: int) -> None:
        """Answers as another unit."""
        self.line.units = count

    def do_exception(self, code: int, count: int) -> None:
        """Answers with exceptions."""
        self.line.exception_code, self.line.exceptions = code, count

    def do_duplicate(self, count: int) -> None:
        """Repeats answers."""
        self.line.copies = count

    def do_old(self, count: int) -> None:
        """Sends previous answers again."""
        self.line.olds = count

    def do_lose(self, every: int) -> None:
        """Loses requests."""
        self.line.lose_every = every
