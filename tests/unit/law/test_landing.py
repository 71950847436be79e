"""Feedback at rest: a table that swings is left where it lands, every other one is drawn to its place."""

import math

import numpy as np
import pytest

from hilctl.law.landing import (
    BLEND_S,
    CREEP_PER_S,
    FIRST,
    KEPT,
    LAG_S,
    LANDING,
    LASTS,
    PLAY,
    SETTLED,
    SWING,
    TO_NULL_S,
    WIDER,
    rt_landed,
    rt_landing,
    rt_landing_integral,
    rt_landing_shift,
    rt_landing_start,
)
from tests.forms import blank, filled

DT, WIDEST = 1e-3, 5e-3
LONG = round(BLEND_S / DT) + 2  # ticks
pytestmark = pytest.mark.usefixtures("forms")


def left(s, asked, ticks=1, integral=0.0, rests=True, widest=WIDEST, first=0.0):
    """What is left after so many ticks with this error."""
    out = math.nan
    for _ in range(ticks):
        out = rt_landing(rests, asked, integral, first, widest, DT, s)
    return out


def swung(*peaks, integrals=None, ticks=LONG):
    """At rest, after swings to these peaks, to one side and the other."""
    s = blank(LANDING)
    for k, peak in enumerate(peaks):
        left(s, peak if k % 2 == 0 else -peak, ticks, 0.0 if integrals is None else integrals[k])
    return s


def test_a_table_that_comes_to_its_place_is_left_nowhere():
    s = blank(LANDING)
    for asked in 3e-3 * np.exp(-np.arange(2000) / 200):
        assert left(s, float(asked)) == 0.0
    assert (s.band, s.swings) == (0.0, 0)
    assert not rt_landed(WIDEST, s)


def test_after_some_swings_the_band_is_wider_than_the_smallest_of_the_last_three():
    before = swung(*[1e-3] * (SETTLED + 1))
    assert (before.swings, before.band) == (SETTLED, 0.0)
    s = swung(1e-3, 0.9e-3, 1.1e-3, 1e-3)
    assert s.swings == SETTLED + 1
    assert s.band == pytest.approx(WIDER * 0.9e-3)
    assert swung(4e-3, 0.5e-3, 4e-3, 0.5e-3).band == pytest.approx(WIDER * 0.5e-3), "it may land on either side"


def test_ringing_that_decays_is_not_swinging():
    peaks = 2e-3 * (0.95 * LASTS) ** (np.arange(12) / 2)
    assert min(peaks) > SWING
    s = swung(*peaks)
    assert s.swings <= SETTLED
    assert s.band == 0.0
    assert swung(*2e-3 * (1.05 * LASTS) ** (np.arange(4) / 2)).band > 0.0


def test_noise_is_not_swinging():
    assert swung(*[0.99 * SWING] * 9).swings == 0
    assert swung(*[1.01 * SWING] * 9).swings == 8


def test_the_band_grows_up_to_what_the_rig_file_allows_and_is_none_at_zero():
    s = blank(LANDING)
    for k in range(9):
        left(s, (-1) ** k * 8e-3, LONG, widest=2e-3)
    assert s.band == 2e-3
    assert left(s, 8e-3, LONG, widest=2e-3) == pytest.approx(2e-3)
    off = blank(LANDING)
    for k in range(9):
        assert left(off, (-1) ** k * 8e-3, LONG, widest=0.0) == 0.0
    assert not rt_landed(0.0, off)


def test_a_band_that_is_there_from_the_beginning_needs_no_swing():
    s = blank(LANDING)
    assert left(s, 1e-3, LONG, first=FIRST) == pytest.approx(FIRST)
    assert left(s, 0.5 * FIRST, first=FIRST) == pytest.approx(0.5 * FIRST + PLAY)
    assert (s.swings, s.band) == (0, FIRST)
    assert left(s, 1e-3, LONG, first=FIRST, widest=1e-4) == pytest.approx(1e-4)


def test_where_it_lands_within_the_band_it_is_left_but_for_the_play():
    s = swung(*[1e-3] * 4)
    for place in (0.8e-3, -0.3e-3, 0.0):
        went = math.copysign(PLAY, place - s.left)
        assert left(s, place) == pytest.approx(place - went)
        assert rt_landed(WIDEST, s)
        assert left(s, place + 0.5 * went, 5) == pytest.approx(place - went + 0.5 * went)
    assert left(s, 5e-3) == pytest.approx(WIDER * 1e-3), "beyond the band all of the rest is asked for"
    assert not rt_landed(WIDEST, s)


