"""The exchange of one tick over every bus, by compiled code.

A bus with requests of every tick makes them one after another and waits for each; over TCP the next tick's overtake
one that has no answer yet (wire.py). In the time that is left it makes one of the slow ones whose turn has come. Every
`back_every` ticks it reads back what it wrote last: anything else there was written by another master. Over TCP that
comes before the next command, and so that command and sample are not later in these ticks than in the others, they wait
in every tick for as long as a read-back usually takes. On a line, which takes its time for every character, it comes
after the command, and its answer is looked at in the next tick. A bus with none but slow ones never holds up a tick: it
sends in one and looks for the answer in the next ones. Buses wait side by side.
"""

from typing import Any

from firmware_bridge.described.inbox import DISARMED, INBOX, NOTHING, REBOOTED, rt_drop, rt_hang_up, rt_pull
from firmware_bridge.described.readings import (
    MOVED,
    STARTED_OVER,
    rt_all_new,
    rt_first_failure,
    rt_follow,
    rt_tell,
    rt_want,
)
from firmware_bridge.described.signals import DEVICE_TICK, OUTPUTS, READINGS
from firmware_bridge.driver import exchange_signature
from firmware_bridge.modbus.frames import HEADER, rt_get16, rt_status_of
from firmware_bridge.modbus.record import HEAD, INBOX_AT, RTU
from firmware_bridge.modbus.values import rt_bits, rt_raw
from firmware_bridge.modbus.wire import (
    BAD_CHECKSUM,
    BAD_REPLY,
    CLOSED,
    EARLIER,
    OK,
    TIMEOUT,
    rt_count_exception,
    rt_data,
    rt_find,
    rt_finish,
    rt_judge_as,
    rt_overtake,
    rt_receive,
    rt_send,
)
from hilctl.rt.jit import jit
from hilctl.rt.libc import POLLIN, monotonic_ns, sleep_until_ns, wait_fd
from hilctl.rt.records import as_record
from hilctl.signals import Status

EXCEPTION, LATE = Status.EXCEPTION.value, Status.LATE.value
WATCHDOG = len(OUTPUTS)  # after the outputs, where the registers that are read back are listed
_PATIENCE = 8  # times the usual interval: so long a line reads back only where that makes no tick late
_WATCH_EVERY = 16  # of so many read-backs one is that of the device's watchdog
_MOST_RETRIES = 2  # of a busy device, in one tick
_BUSY = (5, 6)  # exceptions: the device is at work
_PHASE_DOWN_NS, _PHASE_UP_NS = 200, 1800  # a read-back: nine in ten then end within the phase, which moves slowly
_READINGS, _OUTPUTS = len(READINGS), len(OUTPUTS)


@jit(exchange_signature, cached=True)
def rt_modbus_exchange(state: Any, command: Any, readings: Any) -> int:
    """Sends the command, reads what is due, and tells how old each reading is."""
    own = as_record(state, HEAD)
    own.ticks += command.periods
    rt_want(own, command)
    rt_fast(state, own, command.deadline_ns)
    outcome = rt_first_failure(own)
    for b in range(own.buses):
        rt_slow(state, own, b, own.bus[b], command.deadline_ns)
        rt_back_on_line(state, own, b, own.bus[b], command.deadline_ns)
    if outcome == OK:
        own.answered += command.periods
    elif outcome == TIMEOUT and rt_all_new(own):
        outcome = LATE  # the answer to an earlier tick came
    return rt_tell(own, readings, outcome)


@jit()
def rt_fast(state: Any, own: Any, limit_ns: int) -> None:
    """Every request of every tick, on all buses side by side."""
    begun_ns = monotonic_ns()
    for b in range(own.buses):
        rt_overtake(own, own.bus[b])
    read_back = rt_read_back(state, own, begun_ns, limit_ns)
    rt_keep_phase(own, begun_ns, limit_ns, read_back)
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
                rt_await(state, own, b, bus, limit_ns)
                at_work = at_work or (bus.failed == OK and bus.cursor < bus.fast)
    for b in range(own.buses):
        if own.bus[b].back > 0 and own.bus[b].back_due == own.ticks + own.back_every:
            rt_remember_back(own.bus[b], monotonic_ns() - begun_ns)


@jit()
def rt_read_back(state: Any, own: Any, begun_ns: int, limit_ns: int) -> bool:
    """Reads back over TCP what is due. Whether it was answered, on every bus that was asked."""
    asked = answered = 0
    for b in range(own.buses):
        bus = own.bus[b]
        bus.failed = bus.retries = bus.cursor = 0
        if rt_reads_back(own, bus, limit_ns - begun_ns):
            bus.failed = rt_send(state, own, b, bus, rt_back_next(own, bus), limit_ns)
            asked += 1
    for b in range(own.buses):
        bus = own.bus[b]
        if bus.kind != RTU and bus.back_due == own.ticks + own.back_every and bus.pending >= 0:
            rt_await(state, own, b, bus, limit_ns)
            answered += 1 if bus.failed == OK else 0
    return asked > 0 and asked == answered


