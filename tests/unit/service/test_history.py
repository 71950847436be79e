"""The memory of samples: by sequence number, the newest kept, nothing made up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.driver import READINGS
from hilctl.service.history import History
from hilctl.signals import NAMES, SAMPLE
from hilctl.wire.encode import words_of_rows as _words
from hilctl.wire.errors import Code, Refused


def _rows(first: int, count: int, step: int = 1) -> np.ndarray:
    rows = np.zeros(count, SAMPLE)
    rows["tick"] = (first + np.arange(count)) * step
    return rows


def _append(history: History, rows: np.ndarray) -> None:
    readings = np.zeros((len(rows), READINGS.itemsize // 8), np.int64)
    readings[:, 0] = rows["tick"]
    history.append(_words(rows), readings)


@given(st.lists(st.integers(0, 40), max_size=12), st.integers(0, 120), st.integers(0, 130), st.integers(1, 5))
def test_it_holds_the_newest_and_gives_them_in_order(counts: list[int], first: int, end: int, every: int) -> None:
    history, total = History(32), 0
    for count in counts:
        _append(history, _rows(total, count))
        total += count
    assert history.end == total and history.first == max(0, total - 32)
    if first < history.first:
        with pytest.raises(Refused) as refused:
            history.rows(first, end)
        assert refused.value.code == Code.GONE
    else:
        assert history.rows(first, end, every)["tick"].tolist() == list(range(first, min(end, total), every))


@given(st.integers(0, 100), st.integers(-3, 230))
def test_a_tick_is_found_though_some_were_missed(count: int, tick: int) -> None:
    history = History(64)
    _append(history, _rows(0, count, step=2))  # every second tick was missed
    expected = next((s for s in range(history.first, count) if 2 * s >= tick), None)
    assert history.find_tick(tick) == expected


def test_what_was_given_does_not_change_with_what_comes_later() -> None:
    history = History(4)
    _append(history, _rows(0, 4))
    kept = history.rows(0, 4)
    _append(history, _rows(4, 4))
    assert kept["tick"].tolist() == [0, 1, 2, 3]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12))
def test_a_table_has_the_readings_beside_each_row(counts: list[int]) -> None:
    history, total = History(32), 0
    for count in counts:
        _append(history, _rows(total, count))
        total += count
    table = history.table(history.first, total)
    assert table[:, NAMES.index("tick")].tolist() == list(range(history.first, total))
    assert table[:, len(NAMES)].tolist() == list(range(history.first, total))
    with pytest.raises(Refused):
        history.table(history.first - 1, total)


def test_the_newest_row_is_at_hand() -> None:
    history = History(4)
    assert history.last() is None
    _append(history, _rows(0, 6))
    assert history.last()["tick"] == 5


def test_a_glance_shows_the_same_rows_without_a_copy_up_to_where_the_ring_turns():
    history = History(100)
    rows = np.zeros(150, SAMPLE)
    rows["tick"] = np.arange(150)
    _append(history, rows)
    seen, first = [], history.first
    while first < history.end:
        part = history.glance(first, 40)
        assert len(part) > 0
        seen += part[:, NAMES.index("tick")].tolist()
        first += len(part)
    assert seen == list(range(50, 150))
    assert len(history.glance(history.end, 10)) == 0
