"""Tables and dotted keys, and values as JSON can hold them."""

import json
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.params.finite import finite
from hilctl.params.tables import flat, nested, put

NAMES = st.text(st.characters(exclude_characters=".", exclude_categories=("Cs",)), min_size=1, max_size=4)
TREES = st.recursive(st.integers() | st.text(), lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3))


@settings(max_examples=50)
@given(st.dictionaries(NAMES, TREES, max_size=4))
def test_tables_by_dotted_key_are_the_same_tables_again(tree):
    assert nested(flat(tree)) == tree


def test_keys_are_joined_below_a_table_and_by_another_mark():
    assert flat({"a": {"b": 1, "c": {}}, "d": 2}, "x") == {"x.a.b": 1, "x.d": 2}
    assert flat({"tick": {"p50": 1}}, between=" / ") == {"tick / p50": 1}


def test_one_value_is_put_without_touching_its_neighbours():
    tree = {"law": {"pid": {"kp": 1.0, "ki": 2.0}}}
    put(tree, "law.pid.kp", 3.0)
    put(tree, "law.feed.inverse", None)
    assert tree == {"law": {"pid": {"kp": 3.0, "ki": 2.0}, "feed": {"inverse": None}}}


class Named(NamedTuple):
    value: float
    unit: str


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (math.nan, None), (-math.inf, None), (np.float64("inf"), None), (np.float32(0.5), 0.5), (np.int64(3), 3),
        (np.True_, True), (True, True), ("nan", "nan"), (None, None), (np.array([[1.0, np.nan]]), [[1.0, None]]),
        ((1, [math.nan]), [1, [None]]), ({0.5: {"x": math.inf}}, {"0.5": {"x": None}}),
        (Named(math.nan, "N"), {"value": None, "unit": "N"}),
    ],
)  # fmt: skip
def test_json_holds_what_is_finite_and_null_for_the_rest(value, plain):
    found = finite(value)
    assert found == plain and type(found) is type(plain)
    json.dumps(found, allow_nan=False)
