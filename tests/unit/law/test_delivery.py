"""Commands that are lost: what acts meanwhile, and what the next commands repay."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilctl.law.delivery import ALL, DELIVERY, FIRST, MOST_S, NONE, rt_delivered, rt_repaid, rt_repayment
from hilctl.law.output import OUTPUT, rt_limit

pytestmark = pytest.mark.usefixtures("forms")
DT_S, LAG, REACH, STEP = 1e-3, 0.27, 1.0, 0.25
MOST = 10.0  # of the spool's way in a tick: no limit
QUIET = 400  # ticks after which nothing is owed any more
SWING_S = 0.025  # half a period of the hydraulic mode


class Link:
    """A valve behind a link, and the law's output with its delivery."""

    def __init__(self, shown: bool = True, share: float = 1.0, swing_s: float = SWING_S) -> None:
        self.swing_s = swing_s
        self.own, self.out = np.zeros(1, DELIVERY)[0], np.zeros(1, OUTPUT)[0]
        self.shown, self.share, self.acts, self.spool = shown, share, 0.0, 0.0
        self.acted: list[float] = []

    def tick(self, wanted: float, arrives: bool = True, answered: bool = True) -> float:
        """The command of the tick before goes out; the next is computed from what came back."""
        sent = float(self.out.command)
        if arrives:
            self.acts = sent
        self.acted.append(self.acts)
        self.spool += LAG * (self.acts - self.spool)
        reading = self.spool if self.shown and answered else math.nan
        rt_delivered(not answered, sent, self.shown, reading, LAG, MOST, DT_S, 1, self.swing_s, self.own)
        self.own.plain = wanted
        wanted += rt_repayment(self.share, float(self.out.command), 0.0, REACH, STEP, self.own)
        rt_limit(wanted, 0.0, REACH, STEP / DT_S, DT_S, 1, self.out)
        if rt_repaid(float(self.out.command), int(self.out.saturated), self.own):
            self.out.refused = 0.0
        return float(self.out.command)


def moved(link: Link, wanted: Any, lost: Any) -> float:
    """The oil beyond what the wanted commands would have moved, as opening times ticks, when all is quiet again."""
    for k, value in enumerate((*wanted, *([0.0] * QUIET))):
        arrives, answered = lost.get(k, (True, True))
        link.tick(value, arrives, answered)
    return float(np.sum(link.acted) - np.sum(wanted))


PULSE = (0.0, 0.0, 0.0, 0.18, 0.06, -0.1, 0.05, 0.0)
REQUEST, ANSWER, WAITING = (False, False), (True, False), (False, False)
COURSES = {
    "nothing arrived": lambda at: {at: REQUEST, at + 1: WAITING, at + 2: WAITING},
    "the first arrived": lambda at: {at: ANSWER, at + 1: WAITING, at + 2: WAITING},
    "all arrived": lambda at: {at: ANSWER, at + 1: ANSWER, at + 2: ANSWER},
    "one request": lambda at: {at: REQUEST},
    "one answer": lambda at: {at: ANSWER},
}


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("at", range(2, 9))
def test_what_was_lost_of_a_pulse_is_repaid_whatever_arrived(course, at):
    assert abs(moved(Link(), PULSE, COURSES[course](at))) < 0.025


def test_without_a_spool_reading_or_its_share_nothing_is_repaid():
    lost = COURSES["nothing arrived"](4)
    assert abs(moved(Link(), PULSE, lost)) < 0.025
    for link in (Link(shown=False), Link(share=0.0)):
        assert abs(moved(link, PULSE, lost)) > 0.1


def test_without_losses_every_command_is_the_wanted_one():
    link, wanted = Link(), 0.2 * np.sin(np.arange(300) / 7)
    assert [link.tick(value) for value in wanted] == wanted.tolist()


@pytest.mark.parametrize(("half_swing_s", "ticks", "repaid"), [
    (0.025, 10, True), (0.025, 11, False), (0.025, 100, False),
    (0.01, 4, True), (0.01, 5, False),
    (0.002, 3, True), (0.002, 4, False),
])  # fmt: skip
def test_a_silence_beyond_two_fifths_of_half_a_swing_and_three_ticks_is_not_repaid(half_swing_s, ticks, repaid):
    """And asks for nothing while it lasts."""
    link = Link(swing_s=half_swing_s)
    for k in range(20):
        link.tick(0.05 * k)
    for k in range(ticks):
        link.tick(1.0 + 0.01 * k, arrives=False, answered=False)
    assert bool(link.own.due != 0.0) is repaid
    link.tick(1.0)
    assert bool(link.own.due != 0.0) is repaid
    assert abs(link.own.due) <= MOST_S / DT_S


