"""Devices to exchange with, each with our driver on it and with what a program would use instead.

Modbus: a small process that answers at once, and pymodbus' synchronous client. Serial frames: the native board of our
firmware, and a client as one writes it with pyserial, zlib and struct.
"""

import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import serial

from firmware_bridge.firmware.board import Board
from firmware_bridge.firmware.build import BuildError, build
from firmware_bridge.modbus.driver import ModbusDriver
from firmware_bridge.modbus.settings import Config
from firmware_bridge.serial_frame.driver import SerialDriver
from firmware_bridge.serial_frame.frames import seal, unseal
from firmware_bridge.serial_frame.messages import ANSWERS, HEAD, Type, command
from firmware_bridge.serial_frame.settings import SerialConfig
from firmware_bridge.serial_frame.state import record
from hilctl import rig
from hilctl.errors import HilctlError
from hilctl.params import check

_SIGNALS = ("displacement", "acceleration", "pressure_a", "pressure_b", "supply_pressure", "spool", "oil_temperature",
            "emergency_stop")  # fmt: skip


class Peer(NamedTuple):
    """A device that both talk to."""

    driver: Any
    by_library: Callable[[], None]
    more: Callable[[], dict[str, float]] = dict  # figures of this one alone


@contextmanager
def modbus(transport: str) -> Iterator[Peer]:
    """Four registers written and fifteen read by function 23, over `tcp` or `rtu`."""
    with answering(transport) as place, _driver(transport, place) as driver:
        client = driver.links[0].client

        def ask() -> None:
            said = client.readwrite_registers(
                read_address=10, read_count=15, write_address=0, values=[0, 0, 0, 1], device_id=1
            )
            if len(said.registers) != 15:
                raise AssertionError("the device did not answer the library")

        yield Peer(driver, ask)


@contextmanager
def _driver(transport: str, place: str) -> Iterator[ModbusDriver]:
    reach = {"transport": "tcp", "host": "127.0.0.1", "port": int(place)} if transport == "tcp" else {
        "transport": "rtu", "serial": place, "baud": 4_000_000, "parity": "none", "gap_s": 0.0}  # fmt: skip
    registers = {name: {"device": "amplifier", "address": 10 + 2 * k, "type": "int32"}
                 for k, name in enumerate(_SIGNALS)}  # fmt: skip
    registers["emergency_stop"]["type"] = "int16"
    outputs = {name: {"device": "amplifier", "address": k}
               for k, name in enumerate(("valve", "enable", "supply", "heartbeat"))}  # fmt: skip
    table = {"amplifier": {**reach, "fc23": True}, "output": outputs, "reading": registers,
             "watchdog": {"fixed_s": 0.01}, "connect_timeout_s": 1.0,
             "read_back_every": 0}  # the library asks once, too  # fmt: skip
    driver = ModbusDriver(check(Config, table, "driver"), rig.load("table-500", twin=True).facts())
    driver.open()
    try:
        driver.arm()
        yield driver
    finally:
        driver.close()


@contextmanager
def answering(transport: str) -> Iterator[str]:
    """The device's process, and where it is: a TCP port, or the name of a pseudo-terminal."""
    words = [sys.executable, "-m", "hilctl.bench.exchange_device", transport]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def serial_frames() -> Iterator[Peer]:
    """One CYCLIC and its answer. The device is not armed: it gives readings, and obeys nobody."""
    try:
        program = build("native")
    except BuildError as error:
        raise HilctlError(f"needs gcc, for the firmware's native board: {error}") from None
    with Board(program, has_line=True) as board:
        driver = SerialDriver(SerialConfig(port=board.port), rig.load("table-500", twin=True).facts())
        driver.open()
        try:
            ours = termios.tcgetattr(int(record(driver.state).fd))
            with serial.Serial(board.port, timeout=1.0) as port:
                termios.tcsetattr(port.fileno(), termios.TCSANOW, ours)  # pyserial sets VMIN to 0, for both
                yield Peer(driver, lambda: _by_pyserial(port, record(driver.state)))
        finally:
            driver.close()


def _by_pyserial(port: serial.Serial, own: Any) -> None:
    """The next question of the session."""
    own.sequence = (int(own.sequence) + 1) & 0xFFFF
    port.write(seal(command(Type.CYCLIC, int(own.sequence), int(own.session), 0, 0)))
    body = unseal(port.read_until(b"\0")[:-1])
    _, _, sequence, session = HEAD.unpack_from(body)
    if (sequence, session) != (own.sequence, own.session):
        raise AssertionError("the device did not answer the library")
    counts = ANSWERS[Type.CYCLIC].unpack_from(body, HEAD.size)
    _ = [count * scale for count, scale in zip(counts, own.scale, strict=False)]
