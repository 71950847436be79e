"""Measuring a watchdog's time on a link that loses an answer, on a clock of its own."""

import types

import pytest

from firmware_bridge.described import fixed_watchdog
from firmware_bridge.driver import DriverError

FIXED_S, LATE_S = 0.08, 0.1


class Amplifier:
    """Trips so long after it was fed last; of one feed the answer is late."""

    def __init__(self, trips_s, lost):
        self.now_s, self.trips_s, self.lost = 0.0, trips_s, lost
        self.fed_s, self.tripped, self.feeds = 0.0, False, 0

    def feed(self, heartbeat, reset):
        self.now_s += 0.001
        self.fault()
        self.fed_s, self.tripped, self.feeds = self.now_s, self.tripped and not reset, self.feeds + 1
        self.now_s += LATE_S if self.feeds == self.lost else 0.001

    def fault(self):
        self.now_s += 0.001
        self.tripped = self.tripped or self.now_s - self.fed_s > self.trips_s
        return float(self.tripped)

    def sleep(self, seconds):
        self.now_s += seconds


def measured(monkeypatch, trips_s, lost):
    made = Amplifier(trips_s, lost)
    monkeypatch.setattr(fixed_watchdog, "time", types.SimpleNamespace(monotonic=lambda: made.now_s, sleep=made.sleep))
    fixed_watchdog.measure(fixed_watchdog.Device(made.feed, made.fault), FIXED_S)


@pytest.mark.parametrize("lost", range(6))
def test_a_watchdog_that_trips_in_time_is_accepted_whichever_answer_is_lost(monkeypatch, lost):
    measured(monkeypatch, FIXED_S, lost)


@pytest.mark.parametrize("lost", range(6))
def test_one_that_trips_later_is_not_accepted_for_an_answer_that_came_late(monkeypatch, lost):
    with pytest.raises(DriverError, match="has not tripped"):
        measured(monkeypatch, FIXED_S + 0.5 * LATE_S, lost)
