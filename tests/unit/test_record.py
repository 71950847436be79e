"""The fields of a record are its attributes, to the bottom, and nothing else can be set."""

import pickle

import numpy as np
import pytest

from hilctl.params.record import Record, record_of
from hilctl.rt.records import rows_of, words_of

INNER = record_of([("p", np.float64), ("q", np.int64)])
OUTER = record_of([("a", np.float64), ("one", INNER), ("places", np.float64, (3,)), ("table", INNER, (2,))])


def test_what_is_set_by_attribute_stands_in_the_memory() -> None:
    rows = np.zeros(2, OUTER)
    record = rows[1]
    record.a, record.one.p, record.one.q = 1.5, 2.5, 3
    record.places[2], record.table[1].q = 4.5, 5
    assert words_of(rows[1])[[0, 1, 5, 6, 8]].tolist() == [1.5, 2.5, 4.5, 0.0, 0.0]
    assert words_of(rows[1]).view(np.int64)[[2, 9]].tolist() == [3, 5]
    assert not words_of(rows[0]).any()
    record.one = np.array([(7.0, 8)], INNER)[0]
    assert (rows[1].one.p, rows[1].one.q) == (7.0, 8)


def test_words_and_rows_lie_over_the_record() -> None:
    record = np.zeros(1, OUTER)[0]
    words_of(record)[1] = 6.0
    assert record.one.p == 6.0
    rows_of(record, OUTER.fields["table"][1], INNER)[1].p = 9.0
    assert record.table[1].p == 9.0


def test_an_unknown_field_is_neither_read_nor_written_and_a_wrong_value_is_refused() -> None:
    record = np.zeros(1, OUTER)[0]
    with pytest.raises(AttributeError, match="no field b; it has a, one, places, table"):
        _ = record.b
    with pytest.raises(AttributeError, match="no field b"):
        record.b = 1.0
    with pytest.raises(ValueError, match="could not convert"):
        record.a = "far"


@pytest.mark.parametrize("name", ["size", "view", "T", "dtype"])
def test_a_field_that_would_hide_behind_an_attribute_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"cannot be called {name}"):
        record_of([(name, np.float64)])


def test_its_type_travels() -> None:
    assert pickle.loads(pickle.dumps(OUTER)) == OUTER
    assert OUTER.type is Record
