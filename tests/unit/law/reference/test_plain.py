"""Compiled code does what the Python that it is written in does."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HOUSE = Path(__file__).parents[4]


def evaluated() -> dict[str, Any]:
    """Every kind of motion, a stop, the history and a check, as lists of numbers."""
    from hilctl.law.motions import Flow, MotionLimits, MotionRefused, check_plan, plan, samples_of
    from hilctl.law.reference import (
        new_history,
        new_motion,
        new_point,
        rt_history_get,
        rt_history_put,
        rt_reference,
        rt_stop_motion,
    )

    limits = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1, acceleration_m_s2=30, stop_m_s2=10)
    wave = samples_of(np.sin(np.arange(60) ** 1.3), "acceleration", interval_s=0.05)
    out: dict[str, Any] = {}
    for name, kind, request in (
        ("move", "move", {"position_m": 0.05}),
        ("triangle", "triangle", {"amplitude_m": 0.06, "speed_m_s": 0.5, "cycles": 2}),
        ("sine", "sine", {"amplitude_m": 0.02, "frequency_hz": 2.0, "cycles": 1.3}),
        ("linear", "chirp", {"amplitude_m": 0.01, "start_hz": 1, "end_hz": 6, "duration_s": 4, "law": "linear"}),
        ("log", "chirp", {"amplitude_m": 0.01, "start_hz": 1, "end_hz": 6, "duration_s": 4, "knee_hz": 2}),
        ("waveform", "waveform", {"peak_m": 0.02}),
        ("refused", "sine", {"amplitude_m": 0.2, "frequency_hz": 0.5}),
    ):
        made = plan(kind, request, limits, 0.01, 1, wave)
        times = np.linspace(-0.1, min(made.duration_s, 20) + 0.3, 300)
        out[name] = [list(p.tolist()) for p in made.points(times)]
        try:
            out[name].append(list(check_plan(made, limits, Flow(1.5, 120.0, 5.0)).values()))
        except MotionRefused as why:
            out[name].append([why.t_s, why.value, why.limit])
    motion, point, history = new_motion(), new_point(), new_history()
    point.x_m, point.v_m_s, point.a_m_s2, point.j_m_s3 = 0.01, 0.3, 9.5, 3000.0
    rt_stop_motion(point, 10.0, 1500.0, 3, motion)
    out["stop"] = []
    for tick in range(60):
        over = rt_reference(motion, np.zeros(0), tick * 1e-3, point)
        rt_history_put(history, tick, point)
        out["stop"].append([over, *point.tolist()])
    out["history"] = []
    for fraction in np.linspace(-1, 61, 100):
        rt_history_get(history, 0, float(fraction), 1e-3, point)
        out["history"].append(list(point.tolist()))
    return out


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, __file__], cwd=HOUSE, capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HOUSE)},
    )  # fmt: skip
    made = json.loads(ran.stdout)
    assert made.pop("numba") is False
    return dict(made)


@pytest.mark.parametrize(
    "name", ["move", "triangle", "sine", "linear", "log", "waveform", "refused", "stop", "history"]
)
def test_plain_python_gives_what_the_compiled_code_gives(plain: dict[str, Any], name: str) -> None:
    compiled = evaluated()[name]
    assert len(plain[name]) == len(compiled)
    scale = np.max(np.abs(np.array(compiled[:-1])), axis=0)
    for there, here in zip(plain[name], compiled, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-12 * float(np.max(scale)))


if __name__ == "__main__":
    result = evaluated()
    json.dump({**result, "numba": "numba" in sys.modules}, sys.stdout)
