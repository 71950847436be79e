"""What devices with an emulated amplifier in them have in common, whatever they speak: its state and its faults."""

import statistics
import time
from collections import deque
from typing import Any

from firmware_bridge.emulate.amplifier import Amplifier, DeviceTrip
from firmware_bridge.emulate.emulated import HARDWARE_WATCHDOG_S, Emulated
from firmware_bridge.emulate.line_faults import LineFaults


class AmplifierDevice(Emulated):
    """An amplifier behind a transport."""

    def __init__(self, transport: str, amplifier: Amplifier) -> None:
        self.transport, self.amplifier = transport, amplifier
        self.plant, self.sensors, self.line = amplifier.plant, amplifier.sensors, LineFaults()
        self.requests = 0
        self.spent_us: deque[float] = deque(maxlen=10_000)

    def advance(self) -> None:
        """Up to now, without a request."""
        self.amplifier.advance(time.monotonic_ns())

    def status(self) -> dict[str, Any]:
        """The state of the device."""
        own, spent = self.amplifier, sorted(self.spent_us)
        valve, enable, supply = own.out
        return {
            "transport": self.transport, "tick": own.tick, "trip": own.trip.name.lower(),
            "trip_tick": own.trip_tick - own.counted_from, "fed_tick": own.fed_tick - own.counted_from, "valve": valve,
            "enable": enable, "supply": supply, "boots": own.boots, "requests": self.requests,
            "time_to_live_s": own.time_to_live_s, "lost_s": 1e-9 * own.plant.lost_ns,
            "answer_p50_us": statistics.median(spent) if spent else 0.0,
            "answer_p99_us": spent[int(0.99 * (len(spent) - 1))] if spent else 0.0,
        }  # fmt: skip

    def do_clear(self) -> None:
        """Ends all faults."""
        super().do_clear()
        self.amplifier.polarity = self.amplifier.slowness = 1.0

    def do_reset(self) -> None:
        """The reset key."""
        self.advance()
        self.amplifier.reset()

    def do_stale(self) -> None:
        """Repeats one sample."""
        self.advance()
        self.sensors.freeze(*self.amplifier.shown())

    def do_reversed(self) -> None:
        """The valve's wires are exchanged."""
        self.amplifier.polarity = -1.0

    def do_valve_dead(self) -> None:
        """The valve's plug is out."""
        self.amplifier.polarity = 0.0

    def do_watchdog(self) -> None:
        """Trips the time-to-live now."""
        self.advance()
        self.amplifier.tripped(DeviceTrip.TIME_TO_LIVE)

    def do_slow_watchdog(self, factor: float) -> None:
        """Its watchdog is slower than set."""
        self.amplifier.slowness = factor

    def do_emergency_stop(self) -> None:
        """Opens the emergency stop."""
        self.sensors.hold("emergency_stop", 1.0)
        self.amplifier.tripped(DeviceTrip.EMERGENCY_STOP)

    def do_enable_lost(self) -> None:
        """Drops the enable."""
        self.amplifier.tripped(DeviceTrip.ENABLE_LOST)

    def do_hang(self, seconds: float) -> None:
        """Hangs; the hardware watchdog acts later."""
        self.do_timeout(seconds)
        self.later(HARDWARE_WATCHDOG_S, lambda: self.amplifier.tripped(DeviceTrip.WATCHDOG))

    def do_reboot(self) -> None:
        """Boots."""
        self.advance()
        self.amplifier.boot()
