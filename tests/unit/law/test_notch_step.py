"""The notches' recursion, tick by tick."""

import math

import pytest

from hilctl.law.notch import HIGHEST, NOTCH, NOTCHES, RESIDUE, STEPS, Notch, rt_notch, rt_notches, rt_notches_start
from hilctl.law.settings import Law
from hilctl.params import pack
from tests.forms import blank, filled

DT = 1e-3
pytestmark = pytest.mark.usefixtures("forms")


def remembering(u1=0.3, u2=-0.2, t1=0.05, t2=-0.02):
    s = blank(NOTCH)
    s.u1, s.u2, s.t1, s.t2 = u1, u2, t1, t2
    return s


@pytest.mark.parametrize("hz", [60.0, 440.0, 5000.0])
def test_one_tick_is_the_recursion_of_the_page(hz):
    c, s = pack(Notch(frequency_hz=hz, depth_db=20.0, width=0.4)), remembering()
    w0 = min(2 * math.pi * hz * DT, 2 * math.pi * HIGHEST)
    a = 0.2 * math.sin(w0)
    g, p1, p2 = a * 0.9 / (1 + a), 2 * math.cos(w0) / (1 + a), -(1 - a) / (1 + a)
    t = g * (0.7 + 0.2) + p1 * 0.05 + p2 * -0.02
    assert rt_notch(c, 0.7, DT, s) == pytest.approx(0.7 - t)
    assert s.item() == pytest.approx((0.7, 0.3, t, 0.05))


def test_a_notch_of_no_depth_takes_nothing_to_the_last_bit():
    s = remembering(t1=0.0, t2=0.0)
    assert rt_notch(pack(Notch()), 0.7, DT, s) == 0.7
    assert s.item() == (0.7, 0.3, 0.0, 0.0)


@pytest.mark.parametrize("depth_db", [0.5, 20.0])
def test_a_notch_of_some_depth_takes_something_from_the_first_tick_on(depth_db):
    s = remembering(t1=0.0, t2=0.0)
    a = 0.25 * math.sin(2 * math.pi * 100 * DT)
    taken = a * (1 - 10 ** (-depth_db / 20)) * (0.7 + 0.2) / (1 + a)
    assert rt_notch(pack(Notch(depth_db=depth_db)), 0.7, DT, s) == pytest.approx(0.7 - taken)
    assert s.t1 == pytest.approx(taken)


@pytest.mark.parametrize(("t1", "t2"), [(0.05, 0.0), (0.0, 0.05)])
def test_what_a_notch_holds_when_its_depth_comes_to_zero_rings_out(t1, t2):
    c, s = pack(Notch(depth_db=0.0)), remembering(t1=t1, t2=t2)
    assert rt_notch(c, 0.7, DT, s) != 0.7
    for _ in range(300):
        last = rt_notch(c, 0.7, DT, s)
    assert last == 0.7
    assert (s.t1, s.t2) == (0.0, 0.0)


def test_ringing_ends_only_when_both_values_are_below_the_residue():
    c = pack(Notch(depth_db=0.0, frequency_hz=100.0))
    s = remembering(u2=0.7, t1=2 * RESIDUE, t2=2 * RESIDUE * 2 * math.cos(0.2 * math.pi))  # the next is nearly zero
    assert rt_notch(c, 0.7, DT, s) != 0.7
    s = remembering(u2=0.7, t1=-2 * RESIDUE, t2=-2 * RESIDUE * 2 * math.cos(0.2 * math.pi))
    assert rt_notch(c, 0.7, DT, s) != 0.7
    s = remembering(u2=0.7, t1=0.5 * RESIDUE, t2=0.5 * RESIDUE)
    assert rt_notch(c, 0.7, DT, s) == 0.7
    assert (s.t1, s.t2) == (0.0, 0.0)


def test_a_deep_notch_rings_on_below_the_residue_too():
    s = remembering(u2=0.7, t1=0.5 * RESIDUE, t2=0.5 * RESIDUE)
    assert rt_notch(pack(Notch(depth_db=20.0)), 0.7, DT, s) != 0.7


def test_a_start_forgets_all_three():
    s = filled(NOTCHES)
    rt_notches_start(s)
    assert s.item() == ((0.0,) * 4,) * 3


LAW = pack(Law(notch_1=Notch(frequency_hz=50.0, depth_db=20.0), notch_2=Notch(frequency_hz=120.0, depth_db=10.0),
               notch_3=Notch(frequency_hz=200.0, depth_db=6.0, width=0.2)))  # fmt: skip


def test_the_notches_follow_one_another():
    s, apart = filled(NOTCHES), filled(NOTCHES)
    through = rt_notch(LAW.notch_1, 0.4, DT, apart.first)
    through = rt_notch(LAW.notch_2, through, DT, apart.second)
    through = rt_notch(LAW.notch_3, through, DT, apart.third)
    assert rt_notches(LAW, 0.4, DT, 1, s) == pytest.approx(through, abs=1e-15)
    assert s.item() == apart.item()


def test_over_skipped_ticks_the_last_opening_was_held():
    s, apart = blank(NOTCHES), blank(NOTCHES)
    rt_notches(LAW, 0.4, DT, 1, s)
    rt_notches(LAW, 0.4, DT, 1, apart)
    one = rt_notches(LAW, 0.1, DT, 4, s)
    for opening in (0.4, 0.4, 0.4, 0.1):
        other = rt_notches(LAW, opening, DT, 1, apart)
    assert one == pytest.approx(other, abs=1e-15)
    assert s.item() == apart.item()


def test_a_long_gap_is_cut():
    s, apart = blank(NOTCHES), blank(NOTCHES)
    s.first.u1 = apart.first.u1 = 0.3
    assert rt_notches(LAW, 0.1, DT, STEPS + 30, s) == rt_notches(LAW, 0.1, DT, STEPS, apart)
