"""`hilctl emulate serial`: the firmware's own core, in this process, with a plant behind it and a pseudo-terminal."""

import ctypes
import math
import os
import time
from pathlib import Path
from typing import Any

from firmware_bridge.emulate.emulated import HARDWARE_WATCHDOG_S, Emulated
from firmware_bridge.emulate.faults import SERIAL
from firmware_bridge.emulate.line_faults import LineFaults
from firmware_bridge.emulate.plant import Plant
from firmware_bridge.emulate.pty_line import PtyLine
from firmware_bridge.emulate.sensor_faults import SensorFaults
from firmware_bridge.firmware.build import library
from firmware_bridge.serial_frame.messages import SCALED
from hilctl.signals import INPUTS, SENSORS

TICK_HZ = 4000  # of the device: so often it looks at sensors and limits. A command acts when it comes
ONE = 1 << 30  # full opening
_ROOM = 4096
_WIDE, _NARROW = (-(2**31), 2**31 - 1), (-(2**15), 2**15 - 1)
# Counts of one SI unit, as in the reference board's IDENTITY (firmware/boards/witness.c), and the range of the type.
_COUNTS: dict[str, tuple[float, tuple[int, int]]] = {
    "displacement": (1e9, _WIDE), "acceleration": (1e6, _WIDE), "pressure_a": (10.0, _WIDE),
    "pressure_b": (10.0, _WIDE), "supply_pressure": (5e-4, _NARROW), "spool": (1e4, _NARROW),
    "oil_temperature": (100.0, _NARROW), **dict.fromkeys(INPUTS, (1.0, (0, 1))),
}  # fmt: skip
_NOISE_S = 0.002


