"""What a loop makes of late wake-ups is counted here as the loop itself counts it."""

import numpy as np
import pytest

from hilctl.doctor.finding import Wish
from hilctl.doctor.late import judged, outcome
from hilctl.loop.clock import WAKE, rt_miss
from hilctl.loop.core import rt_watch_lateness
from hilctl.rt.jit import Jit
from hilctl.signals import Action, Mode
from tests.unit.loop.given import Shared

MS = 1_000_000
WISH = Wish(preview_ticks=4.5, late_ticks=50, late_share=0.2, driver="modbus", time_to_live_s=1.0)


def late(*stalls: tuple[int, int], number: int = 1000) -> np.ndarray:
    """20 µs each, but of some ticks so many milliseconds."""
    found = np.full(number, 20_000, np.int64)
    for tick, ms in stalls:
        found[tick] = ms * MS
    return found


def test_wake_ups_within_a_period_miss_nothing():
    seen = outcome(late(), WISH)
    assert (seen.due, seen.missed, seen.in_a_row, seen.tripped) == (1000, 0, 0, "")
    assert seen.silence_us == pytest.approx(1000)


def test_missed_ticks_are_counted_and_their_longest_row():
    seen = outcome(late((10, 3), (11, 2), (20, 4)), WISH)
    assert (seen.due, seen.missed, seen.in_a_row) == (1009, 9, 5)
    assert seen.tripped == ""


@pytest.mark.parametrize(("ms", "trips"), [(49, False), (50, True)])
def test_a_row_as_long_as_the_limit_trips(ms, trips):
    assert bool(outcome(late((10, ms)), WISH).tripped) is trips
    assert outcome(late((10, ms)), WISH._replace(late_action="warn")).tripped == ""


@pytest.mark.parametrize(("late_us", "trips"), [(9000, False), (9040, True)])
def test_a_silence_longer_than_the_time_to_live_trips_the_device_if_there_is_one(late_us, trips):
    wish, found = WISH._replace(time_to_live_s=0.01), late()
    found[10] = 1000 * late_us
    assert ("its device" in outcome(found, wish).tripped) is trips
    assert outcome(found, wish._replace(driver="")).tripped == ""


def test_silence_counts_from_one_exchange_to_the_next():
    found = late()
    found[10] = 900_000
    found[11] = 20_000
    found[12] = 2_300_000
    assert outcome(found, WISH).silence_us == pytest.approx(3000 + 300 - 20)


def test_a_wake_up_that_leaves_the_device_too_little_time_is_counted():
    found = late()
    found[5] = 350_000
    wish = WISH._replace(exchange_share=0.8, exchange_s=0.5e-3)
    assert outcome(found, wish).short == 1
    assert outcome(found, wish._replace(exchange_s=0.4e-3)).short == 0
    assert judged({"idle": outcome(found, wish)}, wish).verdict == "better"
    found[:11] = 350_000
    assert judged({"idle": outcome(found, wish)}, wish).verdict == "bad"


def test_a_stall_longer_than_a_motion_rejoins_ends_it():
    seen = outcome(late((10, 26)), WISH)
    assert (seen.ended, seen.tripped) == (1, "")
    assert judged({"idle": seen}, WISH).verdict == "bad"
    assert outcome(late((10, 25)), WISH).ended == 0


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("seed", range(12))
def test_the_loops_own_rules_come_to_the_same(seed, monkeypatch):
    monkeypatch.setattr(Jit, "__call__", lambda self, *arguments: self.plain(*arguments))  # compiling would take longer
    random = np.random.default_rng(seed)
    found = late(number=3000)
    rate, longest = random.choice([0.002, 0.02, 0.15, 0.4]), random.choice([3, 8, 60])
    stalled = random.random(len(found)) < rate
    found[stalled] = random.integers(MS, longest * MS, stalled.sum())
    seen = outcome(found, WISH)
    rig = Shared(Mode.TRACK)
    loop, state = rig.loop, rig.state
    rule = state.now.limits.late
    rule.share, rule.ticks, rule.action = WISH.late_share, WISH.late_ticks, Action.STOP
    state.linear.preview_ticks = WISH.preview_ticks
    for skipped in (found // MS).tolist():
        rt_miss(loop, skipped, WAKE)
        loop.skipped, state.periods = skipped, 1 + skipped
        if state.guard.trip == 0:
            rt_watch_lateness(loop, state)
    assert (loop.status.missed, loop.status.late_in_a_row_most) == (seen.missed, seen.in_a_row)
    assert bool(state.guard.trip) == bool(seen.tripped)
