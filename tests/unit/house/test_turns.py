"""Which of the slow cases run, where a share of long lists or a turn is asked for."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import _thin_out

PLAIN = [f"test_a.py::test_{k}" for k in range(40)]
SLOW = [f"test_b.py::test_{k}" for k in range(40)]
LIST = [f"test_c.py::test_many[{k}]" for k in range(40)]
FIRST = "test_c.py::test_many[first]"


class Item:
    def __init__(self, nodeid, *marks):
        self.nodeid, self.marks = nodeid, {mark.name: mark for mark in marks}

    def get_closest_marker(self, name):
        return self.marks.get(name)

    def iter_markers(self, name):
        return [mark for mark in self.marks.values() if mark.name == name]


def left(share, turn):
    slow, many, first = pytest.mark.slow.mark, pytest.mark.many.mark, pytest.mark.many(first=True).mark
    items = [*map(Item, PLAIN), *(Item(name, slow) for name in SLOW), *(Item(name, slow, many) for name in LIST)]
    items.append(Item(FIRST, slow, first))
    said = []
    _thin_out(
        SimpleNamespace(hook=SimpleNamespace(pytest_deselected=lambda items: said.extend(items))), items, share, turn
    )
    assert len(items) + len(said) == len(PLAIN) + len(SLOW) + len(LIST) + 1
    return {item.nodeid for item in items}


def test_without_a_share_and_a_turn_all_run():
    assert left(1.0, "0/1") == {*PLAIN, *SLOW, *LIST, FIRST}


@given(st.integers(1, 12))
def test_each_slow_case_has_one_turn_and_what_is_not_slow_has_all(of):
    turns = [left(1.0, f"{now}/{of}") for now in range(of)]
    assert all({*PLAIN} <= turn for turn in turns)
    assert sorted(name for turn in turns for name in turn - {*PLAIN}) == sorted([*SLOW, *LIST, FIRST])


@pytest.mark.parametrize(("share", "count"), [(0.001, 1), (0.05, 2), (0.5, 20)])
def test_of_a_long_list_a_share_runs_at_every_turn_and_first_what_says_so(share, count):
    for now in range(4):
        listed = left(share, f"{now}/4") & {*LIST, FIRST}
        assert FIRST in listed
        assert len(listed) == count
