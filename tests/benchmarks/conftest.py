"""Benchmarks as a user runs them: each once, for all tests that look at its figures."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest


@cache
def _told(name: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "hilctl", "bench", name, "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "cyclictest" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def told() -> Callable[[str], dict[str, Any]]:
    """What `hilctl bench NAME --quick --json` prints."""
    return _told
