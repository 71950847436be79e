"""What the loop tells after each tick."""

import pytest

from hilctl.law.reference.motion import Kind
from hilctl.loop import layout
from hilctl.loop.clock import EXCHANGE, LAW, WAKE
from hilctl.loop.layout import INTAKES, ROWS, SNAPSHOT_ASKED, SNAPSHOT_DONE, STATUS_SLOTS, STATUSES
from hilctl.loop.report import rt_carried, rt_count_stages, rt_stamp, rt_tell
from hilctl.loop.ring import LOST, WRITTEN
from hilctl.rt.records import words_of
from hilctl.signals import SAMPLE
from tests.forms import changed, filled
from tests.unit.loop.given import Shared

SECOND_NS = 1_000_000_000
pytestmark = pytest.mark.usefixtures("forms")


def told():
    """A loop and a state in which no two numbers are alike."""
    rig = Shared()
    for record, seed in ((rig.loop, 1), (rig.state, 2)):
        words_of(record)[:] = words_of(filled(record.dtype, seed))
    rig.words[STATUSES], rig.words[ROWS + WRITTEN], rig.words[ROWS + LOST] = 3 * STATUS_SLOTS + 5, 71, 72
    return rig


def tell(rig):
    rt_tell(rig.memory, rig.words, rig.loop, rig.options, rig.state)


def test_the_loops_channels_stand_in_the_sample_and_nothing_else():
    rig, sample = told(), filled(SAMPLE, 5)
    before, loop = sample.copy(), rig.loop
    loop.status.tick, loop.status.time_ns = 77, 88
    rt_stamp(loop, 4711, sample)
    assert changed(before, sample) == {
        "tick": loop.status.tick, "time_ns": loop.status.time_ns, "skipped": loop.skipped,
        "wake_ns": loop.spent_ns[WAKE], "exchange_ns": loop.spent_ns[EXCHANGE], "law_ns": 4711,
        "link_errors": loop.health.errors, "link_lost": loop.readings.lost,
    }  # fmt: skip


def timed(time_ns, last=0, lost=0):
    rig = Shared()
    rig.loop.status.time_ns, rig.loop.slice, rig.loop.health.lost = time_ns, last, lost
    rig.loop.spent_ns[WAKE], rig.loop.spent_ns[EXCHANGE], rig.loop.spent_ns[LAW] = 100, 200, 400
    return rig


@pytest.mark.parametrize("lost", [0, 1])
def test_each_stage_is_counted_in_the_slice_of_its_second_but_no_exchange_without_a_link(lost):
    rig = timed(13 * SECOND_NS - 1, last=12, lost=lost)
    rt_count_stages(rig.loop)
    for stage, spent_ns, counted in ((WAKE, 100, 1), (EXCHANGE, 200, 1 - lost), (LAW, 400, 1)):
        record = rig.loop.stages[stage]
        assert record.total.sum() == record.slices[2].sum() == record.slices.sum() == counted
        assert record.most == record.slice_most[2] == spent_ns * counted
    assert rig.loop.slice == 12


def test_a_new_second_clears_the_slices_that_it_takes_over_in_every_stage():
    rig = timed(24 * SECOND_NS, last=22)
    for stage in rig.loop.stages:
        stage.slices[:], stage.slice_most[:] = 1, 9000
    rt_count_stages(rig.loop)
    for stage in rig.loop.stages:
        assert (stage.slices[3].sum(), stage.slice_most[3]) == (0, 0)
        assert stage.slices[4].sum() == 1
        assert (stage.slices[2] == 1).all()
        assert (stage.slices[5] == 1).all()
    assert rig.loop.slice == 24


def test_within_a_second_nothing_is_cleared():
    rig = timed(24 * SECOND_NS + 5, last=24)
    for stage in rig.loop.stages:
        stage.slice_most[:] = 9000
    rt_count_stages(rig.loop)
    assert all((stage.slice_most == 9000).all() for stage in rig.loop.stages)


def test_the_status_holds_what_loop_and_law_are_at():
    rig = told()
    before, loop, state = rig.loop.status.copy(), rig.loop, rig.state
    tell(rig)
    status = loop.status
    assert (status.request, status.rows, status.rows_lost) == (loop.request, 71, 72)
    for name in ("mode", "epoch", "blend", "motion_id", "motion_done_id", "motion_result"):
        assert status[name] == state[name], name
    for name in ("trip", "trip_tick", "trip_action", "trip_value", "trip_limit", "trip_sensor", "trips", "warnings"):
        assert status[name] == state.guard[name], name
    assert (status.arming, status.supply_changes) == (state.arm.step, 1)
    assert len(changed(before, status)) == 19
    state.supply_s = 0.0
    tell(rig)
    assert status.supply_changes == 0
    assert loop.changed == 0


def test_each_status_is_posted_whole_in_the_next_slot():
    rig = told()
    board = layout.statuses.of(rig.memory)
    tell(rig)
    assert rig.words[STATUSES] == 3 * STATUS_SLOTS + 6
    assert board[5] == rig.loop.status
    assert not any(words_of(board[k]).any() for k in range(STATUS_SLOTS) if k != 5)


def test_the_state_is_copied_once_for_each_time_that_it_is_asked_for():
    rig = told()
    rig.words[SNAPSHOT_ASKED] = rig.words[SNAPSHOT_DONE] = 6
    rig.words[INTAKES + WRITTEN], rig.words[INTAKES + LOST] = 30, 4
    snapshot = layout.snapshot.of(rig.memory)[0]
    tell(rig)
    assert not words_of(snapshot).any()
    rig.words[SNAPSHOT_ASKED] = 7
    tell(rig)
    assert rig.words[SNAPSHOT_DONE] == 7
    assert (snapshot.tick, snapshot.row, snapshot.request) == (rig.loop.status.tick, 71, rig.loop.request)
    assert snapshot.intake == 30 + 4
    assert changed(rig.state, snapshot.state) == {}
    words_of(rig.state)[:] = 0.0
    tell(rig)
    assert snapshot.state.mode == filled(rig.state.dtype, 2).mode


def test_what_the_loop_carries_is_copied_under_its_own_names():
    rig, carried = told(), filled(layout.CARRIED, 7)
    rig.options.lost_periods = 4321
    rt_carried(rig.loop, rig.options, carried)
    loop, health, status = rig.loop, rig.loop.health, rig.loop.status
    assert (carried.late, carried.stalls, carried.late_in_a_row) == (loop.late, loop.stalls, status.late_in_a_row)
    assert (carried.failing, carried.lost, carried.errors) == (health.failing, health.lost, health.errors)
    assert (carried.ending, carried.lost_periods) == (status.ending, 4321)
    assert (carried.points == filled(layout.CARRIED, 7).points).all(), "of an external reference alone"


@pytest.mark.parametrize("kind", [Kind.EXTERNAL, Kind.SINE])
@pytest.mark.parametrize("bank", [0, 1])
def test_of_an_external_reference_what_was_seen_of_its_points_is_carried_too(kind, bank):
    rig = told()
    rig.state.motion.kind, rig.state.bank, rig.words[SNAPSHOT_ASKED] = kind, bank, 1
    layout.knots.of(rig.memory)[bank].knots[:5] = 1.0, 2.0, 3.0, 4.0, 5.0
    tell(rig)
    carried = layout.snapshot.of(rig.memory)[0].carried
    assert carried.points.tolist() == ([1.0, 2.0, 3.0, 4.0] if kind == Kind.EXTERNAL else [0.0] * 4)
    assert carried.late == rig.loop.late
