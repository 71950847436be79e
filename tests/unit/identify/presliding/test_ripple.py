"""The table's own ripple: seen through the noise of the accelerometer, and taken off a spring that counts ways."""

import numpy as np
import pytest

from hilctl.identify.presliding.estimate_cycles import Cycles
from hilctl.identify.presliding.estimate_loop import loop_of
from hilctl.identify.presliding.estimate_path import fit_path, without_ripple, words
from hilctl.identify.presliding.estimate_residuals import weighed
from hilctl.identify.presliding.estimate_ripple import ripple
from hilctl.identify.presliding.model import DAHL, packed, run_force
from hilctl.identify.presliding.model_curve import Curve
from tests.unit.identify.presliding.presliding_parts import FACTS

LEVEL = Curve(3000.0, 3000.0, 0.1, 0.0)
AMPLITUDE_M, PERIOD, CYCLES, RATE = 4e-4, 500, 24, 1000.0
HZ = 42.0  # the hydraulic mode's


def driven(ripple_m: float, seed: int = 1) -> Cycles:
    """A sine with a tremor of random phase, on Dahl's spring; sensors without delay, with noise."""
    rng, fine = np.random.default_rng(seed), 8
    t = np.arange(CYCLES * PERIOD * fine) / RATE / fine
    hz = np.fft.rfftfreq(len(t), 1 / RATE / fine)
    tremor = np.fft.irfft(np.fft.rfft(rng.standard_normal(len(t))) * np.exp(-0.5 * ((hz - HZ) / 4) ** 2), len(t))
    tremor *= ripple_m / np.std(tremor)
    w = 2 * np.pi * RATE / PERIOD
    x = AMPLITUDE_M * np.sin(w * t) + tremor
    force = np.zeros(len(x))
    run_force(DAHL, packed(words(LEVEL, 6e7, 2.2)), x, 1 / RATE / fine, 2, force)
    shaken = np.fft.irfft(-((2 * np.pi * hz) ** 2) * np.fft.rfft(x), len(x))

    def rows(values: np.ndarray, noise: float) -> np.ndarray:
        return (values[::fine] + noise * rng.standard_normal(CYCLES * PERIOD)).reshape(CYCLES, PERIOD)

    push = force + FACTS["machine.m"] * shaken
    return Cycles(AMPLITUDE_M, PERIOD / RATE, rows(x, 5e-6), rows(shaken, 0.02), rows(push, 100.0))


def still() -> object:
    late = {f"sensors.{name}.delay_s": 0.0 for name in ("displacement", "acceleration", "pressure_a", "pressure_b")}
    facts = FACTS
    for key, value in late.items():
        facts = facts.but(key, value)
    return facts


@pytest.mark.parametrize("size_m", [0.0, 1e-6])
def test_a_ripple_is_measured_and_noise_is_not_taken_for_one(size_m):
    cycles = driven(size_m)
    seen = float(np.std(ripple(cycles, loop_of(cycles, still()))))
    assert seen == pytest.approx(size_m, rel=0.15, abs=1.5e-7)


def test_the_shape_of_a_spring_that_counts_ways_is_found_in_spite_of_the_ripple():
    cycles = driven(1.2e-6)
    loop = loop_of(cycles, still())
    data = weighed((loop,), lambda one: np.full(len(one.force_n), 6e7))
    fit = fit_path(data, LEVEL, 6e7)
    settled = without_ripple(fit, LEVEL, [ripple(cycles, loop)])
    blocks = [[loop_of(cycles.part(i, 8), still())] for i in range(8)]
    alpha, low, high = settled.intervals(LEVEL, blocks)["alpha"]
    assert abs(alpha - 2.2) < 0.5 * abs(fit.alpha - 2.2), (fit.alpha, alpha)
    assert low < 2.2 < high
