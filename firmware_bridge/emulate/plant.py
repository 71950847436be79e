"""The plant in real time: a driver that is advanced to now by whole periods, and holds the last command exactly.

The remainder of a period is carried, so that the plant keeps the host's time. It may be polled at any rate. A command
that comes within a period acts for the rest of it: the period has the mean of both, since a valve shows no more of it.
(Rounded to periods of 50 µs, compensated sines had two to eight times the distortion.)
"""

import math
import time
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS
from firmware_bridge.registry import exchange_of
from hilctl.signals import SENSORS

_X = SENSORS.index("displacement")
_LONGEST_NS = 2_000_000_000  # longest stall of this process that is caught up; more is lost, and counted


class Plant:
    """A driver's plant, and what its sensors show."""

    def __init__(self, driver: Any, period_s: float) -> None:
        self.period_s, self._period_ns = period_s, round(1e9 * period_s)
        self._driver, self._exchange = driver, exchange_of(driver)
        command, readings = np.zeros(1, COMMAND), np.zeros(1, READINGS)
        self._command: Any = command[0]
        self._fields = {name: command[name] for name in COMMAND.names or ()}  # a record's attributes are slow
        self._readings: Any = readings[0]
        self._shown = np.ndarray((len(SENSORS),), np.float64, readings)  # the record begins with the sensors
        self._shown[:] = np.nan
        self.tick = self.lost_ns = 0
        self._low_m = self._high_m = self._mark_m = 0.0
        self._at_ns = self._now_ns = time.monotonic_ns()
        self._next = math.nan  # the valve's command after a period that has the mean of two
        driver.open()
        self._call(0)
        self.mark()

    def begin(self) -> None:
        """Back to its beginning, at rest."""
        self._driver.open()
        self._call(0)
        self.mark()

    def mark(self) -> None:
        """Measures travel from here."""
        self._low_m = self._high_m = self._mark_m = float(self._shown[_X])

    def travel(self) -> dict[str, float]:
        """True position, and true travel either way since the mark."""
        return {"position_m": float(self._shown[_X]),
                "travelled_m": max(self._high_m - self._mark_m, self._mark_m - self._low_m)}  # fmt: skip

    def due(self, now_ns: int) -> int:
        """Whole periods that are due; a command that follows has come at that instant."""
        self._now_ns = now_ns
        behind_ns = now_ns - self._at_ns
        if behind_ns > _LONGEST_NS:
            self.lost_ns += behind_ns - _LONGEST_NS
            self._at_ns += behind_ns - _LONGEST_NS
            behind_ns = _LONGEST_NS
        return max(behind_ns // self._period_ns, 0)

    def behind_s(self) -> float:
        """How long ago it was advanced."""
        return 1e-9 * (time.monotonic_ns() - self._at_ns)

    def run(self, periods: int) -> None:
        """Runs periods with the active command."""
        self._at_ns += periods * self._period_ns
        self.tick += periods
        if periods > 0 and not math.isnan(self._next):
            self._call(1)
            self._fields["valve"][0], self._next, periods = self._next, math.nan, periods - 1
            self._call(0)
        if periods > 0:
            self._call(periods)

    def command(self, valve: float, enable: int, supply: int) -> None:
        """Sets the active command."""
        own, into = self._fields, (self._now_ns - self._at_ns) / self._period_ns
        if enable and own["enable"][0] and 0.0 < into < 1.0:
            before = float(own["valve"][0] if math.isnan(self._next) else self._next)
            own["valve"][0] += (1.0 - into) * (valve - before)
            self._next = valve
        else:
            own["valve"][0], self._next = valve, math.nan
        own["enable"][0], own["supply"][0] = enable, supply
        self._call(0)  # a driver takes a command at the end of its periods

    def values(self) -> list[float]:
        """What the sensors show, in the order of signals.SENSORS, in SI units."""
        shown: list[float] = self._shown.tolist()
        return shown

    def _call(self, periods: int) -> None:
        own = self._fields
        own["periods"][0], own["deadline_ns"][0] = periods, time.monotonic_ns() + self._period_ns
        self._exchange(self._driver.state, self._command, self._readings)
        x = float(self._shown[_X])
        self._low_m, self._high_m = min(self._low_m, x), max(self._high_m, x)

    def close(self) -> None:
        """Closes the driver."""
        self._driver.disarm()
        self._driver.close()
