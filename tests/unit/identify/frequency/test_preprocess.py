"""Preprocessing: what it changes, that it says so, and that it can be taken back."""

import numpy as np
import pytest

from hilctl.identify.frequency.prepare import Detrend, Hampel, ZeroPhase, prepare
from hilctl.params import BadValues
from tests.unit.identify.frequency.measured import TRUTH, measured

RATE = 1000.0
T = np.arange(4000) / RATE


def noisy():
    return np.sin(2 * np.pi * 3 * T) + 0.01 * np.random.default_rng(1).standard_normal(len(T))


def test_outliers_and_only_they_are_replaced():
    x = noisy()
    spoiled, at = x.copy(), np.array([100, 1500, 1501, 3990])
    spoiled[at] += [3.0, -2.0, -2.5, 1.0]
    made = prepare({"x": spoiled}, RATE).then(Hampel())
    now = made.channels["x"]
    assert np.abs(now - x)[at].max() < 0.1
    others = np.delete(np.arange(len(x)), at)
    assert np.count_nonzero(now[others] != x[others]) < 4
    change = made.done[0].changes["x"]
    assert change.touched == np.count_nonzero(now != spoiled) and change.largest == pytest.approx(3.0, abs=0.1)
    assert f"{change.touched} outliers replaced" in change.text


def test_a_clean_signal_keeps_its_peaks():
    for x in (np.sin(2 * np.pi * 40 * T), np.round(100 * np.sin(2 * np.pi * T)) / 100, measured("stepped").y):
        assert prepare({"x": x}, RATE).then(Hampel()).done[0].changes["x"].touched == 0


def test_the_filter_has_no_lag_and_the_square_of_its_gain():
    x = np.sin(2 * np.pi * 100 * T)
    made = prepare({"x": x}, RATE).then(ZeroPhase(low_pass_hz=100.0)).channels["x"]
    assert np.allclose(made[500:-500], 0.5 * x[500:-500], atol=1e-6)


def test_the_mean_is_taken_off_and_told():
    x = noisy() + 5
    made = prepare({"x": x}, RATE).then(Detrend())
    assert made.channels["x"].mean() == pytest.approx(0.0, abs=1e-12)
    assert f"mean {x.mean():.6g}" in made.done[0].changes["x"].text


def test_every_step_can_be_taken_back():
    x, y = noisy(), noisy() ** 2
    x[700] += 4
    start = prepare({"x": x, "y": y}, RATE)
    made = start.then(Hampel(), "x").then(ZeroPhase()).then(Detrend())
    assert np.array_equal(made.original["x"], x) and made.original["x"] is not x
    assert np.array_equal(made.undone().undone().undone().channels["x"], x)
    without = made.undone(1).channels
    direct = start.then(Hampel(), "x").then(Detrend()).channels
    assert all(np.array_equal(without[name], direct[name]) for name in ("x", "y"))
    assert len(made.undone(0).done) == 2 and made.undone(0).done[0].treatment == ZeroPhase()
    with pytest.raises(BadValues, match="there are 3 steps"):
        made.undone(3)


def test_what_is_done_to_both_channels_is_no_part_of_the_response():
    made = measured("multisine")
    ready = prepare({"u": made.u, "x": made.y + 0.3}, made.rate).then(ZeroPhase(low_pass_hz=120.0)).then(Detrend())
    found = made._replace(u=ready.channels["u"], y=ready.channels["x"]).response()
    assert np.linalg.norm(found.gain - TRUTH) < 1e-3 * np.linalg.norm(TRUTH)


def test_what_would_spoil_a_record_is_refused():
    record = prepare({"u": noisy(), "x": noisy()}, RATE)
    with pytest.raises(BadValues, match="must be all channels"):
        record.then(ZeroPhase(), "x")
    with pytest.raises(BadValues, match="no such channel"):
        record.then(Hampel(), "z")
    with pytest.raises(BadValues, match="must be below 450 Hz"):
        record.then(ZeroPhase(low_pass_hz=470.0))
    with pytest.raises(BadValues, match="needs 601 samples"):
        prepare({"u": noisy()[:400]}, RATE).then(Hampel(half=300))
    with pytest.raises(BadValues, match="not finite"):
        prepare({"u": np.full(500, np.nan)}, RATE)
    with pytest.raises(BadValues, match="one length"):
        prepare({"u": noisy(), "x": noisy()[1:]}, RATE)
