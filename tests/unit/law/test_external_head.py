"""The head along an external reference: it waits for the first of it, goes on, and is stopped where it runs dry."""

import numpy as np
import pytest

from hilctl.law.catch_up import rt_awaits_points, rt_catch_up
from hilctl.law.reference import KNOTS
from hilctl.law.reference.external import AT_REST, COUNT, DRY, ENDED, FIRST, HEAD, HERE, PEAK_ACCELERATION, PEAK_SPEED
from hilctl.law.reference.history import rt_history_rest
from hilctl.law.reference.motion import Kind
from hilctl.law.state import STATE, STOPPED
from hilctl.signals import Mode, Trip
from tests.forms import blank
from tests.unit.law.given import DT, settings

pytestmark = pytest.mark.usefixtures("forms")
TICK, LEAD, PREVIEW = 5000, 8, 3.4
PER = 10  # ticks an interval
RISE = 0.001 * np.arange(1.0, 200.0)  # m: a steady speed, after the start
SET = settings()


class Loop:
    """One that was just asked for, with so many coefficients besides those of its rest."""

    def __init__(self, sent=0, least=20, mode=Mode.TRACK):
        s = self.s = blank(STATE)
        s.now = SET.copy()
        s.now.dt_s, s.linear.preview_ticks, s.mode, s.periods = DT, PREVIEW, mode, 1
        s.now.limits.late.rejoin_s = 0.05
        s.motion.kind, s.motion.id, s.motion_id, s.motion_over = Kind.EXTERNAL, 4, 4, -1
        s.motion.external.interval_s, s.motion.external.least = PER * DT, AT_REST + least
        s.tick, s.head_tick, s.lead = TICK, TICK + LEAD, LEAD
        s.motion_begun = s.head_tick
        rt_history_rest(s.history, s.head_tick, 0.0)
        self.knots = np.zeros(KNOTS)
        self.knots[COUNT] = AT_REST
        self.knots[PEAK_SPEED], self.knots[PEAK_ACCELERATION] = 0.2, 3.0
        self.sends(sent)

    def sends(self, count):
        first = int(self.knots[COUNT])
        self.knots[FIRST + first : FIRST + first + count] = RISE[first - AT_REST : first - AT_REST + count]
        self.knots[COUNT] += count

    def passes(self, ticks, at_once=False):
        for _ in range(1 if at_once else ticks):
            self.s.periods = ticks if at_once else 1
            self.s.tick += self.s.periods
            rt_catch_up(self.s, self.knots)
        return self


def test_it_rests_until_enough_has_come_and_then_begins_at_once():
    loop = Loop(sent=19).passes(300)
    assert (loop.s.head.x_m, loop.s.motion.external.begun, loop.s.mode) == (0.0, 0, Mode.TRACK)
    assert rt_awaits_points(loop.s, loop.knots)
    loop.sends(1)
    assert not rt_awaits_points(loop.s, loop.knots)
    begun = loop.passes(1).s.head_tick
    assert (loop.s.motion.external.begun, loop.s.motion_begun) == (1, begun)
    loop.passes(3 * PER)
    assert loop.s.head.x_m > 0.0


def test_what_is_short_and_whole_need_not_wait():
    loop = Loop(sent=7)
    loop.knots[ENDED] = 1.0
    assert loop.passes(1).s.motion.external.begun == 1


def test_the_service_is_told_where_head_and_table_are():
    loop = Loop(sent=30).passes(1 + 5 * PER)
    assert loop.knots[HEAD] == pytest.approx(5.0)
    assert loop.knots[HERE] == pytest.approx(5.0 - LEAD / PER)
    assert (loop.s.motion.peak_m_s, loop.s.motion.peak_m_s2) == (0.2, 3.0)


def test_where_it_runs_dry_the_table_is_decelerated_from_the_last_point():
    loop = Loop(sent=20).passes(20 * PER)  # interval 19 is the last whose coefficients are all there
    assert (loop.s.mode, loop.knots[DRY]) == (Mode.TRACK, 0.0)
    assert rt_awaits_points(loop.s, loop.knots)
    before = loop.s.head.copy()
    loop.passes(1)
    assert (loop.s.mode, loop.s.motion.kind, loop.knots[DRY]) == (Mode.STOP, Kind.STOP, 1.0)
    assert (loop.s.motion_done_id, loop.s.motion_result, loop.s.guard.trip) == (4, STOPPED, 0)
    assert loop.s.motion.stop.x_m == before.x_m
    assert loop.s.head.x_m == pytest.approx(before.x_m + DT * before.v_m_s, rel=1e-3)
    assert not rt_awaits_points(loop.s, loop.knots)


def test_it_ends_where_its_last_coefficients_hold_it():
    loop = Loop(sent=20)
    first = int(loop.knots[COUNT])
    loop.knots[FIRST + first : FIRST + first + AT_REST] = RISE[19]
    loop.knots[COUNT] += AT_REST
    loop.knots[ENDED] = 1.0
    loop.passes(25 * PER)
    assert loop.s.motion_over < 0
    loop.passes(1)
    assert (loop.s.motion_over, loop.s.mode) == (loop.s.head_tick, Mode.TRACK)
    assert (loop.s.head.x_m, loop.s.head.v_m_s, loop.knots[DRY]) == (RISE[19], 0.0, 0.0)


def test_a_stall_is_made_good_while_there_is_enough_of_it_and_stops_it_otherwise():
    enough = Loop(sent=60).passes(10 * PER).passes(20, at_once=True)
    assert (enough.s.mode, enough.s.guard.trip) == (Mode.TRACK, 0)
    dry = Loop(sent=20).passes(18 * PER + 5).passes(20, at_once=True)
    assert (dry.s.mode, dry.s.guard.trip, dry.knots[DRY]) == (Mode.STOP, Trip.LATE_TICKS, 1.0)


@pytest.mark.parametrize("mode", [Mode.HOLD, Mode.STOP, Mode.OFF])
def test_only_what_is_tracked_is_waited_for(mode):
    assert not rt_awaits_points(Loop(mode=mode).s, np.zeros(KNOTS))
