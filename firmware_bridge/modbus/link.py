"""One bus outside the tick, by pymodbus: connect, identify, read, write. What fails is one error of ours.

pymodbus' own time-outs and retries can block for 12 s: here each answer has `connect_timeout_s`. Links lose answers: a
request without one is made again, in TRIES tries, so whatever is written here may be written twice. On a serial line an
answer does not say to which request it belongs: once one was late, the line has to be quiet before the next request.
"""

import contextlib
import logging
import os
import select
import socket
import struct
import termios
import time
from collections.abc import Callable
from typing import Any

from firmware_bridge.driver import TRIES, DriverError
from firmware_bridge.modbus.plan import READ_INPUT, Bus
from firmware_bridge.modbus.settings import Config, Device
from firmware_bridge.serial_port import hush, set_up

# pymodbus logs as errors what is raised here as a DriverError, or is no error at all.
logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)

EXCEPTIONS = {
    1: "illegal function", 2: "illegal address", 3: "illegal value", 4: "device failure", 5: "acknowledged, not done",
    6: "device busy", 8: "memory parity error", 10: "gateway: no path", 11: "gateway: no answer from the device",
}  # fmt: skip
_ASK, _SAID = struct.Struct(">HHHBBHH"), struct.Struct(">HHHBBB")  # a request for registers, and its answer's head
_PARITY = {"even": "E", "odd": "O", "none": "N"}


class Refused(DriverError):
    """The device answered, with an exception."""

    def __init__(self, what: str, code: int) -> None:
        self.exception = code
        super().__init__(f"{what}: exception {code}, {EXCEPTIONS.get(code, 'unknown')}")


