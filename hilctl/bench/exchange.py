"""One exchange with a device: ours, by compiled code on the descriptor itself, against pymodbus' synchronous client.

Both talk to the same device, a small process that answers at once, so that what differs is the host. Each writes four
registers and reads fifteen by function 23. Rounds alternate; the ratio is the median of the pairs'. Once idle, and once
with a thread beside it that keeps the interpreter busy.
"""

import math
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS, exchange_signature
from firmware_bridge.modbus.driver import ModbusDriver
from firmware_bridge.modbus.settings import Config
from firmware_bridge.registry import exchange_of
from hilctl import rig
from hilctl.bench.host import host
from hilctl.params import check, record_of
from hilctl.rt.jit import jit, loop_type
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record
from hilctl.signals import Status

MOST = 4096
ROUND: "np.dtype[Any]" = record_of(
    [
        ("command", COMMAND),
        ("readings", READINGS),
        ("count", np.int64),
        ("good", np.int64),
        ("spent_ns", np.int64, (MOST,)),
    ]
)
_SIGNALS = ("displacement", "acceleration", "pressure_a", "pressure_b", "supply_pressure", "spool", "oil_temperature",
            "emergency_stop")  # fmt: skip
_LIMIT_NS = 100_000_000


@jit(lambda: loop_type(exchange_signature()), cached=True)
def rt_round(memory: Any, exchange: Any, state: Any) -> int:
    """Exchanges in a row, each timed, as the loop would make them."""
    own = as_record(memory, ROUND)
    own.good = 0
    for k in range(own.count):
        begun_ns = monotonic_ns()
        own.command.periods = 1
        own.command.deadline_ns = begun_ns + _LIMIT_NS
        if exchange(state, own.command, own.readings) == Status.OK:
            own.good += 1
        own.spent_ns[k] = monotonic_ns() - begun_ns
    return int(own.good)


def run(quick: bool) -> dict[str, Any]:
    """Microseconds of an exchange, and how many times faster than the library."""
    figures, ratios = {}, {}
    for transport in ("tcp", "rtu"):
        with _device(transport) as place, _driver(transport, place) as driver:
            figures[f"modbus-{transport}"], ratios[f"modbus-{transport}"] = _measure(driver, quick)
    return {"bench": "exchange", "figures": figures, "ratio": ratios, "host": host()}


def _measure(driver: ModbusDriver, quick: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    client = driver.links[0].client
    rounds, ours_n, theirs_n = (5, 500, 200) if quick else (15, 2000, 1000)
    ours, theirs = _rounds(driver, client, rounds, ours_n, theirs_n)
    with _busy_interpreter():
        ours_busy, theirs_busy = _rounds(driver, client, 3 if quick else 7, ours_n, 20 if quick else 50)
    figures = {**_percentiles(ours, ""), **_percentiles(ours_busy, "busy_"), **_percentiles(theirs, "library_"),
               **_percentiles(theirs_busy, "library_busy_")}  # fmt: skip
    return figures, {"vs_library": _ratio(ours, theirs), "vs_library_busy": _ratio(ours_busy, theirs_busy)}


def _rounds(driver: ModbusDriver, client: Any, rounds: int, ours_n: int, theirs_n: int) -> tuple[list[Any], list[Any]]:
    """Microseconds by round, of ours and of the library's."""
    exchange, memory = exchange_of(driver), np.zeros(ROUND.itemsize, np.uint8)
    own = memory.view(ROUND)[0]
    ours, theirs = [], []
    for _ in range(rounds):
        own.count = ours_n
        good = rt_round(memory, exchange, driver.state)
        if good < 0.9 * ours_n:
            raise AssertionError(f"only {good} of {ours_n} exchanges were answered")
        ours.append(own.spent_ns[:ours_n] / 1e3)
        theirs.append(np.array([_timed(lambda: _by_library(client)) for _ in range(theirs_n)]))
    return ours, theirs


def _by_library(client: Any) -> None:
    said = client.readwrite_registers(read_address=10, read_count=15, write_address=0, values=[0, 0, 0, 1], device_id=1)
    if len(said.registers) != 15:
        raise AssertionError("the device did not answer the library")


def _timed(call: Callable[[], None]) -> float:
    begun_ns = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begun_ns) / 1e3


def _percentiles(rounds: list[Any], name: str) -> dict[str, float]:
    every = np.concatenate(rounds)
    return {f"{name}p50_us": float(np.median(every)), f"{name}p99_us": float(np.percentile(every, 99))}


def _ratio(ours: list[Any], theirs: list[Any]) -> float:
    return statistics.median(float(np.median(t) / np.median(o)) for o, t in zip(ours, theirs, strict=True))


@contextmanager
def _busy_interpreter() -> Iterator[None]:
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            math.factorial(50)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _driver(transport: str, place: str) -> Iterator[ModbusDriver]:
    """The driver on the device, armed."""
    reach = {"transport": "tcp", "host": "127.0.0.1", "port": int(place)} if transport == "tcp" else {
        "transport": "rtu", "serial": place, "baud": 4_000_000, "parity": "none", "gap_s": 0.0}  # fmt: skip
    registers = {name: {"device": "amplifier", "address": 10 + 2 * k, "type": "int32"}
                 for k, name in enumerate(_SIGNALS)}  # fmt: skip
    registers["emergency_stop"]["type"] = "int16"
    outputs = {name: {"device": "amplifier", "address": k}
               for k, name in enumerate(("valve", "enable", "supply", "heartbeat"))}  # fmt: skip
    table = {"amplifier": {**reach, "fc23": True}, "output": outputs, "reading": registers,
             "watchdog": {"fixed_s": 0.01}, "connect_timeout_s": 1.0}  # fmt: skip
    driver = ModbusDriver(check(Config, table, "driver"), rig.load("table-500", twin=True).facts())
    driver.open()
    try:
        driver.arm()
        yield driver
    finally:
        driver.close()


@contextmanager
def _device(transport: str) -> Iterator[str]:
    """The device's process, and where it is: a TCP port, or the name of a pseudo-terminal."""
    command = [sys.executable, "-m", "hilctl.bench.exchange_device", transport]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()
