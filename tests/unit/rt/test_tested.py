"""The range of numba's versions whose inside is known, and what runs outside of it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hilctl
from hilctl.rt import tested
from hilctl.rt.jit import PLAIN
from hilctl.rt.tested import internals_known

HOUSE = Path(hilctl.__file__).parents[1]


def test_the_project_asks_for_the_versions_that_were_tested():
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    assert f"numba>={tested.LOWEST},<{tested.CEILING}" in project["dependencies"]


@pytest.fixture
def numba_is(monkeypatch):
    def set_to(version: str) -> None:
        monkeypatch.delenv("HILCTL_NUMBA_INTERNALS", raising=False)
        monkeypatch.setattr(tested.importlib.metadata, "version", lambda name: version)

    return set_to


@pytest.mark.parametrize("version", [tested.LOWEST + ".0", "0.68.1", "0.68.0rc1"])
def test_a_version_within_the_range_is_known(numba_is, version, caplog):
    numba_is(version)
    assert tested.internals_known.__wrapped__()
    assert not caplog.records


@pytest.mark.parametrize("version", ["0.9.1", tested.CEILING + ".0", "1.0"])
def test_a_version_outside_is_not_and_the_message_says_what_to_install(numba_is, version, caplog):
    numba_is(version)
    assert not tested.internals_known.__wrapped__()
    (record,) = caplog.records
    assert f"pip install 'numba>={tested.LOWEST},<{tested.CEILING}'" in record.getMessage()
    assert version in record.getMessage()


RUN = """
from firmware_bridge.driver import rt_null_exchange, COMMAND, READINGS
from hilctl.friction.registry import MODELS, rt_curve
from hilctl.rt.jit import is_warm
import numpy as np
command = np.zeros(1, COMMAND)[0]
command.periods = 3
state = np.zeros(8, np.uint8)
assert not is_warm(rt_null_exchange)
assert rt_null_exchange(state, command, np.zeros(1, READINGS)[0]) == 0
out = np.zeros(3)
rt_curve(MODELS["coulomb"].code, np.array([2.0] + 31 * [0.5]), np.array([-1.0, 0.0, 1.0]), out)
print(state.view(np.int64)[0], *out)
"""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN or not internals_known(), reason="there is nothing to compare with")
def test_without_the_internals_the_results_are_the_same_and_nothing_is_kept(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("CACHE_DIRECTORY", None)
    told = {}
    for known in "01":
        command = [sys.executable, "-c", RUN]
        environment["HILCTL_NUMBA_INTERNALS"] = known
        told[known] = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
        assert bool(list(tmp_path.rglob("*.compiled"))) == (known == "1")
    assert told["0"] == told["1"]
    assert told["0"].startswith("3 ")
