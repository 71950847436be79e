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


@pytest.mark.parametrize(("stalls_s", "looks"), [([0.0], 1), ([1.0, 1.0, 0.0], 3), ([1.0] * 20, QUIET_TRIES)])
def test_a_test_is_run_again_when_nothing_stands_still_any_more_or_after_a_few_looks(stalls_s, looks, monkeypatch):
    monkeypatch.setattr(stalls, "QUIET_S", 0.0)
    watch, seen = object.__new__(Watch), []
    monkeypatch.setattr(watch, "begin", lambda: None)
    monkeypatch.setattr(watch, "longest_s", lambda: seen.append(stalls_s[len(seen)]) or seen[-1])
    watch.wait_quiet()
    assert len(seen) == looks
