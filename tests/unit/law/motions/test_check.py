"""A motion is checked whole before it starts, and a refusal says when, what, how much, and what to do."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hilctl import rig as rigs
from hilctl.law.motions import Flow, MotionLimits, MotionRefused, check_plan, plan, samples_of

LIMITS = MotionLimits(x_min_m=-0.09, x_max_m=0.095, velocity_m_s=0.9, acceleration_m_s2=30)


def refusal(kind: str, request: Mapping[str, object], limits: MotionLimits = LIMITS, flow: Flow | None = None,
            start_m: float = 0.0, samples: object = None) -> MotionRefused:  # fmt: skip
    made = plan(kind, request, limits, start_m, 1, samples)  # type: ignore[arg-type]
    with pytest.raises(MotionRefused) as refused:
        check_plan(made, limits, flow)
    why = refused.value
    # The value is the motion's at that instant, and an instant of the check before it was still allowed.
    name = {"position": "x_m", "velocity": "v_m_s", "acceleration": "a_m_s2"}.get(why.quantity, "x_m")
    if why.quantity in ("position", "velocity", "acceleration"):
        assert made.points(np.array([why.t_s]))[0][name] == pytest.approx(why.value, rel=1e-12)
    step_s = max(s.step_s for s in made.stretches)
    if why.t_s > step_s:
        earlier = made.points(np.linspace(0, why.t_s - step_s, 5000))
        bound = max(abs(limits.x_min_m), abs(limits.x_max_m)) if name == "x_m" else why.limit
        assert np.max(np.abs(earlier[name])) <= bound * 1.001
    return why


def test_too_far_one_way_names_the_key_of_that_end() -> None:
    low = refusal("sine", {"amplitude_m": 0.092, "frequency_hz": 0.2})
    assert (low.quantity, low.key, low.limit) == ("position", "limits.position.min_m", -0.09)
    high = refusal("move", {"position_m": 0.1})
    assert (high.quantity, high.key, high.limit) == ("position", "limits.position.max_m", 0.095)
    assert "t = " in str(high)
    assert "reduce" in high.remedy


def test_too_fast_and_too_sharp_are_told_apart() -> None:
    fast = refusal("move", {"position_m": 0.09, "speed_m_s": 1.0}, LIMITS, start_m=-0.08)
    assert (fast.quantity, fast.key) == ("velocity", "limits.velocity.max_m_s")
    sharp = refusal("sine", {"amplitude_m": 0.01, "frequency_hz": 12})
    assert (sharp.quantity, sharp.key) == ("acceleration", "limits.acceleration.max_m_s2")


def test_the_lead_in_is_looked_at_too() -> None:
    away = refusal("sine", {"amplitude_m": 0.001, "frequency_hz": 1}, start_m=0.2)
    assert away.t_s == 0.0


def test_a_move_over_no_distance_outside_the_limits_is_refused() -> None:
    assert refusal("move", {"position_m": 0.2}, start_m=0.2).quantity == "position"


def test_the_distance_that_stopping_takes_counts() -> None:
    limits = MotionLimits(x_min_m=-0.09, x_max_m=0.09, velocity_m_s=0.9, acceleration_m_s2=30, stop_m_s2=5)
    request = {"amplitude_m": 0.08, "speed_m_s": 0.8, "cycles": 1}
    why = refusal("triangle", request, limits)
    assert why.quantity == "position with its stopping distance"
    assert why.value == pytest.approx(
        float(plan("triangle", request, limits, 0.0, 1).points(np.array([why.t_s]))[0].x_m) + 0.8**2 / 10, abs=0.01
    )
    check_plan(plan("triangle", request, LIMITS, 0.0, 1), LIMITS)


def test_the_valve_reaches_less_speed_while_it_accelerates() -> None:
    flow = Flow(no_load_speed_m_s=1.0, force_per_mass_m_s2=100.0, resistance_m_s2=5.0)
    request = {"amplitude_m": 0.08, "speed_m_s": 0.8, "cycles": 1}
    made = plan("triangle", request, LIMITS, 0.0, 1)
    extremes = check_plan(made, LIMITS, flow)  # 0.64 + 0.05 + 0.2 < 1 along the whole corner
    assert extremes["v_m_s"] == 0.8
    why = refusal("triangle", request, LIMITS, Flow(0.85, 100.0, 15.0))
    assert why.key == "machine.Qn"
    assert why.limit == pytest.approx(0.85 * np.sqrt(0.85), abs=0.2)


def test_the_valve_reaches_as_far_in_either_direction() -> None:
    flow = Flow(no_load_speed_m_s=0.8, force_per_mass_m_s2=15.0)
    limits = MotionLimits(x_min_m=-0.5, x_max_m=0.5, velocity_m_s=2, acceleration_m_s2=30)
    up, down = (refusal("move", {"position_m": to, "speed_m_s": 0.75}, limits, flow) for to in (0.1, -0.1))
    assert (up.t_s, up.value, up.limit) == (down.t_s, -down.value, down.limit)
    # It is refused while it gains speed; losing speed takes less pressure.
    assert up.t_s < 0.5 * plan("move", {"position_m": 0.1, "speed_m_s": 0.75}, limits, 0.0, 1).duration_s
    assert up.limit < 0.7


@pytest.mark.parametrize(
    ("kind", "request_"),
    [
        ("move", {"position_m": 0.03}),
        ("chirp", {"amplitude_m": 0.001, "start_hz": 1.0, "end_hz": 9.0, "duration_s": 9.0}),
        ("waveform", {"return_to_start": False}),
    ],
)
def test_what_does_not_repeat_is_looked_at_from_start_to_end(kind: str, request_: dict[str, object]) -> None:
    made = plan(kind, request_, LIMITS, 0.01, 1, samples_of(np.sin(np.arange(300.0)), "acceleration", interval_s=0.05))
    reached = 0.0
    for first_s, last_s, step_s in sorted(made.stretches):
        assert first_s == pytest.approx(reached, abs=1e-9)
        assert 0 < step_s <= max(last_s - first_s, 0.1)
        reached = last_s
    assert reached == pytest.approx(made.duration_s)


def test_the_way_back_to_the_centre_is_looked_at() -> None:
    made = plan("triangle", {"amplitude_m": 0.02, "speed_m_s": 0.1, "cycles": 2}, LIMITS, 0, 1)
    assert max(s.last_s for s in made.stretches) == pytest.approx(made.duration_s)


def test_what_touches_a_limit_exactly_is_allowed() -> None:
    limits = MotionLimits(x_min_m=-0.05, x_max_m=0.05, velocity_m_s=0.5, acceleration_m_s2=20)
    extremes = check_plan(plan("triangle", {"amplitude_m": 0.05, "speed_m_s": 0.5}, limits, 0, 1), limits)
    assert extremes["x_low_m"] == pytest.approx(-0.05)
    assert extremes["x_high_m"] == pytest.approx(0.05)
    assert extremes["a_m_s2"] == pytest.approx(20)


def test_a_peak_between_two_samples_of_a_waveform_is_found() -> None:
    y = np.zeros(400)
    y[200] = 0.01  # one sample: the spline's acceleration peaks there
    why = refusal("waveform", {}, samples=samples_of(y, "displacement", interval_s=0.01))
    assert why.quantity == "acceleration"
    made = plan("waveform", {}, LIMITS, 0, 1, samples_of(y, "displacement", interval_s=0.01))
    assert why.t_s == pytest.approx(made.facts["first_sample_s"] + 2.0, abs=0.06)


@pytest.mark.parametrize(
    ("kind", "request_"),
    [
        ("sine", {"amplitude_m": 0.001, "frequency_hz": 50.0}),
        ("sine", {"amplitude_m": 0.001, "frequency_hz": 10.0, "duration_s": 1e6}),
        ("triangle", {"amplitude_m": 0.08, "speed_m_s": 0.001}),
        ("triangle", {"amplitude_m": 0.08, "speed_m_s": 0.001, "cycles": 1_000_000}),
        ("chirp", {"amplitude_m": 0.00005, "start_hz": 1.0, "end_hz": 100.0, "duration_s": 600.0, "law": "linear"}),
    ],
)
def test_a_long_motion_is_checked_at_few_instants(kind: str, request_: dict[str, object]) -> None:
    made = plan(kind, request_, LIMITS, 0, 1)
    instants = sum((s.last_s - s.first_s) / s.step_s for s in made.stretches)
    # A sweep is looked at whole; what repeats costs no more for being long.
    assert instants < (5e6 if kind == "chirp" else 2e4)


@given(
    st.sampled_from(["sine", "triangle", "chirp", "move"]), st.floats(0.001, 0.2), st.floats(0.1, 10),
    st.floats(-0.02, 0.02), st.integers(1, 3),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_what_is_allowed_stays_within_the_limits_at_every_instant(
    kind: str, amplitude: float, frequency: float, center: float, cycles: int
) -> None:
    requests: dict[str, dict[str, object]] = {
        "sine": {"amplitude_m": amplitude, "frequency_hz": frequency, "center_m": center, "cycles": cycles,
                 "soft_start_s": 0.3, "soft_stop_s": 0.2},
        "triangle": {"amplitude_m": amplitude, "speed_m_s": min(frequency / 10, 2.5 * amplitude), "center_m": center,
                     "cycles": cycles},
        "chirp": {"amplitude_m": amplitude, "start_hz": frequency, "end_hz": 5.0, "duration_s": 4.0,
                  "center_m": center},
        "move": {"position_m": amplitude},
    }  # fmt: skip
    made = plan(kind, requests[kind], LIMITS, center, 1)
    points = made.points(np.linspace(0, made.duration_s, 20011))
    room = 1e-3  # what a peak between two instants of the check may add
    within = (
        np.min(points["x_m"]) >= -0.09 * (1 + room) and np.max(points["x_m"]) <= 0.095 * (1 + room)
        and np.max(np.abs(points["v_m_s"])) <= 0.9 * (1 + room)
        and np.max(np.abs(points["a_m_s2"])) <= 30 * (1 + room)
    )  # fmt: skip
    try:
        extremes = check_plan(made, LIMITS)
    except MotionRefused:
        inside = 1 - 1e-6
        assert not (
            np.min(points["x_m"]) >= -0.09 * inside and np.max(points["x_m"]) <= 0.095 * inside
            and np.max(np.abs(points["v_m_s"])) <= 0.9 * inside * (1 - room)
            and np.max(np.abs(points["a_m_s2"])) <= 30 * inside * (1 - room)
        )  # fmt: skip
    else:
        assert within
        assert extremes["v_m_s"] == pytest.approx(np.max(np.abs(points["v_m_s"])), rel=2e-3)
        assert extremes["a_m_s2"] == pytest.approx(np.max(np.abs(points["a_m_s2"])), rel=2e-3)


def test_a_payload_takes_flow_and_pressure_on_the_way_up() -> None:
    press = rigs.load("press-1500", twin=True)
    limits = replace(rigs.motion_limits(press.controller, press.dt_s), velocity_m_s=2.0, acceleration_m_s2=30.0,
                     stop_m_s2=0.0)  # fmt: skip
    valve = rigs.flow(press.controller, press.friction)
    assert valve.weight_m_s2 == pytest.approx(9.80665)
    fast = {"position_m": 0.06, "speed_m_s": 0.95}
    limits = replace(limits, shaping=replace(limits.shaping, approach_acceleration_m_s2=20.0))
    with pytest.raises(MotionRefused, match=r"machine\.(Qn|Ps) is"):
        check_plan(plan("move", fast, limits, -0.06, 1), limits, valve)
    check_plan(plan("move", fast, limits, -0.06, 1), limits, valve._replace(weight_m_s2=0.0))
    sine = {"frequency_hz": 5.0, "amplitude_m": 0.0125, "cycles": 2}  # 12.3 m/s², and 9.8 of the weight
    why = str(refusal("sine", sine, limits, valve))
    assert "load pressure reaches" in why and "machine.Ps is 2.1e+07 Pa" in why and "raise the supply pressure" in why
