"""The ring's logic, step by step in plain Python; its ordering under load is for the system tests."""

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hilctl.loop import ring
from hilctl.loop.outside import Reader, Writer

SLOTS = 8
BASE = 32


def plain(function):
    return getattr(function, "plain", function)


class OneRing(RuleBasedStateMachine):
    """A queue that drops what does not fit is the model; either end may be the loop's or Python's."""

    def __init__(self):
        super().__init__()
        self.words = np.zeros(64, np.int64)
        self.slots = np.zeros(SLOTS, np.int64)
        self.model, self.next, self.lost = deque(), 0, 0
        self.writer, self.reader = Writer(self.words, BASE, self.slots), Reader(self.words, BASE, self.slots)

    def _took_place(self):
        if len(self.model) < SLOTS:
            self.model.append(self.next)
        self.next += 1

    @rule()
    def the_loop_writes(self):
        slot = plain(ring.rt_claim)(self.words, BASE, SLOTS)
        assert (slot < 0) == (len(self.model) == SLOTS)
        if slot < 0:
            plain(ring.rt_lose)(self.words, BASE)
            self.lost += 1
        else:
            self.slots[slot] = self.next
            plain(ring.rt_publish)(self.words, BASE)
        self._took_place()
        self.writer = Writer(self.words, BASE, self.slots)

    @rule()
    def python_writes(self):
        assert self.writer.put(self.next) == (len(self.model) < SLOTS)
        self._took_place()

    @rule(limit=st.integers(0, 2 * SLOTS))
    def python_reads(self, limit):
        got = self.reader.take(limit).tolist()
        assert got == [self.model.popleft() for _ in range(min(limit, len(self.model)))]

    @rule(ahead=st.integers(0, SLOTS))
    def python_looks_ahead(self, ahead):
        parts = self.reader.peek(self.reader.read + ahead)
        assert len(parts) <= 2
        assert [int(one) for part in parts for one in part] == list(self.model)[ahead:]

    @precondition(lambda self: self.model)
    @rule()
    def the_loop_reads(self):
        slot = int(self.words[BASE + ring.READ]) & (SLOTS - 1)
        assert self.slots[slot] == self.model.popleft()
        plain(ring.rt_done)(self.words, BASE, 1)
        self.reader = Reader(self.words, BASE, self.slots)

    @invariant()
    def both_ends_count_alike(self):
        assert plain(ring.rt_waiting)(self.words, BASE) == len(self.model) == self.reader.waiting
        assert self.reader.lost == self.lost


TestOneRing = OneRing.TestCase


@given(st.integers(0, 2**62), st.integers(0, SLOTS))
def test_a_ring_that_has_run_for_long_goes_on_as_before(begin, waiting):
    words, slots = np.zeros(64, np.int64), np.arange(SLOTS)
    words[BASE + ring.WRITTEN], words[BASE + ring.READ] = begin + waiting, begin
    claimed = plain(ring.rt_claim)(words, BASE, SLOTS)
    assert claimed == (-1 if waiting == SLOTS else (begin + waiting) % SLOTS)
    assert Reader(words, BASE, slots).take(SLOTS).tolist() == [(begin + k) % SLOTS for k in range(waiting)]


def test_rows_are_copies_that_later_writes_leave_alone():
    words, slots = np.zeros(64, np.int64), np.zeros(SLOTS, np.int64)
    writer, reader = Writer(words, BASE, slots), Reader(words, BASE, slots)
    writer.put(1)
    got = reader.take(1)
    for value in range(SLOTS):
        writer.put(100 + value)
    assert got.tolist() == [1]
