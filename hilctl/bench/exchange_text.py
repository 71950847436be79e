"""A serial device that speaks text: our driver on it, and a client as one writes it with pyserial, split and float."""

import binascii
import copy
import statistics
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import serial

from firmware_bridge.serial_text.driver import SerialTextDriver, resolve
from firmware_bridge.serial_text.exchange import rt_take
from firmware_bridge.serial_text.record import DESK_AT, HEAD, OUTBOX_AT
from firmware_bridge.serial_text.rt_codec import rt_build, rt_read
from firmware_bridge.serial_text.wire import rt_number_outputs
from hilctl import rig
from hilctl.bench.exchange_device import TEXT_ANSWER
from hilctl.bench.exchange_peers import Peer, answering
from hilctl.rt.jit import exchange_type, jit, record_type
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record

_TEXT = {
    "devices": {"box": {"baud": 12_000_000, "checksum": "crc16_ccitt"}},
    "messages": {"set": {
        "device": "box", "request": "V{valve:+8.5f}{enable:0|1}{supply:0|1|2}*{check:X4}\\r",
        "answer": "{displacement:+9.4f},{acceleration:+9.4f},{pressure_a:8.4f},{pressure_b:8.4f},{spool:+7.4f},"
        "{fault:X2}*{check:X4}\\r",
    }},
    "watchdog": {"fixed_s": 0.01}, "connect_timeout_s": 1.0,
}  # fmt: skip


@contextmanager
def text() -> Iterator[Peer]:
    """A command of three fields and an answer of six, both with a CRC; against pyserial, split and float."""
    own: dict[str, Any] = copy.deepcopy(_TEXT)
    with answering("text") as place:
        own["devices"]["box"]["port"] = place
        absent = {f"sensors.{name}.present": False for name in ("supply_pressure", "oil_temperature", "emergency_stop")}
        facts = rig.load("table-500", twin=True, changes=absent).facts()
        driver = SerialTextDriver(resolve(own, facts), facts)
        driver.open()
        try:
            driver.arm()
            ours = termios.tcgetattr(driver.links[0].descriptor())
            with serial.Serial(place, timeout=1.0) as port:
                termios.tcsetattr(port.fileno(), termios.TCSANOW, ours)
                yield Peer(driver, lambda: _by_splitting(port), lambda: {"codec_us": codec_us(driver)})
        finally:
            driver.close()


def codec_us(driver: SerialTextDriver) -> float:
    """Building that request and reading that answer, without the line."""
    state = driver.state.copy()
    answer = TEXT_ANSWER + f"{binascii.crc_hqx(TEXT_ANSWER, 0xFFFF):04X}\r".encode()
    state[DESK_AT : DESK_AT + len(answer)] = list(answer)
    spent = [rt_codec(state, 1000, len(answer)) / 1e6 for _ in range(21)]
    if min(spent) < 0:
        raise AssertionError("the answer was not read")
    return statistics.median(spent)


def _signature() -> Any:
    number = record_type(np.dtype(np.int64))
    return exchange_type(number, number)


@jit(_signature, cached=True)
def rt_codec(state: Any, count: int, have: int) -> int:
    """Nanoseconds of so many rounds, as the tick makes them; -1 if one failed."""
    own = as_record(state, HEAD)
    begun_ns = monotonic_ns()
    for k in range(count):
        own.wanted[0] = k / count
        rt_number_outputs(own, 0)
        rt_build(state, own, own.request[0].request, OUTBOX_AT)
        if rt_read(state, own, own.request[0].answer, DESK_AT, have) != have:
            return -1
        rt_take(own, own.bus[0], 0, begun_ns)
    return monotonic_ns() - begun_ns


def _by_splitting(port: serial.Serial) -> None:
    """As one writes it: a line, its checksum, its numbers."""
    body = f"V{0.0:+8.5f}00*".encode()
    port.write(body + f"{binascii.crc_hqx(body, 0xFFFF):04X}\r".encode())
    said = port.read_until(b"\r")
    numbers, _, check = said[:-1].rpartition(b"*")
    if int(check, 16) != binascii.crc_hqx(numbers + b"*", 0xFFFF):
        raise AssertionError("the device did not answer the library")
    *values, state = numbers.split(b",")
    _ = [float(value) for value in values], int(state, 16)
