"""A driver on the table: opened, checked, armed, and exchanged with by hand, tick by tick."""

import math
import types
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS, complaints
from firmware_bridge.registry import configured, exchange_of, find
from hilctl import rig
from hilctl.rt.libc import monotonic_ns, sleep_until_ns
from hilctl.signals import SENSORS

RATE_HZ = 1000.0
PERIOD_NS = round(1e9 / RATE_HZ)
_PATIENCE_NS = 500_000_000  # an answer over a host that is busy
_NEVER_NS = 2**62
SENSOR_FIELDS: tuple[str, ...] = (READINGS.names or ())[: len(SENSORS)]
REQUIRED, OPTIONAL = SENSOR_FIELDS[:4], SENSOR_FIELDS[4:]


class Bench:
    """A kind of driver, its table of the rig file, and what it is.

    `simulation`: it reads the same again, and has no time of its own. `live`: it answers the valve. `real`: a device
    behind it has a time of its own, so that ticks must take theirs. `reach` gives a new table for every driver
    that the test makes, where each needs a device of its own.
    """

    def __init__(
        self,
        name: str,
        table: Mapping[str, Any] | None = None,
        *,
        reach: Callable[[], Mapping[str, Any]] | None = None,
        simulation: bool = False,
        live: bool = False,
        real: bool = False,
        rig_file: str = "table-500",
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        self.simulation, self.live, self.real = simulation, live, real
        self.kind: Any = find(name)
        facts = rig.load(rig_file, twin=True, changes=changes).facts(virtual=simulation)
        self.facts = facts._replace(rate_hz=RATE_HZ)
        self._reach = reach or (lambda: table or {})
        self._made: list[Any] = []
        self.config: Any = None

    def fresh(self, *, armed: bool = True) -> Any:
        """A new driver; opened, checked and armed."""
        self.config = configured(self.kind, self._reach(), self.facts)
        driver = self.kind(self.config, self.facts)
        self._made.append(driver)
        if armed:
            driver.open()
            problems = complaints(driver.check())
            assert problems == [], problems
            driver.arm()
        return driver

    def dialogue(self, driver: Any = None) -> "Dialogue":
        """Exchanges with this driver, or with a new one."""
        return Dialogue(driver or self.fresh(), real=self.real)

    def close(self) -> None:
        """Leaves every driver that it made safe, and closes it."""
        for driver in self._made:
            driver.disarm()
            driver.close()
        self._made.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: types.TracebackType | None) -> None:
        self.close()


class Dialogue:
    """Exchanges with one driver, as the loop makes them."""

    def __init__(self, driver: Any, *, real: bool = False) -> None:
        self.driver, self.exchange, self._real = driver, exchange_of(driver), real
        self.command: Any = np.zeros(1, COMMAND)[0]
        self.readings: Any = np.zeros(1, READINGS)[0]
        self.command.tick = -1
        self._due_ns = 0
        for name in OPTIONAL:
            self.readings[name] = math.nan

    def tick(self, valve: float = 0.0, enable: int = 0, supply: int = 0, periods: int = 1) -> int:
        """One exchange; its status. A device with a time of its own gets the time of these periods first."""
        self.command.valve, self.command.enable, self.command.supply = valve, enable, supply
        self.command.periods = periods
        self.command.tick += periods
        self.command.deadline_ns = _NEVER_NS
        if self._real:
            self._due_ns = max(self._due_ns, monotonic_ns()) + periods * PERIOD_NS
            sleep_until_ns(self._due_ns)
            self.command.deadline_ns = monotonic_ns() + _PATIENCE_NS
        return int(self.exchange(self.driver.state, self.command, self.readings))
