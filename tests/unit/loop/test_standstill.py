"""The virtual clock: when time stands still, when it waits for room, and how a period passes."""

import pytest

from hilctl.law.settings import PID_FEEDBACK
from hilctl.loop import standstill
from hilctl.loop.layout import DEVICE_LINK, FREE, HELD, ROWS, RUN_UNTIL, STALL
from hilctl.loop.lost import LOST
from hilctl.loop.ring import READ, WRITTEN
from hilctl.loop.standstill import rt_idle, rt_nap, rt_pass, rt_room
from hilctl.signals import Mode
from tests.forms import changed
from tests.unit.loop.given import PERIOD_NS, ROW_SLOTS, Shared

pytestmark = pytest.mark.usefixtures("forms")


def at(tick, mode=Mode.OFF, **options):
    rig = Shared(mode, **options)
    rig.loop.status.tick = tick
    return rig


def idle(rig):
    return bool(rt_idle(rig.loop, rig.words, rig.state, rig.knots))


@pytest.mark.parametrize("mode", list(Mode))
def test_time_stands_still_off_and_in_hold_while_nothing_is_asked_for(mode):
    assert idle(at(7, mode)) is (mode in (Mode.OFF, Mode.HOLD))


@pytest.mark.parametrize(("tick", "still"), [(-1, False), (0, True), (1, True)])
def test_the_first_tick_is_not_waited_for(tick, still):
    rig = at(tick)
    rig.words[RUN_UNTIL] = -5
    assert idle(rig) is still


@pytest.mark.parametrize(("until", "still"), [(6, True), (7, True), (8, False)])
def test_time_passes_until_the_tick_that_was_asked_for(until, still):
    rig = at(7)
    rig.words[RUN_UNTIL] = until
    assert idle(rig) is still


def test_time_passes_while_the_run_is_being_ended_or_parameters_are_on_their_way():
    rig = at(7)
    rig.loop.status.ending = 1
    assert not idle(rig)
    rig = at(7)
    rig.state.blend = 0.9
    assert not idle(rig)
    rig = at(7)
    rig.state.now.law.feedback = PID_FEEDBACK  # and its share has not come to 1 yet
    assert not idle(rig)


def test_time_passes_once_a_lost_link_is_back_and_not_before():
    rig = at(7)
    rig.loop.health.lost = 1
    assert not idle(rig)
    rig.words[DEVICE_LINK] = LOST
    assert idle(rig)


def room(written=0, read=0, held=FREE, hold_rows=3, ending=0):
    rig = at(7, hold_rows=hold_rows)
    rig.words[ROWS + WRITTEN], rig.words[ROWS + READ], rig.words[HELD] = written, read, held
    rig.loop.status.ending = ending
    return bool(rt_room(rig.loop, rig.options, rig.words))


def test_a_full_ring_makes_the_clock_wait():
    assert room(written=100 + ROW_SLOTS - 1, read=100)
    assert not room(written=100 + ROW_SLOTS, read=100)
    assert not room(written=100 + ROW_SLOTS + 1, read=100)


def test_rows_that_are_held_make_the_clock_wait_from_row_zero_on():
    assert room(written=102, read=102, held=100)
    assert not room(written=103, read=103, held=100)
    assert room(written=2, read=2, held=0)
    assert not room(written=3, read=3, held=0)


def test_the_end_of_a_run_waits_for_no_rows():
    assert room(written=100, read=0, held=0, ending=1)


@pytest.mark.parametrize("forms", ["plain"], indirect=True)
def test_naps_grow_from_twenty_microseconds_to_a_millisecond(monkeypatch):
    naps_ns = []
    monkeypatch.setattr(standstill, "monotonic_ns", lambda: 5000)
    monkeypatch.setattr(standstill, "sleep_until_ns", lambda until_ns: naps_ns.append(until_ns - 5000))
    for rounds in range(200):
        rt_nap(rounds)
    assert naps_ns == [], "at first it looks again at once"
    for rounds in range(200, 400):
        rt_nap(rounds)
    assert naps_ns[:24] == [20_000] * 4 + [40_000] * 4 + [80_000] * 4 + [160_000] * 4 + [320_000] * 4 + [640_000] * 4
    assert naps_ns[24:] == [1_000_000] * 176


def test_one_period_passes_at_a_time():
    rig = at(7)
    status = rig.loop.status
    status.standing, status.late_in_a_row, rig.loop.skipped = 1, 4, 9
    rt_pass(rig.loop, rig.words, PERIOD_NS)
    assert (status.tick, status.standing, rig.loop.skipped) == (8, 0, 0)
    assert status.time_ns == rig.loop.deadline_ns == 8 * PERIOD_NS
    assert (status.missed, status.late_in_a_row) == (0, 0)


def test_a_stall_that_was_asked_for_skips_its_periods_once_and_blames_the_wake_up():
    rig = at(7)
    status, before = rig.loop.status, rig.loop.status.copy()
    rig.words[STALL] = 3
    rt_pass(rig.loop, rig.words, PERIOD_NS)
    assert (rig.loop.skipped, rig.words[STALL], rig.loop.deadline_ns) == (3, 0, 11 * PERIOD_NS)
    assert changed(before, status) == {
        "tick": 11, "time_ns": 11 * PERIOD_NS, "missed": 3, "blamed[0]": 3, "late_in_a_row": 3, "late_in_a_row_most": 3,
    }  # fmt: skip
    rt_pass(rig.loop, rig.words, PERIOD_NS)
    assert (status.tick, rig.loop.skipped, status.missed, status.late_in_a_row_most) == (12, 0, 3, 3)
    rig.words[STALL] = -2
    rt_pass(rig.loop, rig.words, PERIOD_NS)
    assert (status.tick, rig.loop.skipped) == (13, 0)
    rig.words[STALL] = 1
    rt_pass(rig.loop, rig.words, PERIOD_NS)
    assert (status.tick, rig.loop.skipped) == (15, 1)
