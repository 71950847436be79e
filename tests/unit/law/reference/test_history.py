"""What lies between the ticks is the motion, as closely as the tick allows."""

from typing import Any

import numpy as np

from hilctl.law.motions import MotionLimits, plan
from hilctl.law.reference import new_history, new_point, rt_history_get, rt_history_put

NAMES = ("x_m", "v_m_s", "a_m_s2", "j_m_s3")
LIMITS = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=2, acceleration_m_s2=200)
FIRST = 5_000_000_000  # 58 days at 1 kHz: the index must not cost digits


def filled(dt: float, ticks: int = 200) -> tuple[Any, Any, Any]:
    made = plan("sine", {"amplitude_m": 0.02, "frequency_hz": 5, "soft_start_s": 0.1}, LIMITS, 0, 1)
    points = made.points(0.08 + dt * np.arange(ticks))
    history = new_history()
    for i, point in enumerate(points):
        rt_history_put(history, FIRST + i, point)
    return made, points, history


def read(history: Any, tick: int, fraction: float, dt: float) -> Any:
    out = new_point()
    rt_history_get(history, tick, fraction, dt, out)
    return out


def errors(dt: float) -> list[float]:
    made, points, history = filled(dt)
    fractions = np.linspace(0.03, 190.7, 500)
    wanted = made.points(0.08 + dt * fractions)
    got = np.array([read(history, FIRST, f, dt).tolist() for f in fractions])
    return [float(np.max(np.abs(got[:, i] - wanted[n])) / np.max(np.abs(points[n]))) for i, n in enumerate(NAMES)]


def test_between_ticks_it_follows_the_motion() -> None:
    coarse, fine = errors(1e-3), errors(1e-4)
    # Measured at 1 ms: 4e-12, 8e-12, 4e-7, 2e-5 of the peaks of a 5 Hz sine in its soft start.
    assert np.all(np.array(coarse) < [2e-11, 4e-11, 2e-6, 1e-4])
    # Fourth order in acceleration, third in jerk.
    assert coarse[2] / fine[2] > 3000
    assert coarse[3] / fine[3] > 300


def test_it_is_continuous_at_a_tick() -> None:
    _, points, history = filled(1e-3)
    for k in (10, 100):
        for side in (-1e-9, 1e-9):
            near = read(history, FIRST, k + side, 1e-3)
            np.testing.assert_allclose(near.tolist(), points[k].tolist(), rtol=1e-4, atol=1e-9)
