"""The real clock's arithmetic, with wake-ups at will."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilctl.loop import clock
from hilctl.loop.layout import LOOP, STAGES

PERIOD_NS = 1_000_000
START_NS = 777_123

# Wake-ups at will are for plain Python alone.
pytestmark = [pytest.mark.usefixtures("forms"), pytest.mark.parametrize("forms", ["plain"], indirect=True)]


class Rig:
    """A loop whose wake-ups, exchanges and laws last as told."""

    def __init__(self, monkeypatch):
        self.loop = np.zeros(1, LOOP)[0]
        self.now_ns = START_NS
        monkeypatch.setattr(clock, "monotonic_ns", lambda: self.now_ns)
        monkeypatch.setattr(clock, "rt_sleep", self._sleep)
        clock.rt_start_clock(self.loop)

    def _sleep(self, due_ns, spin_ns):
        self.now_ns = max(self.now_ns, due_ns) + self.oversleep_ns
        return self.now_ns

    def tick(self, oversleep_ns=0, exchange_ns=1000, law_ns=1000):
        loop, self.oversleep_ns = self.loop, oversleep_ns
        clock.rt_await(loop, PERIOD_NS, 0)
        loop.spent_ns[clock.EXCHANGE], loop.spent_ns[clock.LAW] = exchange_ns, law_ns
        self.now_ns += exchange_ns + law_ns
        loop.finished_ns = self.now_ns
        loop.status.ran += 1


@pytest.fixture
def rig(monkeypatch):
    return Rig(monkeypatch)


def test_on_time_nothing_is_missed_and_the_index_counts(rig):
    for k in range(5):
        rig.tick(oversleep_ns=20_000)
        assert rig.loop.status.tick == k
        assert rig.loop.spent_ns[clock.WAKE] == 20_000
    assert rig.loop.status.missed == 0


durations = st.integers(0, 5 * PERIOD_NS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(durations, durations, durations), min_size=1, max_size=40))
def test_every_tick_that_was_due_ran_or_was_missed_and_the_phase_is_kept(ticks):
    with pytest.MonkeyPatch.context() as patch:
        rig = Rig(patch)
        for oversleep_ns, exchange_ns, law_ns in ticks:
            rig.tick(oversleep_ns, exchange_ns, law_ns)
            status = rig.loop.status
            assert status.ran + status.missed == status.tick + 1
            assert status.missed == sum(status.blamed)
            assert (rig.loop.deadline_ns - START_NS) % PERIOD_NS == 0
            assert rig.loop.deadline_ns == START_NS + (status.tick + 1) * PERIOD_NS
            assert 0 <= status.time_ns - rig.loop.deadline_ns < PERIOD_NS


@pytest.mark.parametrize(
    ("slow", "stage"),
    [({"oversleep_ns": 3_500_000}, "wake"), ({"exchange_ns": 3_500_000}, "exchange"), ({"law_ns": 3_500_000}, "law"),
     ({"exchange_ns": 2_500_000}, "exchange"), ({"law_ns": 2_500_000}, "law")],
)  # fmt: skip
def test_the_stage_that_used_up_the_time_is_blamed(rig, slow, stage):
    rig.tick()
    rig.tick(**slow)
    rig.tick()
    blamed = dict(zip(STAGES, rig.loop.status.blamed.tolist(), strict=True))
    assert blamed[stage] > 0
    assert sum(blamed.values()) == blamed[stage] == rig.loop.status.missed


def test_late_by_less_than_a_period_is_late_but_not_missed(rig):
    rig.tick(oversleep_ns=PERIOD_NS - 1)
    assert rig.loop.status.missed == 0
    rig.tick(oversleep_ns=PERIOD_NS)
    assert rig.loop.status.missed == 1


def test_missed_in_a_row_add_up_and_one_tick_on_time_ends_the_row(rig):
    for total in (2, 4, 6):
        rig.tick(oversleep_ns=2 * PERIOD_NS + 500_000)
        assert rig.loop.status.late_in_a_row == total
    rig.tick()
    assert rig.loop.status.late_in_a_row == 0
    assert rig.loop.status.late_in_a_row_most == 6


def test_the_first_tick_is_due_one_period_from_the_start(rig):
    assert (rig.loop.status.tick, rig.loop.begun_ns, rig.loop.deadline_ns) == (-1, START_NS, START_NS)
    assert rig.loop.finished_ns == START_NS
    rig.tick()
    assert (rig.loop.status.tick, rig.loop.deadline_ns) == (0, START_NS + PERIOD_NS)


@pytest.mark.parametrize(("periods", "skipped"), [(0.999, 0), (1, 1), (2.5, 2)])
def test_the_periods_that_went_by_are_skipped_and_the_lateness_is_the_whole(rig, periods, skipped):
    late_ns = round(periods * PERIOD_NS)
    rig.tick(oversleep_ns=late_ns)
    assert (rig.loop.skipped, rig.loop.spent_ns[clock.WAKE]) == (skipped, late_ns)
    assert rig.loop.status.time_ns == START_NS + PERIOD_NS + late_ns


@pytest.mark.parametrize(
    ("overslept_ns", "woke_ns", "exchange_ns", "law_ns", "stage"),
    [
        (50, 0, 49, 49, clock.WAKE),
        (50, 0, 50, 50, clock.WAKE),
        (50, 0, 51, 49, clock.EXCHANGE),
        (50, 0, 49, 51, clock.LAW),
        (0, 50, 49, 50, clock.WAKE),
        (0, 50, 51, 51, clock.EXCHANGE),
        (0, 50, 51, 52, clock.LAW),
        (0, 50, 52, 51, clock.EXCHANGE),
    ],
)
def test_the_longest_stage_is_blamed_this_wake_up_first(rig, overslept_ns, woke_ns, exchange_ns, law_ns, stage):
    loop = rig.loop
    loop.spent_ns[:] = woke_ns, exchange_ns, law_ns
    loop.finished_ns = 900
    assert clock.rt_blame(loop, 1000, 1000 + overslept_ns) == stage
    loop.finished_ns = 1000
    assert clock.rt_blame(loop, 900, 1000 + overslept_ns) == stage, "what was due while the tick before ran"


class Asleep:
    """A clock that a sleep sets, early or late by some, and that each look takes on by ten nanoseconds."""

    def __init__(self, monkeypatch, late_ns=0):
        self.now_ns, self.late_ns, self.slept = 0, late_ns, []
        monkeypatch.setattr(clock, "monotonic_ns", self._look)
        monkeypatch.setattr(clock, "sleep_until_ns", self._sleep)

    def _look(self):
        self.now_ns += 10
        return self.now_ns

    def _sleep(self, until_ns):
        self.slept.append(until_ns)
        self.now_ns = max(self.now_ns, until_ns + self.late_ns)


def test_without_spinning_it_sleeps_until_the_instant(monkeypatch):
    asleep = Asleep(monkeypatch)
    assert clock.rt_sleep(5000, 0) == 5010
    assert asleep.slept == [5000]


def test_a_sleep_that_ends_early_is_taken_up_again(monkeypatch):
    asleep = Asleep(monkeypatch, late_ns=-11)
    assert clock.rt_sleep(5000, 0) == 5009
    assert asleep.slept == [5000, 5000]


def test_a_sleep_that_ends_at_the_instant_is_over(monkeypatch):
    asleep = Asleep(monkeypatch, late_ns=-10)
    assert clock.rt_sleep(5000, 0) == 5000
    assert asleep.slept == [5000]


def test_with_spinning_it_sleeps_short_of_the_instant_and_watches_the_clock(monkeypatch):
    asleep = Asleep(monkeypatch)
    assert clock.rt_sleep(5000, 300) == 5000
    assert asleep.slept == [4700]
