"""What a recording holds is laid out as today, by the names of its fields; a replay ends where something is missing."""

from typing import Any

import numpy as np

from hilctl.law.requests import REQUEST
from hilctl.loop.intake import IntakeKind
from hilctl.params import record_of
from hilctl.recording.layout import Taken, types_of
from hilctl.replay.relay import READINGS, TODAY, Entries, same_layout
from hilctl.replay.run import unbroken
from hilctl.signals import SENSORS

_TYPES = types_of(**TODAY)
_OLD = record_of([("lost", np.int64), ("displacement_m", np.float64), ("age_ns", np.int64, (len(SENSORS) - 1,))])


class _Recording:
    """As far as it is asked."""

    def __init__(self, taken: list[Taken], readings: Any = None, types: str = _TYPES) -> None:
        self.taken, self.types, self._readings = taken, types, readings

    def readings(self, first: int, end: int) -> Any:
        return self._readings[first:end]


def _request(number: int, tick: int, data: bytes = bytes(REQUEST.itemsize)) -> Taken:
    return Taken(number, IntakeKind.REQUEST, tick, 0, number + 1, 0, 0.0, 0.0, data)


def test_all_that_follows_is_used():
    entries = Entries(_Recording([_request(k, 10 * k) for k in range(5)]), None).since(2, 15)
    assert entries.table["tick"].tolist() == [20, 30, 40] and entries.why == ""


def test_one_that_is_missing_ends_it_right_after_the_one_before():
    entries = Entries(_Recording([_request(k, 10 * k) for k in (0, 1, 3, 4)]), None).since(0, 0)
    assert len(entries.table) == 2 and entries.usable_until == 11
    assert Entries(_Recording([_request(3, 30)]), None).since(2, 15).usable_until == 16


def test_one_without_its_bytes_ends_it_in_its_tick():
    entries = Entries(_Recording([_request(0, 5), _request(1, 9, b"")]), None).since(0, 0)
    assert entries.usable_until == 9 and entries.why == "the request 2 was not recorded"


def test_readings_of_another_layout_keep_what_has_the_same_name_and_shape():
    old = np.zeros(2, _OLD)
    old["displacement_m"], old["lost"], old["age_ns"] = [0.1, 0.2], [3, 4], 5
    types = types_of(**{**TODAY, "readings": _OLD})
    assert same_layout(_TYPES) and not same_layout(types)
    now = Entries(_Recording([], old, types), None).readings(0, 2)
    assert now.dtype == READINGS and now["displacement_m"].tolist() == [0.1, 0.2] and now["lost"].tolist() == [3, 4]
    assert not now["age_ns"].any()


def test_rows_follow_each_other_where_the_skipped_periods_fill_the_ticks_between():
    assert unbroken(4, np.array([5, 6, 9, 10]), np.array([0, 0, 2, 0])) == 4
    assert unbroken(4, np.array([5, 6, 9, 10]), np.array([0, 0, 1, 0])) == 2
    assert unbroken(3, np.array([5, 6]), np.array([0, 0])) == 0
