"""A serial port that pyserial has opened, as the tick needs it: it never waits, and an unplugged line is detected."""

import contextlib
import os
import termios
from typing import Any

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
