"""The status board."""

import numpy as np

from hilctl.loop import board, outside
from hilctl.params import record_of

RECORD = record_of([("a", np.int64), ("b", np.int64)])
SLOTS = 4


def _post(words, records, n):
    records[words[0] % SLOTS] = (n, n)
    getattr(board.rt_post, "plain", board.rt_post)(words, 0)


def test_nothing_before_the_first_record():
    assert board.newest(np.zeros(4, np.int64), 0, np.zeros(SLOTS, RECORD)) is None


def test_the_newest_is_found_and_is_a_copy():
    words, records = np.zeros(4, np.int64), np.zeros(SLOTS, RECORD)
    for n in range(1, 11):
        _post(words, records, n)
    found = board.newest(words, 0, records)
    for n in range(11, 16):
        _post(words, records, n)
    assert (int(found.a), int(found.b)) == (10, 10)


class _Overtaking:
    """Records whose writer comes round once while they are being copied."""

    def __init__(self, words, records, times):
        self.words, self.records, self.times = words, records, times

    def __len__(self):
        return SLOTS

    def __getitem__(self, where):
        got = self.records[where].copy()
        if self.times:
            self.times -= 1
            for n in range(20, 20 + SLOTS):
                _post(self.words, self.records, n)
            got["b"] = -1  # half of another record
        return got


def test_a_copy_that_the_writer_came_round_to_is_made_anew():
    words, records = np.zeros(4, np.int64), np.zeros(SLOTS, RECORD)
    _post(words, records, 1)
    found = board.newest(words, 0, _Overtaking(words, records, 3))
    assert int(found.a) == int(found.b) == 23


def test_a_writer_that_is_always_faster_gives_no_record_rather_than_a_torn_one():
    words, records = np.zeros(4, np.int64), np.zeros(SLOTS, RECORD)
    _post(words, records, 1)
    assert board.newest(words, 0, _Overtaking(words, records, 10**9)) is None


class _Seen:
    """Words or records that write down when they are read."""

    def __init__(self, name, data, seen):
        self.name, self.data, self.seen = name, data, seen

    def __len__(self):
        return len(self.data)

    def __getitem__(self, where):
        self.seen.append(self.name)
        return self.data[where]


def test_where_the_processor_may_reorder_reads_the_copy_stands_between_two_fences(monkeypatch):
    seen = []
    monkeypatch.setattr(outside, "ORDERED", False)
    monkeypatch.setattr(outside, "full_fence", lambda: seen.append("fence"))
    monkeypatch.setattr(board, "load", outside.load_and_fence)
    words, records = np.zeros(4, np.int64), np.zeros(SLOTS, RECORD)
    _post(words, records, 1)
    found = board.newest(_Seen("count", words, seen), 0, _Seen("copy", records, seen))
    assert int(found.a) == 1
    assert seen == ["count", "fence", "copy", "fence", "count", "fence"]
