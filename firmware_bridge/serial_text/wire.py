"""One line from compiled code: sending a request, and taking the answer, or what comes by itself, out of what arrives.

An answer must begin where the silence before it ends, and what came before the request is thrown away. After an answer
that is late, cut or spoilt, the line is left silent until the rest of it has passed: never off by one. A stream is read
from one terminator to the next; where it has none, or could be mistaken, two messages that follow each other without a
gap show where they begin.
"""

import math
from typing import Any

from firmware_bridge.described.inbox import EAGAIN, EINTR, EIO, INBOX, NOTHING, rt_drain, rt_drop, rt_hang_up, rt_pull
from firmware_bridge.described.readings import HEARTBEAT
from firmware_bridge.described.signals import OUTPUTS, RESET
from firmware_bridge.serial_text.record import INBOX_AT, OUTBOX, OUTBOX_AT, TEXTS_AT
from firmware_bridge.serial_text.rt_codec import BAD_CHECK, OTHER_ADDRESS, rt_build, rt_read
from firmware_bridge.serial_text.rt_numbers import MORE
from hilctl.rt.jit import jit
from hilctl.rt.libc import POLLIN, monotonic_ns, sleep_until_ns, wait_fd, write_fd
from hilctl.signals import Status

OK, TIMEOUT, BAD_CHECKSUM, BAD_REPLY, CLOSED = (
    Status.OK.value, Status.TIMEOUT.value, Status.BAD_CHECKSUM.value, Status.BAD_REPLY.value, Status.CLOSED.value
)  # fmt: skip
_OUTPUTS = len(OUTPUTS)
_SPUN_NS = 50_000  # to wake from an idle processor takes 5 to 60 us: so short a silence is not slept through
MOST_PULLS = 8  # of one inbox each: more than a line brings in a tick


@jit()
def rt_send(state: Any, own: Any, b: int, bus: Any, r: int, limit_ns: int) -> int:
    """Sends request r: OK, TIMEOUT when the line is not free before the limit, CLOSED."""
    if bus.fd < 0:
        return CLOSED
    now_ns = monotonic_ns()
    if bus.quiet_until_ns > limit_ns:
        return TIMEOUT
    while now_ns < bus.quiet_until_ns:
        if bus.quiet_until_ns - now_ns > _SPUN_NS:
            sleep_until_ns(bus.quiet_until_ns)
        now_ns = monotonic_ns()
    if bus.streams == 0:
        bus.strays += rt_drain(state, INBOX_AT + b * INBOX, bus)
        if bus.fd < 0:
            return CLOSED
    row = own.request[r]
    rt_number_outputs(own, r)
    length = rt_build(state, own, row.request, OUTBOX_AT + b * OUTBOX)
    put = write_fd(int(bus.fd), state, OUTBOX_AT + b * OUTBOX, length)
    if put != length:
        if put in (-EAGAIN, -EINTR):
            return TIMEOUT
        return rt_hang_up(bus, EIO if put >= 0 else -put)  # half a message cannot be taken back
    for k in range(_OUTPUTS):
        row.sent_of[k] = own.wanted[k]
        if row.outputs >> k & 1:
            own.output[k].confirmed = 0
    bus.sent += 1
    bus.sent_ns = now_ns
    bus.quiet_until_ns = now_ns + length * bus.character_ps // 1000 + bus.gap_ns
    if row.answer.count > 0:
        bus.pending = r
        bus.expires_ns = now_ns + own.answer_ns + row.takes_ns
        bus.echoed = length if bus.echo != 0 else 0
    return OK


@jit()
def rt_number_outputs(own: Any, r: int) -> None:
    """The numbers of the outputs of request r, from what is wanted of them."""
    for k in range(len(own.output)):
        place = own.output[k]
        if place.request == r and place.slot >= 0:
            number = (own.wanted[k] - place.offset) / place.scale
            own.held[place.slot] = number % place.wraps if k == HEARTBEAT else number


@jit()
def rt_end_of(state: Any, side: Any, at: int, have: int) -> int:
    """Bytes up to and with the first terminator; 0: it has not come."""
    for i in range(have - side.end_count + 1):
        same = True
        for j in range(side.end_count):
            same = same and state[at + i + j] == state[TEXTS_AT + side.end_at + j]
        if same:
            return int(i + side.end_count)
    return 0


