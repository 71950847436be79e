"""A sine has its full amplitude for as long as was asked, and rests at its centre afterwards."""

import numpy as np
import pytest

from hilctl.law.motions import MotionLimits, plan

LIMITS = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=2, acceleration_m_s2=200)
SINE = {"amplitude_m": 0.02, "frequency_hz": 2.0, "center_m": 0.01, "soft_start_s": 0.6, "soft_stop_s": 0.4}


@pytest.mark.parametrize("length", [{"cycles": 2.5}, {"duration_s": 1.25}])
def test_between_the_ramps_it_is_a_sine_at_full_amplitude(length: dict[str, float]) -> None:
    made = plan("sine", {**SINE, **length}, LIMITS, 0.0, 1)
    assert made.duration_s == pytest.approx(made.facts["lead_s"] + 0.6 + 1.25 + 0.4)
    t = 0.6 + np.linspace(0, 1.25, 500)
    points = made.points(made.facts["lead_s"] + t)
    w = 2 * np.pi * 2.0
    assert points["x_m"] == pytest.approx(0.01 + 0.02 * np.sin(w * t), abs=1e-14)
    assert points["j_m_s3"] == pytest.approx(-0.02 * w**3 * np.cos(w * t), rel=1e-9, abs=1e-9)
    ends = made.points(made.facts["lead_s"] + np.array([0.0, 0.6 + 1.25 + 0.4]))
    assert ends["x_m"] == pytest.approx([0.01, 0.01], abs=1e-15)


def test_an_endless_one_never_ends() -> None:
    made = plan("sine", SINE, LIMITS, 0.0, 1)
    window = made.points(1e6 + np.linspace(0, 0.5, 500))["x_m"]
    assert np.max(window) == pytest.approx(0.03, abs=1e-6)
    assert np.min(window) == pytest.approx(-0.01, abs=1e-6)
