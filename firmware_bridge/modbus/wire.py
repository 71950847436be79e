"""One bus from compiled code: sending a request, and taking the answer out of what arrives.

A request that is not answered in time stays pending until it is answered or given up. On a line nothing else is sent
meanwhile. Over TCP the next tick's request overtakes it, so that the valve does not stand as the last command left it
for as long as an answer may take; but only one is overtaken at a time, so that a device that wakes up again finds no
queue of old commands. An answer is known by its transaction id (TCP), or drained before the next request (RTU): never
off by one.
"""

from typing import Any

from firmware_bridge.described.inbox import EAGAIN, EINTR, EIO, INBOX, NOTHING, rt_drain, rt_drop, rt_hang_up, rt_pull
from firmware_bridge.described.signals import OUTPUTS
from firmware_bridge.modbus.frames import (
    EXCEPTION,
    HEADER,
    INCOMPLETE,
    rt_crc,
    rt_frame_rtu,
    rt_frame_tcp,
    rt_get16,
    rt_judge,
    rt_length_rtu,
    rt_request,
)
from firmware_bridge.modbus.record import INBOX_AT, OUTBOX, OUTBOX_AT, RTU
from firmware_bridge.modbus.values import rt_bits, rt_put_raw
from hilctl.rt.jit import jit
from hilctl.rt.libc import POLLIN, monotonic_ns, sleep_until_ns, wait_fd, write_fd
from hilctl.signals import Status

OK, TIMEOUT, BAD_CHECKSUM, BAD_REPLY, CLOSED = (
    Status.OK.value, Status.TIMEOUT.value, Status.BAD_CHECKSUM.value, Status.BAD_REPLY.value, Status.CLOSED.value
)  # fmt: skip
EARLIER = -2  # beside NOTHING and a Status
_OUTPUTS = len(OUTPUTS)
_LONGEST = 254  # function and data behind a TCP header's length, with the unit


@jit()
def rt_send(state: Any, own: Any, b: int, bus: Any, r: int, limit_ns: int) -> int:
    """Sends request r: OK, TIMEOUT when the line is not free before the limit, CLOSED."""
    if bus.fd < 0:
        return CLOSED
    now_ns = monotonic_ns()
    if bus.kind == RTU:
        if bus.quiet_until_ns > limit_ns:
            return TIMEOUT
        while now_ns < bus.quiet_until_ns:
            sleep_until_ns(bus.quiet_until_ns)
            now_ns = monotonic_ns()
        bus.strays += rt_drain(state, INBOX_AT + b * INBOX, bus)
        if bus.fd < 0:
            return CLOSED
    request = own.request[r]
    length = rt_build(state, own, b, bus, r, request)
    put = write_fd(int(bus.fd), state, OUTBOX_AT + b * OUTBOX, length)
    if put != length:
        if put in (-EAGAIN, -EINTR):
            return TIMEOUT
        return rt_hang_up(bus, EIO if put >= 0 else -put)  # half a frame cannot be taken back
    bus.pending = r
    bus.sent_ns = now_ns
    bus.expires_ns = now_ns + own.answer_ns + request.takes_ns
    bus.quiet_until_ns = now_ns + length * bus.character_ps // 1000 + bus.gap_ns
    bus.sent += 1
    return OK


@jit()
def rt_overtake(own: Any, bus: Any) -> None:
    """In a new tick: what an earlier one has not had answered makes way for this one's, if it is the only such."""
    if bus.at_once < 2 or bus.fd < 0 or bus.pending < 0 or bus.fast == 0:
        return
    if bus.earlier >= 0 and monotonic_ns() < bus.earlier_expires_ns:
        return
    rt_expire_earlier(bus)
    if bus.expired_in_a_row >= own.lost_after:
        rt_hang_up(bus, 0)
        return
    bus.earlier, bus.earlier_transaction = bus.pending, bus.transaction
    bus.earlier_sent_ns, bus.earlier_expires_ns = bus.sent_ns, bus.expires_ns
    bus.pending = -1


@jit()
def rt_expire_earlier(bus: Any) -> None:
    """The one that was overtaken is given up."""
    if bus.earlier >= 0:
        bus.earlier = -1
        bus.timeouts += 1
        bus.expired_in_a_row += 1


@jit()
def rt_build(state: Any, own: Any, b: int, bus: Any, r: int, request: Any) -> int:
    """The frame of request r into the outbox, with what is wanted of the outputs; its length."""
    at = OUTBOX_AT + b * OUTBOX
    begin = at + (1 if bus.kind == RTU else HEADER)
    data = rt_request(
        state, begin, request.function, request.read_at, request.read_count, request.write_at, request.write_count
    )
    for k in range(_OUTPUTS):
        place = own.output[k]
        if place.request == r:
            raw = (own.wanted[k] - place.offset) / place.scale
            rt_put_raw(state, data + 2 * place.word, place.kind, place.low_first, raw)
            own.sent_bits[k] = rt_bits(state, data + 2 * place.word, place.kind)
            own.confirmed[k] = 0
    count = data + 2 * request.write_count - begin
    if bus.kind == RTU:
        return rt_frame_rtu(state, at, request.unit, count)
    bus.transaction = (bus.transaction + 1) & 0xFFFF
    return rt_frame_tcp(state, at, bus.transaction, request.unit, count)


