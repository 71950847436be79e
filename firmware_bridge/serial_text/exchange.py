"""The exchange of one tick over every line, by compiled code.

A line with messages of every tick says them one after another and waits for each answer; in the time that is left it
says one of the others whose turn has come, first one whose outputs have changed, and looks for its answer in the next
tick. A line with none but slow ones never holds up a tick. What a device sends by itself is read as it has come. Lines
wait side by side.
"""

import math
from typing import Any

from firmware_bridge.described.inbox import DISARMED, INBOX, NOTHING, REBOOTED, rt_drop, rt_hang_up, rt_pull
from firmware_bridge.described.readings import (
    HEARTBEAT,
    REPEATED,
    STARTED_OVER,
    rt_all_new,
    rt_first_failure,
    rt_follow,
    rt_tell,
    rt_want,
)
from firmware_bridge.described.signals import DEVICE_TICK, OUTPUTS, READINGS, RESET
from firmware_bridge.driver import exchange_signature
from firmware_bridge.serial_text.record import HEAD, INBOX_AT
from firmware_bridge.serial_text.wire import MOST_PULLS, OK, TIMEOUT, rt_finish, rt_next_streamed, rt_receive, rt_send
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record
from hilctl.signals import Status

LATE = Status.LATE.value
_READINGS, _OUTPUTS = len(READINGS), len(OUTPUTS)
_AT_ONCE = 1 << 40  # ticks: more than any message is overdue


@jit(exchange_signature, cached=True)
def rt_text_exchange(state: Any, command: Any, readings: Any) -> int:
    """Sends the command, reads what is due and what has come, and tells how old each reading is."""
    own = as_record(state, HEAD)
    own.ticks += command.periods
    rt_want(own, command)
    rt_keep_reset(own)
    rt_fast(state, own, command.deadline_ns)
    outcome = rt_first_failure(own)
    for b in range(own.buses):
        rt_slow(state, own, b, own.bus[b], command.deadline_ns)
        rt_streams(state, own, b, own.bus[b])
    if outcome == OK:
        own.answered += command.periods
    elif outcome == TIMEOUT and rt_all_new(own):
        outcome = LATE  # the answer to an earlier tick came
    return rt_tell(own, readings, outcome)


@jit()
def rt_keep_reset(own: Any) -> None:
    """A reset is wanted until it is said."""
    if own.wanted[RESET] != 0.0:
        own.resetting = 1
    elif own.asked == 0:
        own.resetting = 0
    own.wanted[RESET] = float(own.resetting)


@jit()
def rt_fast(state: Any, own: Any, limit_ns: int) -> None:
    """Every message of every tick, on all lines side by side."""
    for b in range(own.buses):
        own.bus[b].failed = own.bus[b].cursor = 0
    at_work = True
    while at_work:
        at_work = False
        for b in range(own.buses):
            bus = own.bus[b]
            while bus.failed == OK and bus.cursor < bus.fast and bus.pending < 0:
                bus.failed = rt_send(state, own, b, bus, bus.first + bus.cursor, limit_ns)
                bus.cursor += 1
        for b in range(own.buses):
            bus = own.bus[b]
            if bus.fast > 0 and bus.failed == OK and bus.pending >= 0:
                bus.failed = rt_complete(state, own, b, bus, limit_ns)
                if bus.cursor == 0 and bus.pending < 0 and bus.fd >= 0:
                    bus.failed = OK  # that was a request of an earlier tick: those of this one have their turn
                at_work = at_work or (bus.failed == OK and bus.cursor < bus.fast)


