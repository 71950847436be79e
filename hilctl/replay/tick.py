"""The loop of a replay: each tick as in loop/core.py, with what was recorded in place of a device and of a service.

It runs in memory that is laid out like that of core and service (loop/layout.py), up to where the rows would begin.
"""

from typing import Any

import numpy as np

from hilctl.law.reference.external import COUNT, ENDED, FIRST, PEAK_ACCELERATION, PEAK_SPEED, RING
from hilctl.law.requests import REQUEST
from hilctl.law.settings import SETTINGS
from hilctl.law.state import STATE
from hilctl.law.tick import rt_adopt, rt_command, rt_hurry, rt_request, rt_tick, rt_trip
from hilctl.loop import layout
from hilctl.loop.clock import EXCHANGE, WAKE, rt_miss
from hilctl.loop.core import rt_knots, rt_watch_lateness
from hilctl.loop.intake import IntakeKind
from hilctl.loop.layout import BANK, DEVICE_LINK, LOOP, OPTIONS, RELINK
from hilctl.loop.lost import OPEN, rt_count_outcome, rt_follow_link, rt_link_open, rt_without_link
from hilctl.loop.report import rt_stamp
from hilctl.params import record_of
from hilctl.rt.jit import jit, record_type
from hilctl.rt.records import record_at, rt_copy
from hilctl.signals import CHANNELS, NAMES, SAMPLE, Action

_WORDS_AT, _WORDS_END = layout.words.at, layout.words.end
_OPTIONS_AT, _LOOP_AT, _LAW_AT = layout.options.at, layout.loop.at, layout.law.at
_SCRAP_AT, _SCRAP_END, _KNOTS_AT = layout.scrap.at, layout.scrap.end, layout.knots.at
_BANK_SIZE, _REQUEST_SIZE = BANK.itemsize, REQUEST.itemsize
_WIDTH = len(NAMES)
_REAL = np.array([channel.kind == "f8" for channel in CHANNELS])
_TICK, _TIME, _SKIPPED, _WAKE, _EXCHANGE, _LAW, _STATUS = (
    NAMES.index(name) for name in ("tick", "time_ns", "skipped", "wake_ns", "exchange_ns", "law_ns", "status")
)

# What the loop took, with the place of its bytes.
ENTRY: Any = record_of(
    [
        ("kind", np.int64),
        ("tick", np.int64),
        ("between", np.int64),
        ("id", np.int64),
        ("refusal", np.int64),
        ("value", np.float64),
        ("limit", np.float64),
        ("at", np.int64),
        ("length", np.int64),
    ]
)

# How far a replay has come, and what it found.
FOUND: Any = record_of(
    [
        ("entry", np.int64),  # that comes next
        ("differ", np.int64),  # ticks
        ("row", np.int64),  # of the first that differs among those given, or -1
        ("refused", np.int64),  # the first entry that was answered otherwise, or -1,
        ("answer", np.int64),  # and the answer now
        ("tolerance", np.float64),  # share of the largest value of a channel so far; 0: every bit counts
        ("largest", np.float64, (_WIDTH,)),
        ("sample", np.int64, (_WIDTH,)),  # the first that differs, as it is now
    ]
)


def _signature() -> Any:
    byte, whole, real = (record_type(np.dtype(kind)) for kind in (np.uint8, np.int64, np.float64))
    readings, entries, found = record_type(layout.given(1).dtype), record_type(ENTRY), record_type(FOUND)
    return whole(byte[::1], whole[:, ::1], readings[::1], entries[::1], byte[::1], real[::1], found[::1])


