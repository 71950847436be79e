"""The one definition of distortion, on records of known distortion."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.results.distortion import HIGHEST_HZ, NoMotion, distortion_of, is_hidden, last_harmonic

RATE_HZ = 1000.0


def record(parts: dict[int, float], cycles: int = 4, frequency_hz: float = 1.0, noise: float = 0.0, seed: int = 0):
    t = np.arange(round(cycles / frequency_hz * RATE_HZ)) / RATE_HZ
    clean = sum(a * np.sin(2 * np.pi * k * frequency_hz * t + k) for k, a in parts.items())
    return clean + noise * np.random.default_rng(seed).normal(size=len(t))


@given(st.dictionaries(st.integers(2, 100), st.floats(0, 0.5), max_size=5), st.floats(0.1, 10))
def test_it_is_the_root_of_the_harmonics_squares_over_the_fundamental(harmonics, fundamental):
    found = distortion_of(record({1: fundamental, **{k: a * fundamental for k, a in harmonics.items()}}), 4, 1.0)
    assert found.percent == pytest.approx(100 * math.sqrt(sum(a**2 for a in harmonics.values())), abs=1e-6)
    assert found.fundamental_m_s2 == pytest.approx(fundamental)


@pytest.mark.parametrize(("frequency_hz", "last"), [(0.5, 200), (1.0, 100), (3.0, 33), (0.1, 1000), (150.0, 1)])
def test_the_last_harmonic_is_the_highest_within_the_band(frequency_hz, last):
    assert last_harmonic(frequency_hz) == last
    assert last == 1 or last * frequency_hz <= HIGHEST_HZ < (last + 1) * frequency_hz


def test_harmonics_count_up_to_the_last_one():
    assert distortion_of(record({1: 1.0, 101: 0.5}), 4, 1.0).percent < 1e-6
    assert distortion_of(record({1: 1.0, 100: 0.5}), 4, 1.0).percent == pytest.approx(50)
    assert distortion_of(record({1: 1.0, 34: 0.5}, 9, 3.0), 9, 3.0).percent < 1e-6


def root_of_the_harmonics(acceleration, cycles: int) -> float:
    a = np.abs(np.fft.rfft(acceleration))[cycles::cycles][:100]
    return 100 * float(np.sqrt(np.sum(a[1:] ** 2)) / a[0])


def test_of_two_definitions_the_one_that_subtracts_the_noise_is_nearer_the_truth():
    for percent, most in ((0.0, 0.2), (0.3, 0.15), (1.0, 0.08), (3.0, 0.03), (10.0, 0.03)):
        seen = [record({1: 2.0, 3: 0.02 * percent}, noise=0.02, seed=seed) for seed in range(200)]
        errors = np.array([[distortion_of(a, 4, 1.0).percent, root_of_the_harmonics(a, 4)] for a in seen]) - percent
        ours, theirs = np.sqrt(np.mean(errors**2, axis=0))
        print(f"{percent:g} %: noise subtracted {ours:.3f}, harmonics alone {theirs:.3f}")
        assert ours < most
        assert ours < 0.7 * theirs or percent > 1


def test_the_sensors_noise_is_subtracted():
    found = [distortion_of(record({1: 1.0, 3: 0.01}, noise=0.02, seed=seed), 4, 1.0) for seed in range(40)]
    assert np.mean([one.percent**2 for one in found]) == pytest.approx(1.0, rel=0.05)
    assert np.mean([one.noise_percent for one in found]) == pytest.approx(0.02 * 2 / np.sqrt(4000) * np.sqrt(99) * 100,
                                                                          rel=0.1)


def test_nothing_below_the_resolution_is_reported():
    found = [distortion_of(record({1: 1.0}, noise=0.02, seed=seed), 4, 1.0) for seed in range(200)]
    resolution = np.mean([one.resolution_percent for one in found])
    left = [max(one.percent**2 - one.resolution_percent**2, 0.0) for one in found]
    assert all(one.percent >= one.resolution_percent for one in found)
    assert 0.15 < np.mean([not is_hidden(one.percent, one.resolution_percent) for one in found]) / 0.16 < 1.9
    assert np.sqrt(np.mean(left)) < resolution < 0.5 * np.mean([one.noise_percent for one in found])


def test_a_dead_accelerometer_and_too_few_cycles_are_refused():
    with pytest.raises(NoMotion, match=r"shows no motion at 1 Hz.*sensors\.acceleration"):
        distortion_of(np.zeros(4000), 4, 1.0)
    with pytest.raises(ValueError, match="at least 2"):
        distortion_of(np.zeros(1000), 1, 1.0)
