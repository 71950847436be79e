"""The exchange of one tick over every bus, by compiled code.

A bus with requests of every tick makes them one after another and waits for each; in the time that is left it makes one
of the slow ones whose turn has come. A bus with none but slow ones never holds up a tick: it sends in one and looks
for the answer in the next ones. Buses wait side by side.
"""

import math
from typing import Any

from firmware_bridge.driver import exchange_signature
from firmware_bridge.modbus.frames import rt_status_of
from firmware_bridge.modbus.record import HEAD
from firmware_bridge.modbus.settings import DEVICE_TICK, FAULT, OUTPUTS, READINGS
from firmware_bridge.modbus.values import rt_raw
from firmware_bridge.modbus.wire import (
    CLOSED,
    NOTHING,
    OK,
    TIMEOUT,
    rt_data,
    rt_exception_code,
    rt_finish,
    rt_receive,
    rt_send,
)
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record
from hilctl.signals import SENSORS, Status

EXCEPTION, LATE, STALE = Status.EXCEPTION.value, Status.LATE.value, Status.STALE.value
VALVE, ENABLE, SUPPLY, HEARTBEAT, RESET = range(len(OUTPUTS))
_MOST_RETRIES = 2  # of a busy device, in one tick
_BUSY = (5, 6)  # exceptions: the device is at work
_SENSORS, _READINGS = len(SENSORS), len(READINGS)


@jit(exchange_signature, cached=True)
def rt_modbus_exchange(state: Any, command: Any, readings: Any) -> int:
    """Sends the command, reads what is due, and tells how old each reading is."""
    own = as_record(state, HEAD)
    own.ticks += command.periods
    rt_want(own, command)
    older = rt_fast(state, own, command.deadline_ns)
    outcome = rt_first_failure(own)
    for b in range(own.buses):
        rt_slow(state, own, b, own.bus[b], command.deadline_ns)
    if outcome == OK:
        own.answered += command.periods
    elif outcome == TIMEOUT and older:
        outcome = LATE
    return rt_tell(own, readings, outcome)


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
def rt_fast(state: Any, own: Any, limit_ns: int) -> bool:
    """Every request of every tick, on all buses side by side. Whether a bus took an answer to an earlier tick."""
    older = False
    for b in range(own.buses):
        bus = own.bus[b]
        bus.cursor = bus.failed = bus.retries = 0
    at_work = True
    while at_work:
        at_work = False
        for b in range(own.buses):
            bus = own.bus[b]
            if bus.failed == OK and bus.cursor < bus.fast and bus.pending < 0:
                bus.failed = rt_send(state, own, b, bus, bus.first + bus.cursor, limit_ns)
                bus.cursor += 1
        for b in range(own.buses):
            bus = own.bus[b]
            if bus.fast > 0 and bus.failed == OK and bus.pending >= 0:
                left_over = bus.cursor == 0 and bus.pending < bus.first + bus.fast
                bus.failed = rt_complete(state, own, b, bus, limit_ns)
                older = older or (left_over and bus.failed == OK)
                at_work = at_work or (bus.failed == OK and bus.cursor < bus.fast)
    return older


