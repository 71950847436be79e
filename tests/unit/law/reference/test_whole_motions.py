"""What holds for every motion, whatever its kind: derivatives that are derivatives, and no jump anywhere."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.law.motions import MotionLimits, Plan, Shaping, plan, samples_of
from hilctl.law.reference import POINT

NAMES = ("x_m", "v_m_s", "a_m_s2", "j_m_s3")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)

LIMITS = MotionLimits(
    x_min_m=-1, x_max_m=1, velocity_m_s=10, acceleration_m_s2=500,
    shaping=Shaping(corner_acceleration_m_s2=30, approach_velocity_m_s=0.2, approach_acceleration_m_s2=2),
)
places = st.floats(-0.05, 0.05)
ramps = st.floats(0.05, 2)


def noise(seed: int, count: int) -> Any:
    return np.convolve(np.random.default_rng(seed).normal(size=count + 8), np.ones(9) / 9, "valid")


triangles = st.builds(
    lambda center, amplitude, share, cycles, start: plan(
        "triangle",
        # the fastest that fits has 2 · 13/42 · 4/3 v²/a = A
        {"center_m": center, "amplitude_m": amplitude, "cycles": cycles,
         "speed_m_s": share * min(np.sqrt(30 * amplitude * 63 / 52), amplitude * 42 / 13 / 0.02)},
        LIMITS, start, 1,
    ),
    places, st.floats(1e-3, 0.2), st.floats(0.01, 0.99), st.integers(1, 3), places,
)  # fmt: skip
sines = st.builds(
    lambda center, amplitude, frequency, cycles, rise, fall, start: plan(
        "sine",
        {"center_m": center, "amplitude_m": amplitude, "frequency_hz": frequency, "cycles": cycles,
         "soft_start_s": rise, "soft_stop_s": fall},
        LIMITS, start, 1,
    ),
    places, st.floats(1e-3, 0.2), st.floats(0.1, 20), st.floats(0.3, 3), ramps, ramps, places,
)  # fmt: skip
chirps = st.builds(
    lambda center, low, high, law, knee, duration, start: plan(
        "chirp",
        {"center_m": center, "amplitude_m": 0.01, "start_hz": low, "end_hz": high, "law": law, "knee_hz": knee,
         "duration_s": duration, "soft_start_s": 0.4, "soft_stop_s": 0.3},
        LIMITS, start, 1,
    ),
    places, st.floats(0.1, 20), st.floats(0.1, 20), st.sampled_from(["linear", "log"]),
    st.sampled_from([0.0, 2.0, 7.0]), st.floats(1, 5), places,
)  # fmt: skip
moves = st.builds(
    lambda to, start, duration: plan("move", {"position_m": to, "duration_s": duration}, LIMITS, start, 1),
    places, places, st.sampled_from([0.0, 0.3, 2.0]),
)  # fmt: skip
waves = st.builds(
    lambda seed, quantity, back, taper, center, start: plan(
        "waveform", {"peak_m": 0.03, "return_to_start": back, "taper_s": taper, "center_m": center}, LIMITS, start, 1,
        samples_of(noise(seed, 200), quantity, interval_s=0.02),
    ),
    st.integers(0, 1000), st.sampled_from(["acceleration", "displacement"]), st.booleans(), st.floats(0, 1), places,
    places,
)  # fmt: skip
every = st.one_of(triangles, sines, chirps, moves, waves)


def seams(made: Plan) -> list[float]:
    """Instants at which one formula follows another."""
    motion = made.motion
    lead_s, body_s = float(motion.lead.duration_s), float(motion.body_s)
    inside = [0.0, body_s]
    if made.kind == "triangle":
        ramp_s, half_s = 0.5 * made.facts["corner_s"], 0.5 * made.facts["period_s"]
        starts = ramp_s + half_s * np.arange(2 * int(made.facts["cycles"]))
        inside += [*starts, *(starts + made.facts["straight_s"]), body_s - ramp_s]
        # the middle and the flanks of the pulses
        inside += [starts[0] + made.facts["straight_s"] + share * 2 * ramp_s for share in (0.25, 0.5, 0.75)]
    elif made.kind in ("sine", "chirp"):
        ramps_of = motion.sine if made.kind == "sine" else motion.chirp
        inside += [float(ramps_of.rise_s), body_s - float(ramps_of.fall_s)]
    elif made.kind == "waveform":
        inside += [made.facts["knot_s"] * k for k in range(int(made.facts["count"]) - 5)]
    out_s = float(motion.out.duration_s)
    return sorted({0.0, lead_s, *(lead_s + t for t in inside if 0 <= t <= body_s), lead_s + body_s + out_s})


def peaks(points: Any) -> list[float]:
    return [float(np.max(np.abs(points[n]))) for n in NAMES]


@given(every)
@settings(max_examples=60, deadline=None)
def test_each_quantity_is_the_integral_of_the_next(made: Plan) -> None:
    panels = 5 if made.kind == "waveform" else 160
    edges = np.unique(np.concatenate([
        np.linspace(first, last, panels) for first, last in pairwise(seams(made)) if last > first
    ] or [np.array([0.0, 1.0])]))  # fmt: skip
    width = np.diff(edges)
    times = edges[:-1, None] + 0.5 * width[:, None] * (1 + NODES)
    inner, at = made.points(times.ravel()), made.points(edges)
    for low, high in pairwise(NAMES):
        change = 0.5 * width * (inner[high].reshape(times.shape) @ WEIGHTS)
        scale = np.max(np.abs(at[low])) + np.max(np.abs(inner[high])) * np.max(width)
        assert np.max(np.abs(np.diff(at[low]) - change)) <= 2e-7 * scale + 1e-15, (low, made.text)


@given(every)
@settings(max_examples=100, deadline=None)
def test_nothing_jumps_at_a_seam(made: Plan) -> None:
    at = np.array(seams(made))
    high = peaks(made.points(np.linspace(0, min(made.duration_s, 100), 4000)))
    around = 1e-9
    before, after = made.points(np.maximum(at - around, 0)), made.points(at + around)
    for name, peak in zip(NAMES, high, strict=True):
        # The shortest feature lasts milliseconds: in 2 ns nothing changes by a part in ten thousand.
        assert np.max(np.abs(after[name] - before[name])) <= 1e-4 * peak + 1e-12, (name, made.text)


@given(every)
@settings(max_examples=60, deadline=None)
def test_a_motion_begins_where_the_table_is_and_ends_at_rest(made: Plan) -> None:
    start, end, later = made.points(np.array([0.0, made.duration_s, made.duration_s + 1e6]))
    assert start.x_m == pytest.approx(float(made.motion.lead.from_m), abs=1e-12)
    for point in (start, end, later):
        assert (abs(point.v_m_s), abs(point.a_m_s2), abs(point.j_m_s3)) == pytest.approx((0, 0, 0), abs=1e-6)
    assert end.x_m == pytest.approx(later.x_m, abs=1e-12)
    assert later.x_m == float(made.motion.out.to_m)


@given(every, st.floats(0, 1e300))
@settings(max_examples=60, deadline=None)
def test_the_reference_is_finite_at_any_time(made: Plan, t_s: float) -> None:
    points = made.points(np.array([t_s, np.inf, np.nan, 1e12, 3e12]))
    assert np.all(np.isfinite(points.view(np.float64)))
    assert points.dtype == POINT


def test_an_endless_sine_keeps_its_phase_and_stays_finite_for_days() -> None:
    made = plan("sine", {"amplitude_m": 0.02, "frequency_hz": 2.5}, LIMITS, 0.0, 1)
    days = np.arange(10) * 86400.0 + 100.0 + 0.1
    assert made.duration_s == np.inf
    assert made.points(days)["x_m"] == pytest.approx(np.full(10, 0.02), abs=1e-9)
