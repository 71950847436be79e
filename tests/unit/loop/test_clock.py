"""The real clock's arithmetic, with wake-ups at will."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.loop import clock
from hilctl.loop.layout import LOOP, STAGES

PERIOD_NS = 1_000_000
START_NS = 777_123


def plain(function):
    return getattr(function, "plain", function)


class Rig:
    """A loop whose wake-ups, exchanges and laws last as told."""

    def __init__(self, monkeypatch):
        self.loop = np.zeros(1, LOOP)[0]
        self.now_ns = START_NS
        monkeypatch.setattr(clock, "monotonic_ns", lambda: self.now_ns)
        monkeypatch.setattr(clock, "rt_sleep", self._sleep)
        for name in ("rt_blame", "rt_miss"):
            monkeypatch.setattr(clock, name, plain(getattr(clock, name)))
        plain(clock.rt_start_clock)(self.loop)

    def _sleep(self, due_ns, spin_ns):
        self.now_ns = max(self.now_ns, due_ns) + self.oversleep_ns
        return self.now_ns

    def tick(self, oversleep_ns=0, exchange_ns=1000, law_ns=1000):
        loop, self.oversleep_ns = self.loop, oversleep_ns
        plain(clock.rt_await)(loop, PERIOD_NS, 0)
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
    [({"oversleep_ns": 3_500_000}, "wake"), ({"exchange_ns": 3_500_000}, "exchange"), ({"law_ns": 3_500_000}, "law")],
)
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


def test_spinning_ends_no_earlier_than_the_deadline():
    due_ns = clock.monotonic_ns() + 3_000_000
    assert clock.rt_sleep(due_ns, 1_000_000) >= due_ns
    assert clock.rt_sleep(due_ns, 0) >= due_ns
