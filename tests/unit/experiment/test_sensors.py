"""Stuck, dead and repeating sensors, and sound ones that only look so."""

import numpy as np
import pytest

from hilctl.experiment.sensors import CHANNEL_OF, REPEATS_S, dead, repeating, stuck_in
from tests.unit.identify.friction.campaign_parts import triangle

NOISE = {"displacement": 5e-6, "acceleration": 0.02, "pressure_a": 25e3}


def white(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(1000 + seed).standard_normal(n)


def held(values: np.ndarray, ticks: int) -> np.ndarray:
    return values[np.arange(len(values)) // ticks * ticks]


def late(n: int, least: int, most: int, seed: int) -> np.ndarray:
    """Of which tick the reading is, where the next one comes after so many ticks."""
    came = np.cumsum(np.random.default_rng(seed).integers(least, most, n // least, endpoint=True))
    return np.concatenate([[0], came])[np.searchsorted(came, np.arange(n), "right")]


DEAD = {
    "constant": lambda v, sd, seed: np.full(len(v), 3.0),
    "hum of a tenth": lambda v, sd, seed: 3 + 0.1 * sd * np.sin(0.314 * np.arange(len(v))),
    "noise of a tenth": lambda v, sd, seed: 3 + 0.1 * sd * white(len(v), seed),
    "noise of a tenth, held": lambda v, sd, seed: held(3 + 0.1 * sd * white(len(v), seed), 25),
    "flickers by one step": lambda v, sd, seed: 3 + 0.5 * sd * (white(len(v), seed) > 2.0),
    "drift of 20 sd": lambda v, sd, seed: 3 + sd * np.linspace(0, 20, len(v)) + 0.1 * sd * white(len(v), seed),
}
SOUND = {
    "as it is": lambda v, sd, seed: v,
    "16 bit": lambda v, sd, seed: 0.6 * sd * np.round(v / (0.6 * sd)),
    "steps of 10 sd": lambda v, sd, seed: 10 * sd * np.round(v / (10 * sd)),
    "held for 10 ticks": lambda v, sd, seed: held(v, 10),
    "held for 50 ticks": lambda v, sd, seed: held(v, 50),
    "held for 24 or 31 ticks": lambda v, sd, seed: v[late(len(v), 24, 31, seed)],
    "half the noise": lambda v, sd, seed: 0.5 * v,
}


@pytest.mark.parametrize("speed_m_s", [0.001, 0.1])
@pytest.mark.parametrize("sensor", NOISE)
def test_a_sensor_without_a_signal_is_dead_and_a_coarse_or_slow_one_is_not(sensor, speed_m_s):
    channel, sd = CHANNEL_OF[sensor], NOISE[sensor]
    for kind, make in {**DEAD, **SOUND}.items():
        said = []
        for seed in range(10):
            samples = triangle(speed=speed_m_s, seed=seed)
            samples[channel] = make(samples[channel], sd, seed)
            said.append(dead(samples, {sensor: sd}))
        found = np.mean([bool(text) for text in said])
        print(f"{sensor} at {speed_m_s} m/s, {kind}: dead in {100 * found:.0f} %")
        assert found == (kind in DEAD), kind
        assert not any(said) or f"(sensors.{sensor})" in said[0]


def test_without_a_declared_noise_only_a_constant_is_dead():
    samples = triangle(noise=0.0)
    assert dead(samples, dict.fromkeys(CHANNEL_OF, 0.0)) == ""
    samples["pressure_b_pa"] = np.full(len(samples["tick"]), 1e7)
    assert "the sensor pressure_b is dead: it shows 1e+07" in dead(samples, dict.fromkeys(CHANNEL_OF, 0.0))


@pytest.mark.parametrize("rate_hz", [1000.0, 5000.0])
def test_a_sensor_repeats_itself_after_a_time_not_after_a_number_of_ticks(rate_hz):
    last = round(REPEATS_S * rate_hz)
    samples = {channel: white(1000, k) for k, channel in enumerate(CHANNEL_OF.values())}
    samples["acceleration_m_s2"][-last:] = 0.5
    samples["pressure_a_pa"][-last + 1 :] = 0.5
    held = round(rate_hz / 100)
    samples["displacement_m"] = samples["displacement_m"][np.arange(1000) // held * held]
    assert repeating(samples, rate_hz) == ["acceleration"]
    assert repeating({channel: values[:2] for channel, values in samples.items()}, rate_hz) == []


def test_a_table_that_moves_a_fifth_of_its_reference_is_not_stuck():
    samples = triangle(noise=0.0)
    assert stuck_in({**samples, "displacement_m": 0.21 * samples["xd_m"]}) == ""
    text = stuck_in({**samples, "displacement_m": 0.19 * samples["xd_m"]})
    assert f"moved {190 * np.ptp(samples['xd_m']):.3g} mm" in text and "sensors.displacement" in text