def test_it_is_blended_in_at_rest_and_out_in_motion():
    s = swung(*[1e-3] * 4)
    band = s.band
    left(s, 5e-3, LONG)
    assert (s.share, s.left) == (1.0, band)
    gone = [left(s, 5e-3, rests=False) for _ in range(LONG)]
    assert gone[0] == pytest.approx(KEPT * band * (1 - DT / BLEND_S))
    assert max(np.abs(np.diff(gone))) <= 1.001 * KEPT * band * DT / BLEND_S
    assert gone[-1] == 0.0
    back = [left(s, 5e-3) for _ in range(LONG)]
    assert back[0] == pytest.approx(KEPT * band * DT / BLEND_S)
    assert back[-1] == pytest.approx(KEPT * band)


def test_the_band_shrinks_once_for_each_rest_that_swung():
    s = swung(*[1e-3] * 4)
    band = s.band
    left(s, 1e-3, 50, rests=False)
    assert s.band == pytest.approx(KEPT * band)
    assert (s.swings, s.side, s.peak, s.last, s.older, s.time_s, s.area, s.to_null_s) == (0, 0, 0, 0, 0, 0, 0, 0)
    left(s, 1e-4, 50)
    left(s, 1e-4, 50, rests=False)
    assert s.band == pytest.approx(KEPT * band), "this one did not"


def test_the_integral_goes_to_the_mean_of_a_swing_each_way():
    s = swung(1e-3, 1e-3, 1e-3, 1e-3, integrals=(0.0, 0.03, -0.01, 0.03))
    assert s.null == pytest.approx(0.01, abs=1e-4)
    left(s, -0.9e-3)
    s.crept = 0.0
    first = rt_landing_integral(True, 0.05, DT, s)
    assert first == pytest.approx(0.05 + DT / LAG_S * (s.null - 0.05))
    integral = first
    for _ in range(round(TO_NULL_S / DT) + 5):
        s.crept = 0.0
        integral = rt_landing_integral(True, integral, DT, s)
    assert integral == pytest.approx(s.null, abs=0.01 * abs(0.05 - s.null))
    assert rt_landing_integral(True, 0.2, DT, s) == 0.2, "it has been there: now it stands"


def test_the_integral_goes_there_only_while_the_table_is_left_where_it_is():
    s = swung(1e-3, 1e-3, 1e-3, 1e-3, integrals=(0.0, 0.03, -0.01, 0.03))
    left(s, -5e-3)
    s.crept, before = 0.0, s.to_null_s
    assert rt_landing_integral(False, 0.05, DT, s) == 0.05
    assert s.to_null_s == before > 0.0


def test_the_integral_follows_what_creeps_and_little_of_a_jump():
    s = swung(*[1e-3] * 4)
    left(s, 0.0, 3)
    before = left(s, 2 * PLAY)
    s.to_null_s = 0.0
    by = 0.5 * CREEP_PER_S * DT
    assert left(s, 2 * PLAY + by) == pytest.approx(before + by)
    for landed in (True, False):
        assert rt_landing_integral(landed, 0.01, DT, s) == pytest.approx(0.01 + by)
    for jump in (1e-3, -1e-3):
        left(s, jump)
        s.to_null_s = 0.0
        assert rt_landing_integral(True, 0.01, DT, s) == pytest.approx(0.01 + math.copysign(CREEP_PER_S * DT, jump))
    left(s, -1e-3, rests=False)
    assert s.crept == 0.0


def test_what_swings_about_the_bands_edge_leaves_the_integral_where_it_is():
    """As fast one way as back; at the edge what goes beyond it is cut off."""
    s, integral = swung(*[1e-3] * 4), 0.01
    band = s.band
    swing = (np.array([0.4, 0.8, 1.2, 1.6, 1.6, 1.2, 0.8, 0.4]) + PLAY / band) * band
    left(s, 0.4 * band, 3)
    s.to_null_s, once = 0.0, CREEP_PER_S * DT
    for _ in range(100):
        for asked in swing:
            left(s, float(asked))
            integral = rt_landing_integral(rt_landed(WIDEST, s), integral, DT, s)
    assert s.left < band
    assert integral == pytest.approx(0.01, abs=2.0 * once)


def test_a_null_that_takes_over_a_part_of_the_integral_takes_it_from_what_is_remembered():
    s, plain = filled(LANDING), filled(LANDING)
    rt_landing_shift(0.02, s)
    assert s.before == pytest.approx(plain.before - 0.02)
    assert s.null == pytest.approx(plain.null - 0.02)
    assert s.area / s.time_s == pytest.approx(plain.area / plain.time_s - 0.02)


def test_a_start_forgets_everything():
    s = filled(LANDING)
    rt_landing_start(s)
    assert s == blank(LANDING)


def test_an_error_too_small_for_a_swing_gives_it_no_side():
    """So the first that is large enough turns nothing round."""
    s = blank(LANDING)
    left(s, 0.9 * SWING)
    assert s.side == 0.0
    left(s, -1.1 * SWING)
    assert (s.side, s.swings) == (-1.0, 0)
    left(s, 0.9 * SWING, 3)
    assert (s.side, s.swings) == (-1.0, 0)
    left(s, 1.1 * SWING)
    assert (s.side, s.swings) == (1.0, 1)
