"""A request with a value that makes no sense is refused with its key, and nothing is planned."""

import math

import numpy as np
import pytest

from hilctl.law.motions import MOTIONS, MotionLimits, plan
from hilctl.params import BadValues, check, leaves

LIMITS = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1, acceleration_m_s2=30)

GOOD: dict[str, dict[str, object]] = {
    "move": {"position_m": 0.02},
    "triangle": {"amplitude_m": 0.02, "speed_m_s": 0.1},
    "sine": {"amplitude_m": 0.02, "frequency_hz": 1.0},
    "chirp": {"amplitude_m": 0.001, "start_hz": 1.0, "end_hz": 5.0, "duration_s": 5.0},
}
NUMBERS = [
    (kind, leaf.path)
    for kind in GOOD
    for leaf in leaves(MOTIONS[kind])
    if leaf.kind in ("float", "int")
]  # fmt: skip


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, "fast", None])
@pytest.mark.parametrize(("kind", "key"), NUMBERS)
def test_no_number_may_be_anything_but_a_finite_number_in_its_bounds(kind: str, key: str, bad: object) -> None:
    with pytest.raises(BadValues) as refused:
        plan(kind, {**GOOD[kind], key: bad}, LIMITS, 0, 1)
    assert [p.key for p in refused.value.problems] == [f"{kind}.{key}"]


@pytest.mark.parametrize("kind", GOOD)
def test_the_good_ones_are_planned_and_described(kind: str) -> None:
    made = plan(kind, GOOD[kind], LIMITS, 0.01, 42)
    assert made.motion.id == 42
    assert kind in made.text
    assert made.stretches
    assert plan(kind, MOTIONS[kind](**GOOD[kind]), LIMITS, 0.01, 42).motion.tobytes() == made.motion.tobytes()


def test_a_request_made_without_a_check_is_checked_all_the_same() -> None:
    with pytest.raises(BadValues):
        plan("sine", MOTIONS["sine"](amplitude_m=math.nan, frequency_hz=1.0), LIMITS, 0, 1)


@pytest.mark.parametrize("start", [math.nan, math.inf])
def test_a_start_that_is_not_a_number_is_refused(start: float) -> None:
    with pytest.raises(BadValues, match="start_m"):
        plan("sine", GOOD["sine"], LIMITS, start, 1)


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(BadValues, match="did you mean 'triangle'"):
        plan("trangle", {}, LIMITS, 0, 1)


@pytest.mark.parametrize(
    ("kind", "more", "key"),
    [
        ("triangle", {"frequency_hz": 1.0}, "triangle.speed_m_s"),
        ("triangle", {"speed_m_s": 0.0}, "triangle.speed_m_s"),
        ("triangle", {"cycles": 2, "duration_s": 3.0}, "triangle.duration_s"),
        ("sine", {"cycles": 2, "duration_s": 3.0}, "sine.duration_s"),
        ("move", {"speed_m_s": 0.1, "duration_s": 3.0}, "move.speed_m_s"),
        ("chirp", {"soft_start_s": 3.0, "soft_stop_s": 3.0}, "chirp.duration_s"),
        ("waveform", {"scale": 0.0}, "waveform.scale"),
        ("waveform", {"scale": 2.0, "peak_m": 0.01}, "waveform.scale"),
        ("waveform", {"low_pass_hz": 2.0, "high_pass_hz": 3.0}, "waveform.high_pass_hz"),
        ("waveform", {"upload": "nothing"}, "upload"),
    ],
)
def test_values_that_contradict_each_other_are_refused(kind: str, more: dict[str, object], key: str) -> None:
    with pytest.raises(BadValues) as refused:
        plan(kind, {**GOOD.get(kind, {}), **more}, LIMITS, 0, 1)
    assert [p.key for p in refused.value.problems] == [key]


def test_limits_that_cross_are_refused() -> None:
    with pytest.raises(BadValues, match="x_min_m"):
        check(MotionLimits, {"x_min_m": 0.1, "x_max_m": -0.1, "velocity_m_s": 1, "acceleration_m_s2": 1})


def test_a_move_takes_the_time_or_the_speed_that_was_asked_for() -> None:
    assert plan("move", {"position_m": 0.05, "duration_s": 3.0}, LIMITS, 0, 1).duration_s == 3.0
    made = plan("move", {"position_m": 0.05, "speed_m_s": 0.5}, LIMITS, 0, 1)
    middle = made.points(np.array([0.5 * made.duration_s]))
    assert middle["v_m_s"] == pytest.approx([0.5], rel=1e-12)


def test_an_approach_is_as_fast_as_the_rig_allows_and_no_faster() -> None:
    far = plan("move", {"position_m": 0.1}, LIMITS, -0.1, 1)
    peak = np.max(np.abs(far.points(np.linspace(0, far.duration_s, 2001))["v_m_s"]))
    assert peak == pytest.approx(LIMITS.shaping.approach_velocity_m_s, rel=1e-5)
    near = plan("move", {"position_m": 0.011}, LIMITS, 0.0, 1)
    peak = np.max(np.abs(near.points(np.linspace(0, near.duration_s, 2001))["a_m_s2"]))
    assert peak == pytest.approx(LIMITS.shaping.approach_acceleration_m_s2, rel=1e-5)
