"""One declaration: its check reports everything at once, its record holds what it says, its document lists it."""

import math
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.params import (
    BadValues,
    Params,
    Problem,
    assign,
    check,
    document,
    dtype_of,
    extended,
    flatten,
    leaves,
    note,
    number,
    numbers,
    pack,
    plain,
    real_words,
    unpack,
    whole,
)


class Inner(Params):
    """A table in a table."""

    gain: Annotated[float, number(0, 5, "1/s", "a gain")]
    kind: Annotated[Literal["soft", "hard"], note("which")] = "soft"
    values: Annotated[tuple[float, ...], numbers(-1, 1, "", "some", max_length=4)] = ()
    name: Annotated[str, note("a text")] = "none"


class Outer(Params):
    """A table."""

    inner: Inner
    on: Annotated[bool, note("a switch")] = False
    count: Annotated[int, whole(1, 9, "", "a count")] = 2

    def inconsistencies(self, at: str) -> Any:
        if self.on and self.count > 5:
            yield Problem(f"{at}count", self.count, "must be at most 5 while on")


def refused(given: Any) -> list[Problem]:
    with pytest.raises(BadValues) as caught:
        check(Outer, given)
    return caught.value.problems


def test_every_problem_is_reported_at_once() -> None:
    keys = {p.key for p in refused({"inner": {"gian": 1, "gain": 7, "kind": "sof"}, "on": 1, "count": 2.5, "x": 0})}
    assert keys == {"inner.gian", "inner.gain", "inner.kind", "on", "count", "x"}


def test_a_problem_names_value_limit_and_the_nearest_key() -> None:
    text = str(refused({"inner": {"gian": 1, "gain": 2}})[0])
    assert text == "inner.gian: 1 refused, no such key; did you mean 'gain'?"
    assert "must be 0 to 5 1/s" in str(refused({"inner": {"gain": 7}})[0])


def test_a_missing_required_value_is_a_problem() -> None:
    assert refused({"inner": {}})[0].key == "inner.gain"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "1", None, [1]])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    assert refused({"inner": {"gain": value}})[0].key == "inner.gain"


def test_values_that_contradict_each_other_are_told_beside_unknown_keys() -> None:
    keys = {p.key for p in refused({"inner": {"gain": 1, "typo": 1}, "on": True, "count": 7})}
    assert keys == {"inner.typo", "count"}


class Careless(Params):
    """Its default is out of bounds."""

    first: Inner = Inner(gain=7)
    second: Inner = Inner(gain=2)


def test_a_default_is_refused_wherever_it_stands_and_each_time() -> None:
    for at, key in (("", "first.gain"), ("law", "law.first.gain"), ("", "first.gain")):
        with pytest.raises(BadValues) as refused:
            check(Careless, {}, at)
        assert [problem.key for problem in refused.value.problems] == [key]


def test_a_default_comes_in_the_types_of_its_declaration_and_leaves_room_for_other_values() -> None:
    made = check(Careless, {"first": {"gain": 1}})
    assert type(made.second.gain) is float
    assert check(Careless, {"first": {"gain": 1}, "second": {"gain": 3}}).second.gain == 3.0
    assert check(Careless, {"first": {"gain": 1}}) == made


def test_a_table_must_be_a_table() -> None:
    assert refused({"inner": 3})[0].key == "inner"


def test_a_list_is_checked_item_by_item() -> None:
    assert {p.key for p in refused({"inner": {"gain": 1, "values": [0, 2, math.nan]}})} == {
        "inner.values[1]", "inner.values[2]",
    }
    assert refused({"inner": {"gain": 1, "values": [0] * 5}})[0].key == "inner.values"


outers = st.builds(
    lambda gain, kind, values, on, count: check(
        Outer, {"inner": {"gain": gain, "kind": kind, "values": values}, "on": on, "count": count}
    ),
    st.floats(0, 5), st.sampled_from(["soft", "hard"]), st.lists(st.floats(-1, 1), max_size=4), st.booleans(),
    st.integers(1, 5),
)


@given(outers)
def test_packing_and_unpacking_gives_the_same_table(outer: Outer) -> None:
    assert unpack(Outer, pack(outer), outer) == outer


@given(outers)
def test_the_plain_form_checks_back_to_the_same_table(outer: Outer) -> None:
    assert check(Outer, plain(outer)) == outer


@given(outers, st.floats(0, 5))
def test_assign_changes_one_value_and_nothing_else(outer: Outer, gain: float) -> None:
    changed = flatten(assign(outer, {"inner.gain": gain}))
    assert changed == {**flatten(outer), "inner.gain": gain}


def test_assign_is_all_or_nothing() -> None:
    outer = check(Outer, {"inner": {"gain": 1}})
    with pytest.raises(BadValues) as caught:
        assign(outer, {"inner.gain": 2.0, "inner.gian": 1, "count": 99})
    assert {p.key for p in caught.value.problems} == {"inner.gian", "count"}
    assert outer.inner.gain == 1


def test_every_field_of_a_record_is_eight_bytes_wide() -> None:
    dtype = dtype_of(Outer)
    assert dtype.itemsize == 8 * (1 + 1 + 4 + 1 + 1 + 1)
    assert len(np.zeros(1, dtype).view(np.float64)) == dtype.itemsize // 8


def test_real_words_are_those_that_hold_reals() -> None:
    assert [name for _, name in real_words(dtype_of(Outer))] == ["inner.gain"] + ["inner.values"] * 4


def test_the_document_lists_every_leaf() -> None:
    text = document(Outer)
    assert all(f"`{leaf.path}`" in text for leaf in leaves(Outer))


def test_a_number_without_bounds_cannot_be_declared() -> None:
    class Loose(Params):
        x: float = 0.0

    with pytest.raises(TypeError, match="bounds"):
        leaves(Loose)


class Guarded(Params):
    """What protects says which way it protects less; what does not say so is not known to protect or not."""

    high: Annotated[float, number(0, 9, "m", "a limit", loosens="up")] = 5.0
    oldest_s: Annotated[float | None, number(0, 9, "s", "a limit that may be left open", loosens="up")] = None
    ticks: Annotated[int, whole(1, 9, "", "how long", loosens="down")] = 2
    action: Annotated[Literal["warn", "stop"], note("what then", loosens="down")] = "stop"
    shape: Annotated[float, number(0, 9, "", "protects nothing", loosens="never")] = 1.0
    size: Annotated[float, number(0, 9, "", "says nothing")] = 1.0


def test_a_leaf_says_which_way_it_protects_less() -> None:
    assert {leaf.path: leaf.loosens for leaf in leaves(Guarded)} == {
        "high": "up", "oldest_s": "up", "ticks": "down", "action": "down", "shape": "never", "size": None,
    }  # fmt: skip


def test_a_table_takes_further_entries_from_a_list_behind_its_own() -> None:
    class Base(Params):
        """A table."""

        first: Annotated[float, number(0, 1, "m", "the first")] = 0.5

    longer = extended(Base, "Longer", [("second", Annotated[int, whole(0, 9, "", "the second")], 3)])
    assert [leaf.path for leaf in leaves(longer)] == ["first", "second"]
    assert plain(check(longer, {"second": 4})) == {"first": 0.5, "second": 4}
    assert issubclass(longer, Base)
    assert longer.__doc__ == Base.__doc__
    with pytest.raises(BadValues, match="second: 10 refused, must be 0 to 9"):
        check(longer, {"second": 10})
