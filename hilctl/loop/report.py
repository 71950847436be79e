"""What the loop tells after each tick: its channels of the sample, the status, the histograms, a copy of the state."""

from typing import Any

from hilctl.law.reference.motion import Kind
from hilctl.loop import layout
from hilctl.loop.board import rt_post
from hilctl.loop.clock import EXCHANGE, LAW, WAKE
from hilctl.loop.histogram import rt_clear_slices, rt_count
from hilctl.loop.layout import BANK, INTAKES, ROWS, SNAPSHOT_ASKED, SNAPSHOT_DONE, STATUS_SLOTS, STATUSES
from hilctl.loop.ring import LOST, WRITTEN
from hilctl.rt.atomics import load_acquire, store_release
from hilctl.rt.jit import jit
from hilctl.rt.records import record_at, rt_copy, words_of

_STATUSES_AT, _STATUS, _STATUS_SIZE = layout.statuses.at, layout.STATUS, layout.STATUS.itemsize
_SNAPSHOT_AT, _SNAPSHOT = layout.snapshot.at, layout.SNAPSHOT
_KNOTS_AT, _BANK_SIZE = layout.knots.at, BANK.itemsize
SECOND_NS = 1_000_000_000


@jit()
def rt_stamp(loop: Any, law_before_ns: int, sample: Any) -> None:
    """The loop's own channels."""
    status = loop.status
    sample.tick, sample.time_ns, sample.skipped = status.tick, status.time_ns, loop.skipped
    sample.wake_ns, sample.exchange_ns = loop.spent_ns[WAKE], loop.spent_ns[EXCHANGE]
    sample.law_ns = law_before_ns
    sample.link_errors, sample.link_lost = loop.health.errors, loop.readings.lost


@jit()
def rt_count_stages(loop: Any) -> None:
    """Counts this tick's stages in their histograms."""
    second = loop.status.time_ns // SECOND_NS
    if second != loop.slice:
        for k in range(3):
            rt_clear_slices(loop.stages[k], loop.slice, second)
        loop.slice = second
    rt_count(loop.stages[WAKE], loop.spent_ns[WAKE], second)
    if loop.health.lost == 0:
        rt_count(loop.stages[EXCHANGE], loop.spent_ns[EXCHANGE], second)
    rt_count(loop.stages[LAW], loop.spent_ns[LAW], second)


@jit()
def rt_tell(memory: Any, words: Any, loop: Any, options: Any, state: Any) -> None:
    """Posts the status; copies the law's state when that was asked for."""
    status, guard = loop.status, state.guard
    status.request = loop.request
    status.rows, status.rows_lost = words[ROWS + WRITTEN], words[ROWS + LOST]
    status.mode, status.arming, status.epoch, status.blend = state.mode, state.arm.step, state.epoch, state.blend
    status.motion_id, status.motion_done_id = state.motion_id, state.motion_done_id
    status.motion_result = state.motion_result
    status.supply_changes = 1 if state.supply_s > 0.0 else 0
    status.trip, status.trip_tick, status.trip_action = guard.trip, guard.trip_tick, guard.trip_action
    status.trip_value, status.trip_limit, status.trip_sensor = guard.trip_value, guard.trip_limit, guard.trip_sensor
    status.trips, status.warnings = guard.trips, guard.warnings
    slot = words[STATUSES] % STATUS_SLOTS
    rt_copy(status, record_at(memory, _STATUSES_AT + slot * _STATUS_SIZE, _STATUS))
    rt_post(words, STATUSES)
    loop.changed = 0
    asked = load_acquire(words, SNAPSHOT_ASKED)
    if asked != words[SNAPSHOT_DONE]:
        snapshot = record_at(memory, _SNAPSHOT_AT, _SNAPSHOT)
        snapshot.tick, snapshot.row, snapshot.request = status.tick, words[ROWS + WRITTEN], loop.request
        snapshot.intake = words[INTAKES + WRITTEN] + words[INTAKES + LOST]
        rt_carried(loop, options, snapshot.carried)
        if state.motion.kind == Kind.EXTERNAL:
            knots = words_of(record_at(memory, _KNOTS_AT + state.bank * _BANK_SIZE, BANK))
            for k in range(4):
                snapshot.carried.points[k] = knots[k]
        rt_copy(state, snapshot.state)
        store_release(words, SNAPSHOT_DONE, asked)


@jit()
def rt_carried(loop: Any, options: Any, carried: Any) -> None:
    """What the loop carries from tick to tick that the law sees."""
    carried.late, carried.stalls, carried.late_in_a_row = loop.late, loop.stalls, loop.status.late_in_a_row
    carried.failing, carried.lost, carried.errors = loop.health.failing, loop.health.lost, loop.health.errors
    carried.ending, carried.lost_periods = loop.status.ending, options.lost_periods
