"""An amplifier that obeys registers: what it does with commands, and without them.

It keeps the rules of the firmware (firmware_bridge/PROTOCOL.md): a time-to-live that nothing disables, trips that are
latched, the first one kept, and a slew-limited null as the safe action; a step for the emergency stop alone. While it
is commanded to enable or to supply, another heartbeat must come within the time-to-live.
"""

from enum import IntEnum

from firmware_bridge.emulate.plant import Plant
from firmware_bridge.emulate.sensor_faults import SensorFaults
from hilctl.signals import SENSORS

SLEW_PER_S = 25.0  # of the safe action, full openings a second: 0.8 m/s is stopped within the reference rig's 40 m/s²
SHORTEST_S, LONGEST_S = 1e-3, 0.1  # bounds of every time-to-live
SENSE_M = 1.1  # times the stroke: what the displacement sensor can say
_SENSOR_TICKS = 3
_X, _STOP = SENSORS.index("displacement"), SENSORS.index("emergency_stop")


class DeviceTrip(IntEnum):
    """What has tripped the device: the number in its fault register."""

    NONE = 0
    TIME_TO_LIVE = 1
    END_STOP = 2
    EMERGENCY_STOP = 3
    SENSOR = 4
    WATCHDOG = 5
    ENABLE_LOST = 6


class Amplifier:
    """The device between registers and plant."""

    def __init__(self, plant: Plant, stroke_m: float) -> None:
        self.plant, self.sensors = plant, SensorFaults()
        self._end_m, self._sense_m = 0.98 * stroke_m, SENSE_M * stroke_m
        self.polarity = 1.0
        self.fixed_s: float | None = None  # a time-to-live that nobody sets, which also runs while nothing is commanded
        self.slowness = 1.0  # of its watchdog: how many times as long as it says
        self.boots = 0
        self.boot()

    def boot(self) -> None:
        """As after switching on: null, nothing tripped, the longest time-to-live."""
        self.boots += 1
        self.trip = DeviceTrip.NONE
        self.time_to_live_s = self.fixed_s or LONGEST_S
        self.wanted = (0.0, 0, 0)
        self.out = (0.0, 0, 0)
        self.counted_from = self.fed_tick = self.trip_tick = self.plant.tick
        self._outside = 0
        self.plant.command(*self.out)

    @property
    def tick(self) -> int:
        """Its own counter, of the plant's periods since it was switched on."""
        return self.plant.tick - self.counted_from

    def command(self, valve: float, enable: int, supply: int) -> None:
        """The host's command, applied at once unless the device has tripped."""
        wanted = (max(-1.0, min(1.0, valve)), int(enable != 0), min(max(supply, 0), 2))
        if (wanted[1] or wanted[2]) and not (self.wanted[1] or self.wanted[2]):
            self.feed()  # from the first command on
        self.wanted = wanted
        if not self.trip:
            self._put(wanted)

    def feed(self) -> None:
        """The heartbeat has moved."""
        self.fed_tick = self.plant.tick

    def advance(self, now_ns: int, *, asked: bool = False) -> None:
        """Up to now. `asked`: because a request has come, which is no silence, however late this process is."""
        left = self.plant.due(now_ns)
        while left > 0:
            step = 1 if self.trip and self.out[1] else left
            if not self.trip and not asked and (self.wanted[1] or self.wanted[2] or self.fixed_s):
                lives_s = self.slowness * self.time_to_live_s
                lives = round(lives_s / self.plant.period_s) - (self.plant.tick - self.fed_tick)
                if lives <= 0:
                    self.tripped(DeviceTrip.TIME_TO_LIVE)
                    continue
                step = min(step, lives)
            self.plant.run(step)
            left -= step
            self._watch()

    def tripped(self, cause: DeviceTrip) -> None:
        """Latches the first cause; the safe action begins."""
        if self.trip:
            return
        self.trip, self.trip_tick = cause, self.plant.tick
        if cause in (DeviceTrip.EMERGENCY_STOP, DeviceTrip.WATCHDOG, DeviceTrip.ENABLE_LOST):
            self._put((0.0, 0, 0))  # by wire, not by the program

    def reset(self) -> bool:
        """Forgets the trip, where the output is at null, its cause is gone, and nobody commands."""
        free = not self.out[1] and not self.wanted[1] and not self.wanted[2]
        stopped = self.trip == DeviceTrip.EMERGENCY_STOP and self.shown()[0][_STOP] > 0.5
        if self.trip and free and not stopped:
            self.trip = DeviceTrip.NONE
            self.feed()
        return not self.trip

    def shown(self) -> tuple[list[float], int]:
        """What the sensors say, and the sample's number."""
        return self.sensors.shown(self.plant.values(), self.tick)

    def _watch(self) -> None:
        """After some periods: the ends, the sensors, the ramp of the safe action."""
        if self.trip:
            if self.out[1]:
                self._ramp()
            return
        values = self.plant.values()
        if self.sensors.active:
            values, _ = self.sensors.shown(values, self.tick)
        x = values[_X]
        self._outside = 0 if abs(x) <= self._sense_m else self._outside + 1
        if values[_STOP] > 0.5 and (self.out[1] or self.out[2]):
            self.tripped(DeviceTrip.EMERGENCY_STOP)
        elif self.out[1] and self._outside >= _SENSOR_TICKS:
            self.tripped(DeviceTrip.SENSOR)
        elif self.out[1] and self._outside == 0 and abs(x) > self._end_m:
            self.tripped(DeviceTrip.END_STOP)

    def _ramp(self) -> None:
        valve, step = self.out[0], SLEW_PER_S * self.plant.period_s
        valve = max(valve - step, 0.0) if valve > 0 else min(valve + step, 0.0)
        self._put((valve, 1, self.out[2]) if valve else (0.0, 0, 0))

    def _put(self, out: tuple[float, int, int]) -> None:
        if out != self.out:
            self.out = out
            self.plant.command(self.polarity * out[0], out[1], out[2])
