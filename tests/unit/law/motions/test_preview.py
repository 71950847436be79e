"""The picture of a motion loses no peak, and costs the same however long the motion is."""

import math
from typing import Any

import numpy as np
import pytest

from hilctl.law.motions import MotionLimits, Plan, check_plan, plan, samples_of
from hilctl.law.motions import preview as the_preview
from hilctl.law.motions.checking import GaveUp
from hilctl.law.motions.preview import COLUMNS, PERIODS, preview, shown_s
from hilctl.wire.op import MAX_POINTS as MOST

LIMITS = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1.0, acceleration_m_s2=40)
_ROUGH = np.cumsum(np.random.default_rng(4).normal(0.0, 0.5, 4000)) * 0.05
QUAKE = samples_of(_ROUGH, "acceleration", interval_s=0.01)
START_M = 0.03

SHORT: dict[str, tuple[str, dict[str, Any]]] = {
    "move": ("move", {"position_m": -0.05}),
    "sine": ("sine", {"amplitude_m": 0.02, "frequency_hz": 2.0, "cycles": 7}),
    "sine with a short ramp": ("sine", {"amplitude_m": 0.02, "frequency_hz": 0.2, "cycles": 2, "soft_start_s": 0.02}),
    "many cycles": ("sine", {"amplitude_m": 0.001, "frequency_hz": 20.0, "duration_s": 900.0, "soft_stop_s": 60.0}),
    "sine without end": ("sine", {"amplitude_m": 0.02, "frequency_hz": 2.0}),
    "triangle": ("triangle", {"amplitude_m": 0.01, "speed_m_s": 0.05, "cycles": 5}),
    "many corners": ("triangle", {"amplitude_m": 0.005, "speed_m_s": 0.2, "cycles": 9000}),
    "triangle without end": ("triangle", {"amplitude_m": 0.01, "speed_m_s": 0.05}),
    "log chirp": ("chirp", {"amplitude_m": 0.01, "start_hz": 0.1, "end_hz": 20.0, "duration_s": 200.0, "knee_hz": 3.0}),
    "linear chirp": ("chirp", {"amplitude_m": 0.01, "start_hz": 0.001, "end_hz": 40.0, "duration_s": 400.0,
                               "law": "linear", "knee_hz": 3.0}),
    "falling chirp": ("chirp", {"amplitude_m": 0.01, "start_hz": 15.0, "end_hz": 0.01, "duration_s": 300.0,
                                "law": "linear", "soft_stop_s": 30.0}),
    "waveform": ("waveform", {"upload": "quake", "peak_m": 0.03}),
}  # fmt: skip
LONG: dict[str, tuple[str, dict[str, Any]]] = {
    "sine": ("sine", {"amplitude_m": 1e-5, "frequency_hz": 500.0, "duration_s": 1e6, "soft_start_s": 600.0}),
    "slow sine": ("sine", {"amplitude_m": 0.01, "frequency_hz": 1e-4, "cycles": 50, "soft_start_s": 0.02}),
    "triangle": ("triangle", {"amplitude_m": 0.001, "speed_m_s": 0.1, "cycles": 1_000_000}),
    "chirp": ("chirp", {"amplitude_m": 1e-5, "start_hz": 1e-4, "end_hz": 500.0, "duration_s": 1e5, "law": "linear"}),
    "log chirp": ("chirp", {"amplitude_m": 1e-5, "start_hz": 1e-4, "end_hz": 500.0, "duration_s": 60_000.0}),
    "short chirp far away": ("chirp", {"amplitude_m": 1e-5, "start_hz": 1e-4, "end_hz": 500.0, "duration_s": 1e3,
                                       "law": "linear", "center_m": 5.0}),
}  # fmt: skip


def made(kind: str, request: dict[str, Any], limits: MotionLimits = LIMITS) -> Plan:
    return plan(kind, request, limits, START_M, 1, QUAKE if kind == "waveform" else None)