@jit(_signature, cached=True)
def rt_replay(memory: Any, rows: Any, readings: Any, entries: Any, blobs: Any, commands: Any, found: Any) -> int:
    """Rows that follow each other without a gap; the commands as they are now. Returns how many."""
    words = memory[_WORDS_AT:_WORDS_END].view(layout.WORD)
    options, loop = record_at(memory, _OPTIONS_AT, OPTIONS), record_at(memory, _LOOP_AT, LOOP)
    state, command, f = record_at(memory, _LAW_AT, STATE), loop.command, found[0]
    sample, now = record_at(memory, _SCRAP_AT, SAMPLE), memory[_SCRAP_AT:_SCRAP_END].view(layout.WORD)
    for k in range(len(rows)):
        tick, skipped = rows[k, _TICK], rows[k, _SKIPPED]
        while f.entry < len(entries) and entries[f.entry].tick < tick:  # between two ticks
            rt_take(memory, loop, state, entries[f.entry], blobs, f)
        loop.status.tick, loop.status.time_ns, loop.skipped = tick, rows[k, _TIME], skipped
        loop.spent_ns[WAKE], loop.spent_ns[EXCHANGE] = rows[k, _WAKE], rows[k, _EXCHANGE]
        rt_miss(loop, skipped, WAKE)
        rt_command(state, command, tick, skipped, 0)
        if f.entry < len(entries) and rt_is_of(entries[f.entry], tick, IntakeKind.LINK_BACK.value):
            words[DEVICE_LINK] = OPEN
            f.entry += 1
        if rt_link_open(words, loop):
            outcome = rows[k, _STATUS]
            rt_count_outcome(loop, outcome)
        else:
            outcome = rt_without_link(loop, 0)
        rt_copy(readings[k], loop.readings)
        while f.entry < len(entries) and rt_is_of(entries[f.entry], tick, 0):
            rt_take(memory, loop, state, entries[f.entry], blobs, f)
        if loop.status.ending != 0:
            rt_hurry(state)
        rt_watch_lateness(loop, state)
        rt_stamp(loop, rows[k, _LAW], sample)
        rt_tick(state, command, loop.readings, outcome, rt_knots(memory, state), sample)
        rt_follow_link(words, loop, options, state, outcome)
        commands[k] = sample.u_cmd
        if rt_differs(rows[k], now, f):
            f.differ += 1
            if f.row < 0:
                f.row = k
                for c in range(_WIDTH):
                    f.sample[c] = now[c]
    return len(rows)


@jit()
def rt_is_of(entry: Any, tick: int, kind: int) -> bool:
    """Whether this was taken in that tick, and is of that kind; 0: of any."""
    return bool(entry.tick == tick and entry.between == 0 and (kind == 0 or entry.kind == kind))


@jit()
def rt_take(memory: Any, loop: Any, state: Any, entry: Any, blobs: Any, f: Any) -> None:
    """What the loop took then."""
    if entry.kind == IntakeKind.SETTINGS:
        rt_adopt(state, record_at(blobs, entry.at, SETTINGS))
    elif entry.kind == IntakeKind.REQUEST:
        request = record_at(blobs, entry.at, REQUEST)
        bank_at = _KNOTS_AT + request.bank * _BANK_SIZE
        for i in range(entry.length - _REQUEST_SIZE):
            memory[bank_at + i] = blobs[entry.at + _REQUEST_SIZE + i]
        answer = rt_request(state, request, entry.tick + entry.between)
        if answer != entry.refusal and f.refused < 0:
            f.refused, f.answer = f.entry, answer
    elif entry.kind == IntakeKind.RELINK:
        memory[_WORDS_AT:_WORDS_END].view(layout.WORD)[RELINK] = 1
    elif entry.kind == IntakeKind.POINTS:
        rt_write_points(rt_knots(memory, state), entry, blobs)
    elif entry.kind == IntakeKind.END:
        loop.status.ending = entry.id
        rt_trip(state, entry.id, Action.STOP.value, entry.value, entry.limit)
        if entry.between != 0:
            rt_hurry(state)
    f.entry += 1


@jit()
def rt_write_points(knots: Any, entry: Any, blobs: Any) -> None:
    """More of an external reference, as the service wrote it."""
    count = entry.length // 8
    for i in range(count):
        at = entry.at + 8 * i
        place = FIRST + ((entry.id - count + i) & (RING - 1))
        knots[place] = blobs[at : at + 8].view(np.float64)[0]
    knots[COUNT], knots[ENDED] = entry.id, entry.refusal
    knots[PEAK_SPEED], knots[PEAK_ACCELERATION] = entry.value, entry.limit


@jit()
def rt_differs(recorded: Any, now: Any, f: Any) -> bool:
    """Whether any channel does."""
    differs = False
    for c in range(_WIDTH):
        if f.tolerance > 0.0 and _REAL[c]:
            differs = rt_apart(recorded, now, c, f) or differs
        elif recorded[c] != now[c]:
            differs = True
    return differs


@jit()
def rt_apart(recorded: Any, now: Any, c: int, f: Any) -> bool:
    """Whether a real number is further off than the tolerance."""
    was, is_ = recorded[c : c + 1].view(np.float64)[0], now[c : c + 1].view(np.float64)[0]
    if was == was and abs(was) > f.largest[c]:
        f.largest[c] = abs(was)
    if was != was or is_ != is_:
        return bool((was != was) != (is_ != is_))
    return bool(abs(was - is_) > f.tolerance * f.largest[c])
