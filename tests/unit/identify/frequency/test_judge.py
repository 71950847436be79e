"""Every kind of bad record is named, and a good one is not."""

import numpy as np
import pytest
from scipy.signal import lfilter

from hilctl.identify.frequency.judge import RecordFault, judge, require
from hilctl.servo import paper_servo, simulate

RATE = 2000.0
BAND = (1.0, 100.0)


@pytest.fixture(scope="module")
def sweep():
    """A stepped sine through the servo, its displacement with 4 % of noise."""
    steps = [np.sin(2 * np.pi * f * np.arange(round(3 * RATE / f)) / RATE) for f in range(1, 101)]
    u = np.concatenate(steps)
    y = simulate(paper_servo(), u, 1 / RATE)[:, 0]
    return u, y + 0.04 * y.std() * np.random.default_rng(1).standard_normal(len(y))


def kinds(u, y, rate=RATE, **known):
    known.setdefault("band_hz", BAND)
    return [(one.kind, one.channel) for one in judge(u, {"x": y}, rate, **known)]


def test_a_good_record_is_not_criticised(sweep):
    u, y = sweep
    assert kinds(u, y) == []
    assert kinds(np.round(u / 1e-3) * 1e-3, np.round(y / 3e-6) * 3e-6) == []
    assert kinds(u, y, times_s=np.arange(len(u)) / RATE) == []
    white = np.random.default_rng(2).standard_normal(len(u))
    assert kinds(white, simulate(paper_servo(), white, 1 / RATE)[:, 0], band_hz=None) == []


def lagging(u, rate, hz=10.0):
    """A first-order lag, and 1 % of noise."""
    step = 1 - np.exp(-2 * np.pi * hz / rate)
    y = lfilter([step], [1, step - 1], u)
    return y + 0.01 * y.std() * np.random.default_rng(5).standard_normal(len(y))


def test_power_that_the_rig_does_not_follow_is_no_fault():
    white = np.random.default_rng(4).standard_normal(60_000)
    assert kinds(white, lagging(white, 5000.0), 5000.0, band_hz=None) == []
    t = np.arange(20_000) / 1000
    tones = 0.05 * lfilter([0.1], [1, -0.9], np.random.default_rng(4).standard_normal(len(t)))
    worked = np.arcsin(np.sin(2 * np.pi * 0.7 * t)) + tones  # a triangle: nearly all of it is one line
    assert kinds(worked, lagging(worked, 1000.0), 1000.0, band_hz=None) == []


def slow(rate=1000.0):
    """As a table at work moves: most of its power is at its lowest frequencies."""
    pushed = lfilter([0.02], [1, -0.98], np.random.default_rng(6).standard_normal(20_000))
    return lfilter([0.005], [1, -0.995], pushed)


def test_a_sensor_that_dies_on_the_way_is_named(sweep):
    u, y = sweep[0], sweep[1].copy()
    y[-len(y) // 10 :] = y[-len(y) // 10]
    found = judge(u, {"x": y}, RATE)
    assert [f.kind for f in found] == ["zero variance"] and "while input moves" in found[0].text
    rest = np.zeros(4000)
    assert kinds(np.r_[u, rest], np.r_[sweep[1], rest]) == []


def test_what_is_not_finite_is_counted_and_placed(sweep):
    u, y = sweep[0].copy(), sweep[1].copy()
    y[[700, 900]] = np.nan
    u[20] = np.inf
    found = judge(u, {"x": y}, RATE)
    assert [(f.kind, f.channel) for f in found] == [("not finite", "input"), ("not finite", "x")]
    assert "2 of" in found[1].text and "sample 700" in found[1].text


def test_too_little_of_a_record(sweep):
    u, y = sweep
    assert kinds(u[:100], y[:100], band_hz=None) == [("too short", "input")]
    assert kinds(u[:3000], y[:3000]) == [("too short", "input")]
    assert kinds(u[:-1], y) == [("unequal length", "x")]


def test_a_channel_that_stands_still(sweep):
    u, y = sweep
    assert kinds(u, np.full_like(y, 0.3)) == [("zero variance", "x")]
    assert kinds(0 * u, y) == [("zero variance", "input")]


def test_limits_that_were_reached(sweep):
    u, y = sweep
    assert kinds(u, np.clip(y, -0.8 * y.max(), 0.8 * y.max())) == [("clipped", "x")]
    assert kinds(np.clip(u, -0.9, 0.9), y) == [("saturated", "input")]
    white = np.random.default_rng(7).standard_normal(20_000)
    cut = np.clip(white, -2.2, 2.2)
    assert kinds(cut, lagging(cut, RATE), band_hz=None) == [("saturated", "input")]
    assert kinds(u, np.minimum(y, 0.015), ranges={"x": (-0.025, 0.015)}) == [("clipped", "x")]
    assert kinds(u, y, ranges={"x": (-0.05, 0.05), "input": (-10.0, 10.0)}) == []


def test_samples_that_were_lost(sweep):
    u, y = sweep[0].copy(), sweep[1].copy()
    times = np.arange(len(u)) / RATE
    kept = np.delete(np.arange(len(u)), [5000, 5001, 9000])
    found = judge(u[kept], {"x": y[kept]}, RATE, times_s=times[kept])
    assert [f.kind for f in found] == ["dropped samples"]
    assert "3 samples are missing in 2 gaps" in found[0].text
    u[5000:5100], y[5000:5100] = u[5000], y[5000]
    assert kinds(u, y) == [("dropped samples", "input")]


def test_a_rate_that_cannot_be(sweep):
    u, y = sweep
    for rate in (1000.0, 4000.0):
        found = judge(u, {"x": y}, rate, band_hz=BAND)
        assert [f.kind for f in found] == ["wrong rate"]
    assert kinds(u, y, times_s=np.arange(len(u)) / 1990.0) == [("wrong rate", "time")]
    assert kinds(u, y, rate=-1.0) == [("wrong rate", "input")]
    assert kinds(u, y, rate=150.0) == [("wrong rate", "input")]


def test_an_input_that_shows_nothing(sweep):
    u = sweep[0]
    assert kinds(u, np.random.default_rng(3).standard_normal(len(u))) == [("unexcited", "x")]
    one = np.sin(2 * np.pi * 5 * np.arange(len(u)) / RATE)
    moved = simulate(paper_servo(), one, 1 / RATE)[:, 0]
    assert kinds(one, moved, band_hz=None) == [("unexcited", "input")]
    assert kinds(one, moved, band_hz=None, periodic=True) == []


def test_channels_that_were_exchanged(sweep):
    u, y = sweep
    assert kinds(y, u) == [("swapped", "x")]
    assert kinds(y, u, leads=True) == []
    moved = lagging(slow(), 1000.0)
    assert kinds(slow(), moved, 1000.0, band_hz=None) == []
    assert kinds(moved, slow(), 1000.0, band_hz=None) == [("swapped", "x")]
    possible = {"pL": (-2e7, 2e7), "x": (-0.1, 0.1)}
    pressure = 1e8 * y
    found = judge(u, {"pL": y, "x": pressure}, RATE, ranges=possible)
    assert [(f.kind, f.channel) for f in found] == [("swapped", "x")]
    assert "exchanged with pL" in found[0].text


def test_a_fault_says_everything_at_once(sweep):
    u, y = sweep
    with pytest.raises(RecordFault, match="zero variance") as refused:
        require(0 * u, {"x": 0 * y}, RATE)
    assert len(refused.value.findings) == 2
