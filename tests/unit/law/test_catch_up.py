"""The reference after ticks that were skipped: it goes on, is rejoined, or stops, from where the table was led."""

import math

import numpy as np
import pytest

from hilctl.law.catch_up import rt_catch_up
from hilctl.law.modes import rt_decelerate
from hilctl.law.reference import KNOTS, POINT, rt_history_get, rt_history_put, rt_reference
from hilctl.law.reference.history import LENGTH
from hilctl.law.reference.motion import Kind
from hilctl.law.settings import RIG_FEEDBACK
from hilctl.law.state import STATE, STOPPED, TRIPPED
from hilctl.signals import Action, Mode, Trip
from tests.forms import blank
from tests.unit.law.given import DT, settings

pytestmark = pytest.mark.usefixtures("forms")
PREVIEW, LEAD, TICK, BEGUN = 3.4, 8, 5000, 4800
SET = settings()
KNOT = np.zeros(KNOTS)


class Loop:
    """A move that has run for 192 ticks; tick and head are those of the last tick before the stall."""

    def __init__(self, mode=Mode.TRACK, lasts_s=0.6, way_m=0.1, own=False, pid_share=0.25, inverse=0.0):
        s = self.s = blank(STATE)
        s.now = SET.copy()
        s.now.dt_s, s.linear.preview_ticks, s.pid_share, s.mode = DT, PREVIEW, pid_share, mode
        s.now.law.feed.inverse = inverse
        s.now.limits.late.rejoin_s = 0.05
        if own:
            s.now.law.feedback = RIG_FEEDBACK
        s.motion.kind, s.motion.id, s.motion_id, s.motion_begun, s.motion_over = Kind.MOVE, 4, 4, BEGUN, -1
        s.motion.lead.from_m, s.motion.lead.to_m, s.motion.lead.duration_s = -0.02, way_m - 0.02, lasts_s
        s.motion.out.to_m, s.motion.peak_m_s2 = way_m - 0.02, 3.0
        s.tick, s.head_tick, s.lead = TICK, TICK + LEAD, LEAD
        s.inverse.running, s.inverse.steps, s.inverse.done = 1, 10, 10**9
        s.estimate.v = 0.3
        for tick in range(s.head_tick - LENGTH + 1, s.head_tick + 1):
            self.motion(tick, s.head)
            rt_history_put(s.history, tick, s.head)
        self.was = s.copy()

    def motion(self, tick, out=None):
        out = blank(POINT) if out is None else out
        rt_reference(self.s.motion, KNOT, (tick - self.was.motion_begun if hasattr(self, "was") else tick - BEGUN) * DT,
                     out)
        return out

    def passes(self, periods):
        self.s.tick += periods
        self.s.periods = periods
        rt_catch_up(self.s, KNOT)
        return self

    def at(self, tick, fraction=0.0, state=None):
        out = blank(POINT)
        rt_history_get((self.s if state is None else state).history, tick, fraction, DT, out)
        return np.array(out.item())

    def went_straight(self, ahead, last, v=None):
        """From where the command before the stall led, up to a tick."""
        from_x, from_v, *_ = self.at(TICK, ahead, self.was)
        v = from_v if v is None else v
        for tick in range(TICK + math.floor(ahead) + 1, last + 1):
            line = [from_x + v * (tick - TICK - ahead) * DT, v, 0.0, 0.0]
            assert self.at(tick) == pytest.approx(np.array(line), abs=1e-12), tick
        before = TICK + math.floor(ahead)
        assert self.at(before) == pytest.approx(self.at(before, state=self.was), abs=0), "what is past stays"


@pytest.mark.parametrize("mode", [Mode.TRACK, Mode.STOP, Mode.HOLD])
@pytest.mark.parametrize("periods", [1, 4])
def test_within_the_preview_the_motion_goes_on_by_its_index(mode, periods):
    loop = Loop(mode).passes(periods)
    s = loop.s
    assert s.head_tick == TICK + LEAD + periods
    assert s.history.newest == s.head_tick
    for tick in range(TICK - 20, s.head_tick + 1):
        assert loop.at(tick) == pytest.approx(np.array(loop.motion(tick).item()), abs=1e-15)
    assert (s.motion_over, s.mode, s.guard.trip, s.rejoin.until) == (-1, mode, 0, 0)
    assert s.inverse.done == 10**9


