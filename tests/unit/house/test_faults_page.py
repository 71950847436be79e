"""docs/faults.md names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[3]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (HOUSE / "docs" / "faults.md").read_text())))


def test_the_page_names_tests():
    assert len(NAMED) > 20


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_exists(path, name):
    tree = ast.parse((HOUSE / path).read_text())
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
