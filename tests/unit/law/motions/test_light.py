"""Planning a motion costs neither the compiler nor scipy: a client or a check of a rig file never pays for them."""

import os
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[4]

PROGRAM = """
import sys
from hilctl.law.motions import MotionLimits, plan
limits = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=1, acceleration_m_s2=30)
for kind, request in {
    "move": {"position_m": 0.05},
    "triangle": {"amplitude_m": 0.05, "speed_m_s": 0.1},
    "sine": {"amplitude_m": 0.02, "frequency_hz": 1.0},
    "chirp": {"amplitude_m": 0.001, "start_hz": 1.0, "end_hz": 9.0, "duration_s": 9.0},
}.items():
    plan(kind, request, limits, 0.0, 1)
print(sorted({"numba", "llvmlite", "scipy"} & set(sys.modules)))
"""


def test_neither_the_compiler_nor_scipy_is_imported() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=HOUSE, capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(HOUSE)},
    )  # fmt: skip
    assert ran.stdout.strip() == "[]"
