"""The memory of a mixed rig: where each part's exchange and memory are, and what passes between."""

from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, OUTPUTS, READINGS
from firmware_bridge.mixed.settings import MOST_PARTS
from hilctl.params import record_of
from hilctl.signals import SENSORS, Status

COUNT = len(SENSORS)

PART: "np.dtype[Any]" = record_of(
    [
        ("exchange_at", np.int64),  # addresses; the code that wrote them keeps alive what is there
        ("memory_at", np.int64),
        ("memory_bytes", np.int64),
        ("waits", np.int64),  # it waits for answers: it gets a share of the time
        ("takes", np.int64, (len(OUTPUTS),)),
        ("gives", np.int64, (COUNT,)),
        ("unheard", np.int64),  # periods since an exchange with it was good
        ("outcomes", np.int64, (len(Status),)),
        ("command", COMMAND),
        ("readings", READINGS),
    ]
)

STATE: "np.dtype[Any]" = record_of(
    [
        ("parts", np.int64),  # 0 before it is open; the one with the valve comes first
        ("waiting", np.int64),  # how many of them wait for answers
        ("period_ns", np.int64),
        ("part", PART, (MOST_PARTS,)),
    ]
)


def record(state: Any) -> Any:
    """The record over a driver's memory."""
    return state[: STATE.itemsize].view(STATE)[0]