@jit()
def rt_await(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> None:
    """As rt_complete. Where what is given up is none of this tick's requests, these have their turn.

    An answer on a line that nobody waited for, and that is there, came when such an answer comes: the silence after it
    is over, and costs this tick nothing.
    """
    quiet_ns = 0
    if bus.kind == RTU and bus.cursor == 0 and bus.pending >= bus.first + bus.fast + bus.slow:
        quiet_ns = max(bus.quiet_until_ns, bus.sent_ns + own.request[bus.pending].takes_ns + rt_slower_ns(own, bus))
        if bus.fd >= 0 and wait_fd(int(bus.fd), POLLIN, 0) > 0:
            rt_pull(state, INBOX_AT + b * INBOX, bus)
        if rt_find(state, own, b, bus) != OK:
            quiet_ns = 0
    bus.failed = rt_complete(state, own, b, bus, limit_ns)
    if quiet_ns > 0:
        bus.quiet_until_ns = quiet_ns
    if bus.failed == TIMEOUT and bus.pending < 0 and bus.cursor == 0:
        bus.failed = OK


@jit()
def rt_keep_phase(own: Any, begun_ns: int, limit_ns: int, read_back: bool) -> None:
    """Waits until the instant of a tick at which commands go out. A bus that has no time for that does not wait."""
    if read_back:
        own.phase_ns += _PHASE_UP_NS if monotonic_ns() - begun_ns > own.phase_ns else -_PHASE_DOWN_NS
    usual_ns = 0
    for b in range(own.buses):
        usual_ns = max(usual_ns, own.bus[b].usual_ns)
    until_ns = min(begun_ns + own.phase_ns, limit_ns - 2 * usual_ns)
    while monotonic_ns() < until_ns:
        sleep_until_ns(until_ns)


@jit()
def rt_reads_back(own: Any, bus: Any, left_ns: int) -> bool:
    """Whether this tick begins with a read-back: it is due, and leaves time for what is exchanged in every tick."""
    if bus.kind == RTU or not rt_back_is_due(own, bus):
        return False
    if bus.longest_back_ns > left_ns:  # it fades slowly: a device that is too slow for both is not asked for both often
        bus.longest_back_ns = min(bus.longest_back_ns - (bus.longest_back_ns >> 10), 2 * max(left_ns, 0))
        bus.postponed += 1
        return False
    return True


@jit()
def rt_back_is_due(own: Any, bus: Any) -> bool:
    """Whether it is time to read the outputs back, and nothing else is under way."""
    return bool(bus.back > 0 and own.back_every > 0 and own.ticks >= bus.back_due and max(bus.pending, bus.earlier) < 0)


@jit()
def rt_back_on_line(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> None:
    """Asks for it in what a line has left of this period. Nobody waits: the next tick finds the answer.

    A device, or a host, that is slower than the arithmetic makes the next tick late. So that is left out, but not for
    ever: that another program has changed an output must be seen.
    """
    if bus.kind != RTU or bus.fast == 0 or bus.fd < 0 or bus.failed != OK or not rt_back_is_due(own, bus):
        return
    due_ns = bus.back_due
    back = rt_back_next(own, bus)
    overdue = own.ticks >= due_ns + _PATIENCE * own.back_every
    ends_ns = max(monotonic_ns(), bus.quiet_until_ns) + own.request[back].takes_ns
    fits = ends_ns + (0 if overdue else rt_slower_ns(own, bus)) <= limit_ns + own.rest_ns
    if not fits or rt_send(state, own, b, bus, back, limit_ns) != OK:
        bus.back_due = due_ns
        bus.postponed += 1


@jit()
def rt_slower_ns(own: Any, bus: Any) -> int:
    """By how much device and host are usually slower than the arithmetic of the line says."""
    takes_ns = 0
    for r in range(bus.first, bus.first + bus.fast):
        takes_ns += own.request[r].takes_ns
    return int(max(bus.usual_ns - takes_ns // max(bus.fast, 1), 0))


@jit()
def rt_back_next(own: Any, bus: Any) -> int:
    """The block of outputs whose turn it is, and now and then the watchdog."""
    bus.back_due = own.ticks + own.back_every
    first = bus.first + bus.fast + bus.slow
    if bus.watch != 0 and bus.read_backs % _WATCH_EVERY == _WATCH_EVERY - 1:
        return int(first + bus.back)
    return int(first + bus.read_backs % bus.back)


@jit()
def rt_remember_back(bus: Any, took_ns: int) -> None:
    """How long a tick's requests take with a read-back among them: the longest, which fades."""
    bus.longest_back_ns = max(took_ns, bus.longest_back_ns - (bus.longest_back_ns >> 4))


@jit()
def rt_complete(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> int:
    """Waits for the pending answer and takes it in; a busy device is asked again."""
    found = rt_receive(state, own, b, bus, limit_ns)
    if found == EARLIER:
        rt_take_earlier(state, own, b, bus)
        found = rt_receive(state, own, b, bus, limit_ns) if bus.fd >= 0 else CLOSED
    if found == NOTHING:
        return TIMEOUT  # it may still come, in the next tick
    is_back = bus.pending >= bus.first + bus.fast + bus.slow
    if found == EXCEPTION:
        code = rt_count_exception(state, b, bus)
        again = code in _BUSY and bus.retries < _MOST_RETRIES and bus.cursor > 0
        rt_finish(state, own, b, bus, found)
        if is_back:
            bus.read_backs += 1
            return OK  # the outputs are written all the same
        if again:
            bus.busy += 1
            bus.retries += 1
            bus.cursor -= 1
            return OK
        return rt_status_of(code)
    if found == OK and is_back:
        rt_compare(state, own, bus, rt_data(b, bus))
    elif found == OK:
        rt_take(state, own, bus, bus.pending, bus.sent_ns, rt_data(b, bus))
        rt_confirm(own, bus.pending)
    if bus.fd >= 0:
        rt_finish(state, own, b, bus, found)
    return OK if is_back and found in (BAD_CHECKSUM, BAD_REPLY) else found


@jit()
def rt_compare(state: Any, own: Any, bus: Any, at: int) -> None:
    """Outputs as the device has them, against what was written last. Where that was not answered, nobody knows it. A
    device whose watchdog is not set as it was at arming must be armed again."""
    bus.read_backs += 1
    other = False
    place = own.back[WATCHDOG]
    if place.request == bus.pending and own.sent_bits[WATCHDOG] != rt_bits(state, at + 2 * place.word, place.kind):
        rt_hang_up(bus, DISARMED)
    for k in range(_OUTPUTS):
        place = own.back[k]
        if place.request == bus.pending and own.confirmed[k] != 0:
            found = rt_bits(state, at + 2 * place.word, place.kind)
            if found != own.sent_bits[k]:
                own.foreign, own.foreign_bits, other = k, found, True
    if other:
        bus.overwritten += 1
        own.unreported = 1


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
def rt_take_earlier(state: Any, own: Any, b: int, bus: Any) -> None:
    """The answer to the request that was overtaken: older readings than the pending one will bring, but readings. It
    says nothing of the outputs, which have been written again; so of a read-back nothing is compared."""
    at = INBOX_AT + b * INBOX
    found = rt_judge_as(state, own.request[bus.earlier], at + HEADER, rt_get16(state, at + 4) - 1)
    if found in (OK, EXCEPTION):
        bus.answered += 1
        bus.expired_in_a_row = 0
        bus.longest_ns = max(bus.longest_ns, monotonic_ns() - bus.earlier_sent_ns)
    else:
        bus.bad_replies += 1
    if found == OK:
        rt_take(state, own, bus, bus.earlier, bus.earlier_sent_ns, rt_data(b, bus))
    elif found == EXCEPTION:
        rt_count_exception(state, b, bus)
    bus.earlier = -1
    if bus.fd >= 0:
        rt_drop(state, at, bus, HEADER - 1 + rt_get16(state, at + 4))


@jit()
def rt_confirm(own: Any, request: int) -> None:
    """The outputs that this request wrote are written."""
    for k in range(_OUTPUTS):
        if own.output[k].request == request:
            own.confirmed[k] = 1


@jit()
def rt_take(state: Any, own: Any, bus: Any, request: int, sent_ns: int, at: int) -> None:
    """The answer's registers as values; the sample is as old as the question."""
    fresh = rt_count(state, own, bus, request, sent_ns, at)
    for k in range(_READINGS):
        place = own.reading[k]
        if place.request == request:
            raw = rt_raw(state, at + 2 * place.word, place.kind, place.low_first)
            own.value[k] = place.scale * raw + place.offset
            if fresh:
                own.taken_ns[k] = sent_ns


@jit()
def rt_count(state: Any, own: Any, bus: Any, request: int, sent_ns: int, at: int) -> bool:
    """Follows the device's counter of samples. False: the answer repeats an old sample, or the counter has started
    over, which ends the link: a device that has booted is not the one that was armed."""
    place = own.reading[DEVICE_TICK]
    if place.request != request:
        return True
    raw = int(rt_raw(state, at + 2 * place.word, place.kind, place.low_first)) & own.counter_mask
    followed = rt_follow(own, raw, sent_ns)
    if followed == STARTED_OVER:
        rt_hang_up(bus, REBOOTED)
    return bool(followed == MOVED)