def test_while_the_table_is_held_only_what_the_history_holds_is_made_again():
    loop = Loop(Mode.HOLD).passes(1000)
    assert loop.s.head_tick == loop.s.history.newest == TICK + LEAD + 1000
    for tick in (loop.s.head_tick - LENGTH + 1, loop.s.head_tick):
        assert loop.at(tick) == pytest.approx(np.array(loop.motion(tick).item()), abs=1e-15)
    assert loop.s.motion_over == loop.s.head_tick - LENGTH + 1
    assert loop.s.inverse.done == 10**9


def test_the_tick_at_which_the_motion_is_over_is_kept_from_the_first_on():
    loop = Loop(lasts_s=0.21)
    for _ in range(5):
        loop.passes(1)
    assert loop.s.motion_over == BEGUN + 210
    assert loop.s.head_tick == BEGUN + 213


@pytest.mark.parametrize(("periods", "own"), [(5, False), (20, False), (51, False), (20, True)])
def test_after_a_short_stall_the_table_is_led_straight_on_and_then_back_to_the_motion(periods, own):
    loop = Loop(own=own)
    loop.s.motion_over = 7
    loop.passes(periods)
    s, ahead = loop.s, 0.0 if own else 0.75 * PREVIEW
    join = TICK + periods + math.ceil(ahead)
    assert (s.mode, s.guard.trip, s.motion_over) == (Mode.TRACK, 0, -1)
    assert s.head_tick == s.history.newest == TICK + LEAD + periods
    assert s.rejoin.begun == join
    assert s.rejoin.missed_s == pytest.approx((periods - 1) * DT)
    loop.went_straight(ahead, join, v=0.0 if own else None)
    assert s.inverse.done == (TICK + math.floor(ahead)) * 10
    off = loop.at(s.head_tick)[0] - loop.motion(s.head_tick).x_m
    while s.head_tick <= s.rejoin.until:
        loop.passes(1)
        rest, off = off, loop.at(s.head_tick)[0] - loop.motion(s.head_tick).x_m
        assert abs(off) < abs(rest) + 1e-3
    assert loop.at(s.head_tick) == pytest.approx(np.array(loop.motion(s.head_tick).item()), abs=1e-12)
    assert s.motion_over == (-1 if s.head_tick < BEGUN + 600 else s.rejoin.until)


def test_the_way_back_takes_a_share_of_the_motions_acceleration_and_the_jerk_of_a_stop():
    slow, quick, soft = Loop(), Loop(), Loop()
    quick.s.motion.peak_m_s2 = 30.0
    soft.s.now.limits.stopping.jerk_m_s3 = 20.0
    for loop in (slow, quick, soft):
        loop.passes(30)
    lasts = [loop.s.rejoin.until - loop.s.rejoin.begun for loop in (slow, quick, soft)]
    assert lasts[1] < 0.9 * lasts[0] and lasts[2] > 1.1 * lasts[0]
    r, t = slow.s.rejoin, np.arange(lasts[0]) * DT
    most = np.zeros(len(t))
    for part, part_s in ((r.brake, r.B_s), (r.home, r.T_s)):
        most += np.where(t < part_s, np.polynomial.Polynomial(part).deriv(2)(t / part_s) / part_s**2, 0.0)
    assert 0.3 * 3.0 < np.abs(most).max() < 0.72 * 3.0


def test_the_way_back_adds_no_more_speed_than_the_motion_leaves_below_the_limit():
    free, bound = Loop(), Loop()
    for loop, limit in ((free, 10.0), (bound, 0.18)):
        loop.s.motion.peak_m_s, loop.s.now.limits.velocity.max_m_s = 0.15, limit
        loop.passes(30)
    assert bound.s.rejoin.T_s > 1.1 * free.s.rejoin.T_s
    home = np.polynomial.Polynomial(bound.s.rejoin.home)
    added = np.abs(home.deriv()(np.linspace(0, 1, 200))).max() / bound.s.rejoin.T_s
    assert added == pytest.approx(max(0.9 * 0.18 - 0.15, 0.1 * 0.15), rel=0.01)


def test_a_motion_that_ends_on_the_way_back_is_over_only_when_it_is_joined():
    loop = Loop(lasts_s=0.23).passes(40)
    s = loop.s
    while s.motion_over < 0:
        loop.passes(1)
        assert s.head_tick < TICK + 3000
    assert s.motion_over == s.rejoin.until