@jit()
def rt_find(state: Any, own: Any, b: int, bus: Any) -> int:
    """Looks for the pending answer in the inbox: NOTHING yet, or its Status."""
    at = INBOX_AT + b * INBOX
    if bus.echoed > 0:
        for i in range(min(bus.have, bus.echoed)):
            if state[at + i] != state[OUTBOX_AT + b * OUTBOX + i]:
                return BAD_REPLY
        if bus.have < bus.echoed:
            return NOTHING
        rt_drop(state, INBOX_AT + b * INBOX, bus, bus.echoed)
        bus.echoed = 0
    side = own.request[bus.pending].answer
    while bus.have > 0:
        have = int(bus.have)
        if side.end_count > 0:
            have = rt_end_of(state, side, at, have)
            if have == 0:
                return NOTHING if bus.have <= side.most else BAD_REPLY
        taken = rt_read(state, own, side, at, have)
        if taken == OTHER_ADDRESS:
            bus.wrong_address += 1
            rt_drop(state, INBOX_AT + b * INBOX, bus, have)
            continue
        if taken == BAD_CHECK:
            return BAD_CHECKSUM
        if taken == MORE and side.end_count == 0 and have < side.most:
            return NOTHING
        if taken < 0 or (taken < have and side.bits == 0):  # bytes too many, and no checksum: nobody knows which
            return BAD_REPLY
        rt_drop(state, INBOX_AT + b * INBOX, bus, taken)
        return OK
    return NOTHING


@jit()
def rt_receive(state: Any, own: Any, b: int, bus: Any, limit_ns: int) -> int:
    """Waits for the pending answer until the limit: its Status, or NOTHING while it may still come."""
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
def rt_finish(own: Any, bus: Any, found: int) -> None:
    """The pending request is over: counts how. What was not answered is said again in its next turn."""
    now_ns = monotonic_ns()
    row = own.request[bus.pending]
    if found != OK:
        for k in range(_OUTPUTS):
            row.sent_of[k] = math.nan
    elif own.output[RESET].request == bus.pending and row.sent_of[RESET] != 0.0:
        own.resetting = 0
    bus.pending = -1
    bus.quiet_until_ns = max(bus.quiet_until_ns, now_ns + bus.gap_ns)
    if found == OK:
        bus.answered += 1
        bus.expired_in_a_row = 0
        bus.longest_ns = max(bus.longest_ns, now_ns - bus.sent_ns)
        return
    rest_ns = row.answer.most * bus.character_ps // 1000 + bus.gap_ns
    if found == TIMEOUT:
        bus.timeouts += 1
        bus.expired_in_a_row += 1
        rest_ns = own.answer_ns  # a late answer shall pass before the next request
        if bus.expired_in_a_row >= own.lost_after:
            rt_hang_up(bus, 0)
    elif found == BAD_CHECKSUM:
        bus.checksums += 1
    elif found == BAD_REPLY:
        bus.bad_replies += 1
    bus.quiet_until_ns = now_ns + rest_ns


@jit()
def rt_next_streamed(state: Any, own: Any, b: int, bus: Any, begin: int) -> tuple[int, int]:
    """The next message of a stream behind byte `begin` of the inbox: its number, and where to look on. -1: none yet."""
    at, p = INBOX_AT + b * INBOX, begin
    first = bus.first + bus.fast + bus.slow
    while p < bus.have:
        side = own.request[first].answer
        have = int(bus.have - p)
        if side.end_count > 0:
            have = rt_end_of(state, side, at + p, have)
            if have == 0:
                if bus.have - p > side.most:
                    bus.synchronous, p = 0, int(bus.have)
                return -1, p
        r, taken, outcome = -1, 0, 0
        for k in range(first, first + bus.streams):
            one = rt_read(state, own, own.request[k].answer, at + p, have)
            if one > 0 and (side.end_count == 0 or one == have):
                r, taken = k, one
                break
            outcome = max(outcome, 1) if one == MORE else max(outcome, 2) if one == BAD_CHECK else outcome
        if side.end_count > 0:
            known, bus.synchronous, p = bus.synchronous, 1, p + have
            if r >= 0 and known != 0:
                return r, p
            if known != 0:
                rt_count_bad(bus, outcome)
            continue
        if r < 0 and outcome == 1:
            return -1, p
        if bus.synchronous == 0 and r >= 0:
            follows = rt_follows(state, own, bus, first, at + p + taken, int(bus.have - p - taken))
            if follows == MORE:
                return -1, p
            if follows > 0:
                bus.synchronous, p = 1, p + taken
            else:
                p += 1
        elif r >= 0:
            return r, p + taken
        else:
            if bus.synchronous != 0:
                rt_count_bad(bus, outcome)
            bus.synchronous, p = 0, p + 1
    return -1, p


@jit()
def rt_follows(state: Any, own: Any, bus: Any, first: int, at: int, have: int) -> int:
    """Whether a whole message of the stream begins there."""
    found = -2
    for k in range(first, first + bus.streams):
        one = rt_read(state, own, own.request[k].answer, at, have)
        if one > 0:
            return one
        if one == MORE:
            found = MORE
    return found


@jit()
def rt_count_bad(bus: Any, outcome: int) -> None:
    """A message of a stream that was none."""
    if outcome == 2:
        bus.checksums += 1
    else:
        bus.bad_replies += 1
