"""The real loop over the simulated rig, on the virtual clock and let on tick by tick: a fault begins in exactly one."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from hilctl import rig
from hilctl.law.requests import RequestKind
from hilctl.loop import inprocess
from hilctl.loop.layout import ROWS
from hilctl.loop.options import CoreOptions
from hilctl.loop.ring import WRITTEN
from hilctl.signals import Mode
from tests.invariants.driver import FOREVER, FaultyTwin
from tests.system.core_parts import ask, motion, until

MOST = 1000  # ticks at a time: the ring holds more
ARMING = 6000  # ticks within which it is over


@cache
def table() -> Any:
    """The reference rig, simulated, and armed at its own pace: in virtual time that costs nothing."""
    return rig.load("table-500", twin=True)


class Stepped:
    """A loop that stands still but in `run`; what the plant really did is read along with the samples."""

    def __init__(self, settings: Any) -> None:
        facts = table().facts(virtual=True)
        self.device = FaultyTwin(table().driver_config, facts)
        options = CoreOptions(clock="virtual", service_timeout_s=0, hold_rows=1, reconnect_first_s=0.001,
                              reconnect_longest_s=0.001)  # fmt: skip
        self.settings = settings
        self.link = inprocess.start(settings, driver=self.device, facts=facts, options=options)
        self._let = 1
        until(self.link, lambda: self._written() == 1)
        self.link.held(0)
        self.link.run_until(FOREVER)

    def _written(self) -> int:
        return int(self.link.memory.words[ROWS + WRITTEN])

    @property
    def dt_s(self) -> float:
        """A period."""
        return float(self.settings.dt_s)

    @property
    def status(self) -> Any:
        """The loop's own account."""
        return self.link.status

    def run(self, ticks: int, *, stall: int = 0) -> tuple[Any, Any]:
        """So many ticks, the first of them after `stall` missed periods; the samples, and the truth of each."""
        self.device.truth()
        rows, truth = [], []
        if stall:
            self.link.stall(stall)
        while ticks > 0:
            some = min(ticks, MOST)
            self.link.drain(MOST + 1)
            self._let += some
            self.link.held(self._let - 1)
            until(self.link, lambda: self._written() >= self._let)
            rows.append(self.link.drain(MOST + 1))
            truth.append(self.device.truth())
            ticks -= some
        return np.concatenate(rows), np.concatenate(truth)

    def ask(self, kind: RequestKind, motion: Any = None) -> int:
        """The refusal, 0 where it was accepted. It is taken in the next tick, which passes."""
        before = self._let
        self._let += 1
        self.link.held(self._let - 1)
        answer = ask(self.link, kind, motion)
        until(self.link, lambda: self._written() == before + 1)
        return int(answer.refusal)

    def arm(self) -> None:
        """Off to hold."""
        self.run(100)
        assert self.ask(RequestKind.ARM) == 0
        rows, _ = self.run(ARMING)
        assert rows["mode"][-1] == Mode.HOLD, self.status.trip

    def track(self, kind: str, **fields: Any) -> None:
        """A motion from here, and half a second of it."""
        here, _ = self.run(1)
        made = motion(kind, start_m=float(here["xr_m"][0]), **fields)
        assert self.ask(RequestKind.TRACK, made) == 0
        rows, _ = self.run(500)
        assert rows["mode"][-1] == Mode.TRACK


@contextmanager
def stepped() -> Iterator[Stepped]:
    """Such a loop, and its end."""
    made = Stepped(table().settings(1))
    try:
        yield made
    finally:
        made.link.held(None)
        made.link.stop(20.0)
        made.link.close()
