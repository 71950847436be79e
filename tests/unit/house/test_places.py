"""Tests stand where the commands that run them look for them."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[2]


def having(mark: str) -> set[str]:
    """The folders of the tests with this mark."""
    found = (path for path in TESTS.rglob("test_*.py") if re.search(rf"mark\.{mark}\b", path.read_text()))
    return {str(path.parent.relative_to(TESTS)) for path in found}


def test_those_on_the_real_clock_stand_where_make_looks():
    places = re.search(r"REALTIME := (.*)", (TESTS.parent / "Makefile").read_text())
    assert places is not None
    assert having("realtime") == {place.removeprefix("tests/") for place in places[1].split()}


def test_those_that_measure_time_are_benchmarks():
    assert having("bench") == {"benchmarks"}
