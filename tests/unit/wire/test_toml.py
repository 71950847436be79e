"""Values and tables as TOML: what is written reads back the same."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hilctl.wire.toml import tables_of, toml_of

_LEAF = st.one_of(
    st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False), st.text(st.characters(codec="utf-8"))
)
_INLINE = st.dictionaries(st.text(max_size=3), _LEAF, max_size=2)
_ITEM = st.one_of(_LEAF, st.lists(st.one_of(_LEAF, _INLINE), max_size=3))
_TREE = st.recursive(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), _ITEM, max_size=4),
    lambda below: st.dictionaries(st.text(max_size=5), st.one_of(_ITEM, below), max_size=4),
    max_leaves=8,
)


@given(_TREE)
def test_what_is_written_reads_back_the_same(tree: dict[str, Any]) -> None:
    text = "\n".join(tables_of(tree, {}))
    read = tomllib.loads(text)
    assert _bare(read) == _bare(tree)
    assert repr(_bare(read)) == repr(_bare(tree))  # also the sign of zero


def _bare(tree: Any) -> Any:
    """In one order, without empty tables, which need not be said."""
    if isinstance(tree, dict):
        kept = {key: _bare(value) for key, value in sorted(tree.items())}
        return {key: value for key, value in kept.items() if value != {}}
    return [_whole(item) for item in tree] if isinstance(tree, list) else tree


def _whole(item: Any) -> Any:
    return dict(sorted(item.items())) if isinstance(item, dict) else item


def test_a_remark_stands_behind_its_key() -> None:
    lines = list(tables_of({"a": {"b": {"c": 1.5}, "d": [1.0]}}, {"a.b.c": "it was 2.5"}))
    assert lines == ["", "[a]", "d = [1.0]", "", "[a.b]", "c = 1.5  # it was 2.5"]


def test_people_read_null_for_nothing() -> None:
    assert (toml_of(None), toml_of(True), toml_of(1e-5), toml_of("ü")) == ("null", "true", "1e-05", '"ü"')