@pytest.mark.many(quick=3)
@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("points", [2, 60, MOST])
def test_each_part_holds_the_lowest_and_the_highest_value_of_its_time(name: str, points: int) -> None:
    motion = made(*SHORT[name])
    span_s, count = shown_s(motion), points // 2
    per_part = max(40, math.ceil(1e6 / count))
    times = (np.arange(count * per_part) + 0.5) * (span_s / (count * per_part))
    dense = motion.points(times)
    shown = preview(motion, points)
    assert shown["t_s"] == pytest.approx(span_s * (np.arange(2 * count) + 0.5) / (2 * count))
    for column, field in COLUMNS.items():
        pairs, truth = shown[column].reshape(count, 2), dense[field].reshape(count, per_part)
        close = 2e-3 * np.ptp(truth)
        assert np.max(truth.max(axis=1) - pairs.max(axis=1)) <= close, column
        assert np.max(pairs.min(axis=1) - truth.min(axis=1)) <= close, column
        # Nor does a part hold what is not in it, or next to it.
        around = np.pad(truth.max(axis=1), 1, mode="edge"), np.pad(truth.min(axis=1), 1, mode="edge")
        assert np.max(pairs.max(axis=1) - np.max([around[0][:-2], around[0][1:-1], around[0][2:]], axis=0)) <= close
        assert np.max(np.min([around[1][:-2], around[1][1:-1], around[1][2:]], axis=0) - pairs.min(axis=1)) <= close


@pytest.mark.parametrize("name", SHORT)
def test_the_extremes_of_the_check_are_in_it(name: str) -> None:
    wide = MotionLimits(x_min_m=-5, x_max_m=5, velocity_m_s=20, acceleration_m_s2=1000)
    motion = made(*SHORT[name], wide)
    found, shown = check_plan(motion, wide), preview(motion, 10)
    assert shown["position_m"].min() == pytest.approx(found["x_low_m"], abs=1e-5)
    assert shown["position_m"].max() == pytest.approx(found["x_high_m"], abs=1e-5)
    assert np.abs(shown["velocity_m_s"]).max() >= (1 - 1e-3) * found["v_m_s"]
    assert np.abs(shown["acceleration_m_s2"]).max() >= (1 - 2e-3) * found["a_m_s2"]


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("points", [2, MOST])
def test_a_long_motion_costs_no_more(name: str, points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    counted = Plan.points
    monkeypatch.setattr(Plan, "points", lambda self, times: sizes.append(len(times)) or counted(self, times))
    limits = MotionLimits(x_min_m=-5, x_max_m=5, velocity_m_s=1.0, acceleration_m_s2=40)
    shown = preview(made(*LONG[name], limits), points)
    assert sum(sizes) < 2_000_000 and max(sizes) <= the_preview._AT_ONCE
    assert all(len(column) == points and np.isfinite(column).all() for column in shown.values())


def test_every_part_of_a_long_sweep_reaches_its_amplitude() -> None:
    shown = preview(made(*LONG["chirp"]), MOST)["position_m"].reshape(-1, 2)
    assert (shown.max(axis=1)[:-1] >= 0.995e-5).all() and (shown.min(axis=1)[:-1] <= -0.995e-5).all()


@pytest.mark.parametrize("ends_hz", [(1.0, 20.0), (20.0, 1.0)])
def test_many_cycles_are_looked_at_where_they_begin_and_where_they_end(
    ends_hz: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(the_preview, "_FINE", 10)  # pieces in which much changes
    motion = made("chirp", {"amplitude_m": 1e-3, "start_hz": ends_hz[0], "end_hz": ends_hz[1], "duration_s": 400.0,
                            "soft_start_s": 1.0, "soft_stop_s": 1.0})  # fmt: skip
    shown = preview(motion, 4)["acceleration_m_s2"].reshape(2, 2)
    for pair, hz in zip(shown, (max(ends_hz[0], math.sqrt(20.0)), max(ends_hz[1], math.sqrt(20.0))), strict=True):
        assert np.abs(pair).max() == pytest.approx(1e-3 * (2 * math.pi * hz) ** 2, rel=0.05)


def test_a_motion_without_end_is_shown_from_its_start_through_its_first_periods() -> None:
    motion = made(*SHORT["sine without end"])
    assert shown_s(motion) == pytest.approx(motion.facts["lead_s"] + 1.0 + PERIODS * 0.5)
    assert preview(motion, 200)["position_m"][0] == pytest.approx(START_M, abs=1e-4)
    external = made("external", {"interval_s": 0.01})
    shown = preview(external, 200)
    assert list(shown["position_m"]) == [START_M, START_M] and list(shown["t_s"]) == [0.0, 0.0]


def test_it_is_given_up_when_its_time_is_over() -> None:
    with pytest.raises(GaveUp):
        preview(made(*LONG["sine"]), MOST, lambda: False)


def test_a_line_through_a_rising_or_falling_part_does_not_turn_back() -> None:
    shown = preview(made(*SHORT["move"]), 100)["position_m"]
    assert (np.diff(shown) <= 0).all()
