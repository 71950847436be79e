"""One line outside the tick: opened by pyserial, a request and what is answered, what a device sends by itself."""

import os
import time
from typing import Any, NamedTuple

from firmware_bridge.driver import TRIES, DriverError
from firmware_bridge.serial_port import GONE, hush, opened, read_within, set_up, tried
from firmware_bridge.serial_text.budget import Line, exchange_s, line_s
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.settings import Device, Told

_PARITY = {"even": "E", "odd": "O", "none": "N"}
_QUIET_S = 0.02  # after which nothing of an answer comes any more


class Heard(NamedTuple):
    """What came back, as bytes; and whether it was the answer: its bytes, or why not (rt_codec.rt_read)."""

    sent: bytes
    data: bytes
    taken: int

    @property
    def good(self) -> bool:
        """It was the answer."""
        return self.taken > 0 or (not self.data and self.taken == 0)


class Link:
    """A serial port with its devices."""

    def __init__(self, line: Line, desk: Desk) -> None:
        self.line, self._desk = line, desk
        self.device: Device = desk.tables.described.devices[line.devices[0]]
        self.name = line.port
        self._wait_s = desk.tables.described.general.connect_timeout_s
        self._port: Any = None

    def open(self) -> None:
        """For this process alone."""
        self.close()
        self._port = tried(self.name, opened, self.name, self.device.baud, **settings(self.device))

    def tune(self, device: Device) -> None:
        """Other settings of the line, to try them."""
        tried(self.name, self._port.apply_settings, {"baudrate": device.baud, **settings(device)})
        tried(self.name, set_up, self._port)

    def close(self) -> None:
        """Gives the port back."""
        if self._port is not None:
            try:
                self._port.close()
            except GONE:
                pass  # it has gone by itself
        self._port = None

    def descriptor(self) -> int:
        """For the tick: nothing old waits in it."""
        port = self._opened()
        self.drain()
        return int(port.fileno())

    def drain(self) -> None:
        """Throws away what has arrived."""
        while tried(self.name, read_within, self._opened().fileno(), 0.0):
            pass

    def ask(self, told: Told, values: dict[str, float] | None = None, desk: Desk | None = None,
            wait_s: float | None = None) -> Heard:
        """Says a message, and listens for its answer."""
        desk = desk or self._desk
        self.drain()
        sent = desk.request(told.name, values)
        tried(self.name, os.write, self._opened().fileno(), sent)
        if not told.own.answer:
            return Heard(sent, b"", 0)
        limit_s = exchange_s(told) + (self._wait_s if wait_s is None else wait_s)
        return self._listen(told, sent, sent if told.device.echo else b"", limit_s, desk)

    def asked(self, told: Told, values: dict[str, float] | None = None) -> Heard:
        """The same, said again where no good answer comes; then the next request waits until the line is quiet."""
        heard = self.ask(told, values)
        if heard.good:
            return heard
        for _ in range(TRIES - 1):
            heard = self.ask(told, values)
            if heard.good:
                break
        tried(self.name, hush, self._opened().fileno(), self._wait_s)
        return heard

    def _listen(self, told: Told, sent: bytes, echo: bytes, limit_s: float, desk: Desk) -> Heard:
        data, give_up_s, taken = b"", time.monotonic() + limit_s, -1
        while (left_s := give_up_s - time.monotonic()) > 0:
            more = tried(self.name, read_within, self._opened().fileno(),
                         left_s if taken == -1 else min(left_s, _QUIET_S))  # fmt: skip
            if not more and taken != -1:
                break
            data += more
            if len(data) >= len(echo) and data.startswith(echo):
                taken = desk.read(told.name, data[len(echo) :])
                if taken > 0:
                    return Heard(sent, data, taken)
        return Heard(sent, data, taken if data else -1)

    def listen(self, told: Told, periods: float = 3.0) -> Heard:
        """What a device sends by itself, for a few of its periods; the first whole message of it."""
        data, length = b"", told.answer.most
        give_up_s = time.monotonic() + periods * told.own.period_s + line_s(self.device, length) + self._wait_s
        while (left_s := give_up_s - time.monotonic()) > 0:
            data += tried(self.name, read_within, self._opened().fileno(), left_s)
            found = self._first(told, data)
            if found is not None:
                return found
        return Heard(b"", data, -1)

    def _first(self, told: Told, data: bytes) -> Heard | None:
        """Behind a terminator where there is one; else wherever one fits."""
        end = told.answer.terminator
        pieces = [piece + end for piece in data.split(end)[1:-1]] if end else [data[at:] for at in range(len(data))]
        for piece in pieces:
            taken = self._desk.read(told.name, piece)
            if taken > 0:
                return Heard(b"", piece[:taken], taken)
        return None

    def _opened(self) -> Any:
        if self._port is None:
            raise DriverError(f"{self.name}: is not open")
        return self._port


def settings(device: Device) -> dict[str, Any]:
    """The line's settings, as pyserial names them; without its speed."""
    return {"bytesize": device.data_bits, "parity": _PARITY[device.parity], "stopbits": device.stop_bits,
            "rtscts": device.flow == "hardware", "xonxoff": device.flow == "software"}  # fmt: skip

