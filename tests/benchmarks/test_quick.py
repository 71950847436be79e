"""Every benchmark runs, says what it compares with, and counts what it must count. Nothing here judges a time."""

import json

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]


def _leaves(tree):
    for value in tree.values():
        if isinstance(value, dict):
            yield from _leaves(value)
        else:
            yield value


@pytest.mark.parametrize("name", ["tick", "twin", "friction", "servo", "telemetry", "export", "jitter",
                                  pytest.param("panel", marks=pytest.mark.slow)])  # fmt: skip
def test_a_benchmark_gives_its_figures_and_their_ratios(told, name):
    result = told(name)
    assert result["bench"] == name
    assert result["figures"]
    assert result["ratio"]
    assert all(ratio > 0 for ratio in _leaves(result["ratio"]))
    print(json.dumps(result["ratio"]))
