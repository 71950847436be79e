"""Deadlines that were missed are skipped, as the loop skips them: on a clock that is made up."""

import numpy as np
import pytest

from hilctl.doctor import watch
from hilctl.rt.jit import PLAIN

PERIOD_NS = 1000


class Clock:
    """Each wake-up is as late as was said, then 20 ns."""

    def __init__(self, *late_ns: int) -> None:
        self.late_ns, self.waits = list(late_ns), []

    def sleep(self, due_ns: int, spin_ns: int) -> int:
        self.waits.append((due_ns, spin_ns))
        return due_ns + (self.late_ns.pop(0) if self.late_ns else 20)


@pytest.mark.parametrize(
    ("late_ns", "ran", "due_at"),
    [
        ((), 5, [1000, 2000, 3000, 4000, 5000]),
        ((999,), 5, [1000, 2000, 3000, 4000, 5000]),
        ((2500,), 3, [1000, 4000, 5000]),
        ((20, 9000), 2, [1000, 2000]),
    ],
)
def test_a_late_wake_up_skips_the_deadlines_that_went_by(late_ns, ran, due_at, monkeypatch):
    clock, found = Clock(*late_ns), np.full(5, -1, np.int64)
    monkeypatch.setattr(watch, "monotonic_ns", lambda: 0)
    monkeypatch.setattr(watch, "rt_sleep", clock.sleep)
    run = watch.rt_watch if PLAIN else watch.rt_watch.plain
    assert run(PERIOD_NS, 7, 5, found) == ran
    assert clock.waits == [(due, 7) for due in due_at]
    assert found[:ran].tolist() == [*late_ns, *[20] * 5][:ran]
    assert (found[ran:] == -1).all()
