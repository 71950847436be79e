"""A serial port, opened by pyserial and set up as the tick needs it: it never waits, and an unplugged line is detected.

What fails outside the tick is a DriverError: pyserial's own exception, what the kernel says, what termios says.
"""

import contextlib
import os
import select
import termios
import time
from collections.abc import Callable
from typing import Any, TypeVar

import serial

from firmware_bridge.driver import TRIES, DriverError

T = TypeVar("T")

GONE = (serial.SerialException, OSError, termios.error, ValueError)
_CC = 6  # of termios' attributes: the control characters


def set_up(port: Any) -> None:
    """Low latency where the adapter has it, nothing left over from before, and a descriptor that does not block."""
    # An adapter, or a pseudo-terminal, that lacks it raises ValueError; only Linux has it at all.
    with contextlib.suppress(ValueError, NotImplementedError):
        port.set_low_latency_mode(True)
    # pyserial leaves VMIN 0: a read of nothing then returns 0, which also means unplugged.
    attributes = termios.tcgetattr(port.fileno())
    attributes[_CC][termios.VMIN], attributes[_CC][termios.VTIME] = 1, 0
    termios.tcsetattr(port.fileno(), termios.TCSANOW, attributes)
    termios.tcflush(port.fileno(), termios.TCIOFLUSH)
    os.set_blocking(port.fileno(), False)


def opened(name: str, baud: int, **settings: Any) -> Any:
    """The port, for this process alone."""
    port = serial.Serial(name, baud, exclusive=True, timeout=0, write_timeout=0, **settings)
    try:
        set_up(port)
    except BaseException:
        port.close()  # else nobody could open it again
        raise
    return port


def tried(name: str, call: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """What the call returns. DriverError where the port fails."""
    try:
        return call(*arguments, **named)
    except GONE as error:
        raise DriverError(
            f"{name}: {error}; check that the device is plugged in, that this user may use the port (group dialout), "
            "and that no other program does"
        ) from None


def read_within(fd: int, wait_s: float) -> bytes:
    """What has come, or comes first within this time."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if not poll.poll(wait_s * 1000):
        return b""
    try:
        got = os.read(fd, 4096)
    except BlockingIOError:
        return b""
    if not got:
        raise OSError("the port was unplugged")
    return got


def hush(fd: int, wait_s: float) -> None:
    """Throws away what comes, until nothing has for this time; a line that is never quiet has TRIES times as long."""
    give_up_s = time.monotonic() + TRIES * wait_s
    while read_within(fd, wait_s) and time.monotonic() < give_up_s:
        pass
