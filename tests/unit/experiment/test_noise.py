"""The noise of a sensor at rest, whatever else its readings do there."""

import numpy as np
import pytest

from hilctl.experiment.noise import LEAST, NOISY, at_rest, noise_of, with_noise
from tests.unit.identify.friction.campaign_parts import facts

N, RATE_HZ = 500, 1000.0
T = np.arange(N) / RATE_HZ


def low_pass(white: np.ndarray) -> np.ndarray:
    made = np.convolve(white, np.exp(-np.arange(20) * 2 * np.pi * 200 / RATE_HZ), "same")
    return made / made.std()


REST = {
    "white": lambda white: white,
    "drift of 10 sd": lambda white: white + 10 * T / T[-1],
    "swing of 20 Hz, 3 sd": lambda white: white + 3 * np.sqrt(2) * np.sin(2 * np.pi * 20 * T + 1),
    "hum of 50 Hz, 2 sd": lambda white: white + 2 * np.sqrt(2) * np.sin(2 * np.pi * 50 * T + 1),
    "16 bit": lambda white: 0.6 * np.round(white / 0.6),
    "two spikes of 20 sd": lambda white: white + 20 * np.isin(np.arange(N), (100, 333)),
    "low-pass of 200 Hz": low_pass,
}


@pytest.mark.parametrize("kind", REST)
def test_it_is_right_within_a_sixth_whatever_the_readings_do_at_rest(kind):
    shown = [at_rest([REST[kind](np.random.default_rng(seed).standard_normal(N))]) for seed in range(50)]
    others = {
        "standard deviation": lambda x: np.std(x), "differences": lambda x: np.std(np.diff(x)) / 2**0.5,
        "second differences": lambda x: np.std(np.diff(x, 2)) / 6**0.5,
        "median difference": lambda x: 1.4826 * np.median(np.abs(np.diff(x))) / 2**0.5,
    }  # fmt: skip
    found = {
        name: np.mean([of(REST[kind](np.random.default_rng(seed).standard_normal(N))) for seed in range(50)])
        for name, of in others.items()
    }
    print(f"{kind}: {np.mean(shown):.2f} of the noise; " + ", ".join(f"{n} {x:.2f}" for n, x in found.items()))
    assert np.mean(shown) == pytest.approx(1.0, abs=0.17)
    assert np.std(shown) < 0.1


def test_several_short_rests_count_as_one_and_a_motion_among_them_does_not():
    random = np.random.default_rng(1)
    parts = [random.standard_normal(200) for _ in range(3)]
    assert at_rest([*parts, 50 * random.standard_normal(200)]) == pytest.approx(1.0, rel=0.2)
    assert at_rest([]) == at_rest([np.zeros(2)]) == 0.0


def test_a_declared_noise_counts_unless_the_sensor_shows_more():
    rest = [2e-5 * np.random.default_rng(2).standard_normal(500)]
    assert noise_of("displacement", 3e-5, rest) == 3e-5
    assert noise_of("displacement", 2e-5 / NOISY * 1.2, rest) == 2e-5 / NOISY * 1.2
    assert noise_of("displacement", 1e-5, rest) == pytest.approx(2e-5, rel=0.1)
    assert noise_of("displacement", 0.0, rest) == pytest.approx(2e-5, rel=0.1)
    assert noise_of("displacement", 0.0, [np.zeros(500)]) == LEAST["displacement"]


def test_a_sensor_far_noisier_than_declared_is_named():
    random = np.random.default_rng(1)
    still = {
        "displacement_m": [2e-6 * random.standard_normal(500)],
        "acceleration_m_s2": [0.2 * random.standard_normal(500)],
        "pressure_a_pa": [40e3 * random.standard_normal(500)],
        "pressure_b_pa": [25e3 * random.standard_normal(500)],
    }
    found, remarks = with_noise(facts(sensors__displacement__noise=0.0).values, still)
    assert found["sensors.displacement.noise"] == pytest.approx(2e-6, rel=0.1)
    assert found["sensors.acceleration.noise"] == pytest.approx(0.2, rel=0.1)
    assert found["sensors.pressure_a.noise"] == pytest.approx(40e3, rel=0.1)
    assert found["sensors.pressure_b.noise"] == 25e3
    (remark,) = remarks
    assert "sensors.acceleration.noise is 0.02" in remark
