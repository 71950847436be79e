"""The loop: one compiled function, entered once. `rt_run` reads as the phases of a tick.

It allocates nothing, takes no lock, and calls no Python; everything it touches lies in the shared memory (layout.py).
"""

import math
from typing import Any

from firmware_bridge.driver import READINGS, exchange_signature
from hilctl.law.bucket import rt_events, rt_full, rt_leak
from hilctl.law.reference.external import COUNT, ENDED, PEAK_ACCELERATION, PEAK_SPEED, rt_external_see
from hilctl.law.reference.motion import Kind
from hilctl.law.settings import SETTINGS
from hilctl.law.state import STATE
from hilctl.law.tick import rt_at_rest, rt_command, rt_start, rt_tick, rt_trip
from hilctl.loop import layout
from hilctl.loop.clock import EXCHANGE, LAW, rt_await, rt_start_clock
from hilctl.loop.intake import IntakeKind, rt_note
from hilctl.loop.layout import BANK, LOOP, OPTIONS, ROWS, ROWS_AT
from hilctl.loop.listen import rt_take_requests, rt_take_settings, rt_watch_service
from hilctl.loop.lost import rt_count_outcome, rt_follow_link, rt_link_open, rt_without_link
from hilctl.loop.mailbox import READER_FIRST
from hilctl.loop.parked import rt_watch_level
from hilctl.loop.report import rt_count_stages, rt_stamp, rt_tell
from hilctl.loop.ring import rt_claim, rt_lose, rt_publish
from hilctl.loop.standstill import FOREVER_NS, rt_idle, rt_nap, rt_pass, rt_room
from hilctl.rt.jit import jit, loop_type
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import record_at, rt_copy, words_of
from hilctl.signals import SAMPLE, SENSORS, Action, Mode, Trip

_WORDS_AT, _WORDS_END = layout.words.at, layout.words.end
_OPTIONS_AT, _LOOP_AT, _LAW_AT = layout.options.at, layout.loop.at, layout.law.at
_FIRST_SETTINGS_AT = layout.settings.at + READER_FIRST * SETTINGS.itemsize
_SCRAP_AT, _KNOTS_AT = layout.scrap.at, layout.knots.at
_ROW_SIZE, _READINGS_SIZE, _BANK_SIZE = SAMPLE.itemsize, READINGS.itemsize, BANK.itemsize
_SENSORS = len(SENSORS)

# Stalls longer than the feed-forward looks ahead, each of which the hydraulic mode feels; one leaks in the time in
# which the loop has damped it. Of 10 ms stopped and 2 running the third is one too many, and the table's swing doubles
# with about every second (table-500, 23 November 2026); of 5 in 50 ms none ever is.
_STALL_S, _STALLS = 0.05, 2.5


@jit(lambda: loop_type(exchange_signature()), cached=True)
def rt_run(memory: Any, exchange: Any, driver_state: Any) -> int:
    """Runs until the end of the run is asked for and the rig is at rest; returns the trip that ended it."""
    words = memory[_WORDS_AT:_WORDS_END].view(layout.WORD)
    options, loop = record_at(memory, _OPTIONS_AT, OPTIONS), record_at(memory, _LOOP_AT, LOOP)
    state, command, readings = record_at(memory, _LAW_AT, STATE), loop.command, loop.readings
    rt_start(state, record_at(memory, _FIRST_SETTINGS_AT, SETTINGS), 0)
    rt_prepare(loop, options)
    rested = False
    while not (loop.status.ending != 0 and (rested or loop.hurry_left <= 0)):
        # wait
        if options.virtual != 0:
            rt_stand_still(memory, words, loop, options, state)
        else:
            rt_await(loop, options.period_ns, options.spin_ns)
        # exchange: send the last command, read
        rested = rt_at_rest(state)
        limit_ns = FOREVER_NS if options.virtual != 0 else loop.deadline_ns + options.exchange_ns
        rt_command(state, command, loop.status.tick, loop.skipped, limit_ns)
        lost = loop.health.lost
        if rt_link_open(words, loop):
            if lost != 0:
                rt_note(memory, words, loop, IntakeKind.LINK_BACK.value, 0, 0, 0.0, 0.0)
            outcome = exchange(driver_state, command, readings)
            rt_count_outcome(loop, outcome)
        else:
            outcome = rt_without_link(loop, options.period_ns)
        law_before_ns = loop.spent_ns[LAW]
        exchanged_ns = rt_time_exchange(loop, options)
        # what reached the loop since the last tick
        rt_take_settings(memory, words, loop, state)
        if loop.status.ran > 0:  # before the first readings the law could only refuse
            rt_take_requests(memory, words, loop, state, loop.status.tick)
        rt_watch_service(memory, words, loop, options, state, exchanged_ns)
        rt_watch_lateness(loop, state)
        rt_see_points(memory, words, loop, state)
        # the law: from readings to the next command and the sample
        place = rt_claim(words, ROWS, loop.row_slots)
        sample_at = _SCRAP_AT if place < 0 else ROWS_AT + place * _ROW_SIZE
        sample = record_at(memory, sample_at, SAMPLE)
        if place >= 0:
            rt_copy(readings, record_at(memory, rt_readings_at(loop, place), READINGS))
        rt_stamp(loop, law_before_ns, sample)
        rt_tick(state, command, readings, outcome, rt_knots(memory, state), sample)
        rt_watch_level(memory, loop, sample_at)
        if rt_follow_link(words, loop, options, state, outcome):
            rt_note(memory, words, loop, IntakeKind.RELINK.value, 0, 0, 0.0, 0.0)
        # the row, the status, the times
        if place < 0:
            rt_lose(words, ROWS)
        else:
            rt_publish(words, ROWS)
        loop.status.ran += 1
        rt_tell(memory, words, loop, options, state)
        rt_finish(loop, options, exchanged_ns)
    return int(loop.status.ending)


