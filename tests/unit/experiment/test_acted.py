"""Which command acted while exchanges failed, by the spool's next reading."""

import math

import numpy as np
import pytest

from hilctl.experiment.acted import SENT, with_acted
from hilctl.experiment.record import record_of
from hilctl.experiment.sensors import SENSED

RATE_HZ, N, NULL = 1000.0, 2000, 0.013
VALVE = {"machine.wv": 643.0, "machine.zv": 0.88}
LAG = 1 - math.exp(-VALVE["machine.wv"] / (2 * VALVE["machine.zv"] * RATE_HZ))
ALL = 0xFF
GAPS = [slice(at, at + 3) for at in range(200, N - 100, 97)]
COURSES = {
    "nothing arrived": lambda sent, gap: sent[gap.start - 1],
    "the first arrived": lambda sent, gap: sent[gap.start],
    "all arrived": lambda sent, gap: sent[gap],
}


def made(course, spool=True):
    """What was recorded, and what acted."""
    rng = np.random.default_rng(3)
    sent = 0.2 * np.sin(np.arange(N) / 4) + 0.05 * rng.standard_normal(N)
    acting, rejected = sent.copy(), np.zeros(N, np.int64)
    for gap in GAPS:
        acting[gap], rejected[gap] = COURSES[course](sent, gap), ALL
    there = np.zeros(N)
    for k in range(1, N):
        there[k] = there[k - 1] + LAG * (acting[k - 1] - there[k - 1])
    rows = {"tick": np.arange(N), "rejected": rejected, SENT: sent, **{name: rng.standard_normal(N) for name in SENSED}}
    if spool:
        rows["spool"] = there + NULL + 1e-3 * rng.standard_normal(N)
    return record_of(rows, RATE_HZ), acting


def led(commands):
    """How far they lead the spool."""
    spool = 0.0
    for command in commands:
        spool += LAG * (command - spool)
    return abs(spool)


@pytest.mark.parametrize("course", COURSES)
def test_the_course_is_found_whatever_the_null(course):
    record, acting = made(course)
    found = with_acted(record, VALVE)[SENT]
    wrong = [gap for gap in GAPS if not np.array_equal(found[gap], acting[gap])]
    assert len(wrong) < 0.2 * len(GAPS)
    assert all(led(found[gap] - acting[gap]) < 5e-3 for gap in wrong), "where two courses lead to the same place"
    outside = np.ones(N, bool)
    for gap in GAPS:
        outside[gap] = False
    assert (found[outside] == record[SENT][outside]).all()


def test_without_a_spool_reading_the_first_command_is_taken_for_delivered():
    record, _ = made("nothing arrived", spool=False)
    found, sent = with_acted(record, VALVE)[SENT], record[SENT]
    for gap in GAPS:
        assert found[gap].tolist() == [sent[gap.start]] * 3


def test_where_no_exchange_failed_it_is_what_was_sent():
    record, _ = made("all arrived")
    rows = {name: record[name] for name in record if name not in ("lost", "held")}
    clean = record_of({**rows, "rejected": np.zeros(N, int)}, RATE_HZ)
    assert with_acted(clean, VALVE) is clean


def test_a_tick_that_did_not_run_held_the_command_before():
    record, _ = made("all arrived")
    rows = {name: np.delete(record[name], range(900, 904)) for name in record if name not in ("lost", "held")}
    rows["rejected"] = np.zeros(N - 4, int)
    found = with_acted(record_of(rows, RATE_HZ), VALVE)[SENT]
    assert found[900:904].tolist() == [record[SENT][899]] * 4
