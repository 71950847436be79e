"""The sweep runs from the first frequency to the last by the law that was asked for."""

import numpy as np
import pytest

from hilctl.law.motions import MotionLimits, plan

LIMITS = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=2, acceleration_m_s2=200)


@pytest.mark.parametrize(("low", "high"), [(0.5, 12.0), (12.0, 0.5), (3.0, 3.0)])
@pytest.mark.parametrize("law", ["linear", "log"])
def test_between_the_ramps_it_is_the_textbook_sweep(law: str, low: float, high: float) -> None:
    T, A = 8.0, 0.01
    made = plan(
        "chirp", {"amplitude_m": A, "start_hz": low, "end_hz": high, "duration_s": T, "law": law, "center_m": 0.002},
        LIMITS, 0, 1,
    )
    t = np.linspace(1, T - 1, 3000)
    if law == "linear":
        cycles = low * t + (high - low) * t**2 / (2 * T)
    elif low == high:
        cycles = low * t
    else:
        cycles = low * T / np.log(high / low) * ((high / low) ** (t / T) - 1)
    x = made.points(made.facts["lead_s"] + t)["x_m"]
    assert x == pytest.approx(0.002 + A * np.sin(2 * np.pi * cycles), abs=1e-11)


def test_beyond_the_knee_the_acceleration_stays() -> None:
    request = {"amplitude_m": 0.02, "start_hz": 0.5, "end_hz": 40.0, "duration_s": 60.0, "knee_hz": 2.0}
    made = plan("chirp", request, LIMITS, 0, 1)
    t = made.facts["lead_s"] + np.linspace(40, 59, 200_001)  # from 9 Hz on
    limit = 0.02 * (2 * np.pi * 2.0) ** 2
    peaks = np.max(np.abs(made.points(t)["a_m_s2"]).reshape(-1)[:-1].reshape(10, -1), axis=1)
    assert peaks == pytest.approx(limit, rel=0.06)
    assert peaks[4] > peaks[0]  # from below
