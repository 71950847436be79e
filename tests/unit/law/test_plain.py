"""The law runs as the plain Python that it is written in, and says the same as when it is compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hilctl.law.requests import Refusal, RequestKind
from hilctl.signals import NAMES, Mode

HOUSE = Path(__file__).resolve().parents[3]

# Shortened arming, so that plain Python gets through it: what matters is that every block is passed.
QUICK = {"arming.rest_s": 0.02, "arming.low_pressure_s": 0.01, "arming.high_pressure_s": 0.01, "arming.bump_s": 0.05,
         "arming.supply_share": 0.3, "limits.supply.low": 0.1, "twin.supply.rise_s": 0.02, "law.blend_s": 0.05,
         "arming.rest_speed_m_s": 0.02, "twin.substep_s": 2.5e-4}

SCRIPT = """
import sys
import numpy as np
from tests.unit.law.conftest import Table
from tests.unit.law.test_plain import course
np.save(sys.argv[1], course(Table))
"""


def course(table: type[Any]) -> Any:
    """Arms, tracks, changes parameters and law, stops, switches off: every block and every mode."""
    rig = table(**QUICK)
    parts = [rig.run(0.01)]
    assert rig.ask(RequestKind.ARM) == Refusal.ACCEPTED
    parts.append(rig.run(0.7))
    assert rig.law.mode == Mode.HOLD, (rig.law.mode, rig.law.arm.step, rig.trip)
    rig.track("triangle", speed_m_s=0.2, amplitude_m=0.01)
    parts.append(rig.run(0.25))
    rig.set(law__three_state__kd_per_m=15.0)
    parts.append(rig.run(0.1, skip=1))
    rig.set(law__feedback="pid")
    parts.append(rig.run(0.1))
    rig.ask(RequestKind.STOP)
    parts.append(rig.run(0.2))
    assert rig.law.mode == Mode.HOLD
    rig.track("triangle", speed_m_s=0.2, amplitude_m=0.01)
    parts.append(rig.run(0.25))
    rig.set(limits__velocity__max_m_s=0.05, limits__velocity__action="null")
    parts.append(rig.run(0.1))
    return np.concatenate([part.view(np.float64).reshape(len(part), -1) for part in parts])


@pytest.mark.slow  # of each block its own tests show it (forms.py)
def test_plain_python_and_compiled_code_agree(table: Any, tmp_path: Path) -> None:
    compiled = course(table)
    out = tmp_path / "plain.npy"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(out)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HOUSE)},
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    plain = np.load(out)
    assert plain.shape == compiled.shape
    for index, name in enumerate(NAMES):
        scale = float(np.nanmax(np.abs(compiled[:, index]), initial=1e-9))  # an input that the rig lacks is nan
        np.testing.assert_allclose(plain[:, index], compiled[:, index], rtol=0, atol=1e-6 * scale, err_msg=name)


def test_the_course_passes_through_every_mode(table: Any) -> None:
    modes = set(course(table)[:, NAMES.index("mode")].view(np.int64))
    assert modes == set(Mode), json.dumps(sorted(int(m) for m in modes))