@pytest.mark.parametrize(("pid_share", "inverse"), [(0.0, 0.0), (0.25, 0.0), (1.0, 0.0), (1.0, 0.75), (1.0, 1.0)])
@pytest.mark.parametrize("periods", [52, 400])
def test_after_a_long_stall_a_motion_stops_from_where_the_table_is_and_as_fast_as_it_is(pid_share, inverse, periods):
    loop = Loop(pid_share=pid_share, inverse=inverse).passes(periods)
    unfed = pid_share * (1 - inverse)
    s, ahead = loop.s, (1 - unfed) * PREVIEW
    assert (s.mode, s.guard.trip, s.guard.trip_action) == (Mode.STOP, Trip.LATE_TICKS, Action.STOP)
    assert (s.guard.trip_limit, s.guard.trip_sensor, s.guard.trip_tick) == (0.05, -1, TICK + periods)
    assert s.guard.trip_value == pytest.approx((periods - 1) * DT, abs=0.06)
    assert s.guard.trip_value >= (periods - 1) * DT * (1 - 1e-12)
    assert (s.motion_result, s.motion_done_id) == (TRIPPED, 4)
    assert s.head_tick == s.history.newest == TICK + LEAD + periods
    from_x, v, *_ = loop.at(TICK, ahead, loop.was)
    v += unfed * (0.3 - v)
    for tick in range(max(TICK + math.floor(ahead) + 1, s.head_tick - LENGTH + 1), s.head_tick + 1):
        line = [from_x + v * (tick - TICK - ahead) * DT, v, 0.0, 0.0]
        assert loop.at(tick) == pytest.approx(np.array(line), abs=1e-12)
    assert s.inverse.done == max(TICK + math.floor(ahead), s.head_tick - LENGTH + 2) * 10


@pytest.mark.parametrize("trip_tick", [None, -1, 0])
def test_a_stop_that_stalls_for_too_long_falls_to_null_unless_it_begins_by_this_very_stall(trip_tick):
    loop = Loop(Mode.STOP)
    s = loop.s
    if trip_tick is not None:
        s.guard.trip, s.guard.trip_tick = Trip.VELOCITY, TICK + 60 + trip_tick
    loop.passes(60)
    assert loop.at(s.head_tick)[2] == 0.0
    if trip_tick == 0:
        assert (s.mode, s.guard.trip, s.motion_result) == (Mode.STOP, Trip.VELOCITY, STOPPED)
    else:
        assert s.mode == Mode.NULL
        assert s.guard.trip == (Trip.LATE_TICKS if trip_tick is None else Trip.VELOCITY)
    if trip_tick is None:
        assert (s.guard.trip_value, s.guard.trip_limit, s.guard.trip_sensor) == (pytest.approx(59 * DT), 0.05, -1)
        assert (s.guard.trip_action, s.guard.trip_tick) == (Action.NULL, TICK + 60)


@pytest.mark.parametrize("trip", [0, Trip.VELOCITY])
@pytest.mark.parametrize(("pid_share", "own"), [(0.0, False), (0.25, False), (1.0, False), (0.0, True)])
def test_a_stop_that_stalls_for_short_goes_on_from_where_the_table_was_led(pid_share, own, trip):
    loop = Loop(Mode.STOP, pid_share=pid_share, own=own)
    s = loop.s
    s.guard.trip, s.guard.trip_tick = trip, TICK - 30
    loop.passes(20)
    ahead = 0.0 if own else (1 - pid_share) * PREVIEW
    loop.went_straight(ahead, s.head_tick, v=0.0 if own else None)
    assert (s.mode, s.guard.trip, s.motion.kind, s.motion_begun) == (Mode.STOP, trip, Kind.STOP, s.head_tick)
    assert s.inverse.done == (TICK + math.floor(ahead)) * 10
    slowest = abs(s.head.v_m_s)
    while s.motion_over < 0:
        loop.passes(1)
        assert abs(s.head.v_m_s) <= slowest + 1e-12
        slowest = abs(s.head.v_m_s)
        assert s.head_tick < TICK + 3000
    assert s.head.v_m_s == 0.0


