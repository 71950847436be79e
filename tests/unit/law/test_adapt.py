"""The valve as it is learned: from flows that a valve gives, to null, gain and overlap."""

import math
from typing import Any

import numpy as np
import pytest

from hilctl.law.adapt import (
    ADAPT,
    CALM_S,
    FAR,
    FORGETS_S,
    GAIN,
    GAIN_ENDS,
    LEAK_S,
    MOST,
    NEAR,
    NULL_ENDS,
    OVERLAP,
    OVERLAP_ENDS,
    SURE,
    Adapt,
    _rt_fit,
    rt_adapt,
    rt_adapt_again,
    rt_adapt_scale,
    rt_adapt_start,
    rt_adapt_stop,
    rt_flow_opening,
)
from hilctl.law.edges import rt_side, rt_spool
from hilctl.params import pack
from tests.forms import blank, changed, filled
from tests.unit.law.given import machine

pytestmark = pytest.mark.usefixtures("forms")
PS = machine().Ps
LAG_S, TICK = 5e-3, 0.01  # long ticks: they are passed through in plain Python too


def keys(**given: float) -> Any:
    return pack(Adapt(**{"share": 1.0, "time_s": 2.0, **given}))


def begun(c: Any) -> Any:
    a = blank(ADAPT)
    rt_adapt_start(c, a)
    return a


def drive(a: Any, c: Any, openings: Any, m: Any = None, null: float = 0.0, gain: float = 0.0, overlap: float = 0.0,
          calm: bool = True) -> float:  # fmt: skip
    """The controller wants what makes these openings flow, on a valve whose null, gain and overlap are off by so much,
    through what is learned already. Returns how far the null went.
    """
    m = machine() if m is None else m
    known, moved = 0.5 * (m.overlap_a + m.overlap_b), 0.0
    for opening in openings:
        side = rt_side(opening, known + overlap, m.edge_rounding)
        spool = rt_spool(opening / (1.0 + gain), known + overlap, side) + null - a.null
        used = known + a.overlap
        wanted = (spool - used * rt_side(opening, used, m.edge_rounding)) / (1.0 - used)
        moved += rt_adapt(c, m, wanted, opening, opening * m.Qn / m.A, 0.0, 0.5 * PS, 0.5 * PS, math.nan, LAG_S, 0.0,
                          calm, TICK, a)  # fmt: skip
    return moved


def sine(seconds: float, amplitude: float = 0.2) -> Any:
    """Slow, so that lags do not count."""
    return amplitude * np.sin(0.2 * np.pi * TICK * np.arange(round(seconds / TICK)))


def test_a_flow_takes_the_opening_that_gives_it():
    m = machine()
    assert rt_flow_opening(m, 0.1, 0.0, 0.5 * PS, 0.5 * PS, 0.0, 0.0, PS, True) == pytest.approx(0.1 * m.A / m.Qn)
    loaded = rt_flow_opening(m, 0.1, 0.0, 0.75 * PS, 0.25 * PS, 0.0, 0.0, PS, True)
    assert loaded == pytest.approx((0.1 * m.A + m.Ctc * 0.5 * PS) / (m.Qn * math.sqrt(0.5)))
    helped = rt_flow_opening(m, -0.1, 0.0, 0.75 * PS, 0.25 * PS, 0.0, 0.0, PS, False)
    assert helped == pytest.approx((-0.1 * m.A + m.Ctc * 0.5 * PS) / (m.Qn * math.sqrt(1.5)))
    squeezed = rt_flow_opening(m, 0.0, 0.02, 0.5 * PS, 0.5 * PS, 1e9, -2e9, PS, True)
    half, swept = 0.5 * m.Vt, 0.02 * m.A
    assert squeezed == pytest.approx(((half + swept) * 1e9 + (half - swept) * 2e9) / (2 * m.beta * m.Qn))


def test_a_supply_that_is_not_measured_is_that_of_the_rig_file_and_no_drop_is_none():
    m = machine()
    told = rt_flow_opening(m, 0.1, 0.0, 0.6 * PS, 0.4 * PS, 0.0, 0.0, math.nan, True)
    assert told == rt_flow_opening(m, 0.1, 0.0, 0.6 * PS, 0.4 * PS, 0.0, 0.0, PS, True)
    least = rt_flow_opening(m, 0.1, 0.0, 2.0 * PS, 0.0, 0.0, 0.0, PS, True)
    assert least == pytest.approx((0.1 * m.A + m.Ctc * 2.0 * PS) / (m.Qn * 2.0 * math.sqrt(0.05)))


def test_at_rest_a_null_is_learned_and_what_it_takes_over_is_told():
    c = keys()
    a = begun(c)
    moved = drive(a, c, np.zeros(1200), null=0.006)
    assert a.null == pytest.approx(0.006, rel=0.02)
    assert moved == pytest.approx(a.null)
    assert (a.overlap, a.flow, a.ended, a.learning) == (0.0, 0.0, 0, 1)


