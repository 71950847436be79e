"""docs/faults.md has every row of the matrix, and names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.faults import rows

HOUSE = Path(__file__).parents[3]
ROWS = rows()
LAST = 76
TEST = r"`tests/[\w/]+\.py::test_\w+`"
SHOWN = rf"{TEST}(, {TEST})*(; \*not yet\*: .+)?"


def test_every_row_is_there_once_and_in_order():
    assert [row[0] for row in ROWS] == [str(k) for k in range(1, LAST + 1)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_happens_and_names_its_tests_and_what_none_shows(row):
    assert len(row) == 4
    _, fault, happens, shown = row
    assert fault
    assert happens
    assert re.fullmatch(SHOWN, shown)


@cache
def _defined(path):
    tree = ast.parse((HOUSE / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_tests_that_a_row_names_exist(row):
    named = [test.partition("::") for test in re.findall(r"`(tests/[^`]*)`", row[-1])]
    assert [(path, name) for path, _, name in named if name not in _defined(path)] == []
