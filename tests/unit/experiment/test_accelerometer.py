"""The accelerometer against displacement, on records of known gain and delay."""

import numpy as np
import pytest

from hilctl.experiment.accelerometer import HIGH, LOW, Both, compare, wrong
from tests.unit.identify.friction.campaign_parts import triangle
from tests.unit.identify.plant import plant_parts

RATE_HZ, SX, SA = 1000.0, 5e-6, 0.02


def of(samples, lowest_hz: float = 1.0, gain: float = 1.0) -> Both:
    return Both(samples["displacement_m"], gain * samples["acceleration_m_s2"], lowest_hz)


def seen(*records: Both):
    found = compare(records, RATE_HZ, SX, SA)
    assert found is not None
    return found


def told(kind: str, gains, true: float) -> None:
    print(f"{kind}: gain off by {1e4 * (np.mean(gains) - true):.1f} ± {1e4 * np.std(gains):.1f} in 1e-4")


def test_sines_and_sweeps_show_gain_and_delay_within_their_intervals():
    found = [
        seen(*(of(r.rows, 0.8 * r.about["lowest_hz"]) for r in plant_parts.records(seed, accelerometer=1.005)))
        for seed in range(3)
    ]
    gains, later = np.array([one.gain for one in found]), np.array([one.later_s for one in found])
    told("sines and sweeps", gains, 1.005)
    assert gains == pytest.approx(np.full(3, 1.005), abs=2e-4)
    assert later == pytest.approx(np.full(3, 1e-5), abs=1e-5)
    assert np.all(np.abs(gains - 1.005) < 4 * np.array([one.gain_sd for one in found]))
    assert all(one.later_sd_s < 1e-5 for one in found)


@pytest.mark.parametrize("late", [0, 1, 5])
def test_a_late_accelerometer_has_its_own_gain_all_the_same(late):
    found = [seen(of(triangle(seed=seed, late=late))) for seed in range(8)]
    told(f"triangle, {late} ms late", [one.gain for one in found], 1.0)
    assert np.mean([one.gain for one in found]) == pytest.approx(1.0, abs=2e-3)
    # the displacement of the triangle is the sum of the speeds up to the end of the tick: half a tick early
    assert np.mean([one.later_s for one in found]) == pytest.approx(1e-3 * late + 0.5e-3, abs=5e-5)


@pytest.mark.parametrize("ticks", [500, 911, 1500, 2100])
@pytest.mark.parametrize("gain", [1.0, -1.0, 0.02])
def test_a_record_may_be_cut_off_anywhere(ticks, gain):
    samples = {name: values[:ticks] for name, values in triangle().items()}
    assert seen(of(samples, gain=gain)).gain == pytest.approx(gain, abs=0.02)


def test_cycles_that_repeat_show_it_as_well():
    def cycles(seed: int) -> Both:
        random, t = np.random.default_rng(seed), np.arange(4000) / RATE_HZ
        w, size = 2 * np.pi * 5.0 * np.array([[1], [3], [5]]), 1.3e-3 * np.array([[1], [0.06], [0.02]])
        x = np.sum(size * np.sin(w * t), axis=0) + SX * random.standard_normal(4000)
        a = np.sum(-1.005 * size * w**2 * np.sin(w * (t - 6e-5)), axis=0) + SA * random.standard_normal(4000)
        return Both(x, a, 2.5)

    found = [seen(cycles(seed)) for seed in range(8)]
    told("cycles", [one.gain for one in found], 1.005)
    assert np.mean([one.gain for one in found]) == pytest.approx(1.005, abs=5e-4)
    assert np.mean([one.later_s for one in found]) == pytest.approx(6e-5, abs=1.5e-5)


def test_what_moves_too_little_shows_nothing():
    assert compare([of(triangle(speed=1e-4))], RATE_HZ, SX, SA) is None
    assert compare([of(triangle(), lowest_hz=400.0)], RATE_HZ, SX, SA) is None


def test_a_dead_one_has_no_gain_and_no_delay():
    samples = triangle()
    samples["acceleration_m_s2"] = SA * np.random.default_rng(1).standard_normal(len(samples["tick"]))
    found = seen(of(samples))
    assert abs(found.gain) < 0.02 and found.later_s == 0.0 and np.isinf(found.later_sd_s)


@pytest.mark.parametrize(
    ("gain", "says"),
    [(-1.0, "wrong sign"), (0.02, "only 0.02 of"), (0.69, "sensors.acceleration.gain"), (3.0, "shows 3.00 times"),
     (LOW, ""), (1.0, ""), (HIGH, "")],
)  # fmt: skip
def test_only_a_gain_that_no_calibration_explains_is_wrong(gain, says):
    assert says in wrong(gain) and bool(wrong(gain)) == bool(says)
