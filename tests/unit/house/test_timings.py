"""Which cases take long stands in a file that a run writes and that counts as a mark."""

import re
from itertools import groupby, product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import conftest, timings
from tests.timings import LONG_S, LONG_WAITING_S, kept, look, renewed, said, turns

LISTED = kept(timings.FILE.read_text(encoding="utf-8"))
NAMES = st.text("abc[ ]:-", min_size=1).map(lambda name: f"t.py::{name}".strip())


def report(nodeid, seconds, *marks):
    return SimpleNamespace(nodeid=nodeid, duration=seconds, keywords=dict.fromkeys(marks, 1), when="call")


@given(st.dictionaries(NAMES, st.floats(0.7, 99).map(lambda s: round(s, 1))))
def test_what_is_written_is_read_again(took_s):
    assert kept(said(took_s)) == took_s


@given(st.dictionaries(NAMES, st.floats(0.5, 99)), st.integers(1, 9))
def test_turns_are_about_as_long_as_each_other(took_s, of):
    of_case = turns(took_s, of)
    filled = [sum(took_s[name] for name, turn in of_case.items() if turn == now) for now in range(of)]
    assert of_case.keys() == took_s.keys()
    assert max(filled) - min(filled) <= max(took_s.values(), default=0) + 1e-9


def test_a_case_has_its_turn_whatever_order_the_file_has():
    assert turns(LISTED, 8) == turns(dict(reversed(LISTED.items())), 8)


def test_a_run_lists_what_took_long_and_no_longer_what_did_not_and_leaves_the_rest():
    before = {"a::slow": 2.0, "a::faster": 2.0, "a::did not run": 2.0}
    ran = [report("a::slow", 3.0), report("a::faster", 0.1), report("a::new", LONG_S), report("a::short", 0.1),
           report("a::waits", LONG_S, "realtime"), report("a::waits long", LONG_WAITING_S, "realtime")]  # fmt: skip
    assert renewed(before, ran) == {
        "a::slow": 3.0, "a::did not run": 2.0, "a::new": LONG_S, "a::waits long": LONG_WAITING_S,
    }  # fmt: skip


def test_what_is_slow_and_neither_marked_nor_listed_is_named(monkeypatch):
    monkeypatch.delenv("HILCTL_TIMINGS", raising=False)
    seconds = 4 * LONG_S
    quiet = [report("a::marked", seconds, mark) for mark in ("slow", "long", "bench", "always")]
    assert look([*quiet, report("a::short", LONG_S), report("a::waits", seconds, "realtime")]) == []
    assert [line for line in look([report("a::forgotten", seconds)]) if "a::forgotten, 2.0 s" in line]


@pytest.mark.parametrize(("nodeid", "marks", "slow"), [
    (next(iter(LISTED)), (), True), (next(iter(LISTED)), ("always",), False), ("a::other", (), False),
])  # fmt: skip
def test_what_is_listed_is_slow_unless_it_always_runs(nodeid, marks, slow):
    given: list[str] = []
    conftest.pytest_itemcollected(SimpleNamespace(nodeid=nodeid, add_marker=given.append, iter_markers=lambda name: [],
                                                  get_closest_marker=lambda name: name in marks or None))  # fmt: skip
    assert given == ["slow"] * slow


@given(st.integers(1, 40), st.integers(3, 40), st.integers(2, 3))
def test_of_a_grid_one_case_in_so_many_is_quick_and_each_value_is_in_one(rows, columns, quick):
    mark = pytest.mark.many(quick=quick).mark
    there = []
    for row, column in product(range(rows), range(columns)):
        item = SimpleNamespace(nodeid="a::grid", get_closest_marker=lambda name: None, iter_markers=lambda name: [mark],
                               callspec=SimpleNamespace(indices={"a": row, "b": column}))  # fmt: skip
        there.append((row, column))
        item.add_marker = lambda name: there.pop()
        conftest.pytest_itemcollected(item)
    assert len(there) <= rows * (columns // quick + 1)
    assert {row for row, _ in there} == set(range(rows))
    assert rows < quick or {column for _, column in there} == set(range(columns))


def test_what_is_listed_is_there(pytestconfig):
    for file, cases in groupby(sorted(LISTED), lambda name: name.partition("::")[0]):
        text = (pytestconfig.rootpath / file).read_text(encoding="utf-8")
        there = {a or b for a, b in re.findall(r"(?:def|class) (\w+)|^(\w+) = ", text, re.MULTILINE)}
        names = {re.split(r"::|\[", name)[1] for name in cases}
        assert "import *" in text or names <= there, f"{file}: renamed or gone: {names - there}"