@jit()
def rt_complete(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> int:
    """Waits for the pending answer and takes it in."""
    found = rt_receive(state, own, b, bus, limit_ns)
    if found == NOTHING:
        return TIMEOUT  # it may still come, in the next tick
    if found == OK:
        rt_take(own, bus, bus.pending, bus.sent_ns)
        if bus.fd >= 0:
            rt_compare(own, bus, bus.pending)
    if bus.fd >= 0:
        rt_finish(own, bus, found)
    return found


@jit()
def rt_take(own: Any, bus: Any, r: int, taken_ns: int) -> None:
    """The numbers of message r as values."""
    place, fresh = own.reading[DEVICE_TICK], True
    if place.request == r and math.isfinite(own.held[place.slot]):
        followed = rt_follow(own, int(own.held[place.slot]) & own.counter_mask, taken_ns)
        fresh = followed != REPEATED
        if followed == STARTED_OVER:
            rt_hang_up(bus, REBOOTED)
            return
    for k in range(_READINGS):
        place = own.reading[k]
        if place.request == r:
            number = own.held[place.slot]
            if place.mask != 0 and math.isfinite(number):
                number = 1.0 if int(number) & place.mask != 0 else 0.0
            own.value[k] = place.scale * number + place.offset
            if fresh:
                own.taken_ns[k] = taken_ns


@jit()
def rt_compare(own: Any, bus: Any, r: int) -> None:
    """Outputs that the answer shows, against what was sent and answered: anything else is another master's. A device
    whose watchdog is not set as it was at arming must be armed again."""
    for k in range(_OUTPUTS):
        place = own.output[k]
        if place.request == r:
            place.confirmed = 1
        if place.shown_in == r and place.confirmed != 0 and place.slot >= 0:
            said = own.held[place.repeats]
            if not abs(said - own.held[place.slot]) <= place.step:
                own.foreign, own.foreign_value, own.unreported = k, place.scale * said + place.offset, 1
                bus.overwritten += 1
    lives = own.output[_OUTPUTS]
    if lives.shown_in == r and not abs(own.held[lives.repeats] - own.time_to_live) <= lives.step:
        rt_hang_up(bus, DISARMED)


@jit()
def rt_slow(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> None:
    """One of the messages whose turn has come, in what is left of the period. Nobody waits for its answer: the next
    tick finds it. What fails here shows in the readings' ages."""
    if bus.slow == 0 or bus.fd < 0 or bus.failed != OK:
        return
    if bus.pending >= 0:
        rt_complete(state, own, b, bus, 0)
    if bus.pending >= 0 or bus.fd < 0:
        return
    due = rt_due(own, bus)
    if due < 0:
        return
    row, now_ns = own.request[due], monotonic_ns()
    if bus.fast == 0:
        fits = bus.quiet_until_ns <= now_ns
    else:  # what has waited for a whole turn, or has changed, goes out all the same, before the next command
        ends_ns = max(now_ns, bus.quiet_until_ns) + row.takes_ns
        fits = ends_ns <= limit_ns + own.rest_ns or rt_overdue(own, row) > row.every
    if fits and rt_send(state, own, b, bus, due, limit_ns) == OK:
        row.due = own.ticks + row.every


@jit()
def rt_due(own: Any, bus: Any) -> int:
    """The message that is most overdue, -1 for none."""
    due, most = -1, -1
    for r in range(bus.first + bus.fast, bus.first + bus.fast + bus.slow):
        overdue = rt_overdue(own, own.request[r])
        if overdue > most:
            due, most = r, overdue
    return due


@jit()
def rt_overdue(own: Any, row: Any) -> int:
    """By how many ticks, negative before its turn; what has other outputs than it said last is due at once."""
    if row.on_reset != 0:
        return _AT_ONCE + 1 if own.resetting != 0 else -1  # before what is commanded then
    for k in range(_OUTPUTS):
        if k != HEARTBEAT and row.outputs >> k & 1 and row.sent_of[k] != own.wanted[k]:
            return _AT_ONCE
    return int(own.ticks - row.due)


@jit()
def rt_streams(state: Any, own: Any, b: int, bus: Any) -> None:
    """What has come by itself. A message is at most as old as the last look, or as its period, and its time on the
    line."""
    if bus.streams == 0 or bus.fd < 0:
        return
    now_ns = monotonic_ns()
    for _ in range(MOST_PULLS):
        if rt_pull(state, INBOX_AT + b * INBOX, bus) <= 0:
            break
        looked = 0
        while bus.fd >= 0:
            r, looked = rt_next_streamed(state, own, b, bus, looked)
            if r < 0:
                break
            row = own.request[r]
            since_ns = now_ns - bus.pulled_ns
            if row.period_ns > 0:
                since_ns = min(since_ns, row.period_ns)
            bus.answered += 1
            bus.heard_ns = now_ns
            rt_take(own, bus, r, now_ns - since_ns - row.answer.most * bus.character_ps // 1000)
        if bus.fd < 0:
            return
        rt_drop(state, INBOX_AT + b * INBOX, bus, looked)
    bus.pulled_ns = now_ns
    if bus.fd >= 0 and bus.silence_ns > 0 and now_ns - bus.heard_ns > bus.silence_ns:
        rt_hang_up(bus, 0)
