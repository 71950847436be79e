"""From an opening to the command: overlap, null, dither and hysteresis."""

import math

import numpy as np
import pytest

from hilctl.law.edges import rt_side, rt_spool
from hilctl.law.valve_stage import SLACK, SOFT, VALVE, ValveStage, rt_valve_feed, rt_valve_stage
from hilctl.params import pack
from tests.forms import blank
from tests.unit.law.given import machine

DT = 1e-3
pytestmark = pytest.mark.usefixtures("forms")


def stage(**keys):
    return pack(ValveStage(**keys))


def overlapped(up=0.05, down=0.05, hysteresis=0.0, rounding=0.0):
    return machine(overlap_a=up, overlap_b=down, hysteresis=hysteresis, edge_rounding=rounding)


def command(opening, feed=0.0, ahead=0.0, side=0.0, null=0.0, c=None, m=None, s=None):
    return rt_valve_stage(stage() if c is None else c, overlapped() if m is None else m, opening, feed, ahead, side,
                          null, DT, blank(VALVE) if s is None else s)  # fmt: skip


def test_without_overlap_and_dither_the_command_is_the_opening_and_the_null():
    s = blank(VALVE)
    assert command(0.3, 0.1, 0.2, 1.0, -0.02, m=machine(), s=s) == pytest.approx(0.28)
    assert (s.phase, s.opening) == (0.0, 0.3)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_feedback_alone_is_beyond_the_overlap_and_a_full_opening_stays_full(way):
    assert command(way) == pytest.approx(way)
    assert command(0.4 * way) == pytest.approx(way * (0.95 * 0.4 + 0.05))
    assert command(0.4 * way, null=0.01) == pytest.approx(way * (0.95 * 0.4 + 0.05) + 0.01)


def test_nothing_is_added_at_an_opening_of_zero():
    assert command(0.0) == 0.0


@pytest.mark.parametrize("side", [1.0, -0.3, 1.7])
def test_the_feed_forwards_side_is_crossed_as_it_says(side):
    assert command(0.2, feed=0.2, ahead=0.1, side=side) == pytest.approx(0.95 * 0.2 + 0.05 * side)


@pytest.mark.parametrize("back", [0.9 * SLACK, -SLACK, 0.5 * SLACK])
def test_little_feedback_at_rest_moves_the_spool_within_its_overlap(back):
    assert command(back) == pytest.approx(0.95 * back)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_more_feedback_at_rest_crosses_softly(way):
    for beyond in (0.1 * SOFT, SOFT, 3 * SOFT):
        back = way * (SLACK + beyond)
        assert command(back) == pytest.approx(0.95 * back + way * 0.05 * math.tanh(beyond / SOFT))


def test_feedback_crosses_from_the_side_on_which_the_feed_forward_is_when_it_acts():
    """Against a small opening ahead it takes the spool across, with it nothing is left to cross."""
    ahead, side = 2e-3, 1.0
    against = command(-0.01, feed=0.002, ahead=ahead, side=side)
    taken = math.tanh((0.012 - SLACK - ahead) / SOFT)
    assert against == pytest.approx(0.95 * -0.01 + 0.05 * (side - 2 * taken))
    assert taken > 0.99
    along = command(0.012, feed=0.002, ahead=0.02, side=side)
    assert along == pytest.approx(0.95 * 0.012 + 0.05, abs=1e-9)


@pytest.mark.parametrize("back", [-0.01, -0.0025, 0.0, 0.0021, 0.004])
@pytest.mark.parametrize("ahead", [-1e-3, -1e-9, 0.0, 1e-9, 1e-3])
def test_a_feed_forward_that_dies_away_does_not_take_feedback_past_its_own_side(back, ahead):
    """Its side still changes where its opening is next to nothing; feedback has long been on its own."""
    sides = [(command(back, 0.0, ahead, side) - 0.95 * back) / 0.05 for side in (-1.0, -0.2, 0.0, 0.2, 1.0)]
    assert all(abs(side) <= 1.0 + 1e-12 for side in sides)
    taken = math.tanh(max(abs(back) - SLACK - abs(ahead), 0.0) / SOFT)
    assert sides[-1] - sides[0] == pytest.approx(2 * (1 - taken))


