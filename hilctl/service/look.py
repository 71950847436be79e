"""What an item of the queue waits for, once its turn has come: a tick, or a channel that passes a level."""

import numpy as np

from hilctl.law.requests import Edge
from hilctl.service.core import AT_ONCE, Begin
from hilctl.service.queue import Item
from hilctl.service.service import Service
from hilctl.signals import NAMES

NEAR_S = 0.25  # before its tick: from then on the loop has it, and the service looks every millisecond


class Look:
    """Of one item. The loop looks at each sample; here it is seen what passed before the loop was asked to."""

    def __init__(self, s: Service, item: Item) -> None:
        self._s, self._item = s, item
        self._first = s.core.history.end - 1
        self._begun = s.core.link.status.tick
        self._step = max(1, round(s.rig.service.block_s * s.rate_hz))
        self._passed = False

    def near(self) -> bool:
        """Whether the loop is to have it now."""
        due = self._item.due_tick
        if not due or self._item.start.channel:
            return True
        near = due - int(NEAR_S * self._s.rate_hz)
        self._run_until(near)
        return bool(self._s.core.link.status.tick >= near)

    def begin(self) -> Begin:
        """When the loop shall begin it."""
        start = self._item.start
        if not start.channel:
            return Begin(self._item.due_tick)
        if self.passed():
            return AT_ONCE
        return Begin(0, Edge[start.edge.upper()], NAMES.index(start.channel), start.level)

    @property
    def why(self) -> str:
        """Why it will not come."""
        start, now = self._item.start, self._s.core.link.status.tick
        if not start.within_s or self._passed or now - self._begun <= start.within_s * self._s.rate_hz:
            return ""
        return f"{start.channel} was not {start.edge} {start.level:g} within {start.within_s:g} s"

    def missed(self) -> bool:
        """Whether the level was passed, and the loop, which sees each sample before we do, has not begun it."""
        return self.passed() and self._s.core.link.status.tick > self._item.due_tick + 2

    def pass_time(self) -> None:
        """Virtual time passes only for what waits for it."""
        s = self._s
        if not self._item.start.channel:
            self._run_until(self._item.due_tick)
        elif s.core.history.end >= s.core.link.status.rows:
            self._run_until(s.core.link.status.tick + self._step)

    def passed(self) -> bool:
        """In the samples that have come; the one before them is kept for an edge. Its tick is due then."""
        history, start = self._s.core.history, self._item.start
        first = max(self._first, history.first, 0)
        if self._passed or not start.channel or history.end - first < 2:
            return self._passed
        values = history.rows(first, history.end)[start.channel].astype(np.float64)
        self._first = history.end - 1
        there = values >= start.level if start.edge in ("above", "rising") else values <= start.level
        there &= np.isfinite(values)
        if start.edge in ("rising", "falling"):
            there[1:] &= ~there[:-1] & np.isfinite(values[:-1])
        hits = np.flatnonzero(there[1:]) + 1
        if len(hits):
            self._passed = True
            self._item.due_tick = int(history.rows(first + int(hits[0]), first + int(hits[0]) + 1)["tick"][0])
        return self._passed

    def _run_until(self, tick: int) -> None:
        s = self._s
        if s.virtual and s.core.link.status.standing and s.core.link.status.tick < tick:
            s.core.hold(None)
            s.core.link.run_until(tick)