@jit()
def rt_find(state: Any, own: Any, b: int, bus: Any) -> int:
    """Looks for the answer in the inbox: NOTHING yet, its Status, or EARLIER for that of the one that was overtaken.
    `rt_data` then tells where its data begin."""
    return rt_find_rtu(state, own, b, bus) if bus.kind == RTU else rt_find_tcp(state, own, b, bus)


@jit()
def rt_find_tcp(state: Any, own: Any, b: int, bus: Any) -> int:
    """Frame by frame; what answers no pending request is dropped and counted."""
    at = INBOX_AT + b * INBOX
    while bus.have >= HEADER + 1:
        length = rt_get16(state, at + 4)
        if rt_get16(state, at + 2) != 0 or not 3 <= length <= _LONGEST:
            rt_drain(state, INBOX_AT + b * INBOX, bus)  # where the next frame begins cannot be known
            return CLOSED if bus.fd < 0 else BAD_REPLY
        if bus.have < HEADER - 1 + length:
            return NOTHING
        earlier = bus.earlier >= 0 and rt_get16(state, at) == bus.earlier_transaction
        asked = bus.earlier if earlier else bus.pending
        if asked < 0 or (not earlier and rt_get16(state, at) != bus.transaction):
            bus.strays += 1
        elif int(state[at + 6]) != own.request[asked].unit:
            bus.wrong_unit += 1
        else:
            return EARLIER if earlier else rt_judge_as(state, own.request[asked], at + HEADER, length - 1)
        rt_drop(state, INBOX_AT + b * INBOX, bus, HEADER - 1 + length)
    return NOTHING


@jit()
def rt_find_rtu(state: Any, own: Any, b: int, bus: Any) -> int:
    """One frame; a byte too many makes it none, since the silence between frames delimits them."""
    if bus.have == 0:
        return NOTHING
    at = INBOX_AT + b * INBOX
    if bus.pending < 0:
        bus.strays += bus.have
        bus.have = 0
        return NOTHING
    request = own.request[bus.pending]
    if int(state[at]) != request.unit:
        bus.wrong_unit += 1
        bus.have = 0
        return NOTHING
    length = rt_length_rtu(state, at, bus.have, request.function, request.read_count)
    if length == INCOMPLETE or bus.have < length:
        return NOTHING
    if length == 0 or bus.have > length:
        return BAD_REPLY
    crc = rt_crc(state, at, length - 2)
    if int(state[at + length - 2]) != crc & 0xFF or int(state[at + length - 1]) != crc >> 8:
        return BAD_CHECKSUM
    return rt_judge_as(state, request, at + 1, length - 3)


@jit()
def rt_judge_as(state: Any, asked: Any, at: int, count: int) -> int:
    """See rt_judge."""
    judged: int = rt_judge(state, at, count, asked.function, asked.read_count, asked.write_at, asked.write_count)
    return judged


@jit()
def rt_data(b: int, bus: Any) -> int:
    """Where the registers of a good answer begin, or the code of an exception less one byte."""
    return INBOX_AT + b * INBOX + (1 if bus.kind == RTU else HEADER) + 2


@jit()
def rt_count_exception(state: Any, b: int, bus: Any) -> int:
    """The code of an answer that is an exception."""
    code = int(state[rt_data(b, bus) - 1])
    bus.exceptions[code if code < 16 else 0] += 1
    return code


@jit()
def rt_receive(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> int:
    """Waits for the pending answer until the limit: what rt_find gives, NOTHING while it may still come."""
    while True:
        if bus.fd < 0:
            return CLOSED
        found = rt_find(state, own, b, bus)
        if found != NOTHING:
            return found
        left_ns = min(limit_ns, bus.expires_ns) - monotonic_ns()
        ready = wait_fd(int(bus.fd), POLLIN, max(left_ns, 0))
        if ready == 0:
            return TIMEOUT if monotonic_ns() >= bus.expires_ns else NOTHING
        if ready > 0:
            rt_pull(state, INBOX_AT + b * INBOX, bus)
        elif ready != -EINTR:
            return rt_hang_up(bus, -ready)


@jit()
def rt_finish(state: Any, own: Any, b: int, bus: Any, found: int) -> None:
    """The pending request is over: counts how, and clears the inbox for the next one. What it overtook was sent before
    it, and is not answered any more."""
    now_ns = monotonic_ns()
    rt_expire_earlier(bus)
    bus.quiet_until_ns = max(bus.quiet_until_ns, now_ns + bus.gap_ns)
    fast = bus.first <= bus.pending < bus.first + bus.fast
    bus.pending = -1
    if bus.kind == RTU:
        bus.have = 0
    elif found != TIMEOUT and bus.have > 0:
        rt_drop(state, INBOX_AT + b * INBOX, bus, HEADER - 1 + rt_get16(state, INBOX_AT + b * INBOX + 4))
    if found in (OK, EXCEPTION):
        bus.answered += 1
        bus.expired_in_a_row = 0
        bus.longest_ns = max(bus.longest_ns, now_ns - bus.sent_ns)
        if fast:
            bus.usual_ns += (now_ns - bus.sent_ns - bus.usual_ns) >> 4
    elif found == TIMEOUT:
        bus.timeouts += 1
        bus.expired_in_a_row += 1
        if bus.kind == RTU:
            bus.quiet_until_ns = now_ns + own.answer_ns  # a late answer shall pass before the next request
        if bus.expired_in_a_row >= own.lost_after:
            rt_hang_up(bus, 0)
    elif found == BAD_CHECKSUM:
        bus.checksums += 1
    elif found == BAD_REPLY:
        bus.bad_replies += 1
