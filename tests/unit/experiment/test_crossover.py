"""Displacement and acceleration together, against the true motion."""

import numpy as np
import pytest

from hilctl.experiment.crossover import crossover_rad_s, error, fused, share, speed

RATE_HZ, SX, SA = 1000.0, 5e-6, 0.02
W0 = crossover_rad_s(SX, SA)


def motion(seed: int, n: int = 20_000):
    """True speed, and both sensors, the accelerometer with a bias."""
    random, t = np.random.default_rng(seed), np.arange(n) / RATE_HZ
    w = 2 * np.pi * np.array([0.2, 3.0, 30.0])[:, None]
    size = np.array([1e-3, 4e-4, 2e-4])[:, None]
    v = np.sum(size * np.sin(w * t), axis=0)
    x = np.sum(-size / w * np.cos(w * t), axis=0) + SX * random.standard_normal(n)
    a = np.sum(size * w * np.cos(w * t), axis=0) + 0.02 + SA * random.standard_normal(n)
    return v, x, a


def test_the_share_is_the_one_with_the_least_error():
    for w in (0.1 * W0, 0.7 * W0, W0, 3 * W0):
        tried = np.linspace(0, 1, 2001)
        least = tried[np.argmin((tried * SX) ** 2 + ((1 - tried) * SA / w**2) ** 2)]
        (own,) = share(np.array([w]), W0)
        assert own == pytest.approx(least, abs=1e-3)
        assert error(np.array([w]), SX, SA)[0] == pytest.approx(1 / np.hypot(1 / SX, w**2 / SA))


def test_the_speed_is_known_better_than_either_sensor_shows_and_as_well_as_is_expected():
    v, x, a = motion(1)
    seen = speed(x, a, RATE_HZ, W0)
    inside = slice(500, -500)
    w = np.linspace(1e-3, np.pi * RATE_HZ, 400_000)
    expected = np.sqrt(np.trapezoid((w * error(w, SX, SA)) ** 2, w) / RATE_HZ / np.pi)
    miss = np.std((seen - v)[inside])
    alone = np.std((np.cumsum(a - a.mean()) / RATE_HZ - v)[inside]), np.std((np.gradient(x) * RATE_HZ - v)[inside])
    print(f"error of the speed {1e6 * miss:.1f} µm/s, expected {1e6 * expected:.1f}; alone {1e6 * np.array(alone)}")
    assert miss == pytest.approx(expected, rel=0.15)
    assert miss < 0.2 * min(alone)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_another_crossover_is_worse(factor):
    found = [[np.std((speed(x, a, RATE_HZ, by * W0) - v)[500:-500]) for by in (1.0, factor)] for v, x, a in
             (motion(seed) for seed in range(5))]  # fmt: skip
    own, other = np.mean(found, axis=0)
    assert own < 0.95 * other


def test_the_accelerometers_bias_does_not_count_and_a_record_may_end_elsewhere():
    t = np.arange(4000) / RATE_HZ
    x = 0.1 * t**2 / 8 + 0.02 * t
    v = 0.2 * t / 8 + 0.02
    seen = speed(x, np.full(4000, 0.025 + 0.5), RATE_HZ, W0)
    assert np.abs(seen - v)[1000:-1000].max() < 2e-4


def test_lines_at_rest_are_those_of_displacement():
    w = np.array([0.0, 1e-3, 1e4])
    lines = fused(w, np.array([3.0, 3.0, 3.0], complex), np.array([7.0, -3e-6, -3e8], complex), W0)
    assert lines == pytest.approx([3.0, 3.0, 3.0])
