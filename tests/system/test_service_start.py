"""A service that must not run says why and ends, with the core it has started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def start(tmp_path: Path, *changes: str) -> "subprocess.CompletedProcess[str]":
    ports = [f"service.{name}_port=0" for name in ("commands", "telemetry", "scope")]
    asked = [word for change in (*ports, *changes) for word in ("--set", change)]
    places = {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "XDG_STATE_HOME": str(tmp_path / "state")}
    command = [sys.executable, "-m", "hilctl.service", "table-500", "--twin", "--clock", "virtual", *asked]
    return subprocess.run(command, env={**os.environ, **places}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("law.three_state.kd_per_m=2000", "law.three_state.kd_per_m: 2000"),
        ("limits.position.max_m=0.2", "limits.position.max_m: 0.2"),
        ("machine.mass=1", "machine.mass: 1"),
    ],
)
def test_a_rig_file_that_cannot_be_run_is_refused_with_its_key(tmp_path: Path, change: str, said: str) -> None:
    done = start(tmp_path, change)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "run").rglob("endpoints.json"))
