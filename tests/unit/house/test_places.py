"""Tests stand where the commands that run them look for them."""

import re
from pathlib import Path

from tests import whole

TESTS = Path(__file__).parents[2]


def having(mark: str) -> set[str]:
    """The folders of the tests with this mark."""
    found = (path for path in TESTS.rglob("test_*.py") if re.search(rf"mark\.{mark}\b", path.read_text()))
    return {str(path.parent.relative_to(TESTS)) for path in found}


def test_those_on_the_real_clock_stand_where_they_are_looked_for():
    assert having("realtime") == {place.removeprefix("tests/") for place in whole.REALTIME}


def test_those_that_measure_time_are_benchmarks():
    assert having("bench") == {"benchmarks"}