class FirmwareDevice(Emulated):
    """Core, plant and line."""

    transport = SERIAL

    def __init__(self, plant: Plant) -> None:
        self.plant, self.sensors, self.line = plant, SensorFaults(), LineFaults()
        self._core = _loaded()
        self._in, self._out = (ctypes.c_int32 * len(_COUNTS))(), (ctypes.c_int32 * 3)()
        self._said = ctypes.create_string_buffer(_ROOM)
        self._order = [(SENSORS.index(name), *_COUNTS[name]) for name in (*SCALED, *INPUTS)]
        self._put: tuple[int, ...] = (0, 0, 0)
        self._polarity = 1.0
        self._every = self._until_tick = round(1.0 / (TICK_HZ * plant.period_s))  # periods of the plant
        self._core.emulated_boot(_boot_id(), TICK_HZ)
        plant.command(0.0, 0, 0)

    async def begin(self, link: Path) -> list[str]:
        """Creates the line; returns where it is."""
        self._line = PtyLine(link, self._heard, dated=True)
        return [str(link)]

    def end(self) -> None:
        """Removes the line."""
        self._line.close()

    def advance(self) -> None:
        """Up to now."""
        self._run(time.monotonic_ns())

    def _run(self, until_ns: int) -> None:
        """Runs the plant, with every device tick on the way."""
        left = self.plant.due(until_ns)
        while left > 0:
            step = min(left, self._until_tick)
            self.plant.run(step)
            left, self._until_tick = left - step, self._until_tick - step
            if self._until_tick == 0:
                self._until_tick = self._every
                values, _ = self.sensors.shown(self.plant.values(), self.plant.tick)
                self._tick(values)

    def _tick(self, values: list[float]) -> None:
        self._in[:] = [_count(values[k], scale, bounds) for k, scale, bounds in self._order]
        self._core.emulated_tick(self._in, self._out)
        if self._core.emulated_babble(self._said, 32):
            self._line.write(self._said.raw[:32])
        self._drive()

    def _drive(self) -> None:
        out = tuple(self._out)
        if out != self._put:
            self._put = out
            self.plant.command(self._polarity * out[0] / ONE, out[1], out[2])

    def _heard(self, data: bytes, came_ns: int) -> None:
        self._run(came_ns)
        now_s = self.now_s()
        if not self.line.hears(now_s) or self._core.emulated_hung():
            return
        count = self._core.emulated_receive(data, len(data), self._said, _ROOM, self._out)
        self._drive()
        if not count:
            return
        for piece in self.line.outgoing(self._said.raw[:count], now_s):
            if piece.delay_s:
                self.later(piece.delay_s, lambda late=piece.data: self._line.write(late))  # type: ignore[misc]
            else:
                self._line.write(piece.data)

    def ask(self, text: str) -> str:
        """Sends a line to the witness; returns its answer."""
        count = self._core.emulated_obey(text.encode(), self._said, _ROOM)
        return self._said.raw[:count].decode().strip()

    def status(self) -> dict[str, Any]:
        """The state from the witness, and from the plant."""
        seen = {name: int(value) for name, _, value in (pair.partition("=") for pair in self.ask("?").split())}
        return {"transport": self.transport, **seen, "dropped": self._line.dropped, "lost_s": 1e-9 * self.plant.lost_ns}

    # -- faults and orders of this device

    def do_witness(self, text: str) -> str:
        """Forwards a command to the witness line."""
        self.advance()
        return self.ask(text)

    def do_clear(self) -> None:
        """Ends all faults."""
        super().do_clear()
        for fault in ("mute", "deaf", "hung", "flip", "cut", "twice", "babble", "still"):
            self.ask(f"line {fault} 0")
        self.ask("free")
        self._polarity = 1.0

    def do_stale(self) -> None:
        """The device's time stops."""
        self.ask("line still 1")

    def do_reversed(self) -> None:
        """The valve's wires are exchanged."""
        self._polarity = -1.0

    def do_valve_dead(self) -> None:
        """The valve's plug is out."""
        self._polarity = 0.0

    def do_watchdog(self) -> None:
        """Runs ticks until the time-to-live has passed."""
        self.advance()
        for _ in range(self.status()["ttl_ticks"] + 1):
            self._core.emulated_tick(self._in, self._out)

    def do_babble(self, seconds: float) -> None:
        """Noise on the line."""
        until_s = self.now_s() + seconds

        def more() -> None:
            if self.now_s() < until_s:
                self._line.write(self.line.noise(32))
                self.later(_NOISE_S, more)

        more()

    def do_hang(self, seconds: float) -> None:
        """Hangs until the hardware watchdog resets it."""
        self.advance()
        self.do_timeout(seconds)
        self.ask("line hung 1")

        def reset() -> None:
            self.ask("line hung 0")
            self.ask("watchdog")

        self.later(HARDWARE_WATCHDOG_S, reset)

    def do_reboot(self) -> None:
        """Boots."""
        self.advance()
        self.ask("reboot")

    def do_unplug(self, seconds: float) -> None:
        """The adapter is unplugged for a time, and the device has no supply."""
        self._line.unplug()
        self.do_reboot()
        self.later(seconds, self._line.plug)


def _count(value: float, scale: float, bounds: tuple[int, int]) -> int:
    if not math.isfinite(value):
        return bounds[0]
    return max(bounds[0], min(bounds[1], round(value * scale)))


def _boot_id() -> int:
    return int.from_bytes(os.urandom(4), "little") | 1


def _loaded() -> ctypes.CDLL:
    core = ctypes.CDLL(str(library()))
    text, size = ctypes.c_char_p, ctypes.c_size_t
    core.emulated_boot.argtypes = [ctypes.c_uint32, ctypes.c_uint32]
    core.emulated_boot.restype = core.emulated_tick.restype = None
    wide = ctypes.c_int32
    core.emulated_receive.argtypes, core.emulated_receive.restype = [text, size, text, size, wide * 3], size
    core.emulated_tick.argtypes = [wide * len(_COUNTS), wide * 3]
    core.emulated_obey.argtypes, core.emulated_obey.restype = [text, text, size], size
    core.emulated_babble.argtypes, core.emulated_babble.restype = [text, size], size
    return core
