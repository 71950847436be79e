"""When missed ticks trip: so many in a row, too many of a second, or one stall upon the other."""

import pytest

from hilctl.loop.core import rt_watch_lateness
from hilctl.signals import Action, Mode, Trip
from tests.unit.loop.given import Shared

SHARE, IN_A_ROW, PREVIEW = 0.2, 50, 7.5
pytestmark = pytest.mark.usefixtures("forms")


def late(mode=Mode.TRACK, skipped=0, in_a_row=0, level=0.0, stalls=0.0, action=Action.STOP, latched=0):
    """A loop that has just skipped some periods, after the law has watched its lateness."""
    rig = Shared(mode)
    loop, state = rig.loop, rig.state
    rule = state.now.limits.late
    rule.share, rule.ticks, rule.action = SHARE, IN_A_ROW, action
    state.linear.preview_ticks, state.guard.trip, state.motion_id = PREVIEW, latched, 4
    loop.skipped, state.periods, loop.status.late_in_a_row = skipped, 1 + skipped, in_a_row
    loop.late, loop.stalls = level, stalls
    rt_watch_lateness(loop, state)
    return rig


def tripped(rig):
    guard = rig.state.guard
    return guard.trip, guard.trip_action, guard.trip_value, guard.trip_limit


def test_off_nothing_is_counted_and_nothing_trips():
    rig = late(Mode.OFF, skipped=100, in_a_row=100, level=900.0, stalls=9.0)
    assert (rig.loop.late, rig.loop.stalls) == (0.0, 0.0)
    assert (rig.state.guard.trip, rig.state.guard.warnings) == (0, 0)


def test_missed_periods_fill_a_bucket_that_leaks_by_the_share_of_all():
    assert late(skipped=3, level=10.0).loop.late == pytest.approx(10 + 3 - 4 * SHARE)
    assert late(skipped=0, level=10.0).loop.late == pytest.approx(10 - SHARE)
    assert late(skipped=0, level=0.1).loop.late == 0.0


@pytest.mark.parametrize(("skipped", "felt"), [(0, 0), (6, 0), (7, 0), (8, 1), (20, 1)])
def test_a_stall_longer_than_the_preview_counts_and_one_leaks_in_fifty_milliseconds(skipped, felt):
    rig = late(skipped=skipped, stalls=1.0)
    assert rig.loop.stalls == pytest.approx(1.0 + felt - (1 + skipped) / 50)


@pytest.mark.parametrize(("in_a_row", "trips"), [(IN_A_ROW - 1, False), (IN_A_ROW, True), (IN_A_ROW + 3, True)])
def test_so_many_periods_missed_in_a_row_trip(in_a_row, trips):
    rig = late(skipped=2, in_a_row=in_a_row)
    assert tripped(rig) == ((Trip.LATE_TICKS, Action.STOP, in_a_row, IN_A_ROW) if trips else (0, 0, 0, 0))
    assert rig.state.mode == (Mode.STOP if trips else Mode.TRACK)


def test_stalls_one_upon_the_other_go_to_null():
    assert tripped(late(skipped=10, stalls=1.5)) == (0, 0, 0, 0)
    rig = late(skipped=10, stalls=1.9)
    level = 1.9 - 11 / 50 + 1
    assert tripped(rig) == (Trip.LATE_TICKS, Action.NULL, pytest.approx(level), 2.5)
    assert rig.state.mode == Mode.NULL


@pytest.mark.parametrize(("level", "trips"), [(199.3, False), (199.5, True)])
def test_more_than_the_share_of_a_second_missed_trips(level, trips):
    rig = late(skipped=1, level=level)
    now = level + 1 - 2 * SHARE
    assert tripped(rig) == ((Trip.LATE_TICKS, Action.STOP, pytest.approx(now * 1e-3), SHARE) if trips else (0, 0, 0, 0))


def test_what_was_missed_before_trips_only_at_a_tick_that_misses_again():
    rig = late(skipped=0, in_a_row=99, level=900.0, stalls=9.0)
    assert tripped(rig) == (0, 0, 0, 0)
    assert tripped(late(skipped=1, in_a_row=99)) != (0, 0, 0, 0)


def test_a_limit_that_only_warns_never_trips():
    for in_a_row in (0, 99):
        rig = late(skipped=60, in_a_row=in_a_row, level=900.0, stalls=9.0, action=Action.WARN)
        assert (*tripped(rig), rig.state.guard.warnings) == (0, 0, 0, 0, 0)
    assert rig.loop.late > 900, "it is counted all the same"


@pytest.mark.parametrize(
    ("mode", "latched", "after"),
    [
        (Mode.HOLD, 0, Mode.HOLD),
        (Mode.HOLD, Trip.VELOCITY, Mode.NULL),
        (Mode.TRACK, Trip.VELOCITY, Mode.STOP),
    ],
)
@pytest.mark.parametrize("by", [{"in_a_row": IN_A_ROW}, {"level": 300.0}])
def test_held_after_a_trip_already_it_goes_to_null_and_otherwise_stops(mode, latched, after, by):
    assert late(mode, skipped=2, latched=latched, **by).state.mode == after
