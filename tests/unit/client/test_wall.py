"""Ticks and the samples' times as wall time."""

import numpy as np
import pytest

from hilctl.client.wall import ClockGap, WallClock
from hilctl.wire.errors import Refused

S = 10**9
OLD, NEW = 1_700_000_000 * S, 1_700_003_600 * S  # the clock was an hour behind until 50 s
TOLD = {
    "wall": {
        "offset_ns": NEW, "uncertainty_ns": 200, "since_ns": 50 * S, "synchronized": True, "error_ns": 3,
        "before": [{"offset_ns": OLD, "uncertainty_ns": 100, "since_ns": 0}], "tick0_ns": 40 * S, "period_ns": 10**6,
    }
}  # fmt: skip


def test_a_time_has_the_offset_that_held_then():
    clock = WallClock.of(TOLD)
    assert clock.of_times(49 * S) == OLD + 49 * S
    assert clock.of_times(50 * S) == NEW + 50 * S
    made = clock.of_times(np.array([1, 60 * S]))
    assert made.dtype == np.int64 and made.tolist() == [OLD + 1, NEW + 60 * S]


def test_a_tick_is_dated_by_when_it_was_due():
    clock = WallClock.of(TOLD)
    assert clock.of_ticks(0) == OLD + 40 * S
    assert clock.of_ticks([10_001]).tolist() == [NEW + 50 * S + 10**6]
    assert clock.datetime_of_tick(0).isoformat() == "2023-11-14T22:14:00+00:00"


@pytest.mark.parametrize("late_ns", [0, 1, 999_999])
def test_the_tick_at_a_wall_time_is_the_first_that_is_not_before_it(late_ns):
    clock = WallClock.of(TOLD)
    tick = clock.tick_at(NEW + 55 * S - late_ns)
    assert tick == 15_000


def test_virtual_time_and_an_older_service_are_refused_by_their_causes():
    with pytest.raises(Refused, match="counted in ticks alone"):
        WallClock.of({"wall": None})
    with pytest.raises(Refused, match="its program is older"):
        WallClock.of({})
    with pytest.raises(Refused, match="has not made a sample yet"):
        WallClock.of({"wall": {**TOLD["wall"], "tick0_ns": None}}).of_ticks(1)


@pytest.mark.parametrize(
    ("ahead_s", "said"),
    [(0.9, ""), (-1.4, ""), (30.0, "30.0 s behind"), (-600, "10 min ahead of"), (3 * 3600, "3 h behind"),
     (-86_400 * 3, "3 days ahead of")],
)  # fmt: skip
def test_clocks_that_differ_are_told_in_words_and_only_then(ahead_s, said):
    gap = ClockGap.measured(0, {"time_ns": int((0.5 + ahead_s) * S)}, S)
    assert gap.ahead_s == pytest.approx(ahead_s) and gap.uncertainty_s == 0.5
    assert said in gap.text and bool(gap.text) == bool(said)


def test_an_older_service_tells_no_time_and_is_not_blamed():
    assert ClockGap.measured(0, {}, S).text == ""
