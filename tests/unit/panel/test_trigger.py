"""A trigger fires at the first sample that is meant, wherever blocks are cut, and at no other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.panel.trigger import BadTrigger, Search, Trigger

LEVEL = 0.5


def first_by_hand(kind, values):
    before = None
    for tick, value in enumerate(values):
        across = before is not None and (
            (kind == "rising" and before <= LEVEL < value) or (kind == "falling" and before >= LEVEL > value)
        )
        if across or (kind == "above" and value > LEVEL) or (kind == "below" and value < LEVEL):
            return tick
        before = value
    return None


@given(
    st.sampled_from(("rising", "falling", "above", "below")),
    st.lists(st.sampled_from((0.0, 0.5, 1.0, 0.4999, 0.5001)), min_size=1, max_size=60),
    st.integers(1, 9),
)
def test_it_fires_where_one_would_point(kind, values, size):
    search = Search(Trigger(kind, "x", LEVEL))
    found = None
    for first in range(0, len(values), size):
        part = np.array(values[first : first + size])
        found = search.block({"tick": np.arange(first, first + len(part)), "x": part})
        if found is not None:
            break
    assert found == first_by_hand(kind, values)


def test_one_without_a_reading_between_two_does_not_hide_the_crossing_of_the_next_block():
    search = Search(Trigger("rising", "x", LEVEL))
    assert search.block({"tick": np.arange(2), "x": np.array([0.0, np.nan])}) is None
    assert search.block({"tick": np.arange(2, 4), "x": np.array([1.0, 1.0])}) == 2


def test_a_trip_that_was_there_before_is_none():
    search = Search(Trigger("trip"))
    assert search.block({"tick": np.arange(3), "trip": np.array([5, 5, 5])}) is None
    assert search.block({"tick": np.arange(3, 6), "trip": np.array([0, 0, 7])}) == 5


def test_an_event_is_waited_for_by_its_kind():
    search = Search(Trigger("event", event="mode"))
    assert search.block({"tick": np.arange(3), "x": np.ones(3)}) is None
    assert search.event("epoch", 4) is None
    assert search.event("mode", 9) == 9


@pytest.mark.parametrize(
    ("trigger", "key"),
    [
        (Trigger("sideways", "x"), "kind"), (Trigger("rising", "y"), "channel"),
        (Trigger("rising", "x", float("nan")), "level"), (Trigger("event"), "event"),
        (Trigger("rising", "x", pre_s=-1.0), "pre_s"), (Trigger("rising", "x", post_s=1e9), "post_s"),
        (Trigger("rising", "x", pre_s=0.0, post_s=0.0), "post_s"),
    ],
)  # fmt: skip
def test_one_that_cannot_fire_is_refused_with_its_key(trigger, key):
    with pytest.raises(BadTrigger) as refused:
        trigger.check(("x",), 300.0)
    assert refused.value.key == key
