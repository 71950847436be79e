"""The distortion of a record, the preview's parabola, and both on a running twin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.client import Client, private_service
from hilctl.identify.distortion import NotMeasuredError, TooLate, distortion_of, measure, stretch
from hilctl.identify.preview import KEY, beyond, search, vertex

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


def test_what_lies_above_100_hz_does_not_count():
    assert distortion_of(record({1: 1.0, 101: 0.5}), 4, 1.0).percent < 1e-6


def test_the_sensors_noise_is_taken_off():
    found = [distortion_of(record({1: 1.0, 3: 0.01}, noise=0.02, seed=seed), 4, 1.0) for seed in range(40)]
    assert np.mean([one.percent**2 for one in found]) == pytest.approx(1.0, rel=0.05)
    assert np.mean([one.noise_percent for one in found]) == pytest.approx(0.02 * 2 / np.sqrt(4000) * np.sqrt(99) * 100,
                                                                          rel=0.1)


def test_nothing_is_told_that_the_sensor_cannot_show():
    found = [distortion_of(record({1: 1.0}, noise=0.02, seed=seed), 4, 1.0) for seed in range(200)]
    resolution = np.mean([one.resolution_percent for one in found])
    left = [max(one.percent**2 - one.resolution_percent**2, 0.0) for one in found]
    assert all(one.percent >= one.resolution_percent for one in found)
    assert 0.15 < np.mean([one.percent > 1.0001 * one.resolution_percent for one in found]) / 0.16 < 1.9
    assert np.sqrt(np.mean(left)) < resolution < 0.5 * np.mean([one.noise_percent for one in found])


def test_a_dead_accelerometer_and_too_few_cycles_are_told():
    with pytest.raises(NotMeasuredError, match="shows no motion"):
        distortion_of(np.zeros(4000), 4, 1.0)
    with pytest.raises(ValueError, match="at least 2"):
        distortion_of(np.zeros(1000), 1, 1.0)


def test_the_parabolas_least_point_is_within_its_neighbours():
    tried = [(x, 3 + (x - 2.3) ** 2) for x in (0.0, 1.0, 2.0, 3.0, 4.0)]
    assert vertex(tried) == pytest.approx(2.3)
    assert vertex(tried[:2]) is None
    assert vertex([(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]) is None


def test_the_search_goes_on_where_the_best_is_the_last():
    assert beyond([(1.0, 3.0), (0.0, 4.0), (2.0, 2.0)]) == 3.0
    assert beyond([(1.0, 3.0), (0.0, 2.0), (2.0, 4.0)]) == -1.0
    assert beyond([(1.0, 1.0), (0.0, 2.0), (2.0, 4.0)]) is None


class Late:
    """A rig whose loop missed these of its ticks."""

    def __init__(self, *missed: int, rejected: int = -1) -> None:
        self.ticks = np.setdiff1d(np.arange(1000, 3000), missed)
        self.rejected = rejected

    def samples(self, first, last, channels):
        found = {"tick": self.ticks, "rejected": 1 * (self.ticks == self.rejected)}
        return {name: found[name] if name in found else 1e-3 * self.ticks for name in channels}


def test_a_few_missed_ticks_are_filled_in_and_many_are_told():
    found = stretch(Late(1200, 1201, 1700), 0, 1, 100, 1000, ("xr_m",))["xr_m"]
    assert found == pytest.approx(1e-3 * np.arange(1100, 2100))
    with pytest.raises(TooLate, match="6 of 1000 ticks were missed"):
        stretch(Late(*range(1200, 1206)), 0, 1, 100, 1000, ("xr_m",))
    assert len(stretch(Late(*range(2200, 2300)), 0, 1, 100, 1000, ("xr_m",))["xr_m"]) == 1000, "behind what is measured"


def test_a_rejected_reading_spoils_a_measurement_only_where_it_was_measured():
    with pytest.raises(NotMeasuredError, match="rejected"):
        stretch(Late(rejected=1500), 0, 1, 100, 1000, ("xr_m",))
    assert stretch(Late(rejected=2500), 0, 1, 100, 1000, ("xr_m",))


@pytest.fixture(scope="module")
def rig():
    with private_service("table-500", changes={"twin.seed": 3}) as service, Client(service.commands) as client:
        client.arm()
        yield client
        client.off()


def test_the_inverse_model_is_measured_and_its_preview_found_on_a_running_rig(rig):
    before = measure(rig, 2.0, 0.05)
    rig.set({"law.feed.inverse": 1.0}, origin="a test")
    rig.pass_time(1.0)
    plain = measure(rig, 2.0, 0.05)
    heard = []
    found = search(rig, tell=lambda shift_s, seen: heard.append(shift_s))
    assert before.percent > 25
    assert plain.percent < before.percent / 6
    assert found.percent <= plain.percent
    assert abs(found.extra_preview_s) < 3e-4
    assert [one[0] for one in found.tried] == heard
    assert rig.get(KEY) == {KEY: pytest.approx(found.extra_preview_s)}
    assert rig.status()["mode"] == "hold"


def test_a_sine_that_trips_is_not_measured(rig):
    """The reference stays below the limit; what friction does to it at the reversals, without the model, does not."""
    limit = {"limits.acceleration.max_m_s2": 5.1, "limits.acceleration.action": "stop"}
    rig.set({**limit, "law.feed.inverse": 0.0}, origin="a test")
    rig.pass_time(1.0)
    with pytest.raises(NotMeasuredError, match=r"not finished: the rig tripped by acceleration") as refused:
        measure(rig, 2.0, 0.0275)
    rig.reset()
    assert "2 Hz and ±27.5 mm" in str(refused.value)