def test_in_one_time_constant_most_of_a_null_is_learned():
    c = keys(time_s=4.0)
    a = begun(c)
    drive(a, c, np.zeros(round((4.0 + CALM_S) / TICK)), null=0.01)
    assert a.theta[0] == pytest.approx(0.01 * (1 - math.exp(-1)), rel=0.05)


@pytest.mark.parametrize("gain", [-0.15, 0.12])
def test_a_gain_is_learned_from_a_motion_and_acts_on_the_feed_forward(gain):
    c, m = keys(), machine()
    a = begun(c)
    drive(a, c, sine(20.0), gain=gain)
    assert a.flow / m.Qn == pytest.approx(gain, abs=0.008)
    assert rt_adapt_scale(c, m, a) == pytest.approx(1 / (1 + gain), rel=0.01)
    assert abs(a.null) < 1e-3


def test_overlap_gain_and_null_are_told_apart():
    c, m = keys(), machine(overlap_a=0.02, overlap_b=0.03)
    a = begun(c)
    drive(a, c, np.concatenate([sine(20.0), sine(20.0, 0.05)]), m, null=-0.003, gain=0.1, overlap=0.005)
    assert a.overlap == pytest.approx(0.005, abs=3e-4)
    assert a.null == pytest.approx(-0.003, abs=3e-4)
    assert a.flow / m.Qn == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("overlap", [0.0, 0.004])
def test_edges_that_are_known_to_be_rounded_are_not_taken_for_another_overlap(overlap):
    c, m = keys(), machine(overlap_a=0.02, overlap_b=0.02, edge_rounding=0.012)
    a = begun(c)
    drive(a, c, np.concatenate([sine(20.0), sine(20.0, 0.05)]), m, overlap=overlap)
    assert a.overlap == pytest.approx(overlap, abs=2e-4)
    assert a.flow / m.Qn == pytest.approx(0.0, abs=0.01)


def test_what_is_in_use_does_not_count_again():
    """From a state in which all is learned, nothing goes on: the fit is about the whole."""
    c, m = keys(), machine(overlap_a=0.02, overlap_b=0.02)
    a = begun(c)
    drive(a, c, np.concatenate([sine(30.0), sine(20.0, 0.05)]), m, null=0.004, overlap=-0.004)
    before = (a.null, a.overlap)
    drive(a, c, sine(20.0, 0.05), m, null=0.004, overlap=-0.004)
    assert (a.null, a.overlap) == pytest.approx(before, abs=2e-4)


def test_behind_an_overlap_nothing_is_learned_at_rest_nor_near_a_reversal():
    c, m = keys(), machine(overlap_a=0.02, overlap_b=0.02)
    a = begun(c)
    drive(a, c, np.zeros(300), m, null=0.01)
    assert (a.null, a.learning, tuple(a.theta)) == (0.0, 0, (0.0, 0.0, 0.0))
    drive(a, c, np.full(300, 0.0039), m, null=0.01)
    assert a.learning == 0
    drive(a, c, np.full(100, 0.0042), m, null=0.01)
    assert a.learning == 1
    drive(a, c, np.full(1, 0.4), m, null=0.01)  # after a reversal, fast
    assert a.learning == 0


def test_nothing_is_learned_before_it_has_been_calm_for_a_while():
    c = keys()
    a = begun(c)
    ticks = round(CALM_S / TICK)
    drive(a, c, np.zeros(ticks - 2), null=0.01)
    assert (a.learning, a.theta[0]) == (0, 0.0)
    drive(a, c, np.zeros(4), null=0.01)
    assert a.learning == 1
    assert a.theta[0] > 0.0
    kept = a.copy()
    drive(a, c, np.zeros(5), null=0.01, calm=False)
    assert set(changed(kept, a)) <= {"calm_s", "learning", "wanted[0]", "wanted[1]", "feed[0]", "feed[1]", "pa", "pb"}
    assert (a.learning, a.calm_s) == (0, 0.0)
    drive(a, c, np.zeros(ticks - 2), null=0.01)
    assert a.learning == 0


def test_a_disturbance_leaves_nothing_behind_not_even_a_number_that_is_none():
    c, m = keys(), machine()
    a = begun(c)
    for value in (math.nan, 0.25):
        moved = rt_adapt(c, m, value, 2 * value, 0.0, 0.0, value, 3 * value, PS, LAG_S, 1e-3, False, TICK, a)
        assert moved == 0.0
    assert (*a.wanted, *a.feed, a.pa, a.pb) == (0.25, 0.25, 0.5, 0.5, 0.25, 0.75)
    assert all(math.isfinite(float(one)) for one in (*a.wanted, *a.feed, a.pa, a.pb, *a.theta))


