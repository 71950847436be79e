"""A stall of this host is seen by processes that take no part in a test."""

import os
import signal
import time

import pytest

from tests import stalls
from tests.stalls import LONG_S, QUIET_TRIES, Watch
from tests.system.service_parts import until


def test_a_processor_that_was_taken_away_shows_as_long_as_it_was_and_is_forgotten_at_the_next_test():
    watch = Watch()
    try:
        until(watch.all_watch)
        watcher = watch.watchers[0]
        os.kill(watcher.pid, signal.SIGSTOP)
        stopped_s = time.monotonic()
        os.waitid(os.P_PID, watcher.pid, os.WSTOPPED | os.WNOWAIT)
        while time.monotonic() - stopped_s < 3 * LONG_S:
            pass
        os.kill(watcher.pid, signal.SIGCONT)
        until(lambda: watch.longest_s() > 2 * LONG_S)
        watch.begin()
        assert watch.longest_s() < 3 * LONG_S
    finally:
        watch.end()
    assert all(watcher.returncode is not None for watcher in watch.watchers)


def test_a_line_whose_bytes_come_late_counts_as_a_stall(monkeypatch):
    fd, now_ns, parents = os.memfd_create("seen"), [0], [1, 1, 1, 0]
    os.ftruncate(fd, 8)

    def late(line):
        now_ns[0] += round(3e9 * LONG_S) if len(parents) == 2 else 0

    monkeypatch.setattr(stalls.Line, "carry", late)
    monkeypatch.setattr(stalls.os, "getppid", lambda: parents.pop(0))
    monkeypatch.setattr(stalls.os, "sched_setaffinity", lambda process, processors: None)
    monkeypatch.setattr(stalls.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(stalls.time, "monotonic_ns", lambda: now_ns[0])
    stalls.watch(fd, 0, 0, 1)
    assert int.from_bytes(os.pread(fd, 8, 0), "little") / 1e9 > 2 * LONG_S
    os.close(fd)


@pytest.mark.parametrize(("stalls_s", "looks"), [([0.0], 1), ([1.0, 1.0, 0.0], 3), ([1.0] * 20, QUIET_TRIES)])
def test_a_test_is_run_again_when_nothing_stands_still_any_more_or_after_a_few_looks(stalls_s, looks, monkeypatch):
    monkeypatch.setattr(stalls, "QUIET_S", 0.0)
    watch, seen = object.__new__(Watch), []
    monkeypatch.setattr(watch, "begin", lambda: None)
    monkeypatch.setattr(watch, "longest_s", lambda: seen.append(stalls_s[len(seen)]) or seen[-1])
    watch.wait_quiet()
    assert len(seen) == looks