class Link:
    """A connection or a serial line."""

    def __init__(self, config: Config, bus: Bus) -> None:
        self._config, self.bus = config, bus
        self._own: Device = config.device(bus.devices[0])
        self.client: Any = None
        self._lock: socket.socket | None = None
        self.is_rtu = self._own.transport == "rtu"
        self.name = self._own.serial if self.is_rtu else f"{self._own.host}:{self._own.port}"

    def open(self) -> None:
        """Connects; nobody else on this machine may."""
        self.close()
        if not self.is_rtu:
            self._lock = self._exclusive()
        self._connect()

    def _exclusive(self) -> socket.socket:
        """TCP lets several in; a name in the kernel, gone with its process, lets one. Serial ports have their own."""
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            lock.bind(f"\0hilctl-modbus-{self.name}")
        except OSError:
            lock.close()
            raise DriverError(f"{self.name}: another process on this machine drives it; end that one first") from None
        return lock

    def _connect(self) -> None:
        from pymodbus.client import ModbusSerialClient, ModbusTcpClient

        own, timeout_s = self._own, self._config.connect_timeout_s
        if self.is_rtu:
            self.client = ModbusSerialClient(own.serial, baudrate=own.baud, parity=_PARITY[own.parity],
                                              stopbits=own.stop_bits, timeout=timeout_s, retries=0)
        else:
            self.client = ModbusTcpClient(own.host, port=own.port, timeout=timeout_s, retries=0)
        if not self.client.connect():
            raise DriverError(f"{self.name}: cannot be reached: {self._why()}")
        self._set_up()

    def _why(self) -> str:
        """pymodbus keeps the reason to itself: asked again, the system tells."""
        try:
            if self.is_rtu:
                import serial

                serial.Serial(self._own.serial, self._own.baud, parity=_PARITY[self._own.parity],
                              stopbits=self._own.stop_bits, exclusive=True).close()
            else:
                socket.create_connection((self._own.host, self._own.port), self._config.connect_timeout_s).close()
        except (OSError, ValueError, termios.error) as error:
            return str(error)
        return "it came up a moment too late; try again"

    def _set_up(self) -> None:
        """The descriptor as the tick needs it: it never waits, and sends at once."""
        if self.is_rtu:
            set_up(self.client.socket)
        else:
            self.client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.client.socket.setblocking(False)

    def descriptor(self) -> int:
        """For the tick: nothing old waits in it. DriverError when the connection was lost."""
        if self.client is None or not self.client.connected:
            raise DriverError(f"{self.name}: the connection was lost")
        self.drain()
        self._set_up()
        return int(self.client.socket.fileno())

    def drain(self) -> None:
        """Throws away what has arrived."""
        if self.client is not None and self.client.connected:
            with contextlib.suppress(OSError):
                descriptor = self.client.socket.fileno()
                os.set_blocking(descriptor, False)
                while os.read(descriptor, 4096):
                    pass

    def _hush(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the connection may have gone in between
            hush(self.client.socket.fileno(), self._config.connect_timeout_s)

    def close(self) -> None:
        """Gives the port back."""
        if self.client is not None:
            self.client.close()
        if self._lock is not None:
            self._lock.close()
        self.client = self._lock = None

    def read(self, unit: int, function: int, address: int, count: int) -> list[int]:
        """Registers."""
        call = "read_input_registers" if function == READ_INPUT else "read_holding_registers"
        what = f"function {function}, registers {address} to {address + count - 1} of unit {unit}"
        return list(self._ask(what, lambda c: getattr(c, call)(address, count=count, device_id=unit)).registers)

    def both(self, unit: int, function: int, address: int, counts: tuple[int, int]) -> list[tuple[int, int]]:
        """Two requests for registers that are sent together (TCP): of each answer that comes, which of the two it is
        for, and how many registers it holds."""
        if self.client is None or not self.client.connected:
            raise DriverError(f"{self.name}: is not open")
        self.drain()
        line, until_s = self.client.socket, time.monotonic() + self._config.connect_timeout_s
        frames = [_ASK.pack(number, 0, 6, unit, function, address, count) for number, count in enumerate(counts)]
        heard = b""
        found: list[tuple[int, int]] = []
        try:
            line.sendall(b"".join(frames))
            while len(found) < len(frames) and select.select([line], [], [], max(0.0, until_s - time.monotonic()))[0]:
                heard += line.recv(4096)
                while len(heard) >= _SAID.size and len(heard) >= 6 + _SAID.unpack_from(heard)[2]:
                    number, _, length, _, said, size = _SAID.unpack_from(heard)
                    found.append((number, size // 2 if said == function else 0))
                    heard = heard[6 + length :]
        except OSError as error:
            raise DriverError(f"{self.name}: {error}") from error
        finally:
            if len(found) < len(frames):  # what comes yet shall not be taken for another answer
                self.client.close()
        return found

    def write(self, unit: int, address: int, words: list[int]) -> None:
        """Registers, by function 16."""
        what = f"function 16, registers {address} to {address + len(words) - 1} of unit {unit}"
        self._ask(what, lambda c: c.write_registers(address, words, device_id=unit))

    def read_write(self, unit: int, read_at: int, read_count: int, write_at: int, words: list[int]) -> None:
        """Function 23."""
        self._ask(f"function 23 of unit {unit}", lambda c: c.readwrite_registers(
            read_address=read_at, read_count=read_count, write_address=write_at, values=words, device_id=unit))

    def identity(self, unit: int) -> tuple[str, str, str] | None:
        """Maker, product code and revision by function 43; None where the device has no such function."""
        try:
            said = self._ask(f"function 43 of unit {unit}", lambda c: c.read_device_information(device_id=unit))
        except DriverError:
            self.reconnect()
            return None
        texts = [said.information.get(k, b"") for k in range(3)]
        return tuple(t.decode("ascii", "replace") if isinstance(t, bytes) else str(t) for t in texts)  # type: ignore[return-value]

    def reconnect(self) -> None:
        """pymodbus may have closed the connection after a silence."""
        if self.client is not None and not self.client.connected:
            self._connect()

    def _ask(self, what: str, call: Callable[[Any], Any]) -> Any:
        from pymodbus.exceptions import ModbusException

        if self.client is None:
            raise DriverError(f"{self.name}: is not open")
        for tries_left in range(TRIES - 1, -1, -1):
            self.drain()
            try:
                said = call(self.client)
            except (ModbusException, OSError, termios.error) as error:
                if tries_left == 0:
                    raise DriverError(f"{self.name}: {what}: no answer: {error}") from error
            else:
                if tries_left < TRIES - 1:
                    self._hush()
                break
        if said.isError():
            raise Refused(f"{self.name}: {what}", int(getattr(said, "exception_code", 0)))
        return said
