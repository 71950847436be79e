"""Tables that are alike, seen as rows of the record that holds them: compiled and as plain Python."""

from typing import Any

import numpy as np
import pytest

from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import rows_of

ROW = record_of([("low", np.float64), ("present", np.int64)])
HOUSE = record_of([("before", np.float64), ("one", ROW), ("two", ROW), ("three", ROW)])
AT = int(HOUSE.fields["one"][1])  # type: ignore[index]


def look(record: Any) -> float:
    """The rows' sum, weighted, so that none can be mistaken for another; and marks each."""
    rows, total = rows_of(record, AT, ROW), 0.0
    for k in range(rows.size):
        total += (k + 1) * rows[k].low
        rows[k].present = k + 7
    return total


@pytest.mark.parametrize("form", [look, jit()(look)], ids=["plain", "compiled"])
def test_tables_that_are_alike_are_rows_over_the_same_memory(form: Any) -> None:
    record = np.zeros(1, HOUSE)[0]
    record.one.low, record.two.low, record.three.low = 1.0, 10.0, 100.0
    assert form(record) == 321.0
    assert (record.one.present, record.two.present, record.three.present) == (7, 8, 9)
    assert record.before == 0.0