@pytest.mark.parametrize(("off", "bit", "most"), [
    ({"null": 0.03}, NULL_ENDS, {"null": 0.02}),
    ({"gain": -0.4}, GAIN_ENDS, {"flow": -0.25}),
    ({"overlap": 0.02}, OVERLAP_ENDS, {"overlap": 0.01}),
])  # fmt: skip
def test_a_bound_ends_learning_and_what_is_in_use_goes_no_further(off, bit, most):
    c, m = keys(), machine(overlap_a=0.03, overlap_b=0.03) if "overlap" in off else machine()
    a = begun(c)
    path = np.concatenate([sine(10.0, 0.03), sine(40.0, 0.03)]) if "overlap" in off else sine(30.0)
    drive(a, c, path, m, **off)
    assert a.ended == bit
    assert a.learning == 0
    for name, value in most.items():
        assert a[name] / (m.Qn if name == "flow" else 1.0) == pytest.approx(value, rel=0.01)
    theta = tuple(a.theta)
    drive(a, c, sine(5.0), m)
    assert tuple(a.theta) == theta, "nothing is learned on"


def test_arming_starts_learning_again_and_forgets_a_null_that_it_finds_itself():
    for proved in (True, False):
        a = begun(keys())
        a.ended, a.null, a.theta[0], a.flow = NULL_ENDS, 0.02, 0.021, 1e-4
        rt_adapt_again(proved, a)
        assert (a.ended, a.flow) == (0, 1e-4)
        assert (a.null, a.theta[0]) == ((0.02, 0.021) if proved else (0.0, 0.0))


def test_off_nothing_is_left():
    a = begun(keys())
    a.ended, a.learning, a.null, a.overlap, a.flow = GAIN_ENDS, 1, 0.01, 0.002, 1e-4
    rt_adapt_stop(a)
    assert (a.running, a.ended, a.learning, a.null, a.overlap, a.flow) == (0, 0, 0, 0.0, 0.0, 0.0)
    assert rt_adapt_scale(keys(), machine(), a) == 1.0


def test_what_was_learned_leaks_back_while_nothing_excites_it():
    c = keys()
    a = begun(c)
    a.theta[1] = a.theta[2] = 0.004
    drive(a, c, np.zeros(400))
    lost = 1 - math.exp(-(4.0 - CALM_S) / LEAK_S)
    assert a.theta[2] == pytest.approx(0.004 * (1 - lost), rel=1e-5)
    assert a.theta[1] == pytest.approx(0.004 * (1 - lost), rel=1e-5)


def test_it_starts_with_nothing_learned_and_the_null_the_least_known():
    c, a = keys(time_s=4.0), filled(ADAPT)
    a.ended = 7
    rt_adapt_start(c, a)
    assert (a.running, a.learning, a.ended, a.calm_s) == (1, 0, 0, 0.0)
    assert not any((a.null, a.overlap, a.flow, *a.theta, *a.wanted, *a.feed))
    assert list(a.p) == [0.25, 0.0, 0.0, SURE / 4.0, 0.0, GAIN / 4.0]


@pytest.mark.parametrize(("one", "two"), [(1.0, 0.05), (-0.9, -0.3), (0.0, 0.0), (0.7, 0.02)])
@pytest.mark.parametrize("miss", [0.02, -0.02, 0.5, -0.5])
def test_a_step_of_the_fit_is_the_recursion_of_the_page(one, two, miss):
    a, c = filled(ADAPT), keys(time_s=4.0)
    spread = np.array([[0.3, 0.05, -0.1], [0.05, 0.4, 0.02], [-0.1, 0.02, 30.0]])
    a.p[:] = spread[np.triu_indices(3)]
    phi, theta, rate, dt_s = np.array([1.0, one, two]), a.theta.copy(), 0.25, 0.01
    y = float(phi @ theta) + miss
    w = dt_s / (1.0 + (two / FAR) ** 2)
    near = 1.0 / (1.0 + (two / NEAR) ** 2)
    spread *= 1.0 - w / FORGETS_S
    spread += w * np.diag([rate**2, (OVERLAP * rate * one * near) ** 2, (GAIN * rate * two) ** 2])
    gain = w * spread @ phi / (1.0 + w * phi @ spread @ phi)
    _rt_fit(c, y, one, two, dt_s, a)
    assert a.theta == pytest.approx(theta + gain * np.clip(miss, -MOST, MOST))
    assert a.p == pytest.approx((spread - np.outer(gain, phi @ spread))[np.triu_indices(3)])


@pytest.mark.parametrize(("ended", "opening", "follows"), [(0, 0.0, False), (0, 0.1, True), (NULL_ENDS, 0.0, True)])
def test_behind_an_overlap_what_is_used_follows_where_something_can_be_learned_or_learning_has_ended(
    ended, opening, follows
):
    c, m = keys(), machine(overlap_a=0.02, overlap_b=0.02)
    a = begun(c)
    a.ended, a.calm_s, a.theta[0] = ended, 2 * CALM_S, 0.01
    a.wanted[:] = a.feed[:] = opening
    rt_adapt(c, m, opening, opening, opening * m.Qn / m.A, 0.0, 0.5 * PS, 0.5 * PS, PS, LAG_S, 0.0, True, TICK, a)
    assert bool(a.null > 0.0) is follows