@pytest.mark.parametrize(("periods", "last"), [
    ([26, 26], Mode.STOP), ([26, 27], Mode.NULL), ([11] * 5, Mode.STOP), ([11, 11, 11, 11, 11, 6], Mode.NULL),
    ([52], Mode.NULL),
])  # fmt: skip
def test_the_stalls_of_one_stop_count_together(periods, last):
    loop = Loop(Mode.STOP)
    for count in periods:
        assert loop.s.mode == Mode.STOP
        loop.passes(count).passes(1).passes(4)
    assert loop.s.mode == last
    if last == Mode.NULL:
        assert loop.s.guard.trip == Trip.LATE_TICKS
        assert loop.s.guard.trip_value == pytest.approx(sum(count - 1 for count in periods) * DT)


def test_a_stop_that_begins_by_a_stall_counts_it():
    loop = Loop().passes(60)
    assert (loop.s.mode, loop.s.guard.trip_action) == (Mode.STOP, Action.STOP)
    loop.passes(5)
    assert loop.s.mode == Mode.NULL


def test_the_next_stop_begins_to_count_again():
    loop = Loop(Mode.STOP).passes(40)
    s = loop.s
    assert s.rejoin.missed_s == pytest.approx(39 * DT)
    rt_decelerate(s, STOPPED)
    loop.passes(40)
    assert (s.mode, s.guard.trip) == (Mode.STOP, 0)


def test_under_pid_alone_a_stop_that_stalls_goes_on_at_its_own_speed_not_at_the_tables():
    """The reference slows down before the table does: at the table's speed it would take the stop back."""
    loop = Loop(Mode.STOP, pid_share=1.0)
    loop.s.estimate.v = 0.9
    loop.passes(20)
    loop.went_straight(0.0, loop.s.head_tick)


def test_a_rig_with_its_own_loop_that_stalls_too_long_stands_where_its_last_reference_was():
    loop = Loop(own=True, pid_share=0.0).passes(60)
    assert loop.s.mode == Mode.STOP
    assert loop.s.guard.trip_value == pytest.approx(59 * DT)
    loop.went_straight(0.0, loop.s.head_tick, v=0.0)


def test_stalls_before_the_motion_is_rejoined_count_together():
    loop = Loop().passes(30)
    s = loop.s
    for _ in range(60):
        loop.passes(1)
    assert s.head_tick < s.rejoin.until
    loop.passes(30)
    assert s.guard.trip == Trip.LATE_TICKS or s.rejoin.missed_s > 29 * DT
    assert s.rejoin.missed_s > 29 * DT


@pytest.mark.parametrize(("x_m", "v_m_s"), [(0.02, 0.0), (-0.02, 0.0), (0.0, 0.4), (0.0, -0.4)])
def test_a_table_that_is_far_off_its_motion_by_now_has_stalled_for_as_long_as_that_takes(x_m, v_m_s):
    """At the motion's peak of acceleration, less the two ticks between."""
    loop, peak = Loop(pid_share=1.0), 3.0
    s = loop.s
    here = loop.at(TICK)
    s.head.x_m, s.head.v_m_s, s.head.a_m_s2, s.head.j_m_s3 = here[0] + x_m, here[1] + v_m_s, 0.0, 0.0
    for tick in (TICK, TICK + 1):
        rt_history_put(s.history, tick, s.head)
    s.history.newest = TICK + LEAD
    loop.passes(10)
    there = Loop().motion(TICK + 10)
    off_m = here[0] + x_m + (here[1] + v_m_s) * 10 * DT - there.x_m
    off_s = max(abs(here[1] + v_m_s - there.v_m_s) / peak, math.sqrt(2 * abs(off_m) / peak))
    assert s.guard.trip == Trip.LATE_TICKS
    assert s.guard.trip_value == pytest.approx(off_s - 2 * DT, rel=1e-9)


@pytest.mark.parametrize("mode", list(Mode))
def test_at_rest_the_head_goes_as_far_ahead_as_new_settings_want_it(mode):
    loop = Loop(mode)
    loop.s.lead_wanted = LEAD + 3
    loop.passes(1)
    more = 3 if mode in (Mode.HOLD, Mode.OFF) else 0
    assert (loop.s.lead, loop.s.head_tick) == (LEAD + more, TICK + LEAD + 1 + more)
    for tick in range(TICK + LEAD, loop.s.head_tick + 1):
        assert loop.at(tick) == pytest.approx(np.array(loop.motion(tick).item()))
    loop.s.lead_wanted = LEAD
    loop.passes(1)
    assert (loop.s.lead, loop.s.head_tick) == (LEAD + more, TICK + LEAD + 2 + more), "it never comes back"
