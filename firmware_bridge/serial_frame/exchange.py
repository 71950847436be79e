"""The tick's exchange: one command out, its answer in, on the descriptor itself.

Nothing is sent twice. An answer counts when its session and sequence are those of the command just sent. A tick without
it fails at once: what its readings would have been is for the law to predict. Read `rt_serial_exchange` first.
"""

import errno
import math
from typing import Any

from firmware_bridge.driver import exchange_signature
from firmware_bridge.serial_frame.frames import MOST_STUFFED
from firmware_bridge.serial_frame.messages import (
    ANSWER,
    ANSWERS,
    HEAD,
    INPUT_BITS,
    NARROW,
    ONE,
    WIDE,
    Fault,
    State,
    Type,
)
from firmware_bridge.serial_frame.rt_frames import rt_get, rt_get_signed, rt_put, rt_seal, rt_unseal
from firmware_bridge.serial_frame.state import BODY_AT, CHUNK, CHUNK_AT, FRAME_AT, SEND_AT, STATE
from hilctl.rt.jit import jit
from hilctl.rt.libc import POLLIN, monotonic_ns, read_fd, wait_fd, write_fd
from hilctl.rt.records import as_record, words_of
from hilctl.signals import INPUTS, SENSORS, Status

STALE_TICKS = 2  # of the device: an instant that a new answer may share with the one before

OK, TIMEOUT, BAD_CHECKSUM, BAD_REPLY = (
    int(s) for s in (Status.OK, Status.TIMEOUT, Status.BAD_CHECKSUM, Status.BAD_REPLY)
)
EXCEPTION, CLOSED, STALE = int(Status.EXCEPTION), int(Status.CLOSED), int(Status.STALE)
ARM, CYCLIC, RESET = int(Type.ARM), int(Type.CYCLIC), int(Type.RESET)
NO_SESSION = int(Fault.NO_SESSION)
ARMED, RUNNING, TRIPPED = int(State.ARMED), int(State.RUNNING), int(State.TRIPPED)
READINGS_TYPE, FAULT_TYPE = CYCLIC + ANSWER, Type.FAULT + ANSWER
READINGS_SIZE, FAULT_SIZE = HEAD.size + ANSWERS[Type.CYCLIC].size, HEAD.size + ANSWERS[Type.FAULT].size
HEAD_SIZE = HEAD.size
PAYLOAD_AT = FRAME_AT + HEAD_SIZE
WIDES, SCALES, COUNT, INPUT_COUNT = len(WIDE), len(WIDE) + len(NARROW), len(SENSORS), len(INPUTS)
SCALED_AT = tuple(SENSORS.index(name) for name in (*WIDE, *NARROW))
INPUT_AT = tuple(SENSORS.index(name) for name in INPUTS)
FLAGS_AT = PAYLOAD_AT + 4 * WIDES + 2 * (SCALES - WIDES)
NOT_NOW, INTERRUPTED = -errno.EAGAIN, -errno.EINTR


@jit(exchange_signature, cached=True)
def rt_serial_exchange(state: Any, command: Any, readings: Any) -> int:
    """Sends the command, waits for its answer, fills the readings."""
    own = as_record(state, STATE)
    own.exchanges += 1
    outcome = CLOSED
    if own.fd >= 0:
        outcome = rt_send(state, own, command)
        if outcome == OK:
            outcome = rt_await(state, own, min(command.deadline_ns, own.sent_ns + own.timeout_ns))
    if outcome == CLOSED:  # for good: what follows is a new session
        own.fd = -1
    elif outcome in (TIMEOUT, BAD_CHECKSUM, BAD_REPLY):
        own.flush = 1
        own.timeouts += outcome == TIMEOUT
    rt_fill(own, readings)
    return outcome


@jit()
def rt_fill(own: Any, readings: Any) -> None:
    """The newest readings there are, and how old they are now."""
    if own.known == 0:
        return
    words = words_of(readings)
    age_ns = monotonic_ns() - own.sampled_ns
    for k in range(COUNT):
        words[k] = own.values[k]
        readings.age_ns[k] = age_ns
    readings.device_tick = own.device_tick
    readings.lost = own.lost


# -- out


@jit()
def rt_send(state: Any, own: Any, command: Any) -> int:
    """The command as a frame; where it is the first to ask for an output of a device that is not armed, RESET and ARM
    before it."""
    at = SEND_AT
    if own.flush != 0:
        if not rt_flush(state, own):
            return CLOSED
        at = rt_put(state, at, 1, 0)  # what was cut off ends here
    enable = 1 if command.enable == 1 else 0
    supply = command.supply if 0 <= command.supply <= 2 else 0
    asked = 1 if enable != 0 or supply != 0 else 0
    if asked > own.asked and own.device_state != ARMED and own.device_state != RUNNING:
        if own.device_state == TRIPPED:
            at = rt_frame(state, own, RESET, BODY_AT + HEAD_SIZE, at)
        end = rt_put(state, rt_put(state, BODY_AT + HEAD_SIZE, 4, own.boot), 4, own.time_to_live_us)
        at = rt_frame(state, own, ARM, end, at)
    own.asked = asked
    end = rt_put(state, rt_put(state, BODY_AT + HEAD_SIZE, 4, rt_q30(command.valve)), 1, enable | supply << 1)
    at = rt_frame(state, own, CYCLIC, end, at)
    own.sent_ns = monotonic_ns()
    put = write_fd(own.fd, state, SEND_AT, at - SEND_AT)
    if put == at - SEND_AT:
        return OK
    return TIMEOUT if put >= 0 or put in (NOT_NOW, INTERRUPTED) else CLOSED


