"""A line unsealed by Python and by compiled code."""

import numpy as np

from firmware_bridge.serial_frame import rt_frames
from firmware_bridge.serial_frame.frames import FrameError, unseal

_UNTOUCHED = 0xA5
_MEMORY = np.zeros(512, np.uint8)


def unsealed_alike(line: bytes) -> None:
    """Both make the same of it, and nothing is written behind the line. At most 400 bytes."""
    _MEMORY[:] = _UNTOUCHED
    _MEMORY[: len(line)] = list(line)
    try:
        wanted = unseal(line)
    except FrameError:
        wanted = b""
    count = rt_frames.rt_unseal(_MEMORY, 0, len(line))
    assert _MEMORY[:count].tobytes() == wanted
    assert (_MEMORY[len(line) :] == _UNTOUCHED).all(), "written behind the line"