@jit()
def rt_complete(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> int:
    """Waits for the pending answer and takes it in; a busy device is asked again."""
    found = rt_receive(state, own, b, bus, limit_ns)
    if found == NOTHING:
        return TIMEOUT  # it may still come, in the next tick
    if found == EXCEPTION:
        code = rt_exception_code(state, b, bus)
        bus.exceptions[code if code < 16 else 0] += 1
        again = code in _BUSY and bus.retries < _MOST_RETRIES and bus.cursor > 0
        rt_finish(state, own, b, bus, found)
        if again:
            bus.busy += 1
            bus.retries += 1
            bus.cursor -= 1
            return OK
        return rt_status_of(code)
    if found == OK:
        rt_take(state, own, bus, rt_data(b, bus))
    if bus.fd >= 0:
        rt_finish(state, own, b, bus, found)
    return found


@jit()
def rt_slow(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> None:
    """One request of a poll group whose turn has come. What fails here shows in the readings' ages."""
    if bus.slow == 0 or bus.fd < 0 or bus.failed != OK:
        return
    alone = bus.fast == 0
    if bus.pending >= 0:
        rt_complete_slow(state, own, b, bus, 0 if alone else limit_ns)
    if bus.pending >= 0 or bus.fd < 0:
        return
    due, overdue = -1, -1
    for r in range(bus.first + bus.fast, bus.first + bus.fast + bus.slow):
        if own.ticks - own.request[r].due > overdue:
            due, overdue = r, own.ticks - own.request[r].due
    if due < 0:
        return
    request = own.request[due]
    now_ns = monotonic_ns()
    if not alone and limit_ns - now_ns < request.takes_ns + bus.longest_slow_ns:
        return
    if alone and bus.quiet_until_ns > now_ns:
        return
    if rt_send(state, own, b, bus, due, limit_ns) == OK:
        request.due = own.ticks + request.every
        if not alone:
            rt_complete_slow(state, own, b, bus, limit_ns)


@jit()
def rt_complete_slow(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> None:
    """As rt_complete, once; remembers how long such a request takes, for the next one must fit into its tick."""
    bus.retries = _MOST_RETRIES
    sent_ns = bus.sent_ns
    rt_complete(state, own, b, bus, limit_ns)
    bus.longest_slow_ns = max(monotonic_ns() - sent_ns, bus.longest_slow_ns - bus.longest_slow_ns // 16)


@jit()
def rt_take(state: Any, own: Any, bus: Any, at: int) -> None:
    """The answer's registers as values; the sample is as old as the question."""
    fresh = rt_count(state, own, bus, at)
    for k in range(_READINGS):
        place = own.reading[k]
        if place.request == bus.pending:
            raw = rt_raw(state, at + 2 * place.word, place.kind, place.low_first)
            own.value[k] = place.scale * raw + place.offset
            if fresh:
                own.taken_ns[k] = bus.sent_ns


@jit()
def rt_count(state: Any, own: Any, bus: Any, at: int) -> bool:
    """Follows the device's counter of samples over its wraps. False: the answer repeats an old sample."""
    place = own.reading[DEVICE_TICK]
    if place.request != bus.pending:
        return True
    raw = int(rt_raw(state, at + 2 * place.word, place.kind, place.low_first)) & own.counter_mask
    if own.counter_raw < 0:
        own.counter_raw = own.counter = raw
        return True
    moved = (raw - own.counter_raw) & own.counter_mask
    own.counter_raw = raw
    own.counter += moved
    return bool(moved != 0)


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
def rt_tell(own: Any, readings: Any, outcome: int) -> int:
    """The newest values with their ages. What is too old for its poll group is no reading any more."""
    now_ns = monotonic_ns()
    for k in range(_SENSORS):
        place = own.reading[k]
        if place.request < 0:
            continue
        age_ns = now_ns - own.taken_ns[k]
        readings.age_ns[k] = age_ns
        if age_ns > place.stale_ns:
            if place.fast == 0:
                own.value[k] = math.nan
            elif outcome == OK:
                outcome = STALE
    readings.displacement_m = own.value[0]
    readings.acceleration_m_s2 = own.value[1]
    readings.pressure_a_pa = own.value[2]
    readings.pressure_b_pa = own.value[3]
    if own.reading[4].request >= 0:
        readings.supply_pressure_pa = own.value[4]
    if own.reading[5].request >= 0:
        readings.spool = own.value[5]
    if own.reading[6].request >= 0:
        readings.oil_temperature_degc = own.value[6]
    if own.reading[7].request >= 0:
        readings.emergency_stop = own.value[7]
    if own.reading[8].request >= 0:
        readings.oil_level = own.value[8]
    if own.reading[9].request >= 0:
        readings.oil_filter = own.value[9]
    readings.device_tick = own.counter if own.reading[DEVICE_TICK].request >= 0 else own.answered
    if outcome == OK and own.reading[FAULT].request >= 0 and own.value[FAULT] != 0:
        if own.asked == 0 and own.output[RESET].request >= 0:
            return OK  # the next command that asks for something resets it
        return EXCEPTION
    return outcome