def test_sides_that_differ_have_their_own_gain_and_the_null_between_both_edges():
    m = overlapped(0.06, 0.02)
    assert command(0.5, m=m) == pytest.approx(0.94 * 0.5 + 0.04)
    assert command(-0.5, m=m) == pytest.approx(-0.98 * 0.5 - 0.04)
    assert command(1e-12, feed=1e-12, side=1.0, m=m) == pytest.approx(0.04)
    assert command(-1e-12, feed=-1e-12, side=-1.0, m=m) == pytest.approx(-0.04)


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_share_of_the_inverse_is_that_share_of_overlap_and_hysteresis(share):
    part, m = stage(inverse=share), overlapped(hysteresis=0.01)
    least = overlapped(0.05 * share, 0.05 * share, hysteresis=0.01 * share)
    for opening in (0.3, -0.001, 0.004):
        assert command(opening, 0.001, 0.002, 0.5, c=part, m=m) == command(opening, 0.001, 0.002, 0.5, m=least)
    if share == 0.0:
        assert command(0.3, 0.1, 0.1, 1.0, c=part, m=m) == 0.3


def test_the_linear_feed_forward_at_rest_crosses_no_more_narrowly_than_the_narrowest():
    c, s = stage(crossing_min=2e-3), blank(VALVE)
    for _ in range(100):
        side = rt_valve_feed(c, 1e-3, DT, s)
    assert side == pytest.approx(math.tanh(0.5))


def test_a_fast_crossing_is_as_wide_as_the_linear_feed_forward_goes_in_the_crossing_time():
    c = stage(crossing_s=5e-3, crossing_min=1e-5)
    s = blank(VALVE)
    s.linear, s.rate = -0.001, 2.0
    side = rt_valve_feed(c, 0.001, DT, s)  # 2 per second, as it has been
    assert s.rate == pytest.approx(2.0)
    assert side == pytest.approx(math.tanh(0.001 / (2.0 * 5e-3)))


def test_the_rate_follows_over_two_ticks_and_has_no_sign():
    s = blank(VALVE)
    for want in (5.0, 7.5, 8.75):
        rt_valve_feed(stage(), s.linear - 0.01, DT, s)
        assert s.rate == pytest.approx(want)
    assert s.linear == pytest.approx(-0.03)


def test_the_dither_is_a_sine_of_its_frequency_about_the_command():
    c, s = stage(dither=0.02, dither_hz=90.0), blank(VALVE)
    for k in range(1, 400):
        given = command(0.3, null=0.01, c=c, m=machine(), s=s)
        assert given == pytest.approx(0.31 + 0.02 * math.sin(2 * math.pi * 90.0 * k * DT), abs=1e-10)
        assert 0.0 <= s.phase <= 2 * math.pi


def test_a_long_gap_leaves_the_phase_of_the_dither_within_a_turn():
    c, s = stage(dither=0.02, dither_hz=90.0), blank(VALVE)
    given = rt_valve_stage(c, machine(), 0.0, 0.0, 0.0, 0.0, 0.0, 5.003, s)
    assert 0.0 <= s.phase <= 2 * math.pi
    assert given == pytest.approx(0.02 * math.sin(2 * math.pi * 90.0 * 5.003), abs=1e-9)


@pytest.mark.parametrize("dither", [0.0, 0.01])
def test_behind_a_play_of_the_hysteresis_the_spool_goes_as_it_was_asked_to(dither):
    """From the first change on; while the command stands, its last way stands too."""
    c, m, s = stage(dither=dither, dither_hz=250.0), overlapped(hysteresis=0.006), blank(VALVE)
    plain, free = blank(VALVE), overlapped()
    wanted = 0.02 * np.sin(np.arange(400) / 30) ** 3
    wanted[100:150] = wanted[100]
    spool, off = 0.0, []
    for opening in wanted:
        given = command(opening, c=c, m=m, s=s)
        spool = min(max(spool, given - 0.003), given + 0.003)
        off.append(spool - command(opening, c=c, m=free, s=plain))
    assert np.max(np.abs(off[2:])) < 1e-12


def test_a_command_that_never_changed_has_no_way():
    assert command(0.0, m=overlapped(hysteresis=0.01)) == 0.0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_behind_rounded_edges_feedback_leaves_less_of_the_overlap(way):
    m, opening = overlapped(rounding=0.01), way * 0.02
    side = rt_side(opening, 0.05, 0.01)
    assert 0.9 < abs(side) < 0.98
    assert command(opening, m=m) == pytest.approx(rt_spool(opening, 0.05, side))