@jit()
def rt_q30(valve: float) -> int:
    """The opening in fixed point; what is no number is null."""
    if not math.isfinite(valve):
        return 0
    return round(max(-1.0, min(1.0, valve)) * ONE)


@jit()
def rt_frame(state: Any, own: Any, kind: int, end: int, at: int) -> int:
    """The next frame of the session, its payload being there up to `end`; written at `at`; where it ends."""
    own.sequence = (own.sequence + 1) & 0xFFFF
    rt_put(state, rt_put(state, rt_put(state, BODY_AT, 2, kind), 2, own.sequence), 4, own.session)
    return rt_seal(state, BODY_AT, end - BODY_AT, at)


@jit()
def rt_flush(state: Any, own: Any) -> bool:
    """Throws away what the line still holds, at most what a terminal can hold. False when it has gone."""
    own.flush = own.length = own.overflow = 0
    for _ in range(16):
        got = read_fd(own.fd, state, CHUNK_AT, CHUNK)
        if got in (NOT_NOW, INTERRUPTED):
            return True
        if got <= 0:
            return False
    return True


# -- in


@jit()
def rt_await(state: Any, own: Any, deadline_ns: int) -> int:
    """Reads until the answer is there, or it is time."""
    outcome, rounds = TIMEOUT, 0
    while True:
        left_ns = deadline_ns - monotonic_ns()
        if left_ns <= 0 and rounds > 0:
            return outcome
        rounds += 1
        ready = wait_fd(own.fd, POLLIN, left_ns)
        if ready == 0:
            return outcome
        if ready == INTERRUPTED:
            continue
        if ready < 0 or ready & POLLIN == 0:
            return CLOSED
        got = read_fd(own.fd, state, CHUNK_AT, CHUNK)
        if got in (NOT_NOW, INTERRUPTED):
            continue
        if got <= 0:
            return CLOSED
        answered = False
        for i in range(got):
            found = rt_byte(state, own, state[CHUNK_AT + i])
            if found >= 0 and not answered:
                outcome = found
                answered = found != BAD_CHECKSUM and found != BAD_REPLY
        if answered:
            return outcome


@jit()
def rt_byte(state: Any, own: Any, byte: int) -> int:
    """One byte of the line: -1, or the status that the frame which it ends means."""
    if byte != 0:
        if own.length < MOST_STUFFED:
            state[FRAME_AT + own.length] = byte
            own.length += 1
        else:
            own.overflow = 1
        return -1
    came, count = own.length, own.length
    if own.overflow != 0:
        count = 0
    own.length = own.overflow = 0
    if came == 0:
        return -1
    count = rt_unseal(state, FRAME_AT, count)
    if count == 0:
        own.bad_frames += 1
        return BAD_CHECKSUM
    return rt_answer(state, own, count)


@jit()
def rt_answer(state: Any, own: Any, count: int) -> int:
    """A whole frame: the answer, or something else."""
    sequence, session = rt_get(state, FRAME_AT + 2, 2), rt_get(state, FRAME_AT + 4, 4)
    if count < HEAD_SIZE or session != own.session or sequence != own.sequence:
        own.discarded += 1
        return -1
    kind = rt_get(state, FRAME_AT, 1)
    if kind == READINGS_TYPE and count == READINGS_SIZE:
        return rt_readings(state, own)
    if kind == FAULT_TYPE and count == FAULT_SIZE:
        own.faults += 1
        own.fault = rt_get(state, PAYLOAD_AT, 1)
        return CLOSED if own.fault == NO_SESSION else EXCEPTION
    own.bad_replies += 1
    return BAD_REPLY


@jit()
def rt_readings(state: Any, own: Any) -> int:
    """Takes the readings; OK where the device does as commanded."""
    own.answered += 1
    own.device_state, own.device_trip = rt_get(state, FRAME_AT + 1, 1) & 15, rt_get(state, FRAME_AT + 1, 1) >> 4
    at = PAYLOAD_AT
    for i in range(SCALES):
        size = 4 if i < WIDES else 2
        own.values[SCALED_AT[i]] = rt_get_signed(state, at, size) * own.scale[i] if own.scale[i] != 0.0 else math.nan
        at += size
    own.device_flags = rt_get(state, FLAGS_AT, 1)
    for i in range(INPUT_COUNT):
        told = float(own.device_flags >> INPUT_BITS[i] & 1)
        own.values[INPUT_AT[i]] = told if own.inputs >> i & 1 != 0 else math.nan
    raw_lost = rt_get(state, FLAGS_AT + 1, 2)
    own.lost += (raw_lost - own.lost) & 0xFFFF  # it wraps
    own.sampled_ns = own.sent_ns - own.tick_ns
    raw = rt_get(state, FLAGS_AT + 3, 4)
    passed = (raw - own.raw_tick) & 0xFFFFFFFF
    fresh = own.known == 0 or passed != 0
    own.device_tick = raw if own.known == 0 else own.device_tick + passed
    own.raw_tick, own.known = raw, 1
    if fresh:
        own.ticked_ns = own.sent_ns
    elif own.sent_ns - own.ticked_ns > STALE_TICKS * own.tick_ns:
        own.stale += 1
        return STALE
    if own.asked == 0 or own.device_state == RUNNING:
        return OK
    return OK if own.device_flags & 1 != 0 and own.sees_emergency != 0 else EXCEPTION  # that reading says it better