@pytest.mark.parametrize("forms", ["compiled"], indirect=True)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(-0.05, 0.05), st.booleans(), st.booleans()), min_size=5, max_size=60))
def test_however_the_link_loses_what_is_owed_is_bounded_and_the_command_comes_back(ticks):
    link = Link()
    for wanted, arrives, answered in ticks:
        link.tick(wanted, arrives or answered, answered)
        assert abs(link.own.due) <= MOST_S / DT_S + 2 * REACH
        assert math.isfinite(link.out.command) and abs(link.out.command) <= REACH
    for _ in range(QUIET):
        link.tick(0.0)
    assert abs(link.out.command) < 1e-3 and (abs(link.own.off) < 1e-9 or not link.shown)


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("lost", [0.2, 0.4, 0.6, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_on_a_link_that_loses_many_the_debts_do_not_grow(lost, seed, forms):
    """A command that goes to and fro, as behind an overlap; what repays is lost, or held, as often as any other."""
    link, chance, ticks = Link(), np.random.default_rng(seed), 5000 if forms == "compiled" else 1000
    given = [link.tick(0.02 * (-1) ** (k // 2), *([bool(chance.random() >= lost)] * 2)) for k in range(ticks)]
    assert np.abs(given).max() < 0.15


@pytest.mark.parametrize(("lost", "every"), [(0, 4), (1, 4), (3, 4), (4, 4), (1, 16)])
def test_of_what_is_owed_the_less_is_repaid_the_more_of_late_were_missed(lost, every):
    link = Link()
    for k in range(50 * every):
        link.tick(0.0, *([k % every >= lost] * 2))
    missed = float(link.own.missed)
    assert missed == pytest.approx(lost / every, abs=0.06)
    link.own.due, link.own.plain = 0.01, 0.0
    assert rt_repayment(1.0, 0.0, 0.0, REACH, STEP, link.own) == pytest.approx(0.01 * (1 - missed) ** 2)


def test_a_period_that_was_skipped_brought_no_command_either():
    own = np.zeros(1, DELIVERY)[0]
    for _ in range(200):
        rt_delivered(False, 0.0, True, 0.0, LAG, MOST, DT_S, 4, SWING_S, own)
    assert own.missed == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize(("course", "held"), [(NONE, 0.3), (FIRST, 0.35), (ALL, 0.45)])
def test_the_guard_of_the_spool_takes_the_course_that_its_reading_shows(course, held):
    own = np.zeros(1, DELIVERY)[0]
    for _ in range(100):
        rt_delivered(False, 0.3, True, 0.3, LAG, MOST, DT_S, 1, SWING_S, own)
    spool = 0.3
    for sent in (0.35, 0.4, 0.45):
        rt_delivered(True, sent, True, math.nan, LAG, MOST, DT_S, 1, SWING_S, own)
        spool += LAG * ({NONE: 0.3, FIRST: 0.35, ALL: sent}[course] - spool)
    assert own.held[course] == held
    spool += LAG * (0.3 - spool)
    rt_delivered(False, 0.3, True, spool, LAG, MOST, DT_S, 1, SWING_S, own)
    assert own.off == pytest.approx(0.0, abs=1e-12)


def test_a_spool_that_follows_no_course_is_seen_after_a_loss_too():
    own = np.zeros(1, DELIVERY)[0]
    for k in range(30):
        failed = k in (10, 11, 12)
        rt_delivered(failed, 0.3, True, math.nan if failed else 0.0, LAG, MOST, DT_S, 1, SWING_S, own)
    assert own.off == pytest.approx(-0.3, rel=0.01)


def test_a_tick_without_a_reading_knows_no_difference():
    own = np.zeros(1, DELIVERY)[0]
    rt_delivered(False, 0.3, True, 0.0, LAG, MOST, DT_S, 1, SWING_S, own)
    assert own.off == pytest.approx(-0.3 * LAG)
    rt_delivered(True, 0.3, True, math.nan, LAG, MOST, DT_S, 1, SWING_S, own)
    assert math.isnan(own.off)


def test_the_spool_is_not_faster_than_the_valves_is():
    own = np.zeros(1, DELIVERY)[0]
    for k in range(1, 4):
        rt_delivered(False, 1.0, True, 0.0, 1.0, 0.25, DT_S, 1, SWING_S, own)
        assert own.spool == pytest.approx([0.25 * k] * 3)


@pytest.mark.parametrize(("before", "centre", "reach", "low", "high"), [
    (0.125, 0.0, 1.0, -0.125, 0.375), (0.875, 0.0, 1.0, 0.625, 1.0), (-0.875, 0.0, 1.0, -1.0, -0.625),
    (0.25, 0.03125, 0.25, 0.0, 0.28125), (-0.125, 0.03125, 0.25, -0.21875, 0.125),
])  # fmt: skip
def test_a_repayment_keeps_the_command_within_reach_and_slew_and_none_is_made_beyond(before, centre, reach, low, high):
    own = np.zeros(1, DELIVERY)[0]
    for due, ends in ((9.0, high), (-9.0, low)):
        own.due = due
        for plain in (low, 0.3 * low + 0.7 * high, high):
            own.plain = plain
            assert plain + rt_repayment(1.0, before, centre, reach, STEP, own) == pytest.approx(ends, abs=1e-12)
        for plain in (low - 1e-9, high + 1e-9):
            own.plain = plain
            assert rt_repayment(1.0, before, centre, reach, STEP, own) == 0.0
