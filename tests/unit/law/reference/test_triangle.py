"""The straights are straight, the peak is the amplitude, the corner turns at the acceleration that it may."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.law.motions import MotionLimits, Shaping, plan
from hilctl.params import BadValues

CORNER = 20.0
LIMITS = MotionLimits(
    x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1, acceleration_m_s2=50, shaping=Shaping(corner_acceleration_m_s2=CORNER)
)


@pytest.mark.parametrize("speed", [0.001, 0.02, 0.1, 0.32, 0.8])
def test_speed_is_exact_and_constant_on_every_straight(speed: float) -> None:
    made = plan("triangle", {"amplitude_m": 0.08, "speed_m_s": speed, "cycles": 2}, LIMITS, 0.01, 1)
    facts = made.facts
    for k in range(4):
        first = facts["first_straight_s"] + k * (facts["straight_s"] + facts["corner_s"])
        points = made.points(first + facts["straight_s"] * np.linspace(1e-6, 1 - 1e-6, 500))
        assert set(points["v_m_s"]) == {speed if k % 2 == 0 else -speed}
        assert not points["a_m_s2"].any()
        assert not points["j_m_s3"].any()
        assert abs(points["x_m"][-1] - points["x_m"][0]) == pytest.approx(speed * facts["straight_s"], rel=1e-5)


@pytest.mark.parametrize(("speed", "amplitude"), [(0.02, 0.005), (0.32, 0.08), (0.8, 0.08)])
def test_the_peak_of_the_rounded_triangle_is_the_amplitude(speed: float, amplitude: float) -> None:
    made = plan(
        "triangle", {"amplitude_m": amplitude, "speed_m_s": speed, "cycles": 2, "center_m": 0.003}, LIMITS, 0, 1
    )
    top = made.facts["first_straight_s"] + made.facts["straight_s"] + 0.5 * made.facts["corner_s"]
    bottom = top + 0.5 * made.facts["period_s"]
    x = made.points(np.array([top, bottom, top + made.facts["period_s"]]))["x_m"]
    assert x == pytest.approx([0.003 + amplitude, 0.003 - amplitude, 0.003 + amplitude], abs=1e-12)
    body = made.points(np.linspace(made.facts["lead_s"], made.duration_s, 20001))["x_m"]
    assert np.max(np.abs(body - 0.003)) <= amplitude + 1e-12


def test_a_fast_corner_turns_at_the_corner_acceleration_and_a_slow_one_takes_the_shortest_corner() -> None:
    fast = plan("triangle", {"amplitude_m": 0.08, "speed_m_s": 0.8}, LIMITS, 0, 1)
    times = fast.facts["lead_s"] + np.linspace(0, fast.facts["period_s"], 20001)
    assert np.max(np.abs(fast.points(times)["a_m_s2"])) == pytest.approx(CORNER, rel=1e-12)
    slow = plan("triangle", {"amplitude_m": 0.005, "speed_m_s": 0.001}, LIMITS, 0, 1)
    assert slow.facts["corner_s"] == LIMITS.shaping.corner_s
    assert slow.facts["corner_m_s2"] < 0.2


@given(st.floats(1e-3, 0.09), st.floats(0.01, 0.99))
@settings(max_examples=60, deadline=None)
def test_a_frequency_gives_that_period_with_the_corners_in_it(amplitude: float, share: float) -> None:
    # The fastest is all corners: A = 13/42 v Tc with Tc = 8 v / (3 a).
    fastest = np.sqrt(amplitude * CORNER * 63 / 52)
    frequency = share * min(3 * CORNER / (16 * fastest), 0.5 / LIMITS.shaping.corner_s)
    made = plan("triangle", {"amplitude_m": amplitude, "frequency_hz": frequency}, LIMITS, 0, 1)
    assert made.facts["period_s"] == pytest.approx(1 / frequency, rel=1e-12)
    assert made.facts["straight_s"] > 0
    assert made.facts["speed_m_s"] > 4 * amplitude * frequency  # the sharp triangle's


def test_the_period_is_counted_between_like_points() -> None:
    made = plan("triangle", {"amplitude_m": 0.05, "speed_m_s": 0.3, "cycles": 5}, LIMITS, 0, 1)
    times = made.facts["first_straight_s"] + np.linspace(0, made.facts["period_s"], 777)
    first, third = made.points(times), made.points(times + 2 * made.facts["period_s"])
    assert first["x_m"] == pytest.approx(third["x_m"], abs=1e-12)


def test_duration_is_rounded_up_to_whole_cycles() -> None:
    made = plan("triangle", {"amplitude_m": 0.05, "speed_m_s": 0.3, "duration_s": 1.0}, LIMITS, 0, 1)
    cycles = made.facts["cycles"]
    assert cycles * made.facts["period_s"] >= 1.0 > (cycles - 1) * made.facts["period_s"]


def test_corners_that_do_not_fit_are_refused_with_what_would() -> None:
    with pytest.raises(BadValues) as refused:
        plan("triangle", {"amplitude_m": 0.02, "speed_m_s": 0.8}, LIMITS, 0, 1)
    (problem,) = refused.value.problems
    assert problem.key == "amplitude_m"
    assert "limits.shaping.corner_acceleration_m_s2 = 20" in problem.limit
    amplitude, acceleration = (float(w) for w, after in pairwise(problem.remedy.split()) if after.startswith("m"))
    plan("triangle", {"amplitude_m": amplitude * 1.001, "speed_m_s": 0.8}, LIMITS, 0, 1)
    sharper = MotionLimits(
        x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1, acceleration_m_s2=100,
        shaping=Shaping(corner_acceleration_m_s2=acceleration * 1.001),
    )
    plan("triangle", {"amplitude_m": 0.02, "speed_m_s": 0.8}, sharper, 0, 1)
    with pytest.raises(BadValues):
        plan("triangle", {"amplitude_m": amplitude * 0.999, "speed_m_s": 0.8}, LIMITS, 0, 1)


def test_a_frequency_too_high_to_turn_is_refused() -> None:
    with pytest.raises(BadValues, match=r"frequency_hz: 20\.0 refused"):
        plan("triangle", {"amplitude_m": 0.05, "frequency_hz": 20}, LIMITS, 0, 1)
