"""A driver's memory with a socket pair in place of the line: what the other end writes is what a device answers."""

import copy
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from firmware_bridge.described.signals import READINGS
from firmware_bridge.driver import COMMAND
from firmware_bridge.driver import READINGS as READ
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.driver import _checked
from firmware_bridge.serial_text.exchange import rt_text_exchange
from firmware_bridge.serial_text.record import SIZE, head
from firmware_bridge.serial_text.settings import described
from hilctl.rt.libc import monotonic_ns
from hilctl.signals import SENSORS

_FAST = {"baud": 4_000_000, "checksum": "crc16_ccitt"}
POLLED: dict[str, Any] = {
    "devices": {"box": {"port": "/dev/none", "address": 7, **_FAST}},
    "messages": {"ask": {
        "device": "box", "request": "#{address:02d}?\\r",
        "answer": ">{address:02d}{displacement:+9.4f} mm,{pressure_a:8.3f},{pressure_b:8.3f},{status:X2}*{check:X4}\\r",
    }},
    "reading": {"displacement": {"unit": "mm"}, "pressure_a": {"unit": "bar"}, "pressure_b": {"unit": "bar"},
                "fault": {"field": "status", "mask": 0xF0}, "emergency_stop": {"field": "status", "mask": 1}},
    "answer_timeout_s": 1e-3, "lost_after": 1000,
}  # fmt: skip
BINARY: dict[str, Any] = {
    "devices": {"gauge": {"port": "/dev/none", **_FAST}},
    "messages": {"sample": {"device": "gauge", "period_s": 0.001,
                            "answer": "\\xAA\\x55{displacement:i32le}{device_tick:u16le}{check:u16le}"}},
    "reading": {"displacement": {"scale": 1e-3, "unit": "um"}},
}  # fmt: skip
LINES: dict[str, Any] = {
    "devices": {"gauge": {"port": "/dev/none", **_FAST}},
    "messages": {"sample": {"device": "gauge", "period_s": 0.001,
                            "answer": "{displacement:+9.4f} mm*{check:X4}\\r\\n"}},
    "reading": {"displacement": {"unit": "mm"}},
}  # fmt: skip


def table(base: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A table with some keys changed, by path; None takes a key away."""
    made = copy.deepcopy(base)
    for key, value in changes.items():
        *path, name = key.split("__")
        node = made
        for part in path:
            node = node.setdefault(part, {})
        if value is None:
            node.pop(name, None)
        else:
            node[name] = value
    return made


def desk_of(given: dict[str, Any]) -> Desk:
    """The messages of a table."""
    return Desk(described(_checked(given, "driver")))


class Talk:
    """One line and its device's end."""

    def __init__(self, given: dict[str, Any]) -> None:
        own = described(_checked(given, "driver"))
        self.state = np.zeros(SIZE, np.uint8)
        self.desk, self.device = Desk(own, self.state), Desk(own)
        self.own = head(self.state)
        self.command: Any = np.zeros(1, COMMAND)[0]
        self.readings: Any = np.zeros(1, READ)[0]

    def __enter__(self) -> Self:
        self.near, self.far = socket.socketpair()
        self.near.setblocking(False)
        self.far.setblocking(False)
        self.bus = self.own.bus[0]
        self.bus.fd = self.near.fileno()
        self.bus.pulled_ns = self.bus.heard_ns = monotonic_ns()
        self.bus.silence_ns = 0
        return self

    def __exit__(self, *_: object) -> None:
        self.near.close()
        self.far.close()

    def tick(self, wait_s: float = 0.0, **command: Any) -> int:
        """One exchange, which waits no longer than this for an answer."""
        for name, value in command.items():
            setattr(self.command, name, value)
        self.command.periods, self.command.tick = 1, self.command.tick + 1
        self.command.deadline_ns = monotonic_ns() + round(1e9 * wait_s)
        return int(rt_text_exchange(self.state, self.command, self.readings))

    def asked(self) -> bytes:
        """What the driver has sent since."""
        try:
            return self.far.recv(4096)
        except BlockingIOError:
            return b""

    def say(self, data: bytes) -> None:
        """What the device sends."""
        if data:
            self.far.send(data)

    def until_asked(self) -> bytes:
        """Ticks until a request comes, which nobody answers."""
        for _ in range(1000):
            self.tick(0.002 if self.bus.pending >= 0 else 0.0)
            if said := self.asked():
                return said
        raise AssertionError("nothing was asked")

    @contextmanager
    def served(self, answer: Callable[[bytes], bytes]) -> Iterator[list[bytes]]:
        """With a device that answers every request at once; gives the requests that have come."""
        heard: list[bytes] = []
        self.far.settimeout(5.0)

        def serve() -> None:
            held = b""
            while True:
                try:
                    data = self.far.recv(4096)
                except OSError:
                    return
                if not data:
                    return
                *requests, held = (held + data).split(b"\r")
                for request in requests:
                    heard.append(request)
                    self.say(answer(request))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield heard
        finally:
            self.far.shutdown(socket.SHUT_RD)
            thread.join()

    def value(self, name: str) -> float:
        """What a reading is now."""
        return float(self.own.value[READINGS.index(name)])

    @property
    def age_ns(self) -> int:
        """Of the displacement."""
        return int(self.readings.age_ns[SENSORS.index("displacement")])


