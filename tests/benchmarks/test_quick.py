"""Every benchmark runs, says what it compares with, and counts what it must count. Nothing here judges a time."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]


def _bench(name):
    command = [sys.executable, "-m", "hilctl", "bench", name, "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "cyclictest" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _leaves(tree):
    for value in tree.values():
        if isinstance(value, dict):
            yield from _leaves(value)
        else:
            yield value


@pytest.mark.parametrize("name", ["tick", "twin", "friction", "servo", "telemetry", "jitter"])
def test_a_benchmark_gives_its_figures_and_their_ratios(name):
    told = _bench(name)
    assert told["bench"] == name
    assert told["figures"]
    assert told["ratio"]
    assert all(ratio > 0 for ratio in _leaves(told["ratio"]))
    print(json.dumps(told["ratio"]))
