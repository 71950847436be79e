"""What a tick does with the signals of described devices: outputs wanted, counter followed, readings with their ages.

`own` is the head of a driver's memory, whichever driver's (record.py). `bus` has a row for each line or connection,
`reading` and `output` one for each signal, with the `request` that carries it or -1.
"""

import math
from typing import Any

from firmware_bridge.described.signals import DEVICE_TICK, FAULT, RESET
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import words_of
from hilctl.signals import REQUIRED, SENSORS, Status

OK, CLOSED, EXCEPTION = Status.OK.value, Status.CLOSED.value, Status.EXCEPTION.value
STALE, OVERWRITTEN = Status.STALE.value, Status.OVERWRITTEN.value
VALVE, ENABLE, SUPPLY, HEARTBEAT = range(4)  # of OUTPUTS
STARTED_OVER, REPEATED, MOVED = -1, 0, 1  # what a counter did
_PACE_NS, _PACE_COUNTS = 200_000_000, 100  # after so much the pace of the device's counter is known
_SLACK_NS = 50_000_000  # by which a device's clock and its answers may be apart
_SENSORS, _REQUIRED = len(SENSORS), len(REQUIRED)


@jit()
def rt_want(own: Any, command: Any) -> None:
    """What the outputs shall be. Nothing that is out of its range leaves here."""
    valve = command.valve
    own.wanted[VALVE] = min(max(valve, -1.0), 1.0) if math.isfinite(valve) else 0.0
    own.wanted[ENABLE] = 1.0 if command.enable == 1 else 0.0
    own.wanted[SUPPLY] = float(command.supply) if 0 <= command.supply <= 2 else 0.0
    own.wanted[HEARTBEAT] = float(own.ticks & 0xFFFF)
    asked = 1 if own.wanted[ENABLE] != 0.0 or own.wanted[SUPPLY] != 0.0 else 0
    own.wanted[RESET] = 1.0 if asked > own.asked and rt_tripped(own) else 0.0
    own.asked = asked


@jit()
def rt_tripped(own: Any) -> bool:
    """Whether the device said at last that it has tripped."""
    return bool(own.reading[FAULT].request >= 0 and math.isfinite(own.value[FAULT]) and own.value[FAULT] != 0)


@jit()
def rt_follow(own: Any, raw: int, sent_ns: int) -> int:
    """Follows the device's counter of samples over its wraps: what it did since it was read last."""
    if own.counter_raw < 0:
        own.counter_raw = own.counter = raw
        own.counting_ns = own.moved_ns = sent_ns
        return MOVED
    moved = (raw - own.counter_raw) & own.counter_mask
    if rt_jumps(own, moved, sent_ns):
        return STARTED_OVER
    own.counter_raw = raw
    own.counter += moved
    own.counted += moved
    if moved == 0:
        return REPEATED
    own.moved_ns = sent_ns
    return MOVED


@jit()
def rt_jumps(own: Any, moved: int, now_ns: int) -> bool:
    """Whether the counter moved by what its own pace does not explain. One that starts over seems to leap ahead."""
    counted_ns = own.moved_ns - own.counting_ns
    if counted_ns < _PACE_NS or own.counted < _PACE_COUNTS:
        return False
    pace = own.counted / counted_ns
    return bool(moved > 2.0 * pace * (now_ns - own.moved_ns) + pace * _SLACK_NS + 2.0)


@jit()
def rt_first_failure(own: Any) -> int:
    """The first bus that failed tells for all."""
    for b in range(own.buses):
        if own.bus[b].failed != OK:
            return int(own.bus[b].failed)
        if own.bus[b].fd < 0:
            return CLOSED
    return OK


@jit()
def rt_all_new(own: Any) -> bool:
    """Whether every reading of every tick differs from the one reported last: held values are no readings."""
    some = False
    for k in range(_SENSORS):
        if own.reading[k].request >= 0 and own.reading[k].fast != 0:
            some = True
            if own.taken_ns[k] == own.told_ns[k]:
                return False
    return some


@jit()
def rt_tell(own: Any, readings: Any, outcome: int) -> int:
    """The newest values with their ages. What is too old for its poll group is no reading any more."""
    now_ns = monotonic_ns()
    for k in range(_SENSORS):
        place = own.reading[k]
        if place.request < 0:
            continue
        age_ns = now_ns - own.taken_ns[k]
        own.told_ns[k] = own.taken_ns[k]
        readings.age_ns[k] = age_ns
        if age_ns > place.stale_ns:
            if place.fast == 0:
                own.value[k] = math.nan
            elif outcome == OK:
                outcome = STALE
    words = words_of(readings)
    for k in range(_SENSORS):
        if k < _REQUIRED or own.reading[k].request >= 0:
            words[k] = own.value[k]
    readings.device_tick = own.counter if own.reading[DEVICE_TICK].request >= 0 else own.answered
    if outcome == OK and own.reading[FAULT].request >= 0 and own.value[FAULT] != 0:
        if own.asked == 0 and own.output[RESET].request >= 0:
            return OK  # the next command that asks for something resets it
        return EXCEPTION
    if outcome == OK and own.unreported != 0:
        own.unreported = 0
        return OVERWRITTEN
    return outcome