@jit()
def rt_readings_at(loop: Any, place: int) -> int:
    """Where the readings of a row lie."""
    return int(ROWS_AT + loop.row_slots * _ROW_SIZE + place * _READINGS_SIZE)


@jit()
def rt_bank(state: Any) -> int:
    """Where the waveform of the running motion lies."""
    return int(_KNOTS_AT + state.bank * _BANK_SIZE)


@jit()
def rt_knots(memory: Any, state: Any) -> Any:
    """That waveform."""
    return words_of(record_at(memory, rt_bank(state), BANK))


@jit()
def rt_see_points(memory: Any, words: Any, loop: Any, state: Any) -> None:
    """What has come of an external reference."""
    if state.mode != Mode.TRACK or state.motion.kind != Kind.EXTERNAL:
        return
    knots = rt_knots(memory, state)
    if rt_external_see(knots):
        rt_note(memory, words, loop, IntakeKind.POINTS.value, int(knots[COUNT]), int(knots[ENDED]), knots[PEAK_SPEED],
                knots[PEAK_ACCELERATION])  # fmt: skip


@jit()
def rt_prepare(loop: Any, options: Any) -> None:
    """The loop before its first tick."""
    loop.mail_front = READER_FIRST
    readings = words_of(loop.readings)
    for i in range(readings.size):
        readings[i] = float("nan")  # what the rig does not have stays so
    for i in range(_SENSORS):
        loop.readings.age_ns[i] = 0
    loop.readings.device_tick = loop.readings.lost = 0
    rt_start_clock(loop)
    if options.virtual != 0:
        loop.begun_ns = monotonic_ns()
    else:
        loop.health.since_ns = loop.begun_ns


@jit()
def rt_stand_still(memory: Any, words: Any, loop: Any, options: Any, state: Any) -> None:
    """Virtual clock: listens while time stands still, then lets one period pass."""
    rounds, loop.between = 0, 1
    rt_see_points(memory, words, loop, state)
    while rt_idle(loop, words, state, rt_knots(memory, state)) or not rt_room(loop, options, words):
        if rounds == 0:
            loop.changed = 1
        rt_take_settings(memory, words, loop, state)
        rt_take_requests(memory, words, loop, state, loop.status.tick + 1)
        rt_watch_service(memory, words, loop, options, state, monotonic_ns())
        if loop.changed != 0 or rt_snapshot_asked(words):
            loop.status.standing = 1 if rt_idle(loop, words, state, rt_knots(memory, state)) else 0
            rt_tell(memory, words, loop, options, state)
        rt_nap(rounds)
        rt_see_points(memory, words, loop, state)
        rounds += 1
    loop.between = 0
    rt_pass(loop, words, options.period_ns)


@jit()
def rt_snapshot_asked(words: Any) -> bool:
    """A copy of the state was asked for and not made yet."""
    return bool(words[layout.SNAPSHOT_ASKED] != words[layout.SNAPSHOT_DONE])


@jit()
def rt_time_exchange(loop: Any, options: Any) -> int:
    """How long the exchange took; the instant at which it was over. Nothing takes time on the virtual clock."""
    if options.virtual != 0:
        return monotonic_ns() if loop.status.tick & 63 == 0 else loop.begun_ns
    now_ns = monotonic_ns()
    loop.spent_ns[EXCHANGE] = now_ns - loop.status.time_ns
    return now_ns


@jit()
def rt_finish(loop: Any, options: Any, exchanged_ns: int) -> None:
    """How long the law took, with all that belongs to it; the histograms."""
    if options.virtual != 0:
        return
    loop.finished_ns = monotonic_ns()
    loop.spent_ns[LAW] = loop.finished_ns - exchanged_ns
    rt_count_stages(loop)


@jit()
def rt_watch_lateness(loop: Any, state: Any) -> None:
    """Trips when too many ticks were missed: in a row, or of the last second. While off, nothing is counted.

    A loop that runs now and then may excite what it holds. So holding goes to null where it has stopped the table
    already, and so does everything when stalls come one upon the other (`_STALLS`).
    """
    rule, dt_s, late = state.now.limits.late, state.now.dt_s, loop.status.late_in_a_row
    action = Action.NULL.value if state.mode == Mode.HOLD and state.guard.trip != 0 else rule.action
    if state.mode == Mode.OFF:
        loop.late = loop.stalls = 0.0
        return
    felt = state.periods > math.ceil(state.linear.preview_ticks)
    loop.stalls = rt_events(loop.stalls, felt, dt_s / _STALL_S, 1 + loop.skipped)
    loop.late = rt_leak(rt_leak(loop.late, True, rule.share, dt_s, loop.skipped), False, rule.share, dt_s, 1)
    if loop.skipped == 0 or rule.action == Action.WARN:
        return
    if late >= rule.ticks:
        rt_trip(state, Trip.LATE_TICKS.value, action, float(late), float(rule.ticks))
    elif loop.stalls > _STALLS:
        rt_trip(state, Trip.LATE_TICKS.value, Action.NULL.value, loop.stalls, _STALLS)
    elif rt_full(loop.late, rule.share, dt_s):
        rt_trip(state, Trip.LATE_TICKS.value, action, loop.late * dt_s, rule.share)
