"""A host that stalls again and again: the loop counts every period, and stops the table though no stall is long."""


import numpy as np
import pytest

from hilctl.signals import Action, Mode, Trip
from tests.system.stepped_parts import stepped

pytestmark = pytest.mark.timeout(300)
SINE = {"amplitude_m": 0.01, "frequency_hz": 1.0}


def hiccup(loop, stopped, running, most):
    """Stalls of `stopped` periods with `running` ticks between them, until one trips; samples, truth, stalls."""
    rows, truth = [], []
    while len(rows) < most and not loop.status.trip:
        seen, true = loop.run(running, stall=stopped)
        rows.append(seen)
        truth.append(true)
    return np.concatenate(rows), np.concatenate(truth), len(rows)


def accounted(loop, missed):
    """Every period that was due ran or was missed, and what was missed is the host's."""
    status = loop.status
    assert status.ran + status.missed == status.due
    assert status.missed == status.blamed["wake"] == missed


# Periods stopped and ticks running; one of these stalls is shorter than the feed-forward looks ahead.
@pytest.mark.parametrize(("stopped", "running"), [(1, 2), (2, 4), (3, 5)])
def test_repeated_misses_while_a_motion_runs_end_in_a_controlled_stop_and_all_are_counted(stopped, running):
    with stepped() as loop:
        rule = loop.settings.limits.late
        loop.arm()
        loop.track("sine", **SINE)
        rows, _, count = hiccup(loop, stopped, running, 700)
        accounted(loop, count * stopped)
        status = loop.status
        assert (Trip(status.trip), status.trip_action) == (Trip.LATE_TICKS, Action.STOP)
        assert status.late_in_a_row_most < rule.ticks
        assert status.trip_value > status.trip_limit == rule.share
        # a fraction f fills the bucket in share / (f - share) seconds; a stall is poured in as a whole
        fraction, whole = stopped / (stopped + running), stopped * loop.dt_s
        expected = (rule.share - whole) / (fraction - rule.share)
        passed_s = (status.trip_tick - rows["tick"][0]) * loop.dt_s
        assert expected - 0.05 < passed_s < rule.share / (fraction - rule.share) + 0.05
        after, truth = loop.run(1000)
        both = np.concatenate((rows["mode"][-running:], after["mode"]))
        assert [Mode(m) for m in both[np.flatnonzero(np.diff(both, prepend=-1))]][-2:] == [Mode.STOP, Mode.HOLD]
        assert abs(truth["v"][-1]) < 1e-3


# One of these stalls is shorter than `rejoin_s`, but the next one comes before the motion is rejoined.
@pytest.mark.parametrize(("stopped", "running"), [(20, 30), (24, 30)])
def test_stalls_that_lead_further_from_the_motion_end_it_before_their_share_does(stopped, running):
    with stepped() as loop:
        loop.arm()
        loop.track("sine", **SINE)
        rows, _, count = hiccup(loop, stopped, running, 700)
        accounted(loop, count * stopped)
        status, rule = loop.status, loop.settings.limits.late
        assert (Trip(status.trip), status.trip_action) == (Trip.LATE_TICKS, Action.STOP)
        assert status.trip_value > status.trip_limit == rule.rejoin_s
        fraction = stopped / (stopped + running)
        assert (status.trip_tick - rows["tick"][0]) * loop.dt_s < rule.share / (fraction - rule.share)
        _, truth = loop.run(1000)
        assert abs(truth["v"][-1]) < 1e-3


def test_one_period_in_ten_that_is_missed_stops_nothing():
    with stepped() as loop:
        loop.arm()
        loop.track("sine", **SINE)
        rows, _, count = hiccup(loop, 5, 45, 40)
        assert (loop.status.trip, count) == (0, 40)
        assert (rows["mode"] == Mode.TRACK).all()
        accounted(loop, 200)


def test_many_short_stalls_while_the_table_is_held_trip_and_it_does_not_move():
    """35 ms stopped, 6 ms running: never fifty in a row."""
    with stepped() as loop:
        loop.arm()
        _, truth, count = hiccup(loop, 35, 6, 30)
        status = loop.status
        assert (Trip(status.trip), status.trip_action) == (Trip.LATE_TICKS, Action.STOP)
        assert 5 <= count <= 9, "0.2 / (35/41 - 0.2) s are seven or eight stalls"
        assert status.late_in_a_row_most == 35
        accounted(loop, 35 * count)
        for _ in range(20):  # it goes on so, with the trip latched
            _, more = loop.run(6, stall=35)
            truth = np.concatenate((truth, more))
        assert np.ptp((truth["x_low"], truth["x_high"])) < 1e-3
        assert truth["v_most"].max() < 5e-3


def test_a_stall_of_35_periods_while_a_motion_runs_ends_it_at_once():
    with stepped() as loop:
        loop.arm()
        loop.track("sine", **SINE)
        rows, _, count = hiccup(loop, 35, 6, 30)
        status = loop.status
        assert (Trip(status.trip), count) == (Trip.LATE_TICKS, 1)
        assert status.trip_limit == loop.settings.limits.late.rejoin_s
        assert status.trip_value == pytest.approx(35 * loop.dt_s)
        assert rows["mode"][0] == Mode.STOP


def test_a_limit_of_missed_ticks_that_is_changed_is_used_at_once():
    with stepped() as loop:
        loop.arm()
        loop.run(100, stall=12)
        assert loop.status.trip == 0
        changed = loop.settings.copy()
        changed.epoch, changed.limits.late.ticks = 2, 10
        loop.link.put_settings(changed)
        loop.run(100, stall=12)
        status = loop.status
        assert (Trip(status.trip), status.trip_value, status.trip_limit) == (Trip.LATE_TICKS, 12, 10)


@pytest.mark.parametrize("motion", [{"kind": "triangle", "amplitude_m": 0.03, "speed_m_s": 0.1}, None])
@pytest.mark.parametrize(("stopped", "running"), [(10, 2), (8, 2), (6, 2), (15, 4)])
def test_stalls_one_upon_the_other_open_the_loop_before_the_table_swings(stopped, running, motion):
    with stepped() as loop:
        loop.arm()
        if motion is not None:
            loop.track(**motion)
        _, truth, count = hiccup(loop, stopped, running, 100)
        status = loop.status
        assert (Trip(status.trip), status.trip_action) == (Trip.LATE_TICKS, Action.NULL)
        assert count <= 6
        _, after = loop.run(1000)
        assert loop.status.mode == Mode.OFF
        assert max(truth["a_most"].max(), after["a_most"].max()) < 40.0
