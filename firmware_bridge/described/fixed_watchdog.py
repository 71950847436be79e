"""A watchdog time that no register takes is measured before it is believed: silence must trip the device in time.

While nothing is enabled, a null command with a new heartbeat is written, and then nothing more. `reading.fault` is read
until it is not 0, no later than `fixed_s` and a margin after that writing was answered; `output.reset` must clear it.
A host that stalls makes a reading late: such a try proves nothing, and is made again.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from firmware_bridge.driver import DriverError

_TRIES = 5
_MARGIN, _MARGIN_S = 0.1, 0.01  # of fixed_s, and of a device's cycle and the answers on their way
_PAUSE_S = 0.001  # between two readings: they must not keep the device from its work
_RECOVERS_S = 0.5


class Device(NamedTuple):
    """What can be done with it, while nothing is enabled."""

    feed: Callable[[int, int], None]  # null, with this heartbeat and this reset
    fault: Callable[[], float]


def unmeasured(fault: bool, reset: bool) -> str:
    """Why a fixed time cannot be measured on a device with or without these; empty where it can."""
    lacks = [key for key, has in (("reading.fault", fault), ("output.reset", reset)) if not has]
    return f"the device has no {' and no '.join(lacks)}" if lacks else ""


def measure(device: Device, fixed_s: float) -> None:
    """DriverError where silence does not trip the device in time, or it does not recover."""
    longest_s = fixed_s * (1 + _MARGIN) + _MARGIN_S
    for _ in range(_TRIES):
        usual_s = _recover(device)
        late_s = _fed_s(device, 3, 0) - usual_s  # where an answer was lost, nobody knows when the device was fed
        told = _silent(device, longest_s) if late_s < _MARGIN_S else "unknown"
        if told == "late":
            raise DriverError(f"driver.watchdog.fixed_s = {fixed_s:g} s: after {longest_s:.3g} s without a command the "
                              "device's watchdog has not tripped; find its true time, and loop.time_to_live_s with it")
        _recover(device)
        if told == "in time":
            return
    raise DriverError(f"driver.watchdog.fixed_s = {fixed_s:g} s cannot be measured: this host stalled in each of "
                      f"{_TRIES} tries; see `hilctl doctor`")


def _fed_s(device: Device, heartbeat: int, reset: int) -> float:
    """How long it took."""
    begun_s = time.monotonic()
    device.feed(heartbeat, reset)
    return time.monotonic() - begun_s


def _silent(device: Device, longest_s: float) -> str:
    """Says nothing until the device trips: in time, late, or nobody knows."""
    begun_s = time.monotonic()
    while True:
        asked_s = time.monotonic() - begun_s
        tripped = device.fault() != 0
        if tripped:
            return "in time" if time.monotonic() - begun_s <= longest_s else "unknown"
        if asked_s > longest_s:
            return "late"
        time.sleep(_PAUSE_S)


def _recover(device: Device) -> float:
    """Until it shows no fault: the shortest time in which it was fed."""
    usual_s, give_up_s = math.inf, time.monotonic() + _RECOVERS_S
    while True:
        usual_s = min(usual_s, _fed_s(device, 1, 1), _fed_s(device, 2, 0))
        if device.fault() == 0:
            return usual_s
        if time.monotonic() > give_up_s:
            raise DriverError("driver.output.reset does not clear the fault of the device's watchdog within "
                              f"{_RECOVERS_S:g} s; see what it wants, and driver.output.reset")
