"""Parts of the Modbus tests: a device in a process of its own, a driver on it, exchanges by hand."""

import atexit
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS
from firmware_bridge.modbus.driver import ModbusDriver, resolve
from firmware_bridge.modbus.fill import link_health
from firmware_bridge.registry import exchange_of
from hilctl.signals import SENSORS
from tests.unit.modbus import modbus_maps
from tests.unit.modbus.modbus_maps import facts

HOUSE = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
QUICK_LINE = {"transport": "rtu", "baud": 4_000_000, "parity": "none", "gap_s": 0.0}  # a pseudo-terminal has no speed


class Device:
    """The process, and what is told to it."""

    def __init__(self, kind: str, *more: str) -> None:
        self.kind = kind
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.system.modbus_device", kind, *more], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(HOUSE)},
        )  # fmt: skip
        try:
            self.place = self._answer()
        except BaseException:
            self.end()
            raise

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the device ended"
        return json.loads(line)

    def tell(self, **said: Any) -> Any:
        """A command; its answer: the registers."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(said) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def faults(self, **faults: Any) -> None:
        """From now on these; none for none."""
        self.tell(faults=faults)

    @property
    def registers(self) -> list[int]:
        """As they stand."""
        found: list[int] = self.tell()["registers"]
        return found

    def reach(self) -> dict[str, Any]:
        """The device's table for the rig file."""
        if self.kind == "tcp":
            return {"transport": "tcp", "host": "127.0.0.1", "port": self.place["port"]}
        return {**QUICK_LINE, "serial": self.place["serial"]}

    def table(self, **changes: Any) -> dict[str, Any]:
        """The driver's table on this device, patient with a host that stalls."""
        # Without read-backs, which would make another count of requests in every test that counts them.
        patient = {"connect_timeout_s": 0.5, "answer_timeout_s": 0.4, "read_back_every": 0}
        patient |= {f"reading__{name}__stale_s": 2.0 for name in modbus_maps.MAP["reading"]}
        shown = {key: value for key, value in changes.items() if not key.startswith("amplifier__")}
        made = modbus_maps.table(**{**patient, **shown})
        made["amplifier"] = self.reach()
        for key, value in changes.items():
            if key.startswith("amplifier__"):
                made["amplifier"][key.partition("__")[2]] = value
        return made

    def end(self) -> None:
        """Gone, at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


_idle: dict[str, list[Device]] = {"tcp": [], "rtu": []}


@contextmanager
def device(kind: str) -> Iterator[Device]:
    """A device as after switching on. Its process serves the next test too, for starting it takes seconds."""
    made = _idle[kind].pop() if _idle[kind] else Device(kind)
    made.tell(begin=True)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            _idle[kind].append(made)


@atexit.register
def _end_all() -> None:
    for made in (*_idle["tcp"], *_idle["rtu"]):
        made.end()


class Dialogue:
    """Exchanges with one driver, tick by tick."""

    def __init__(self, driver: ModbusDriver, limit_s: float = 0.5) -> None:
        self.driver, self.exchange, self.limit_s = driver, exchange_of(driver), limit_s
        self.command: Any = np.zeros(1, COMMAND)[0]
        self.readings: Any = np.zeros(1, READINGS)[0]
        for name in (READINGS.names or ())[: len(SENSORS)]:
            self.readings[name] = math.nan

    def tick(self, valve: float = 0.0, enable: int = 0, supply: int = 0) -> int:
        """One exchange within the limit."""
        self.command.valve, self.command.enable, self.command.supply = valve, enable, supply
        self.command.periods = 1
        self.command.tick += 1
        self.command.deadline_ns = time.monotonic_ns() + round(self.limit_s * 1e9)
        return int(self.exchange(self.driver.state, self.command, self.readings))

    def until(self, condition: Callable[[int], bool]) -> list[int]:
        """Ticks until a status satisfies; every status on the way."""
        seen: list[int] = []
        give_up_s = time.monotonic() + PATIENCE_S
        while not seen or not condition(seen[-1]):
            assert time.monotonic() < give_up_s, seen[-20:]
            seen.append(self.tick())
        return seen

    @property
    def health(self) -> Any:
        """The counters of the first bus."""
        return link_health(self.driver.state)[0]


@contextmanager
def opened(table: dict[str, Any], rate_hz: float = 1000.0, *, armed: bool = True, **changes: Any) -> Any:
    """A driver of this table, reached, and armed if that is asked for."""
    rig = facts(rate_hz, **changes)
    with reached_and_armed(ModbusDriver(resolve(table, rig), rig), armed=armed) as driver:
        yield driver


@contextmanager
def reached_and_armed(driver: ModbusDriver, *, armed: bool = True) -> Iterator[ModbusDriver]:
    """Reached, checked without a problem, and armed."""
    try:
        driver.open()
        if armed:
            problems = driver.check()
            assert not problems, problems
            driver.arm()
        yield driver
    finally:
        driver.disarm()
        driver.close()


@contextmanager
def talking(kind: str, **changes: Any) -> Iterator[tuple[Device, Dialogue]]:
    """A device and a dialogue with it."""
    with device(kind) as made, opened(made.table(**changes)) as driver:
        yield made, Dialogue(driver)
