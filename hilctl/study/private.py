"""A controller of one's own in this process, on the virtual clock: the real loop and the real law over the simulated
rig. Time passes while a request takes effect, or in `rest`; between them it stands still."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import numpy as np

from hilctl.errors import HilctlError
from hilctl.law.motions import Plan
from hilctl.law.reference.motion import Kind
from hilctl.law.requests import REQUEST, RequestKind
from hilctl.loop import inprocess
from hilctl.loop.layout import ROWS
from hilctl.loop.link import Answer, Link
from hilctl.loop.options import CoreOptions
from hilctl.loop.outside import load
from hilctl.loop.ring import WRITTEN
from hilctl.loop.status import CoreStatus
from hilctl.rig import Rig
from hilctl.signals import SAMPLE
from hilctl.study.recorded import Recorded

_LOOK_S = 0.5e-3  # between two looks: a hundredth of a run
_PATIENCE_S = 120.0  # without a tick: the first run of a version compiles the loop
_SLOTS = 1 << 12  # of the ring: small, so that it stays in the processor's cache
_MANY = _SLOTS // 4  # rows that are worth a look

Take = Callable[[Any], None]


class Private:
    """One run of it. `take` gets the rows as they come; `recorded` gets all that a recording holds."""

    def __init__(self, rig: Rig, take: Take, recorded: Recorded | None = None) -> None:
        self.rig, self._take, self._recorded, self.ticks = rig, take, recorded, 0
        loop = rig.tables.loop
        options = CoreOptions(rate_hz=loop.rate_hz, clock="virtual", service_timeout_s=0.0, reconnect=False,
                              exchange_share=loop.exchange_share, row_slots=_SLOTS)  # fmt: skip
        self.link: Link = inprocess.start(
            rig.settings(1), driver=rig.driver, driver_config=rig.driver_config, facts=rig.facts(virtual=True),
            options=options,
        )  # fmt: skip
        self.spent_s = 0.0  # processor time of the loop, once it has ended

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.link.stop(20.0)
        self.spent_s = inprocess.spent_s(self.link)
        self.link.close()

    def settle(self) -> CoreStatus:
        """How it is once time stands still again, everything having been done that was asked for."""
        loop, link = self.link.memory.loop, self.link
        give_up_s, seen = time.monotonic() + _PATIENCE_S, -1
        while True:
            if loop.status.standing and loop.status.request >= link.asked:
                status = link.status
                if status.standing and status.request >= link.asked and status.ran > 0:
                    self._drain()
                    if self._recorded is None or self._recorded.begin(link):
                        return status
            self._drain(_MANY)
            if link.poll() is not None:
                raise HilctlError(f"the controller ended: {'; '.join(link.messages) or 'without a word'}")
            if loop.status.ran != seen:
                give_up_s, seen = time.monotonic() + _PATIENCE_S, loop.status.ran
            if time.monotonic() > give_up_s:
                raise HilctlError(f"the controller does not go on after {self.ticks} ticks: {link.messages}")
            time.sleep(_LOOK_S)

    def _drain(self, least: int = 1) -> None:
        """Takes the rows that wait, where they are so many: each time costs as much as some hundred rows."""
        waiting = load(self.link.memory.words, ROWS + WRITTEN) - self.link.rows_read
        if waiting >= least:
            self.ticks += waiting
            if self._recorded is None:
                self._take(self.link.drain(waiting))
            else:
                self.link.pour(waiting, self._record)
                self._recorded.follow(self.link)

    def _record(self, samples: Any, readings: Any) -> None:
        assert self._recorded is not None
        self._recorded.take(samples, readings)
        self._take(np.ascontiguousarray(samples).view(SAMPLE).reshape(-1))

    def ask(self, kind: RequestKind, plan: Plan | None = None) -> Answer:
        """The answer to a request."""
        request: Any = np.zeros(1, REQUEST)[0]
        request.kind = kind
        if plan is not None:
            request.motion = plan.motion
            if plan.motion.kind == Kind.WAVEFORM:
                request.bank = self.link.put_knots(plan.knots)
        id_ = self.link.ask(request)
        give_up_s = time.monotonic() + _PATIENCE_S
        while time.monotonic() < give_up_s:
            for answer in self.link.answers():
                if answer.id == id_:
                    return answer
            time.sleep(_LOOK_S / 10)
        raise HilctlError("the controller does not answer")

    def rest(self, seconds: float) -> CoreStatus:
        """So much time passes."""
        until = self.link.status.tick + round(seconds * self.rig.tables.loop.rate_hz)
        self.link.run_until(until)
        while self.link.memory.loop.status.tick < until and self.link.poll() is None:
            self._drain(_MANY)
            time.sleep(_LOOK_S)
        return self.settle()
