"""The core as the service sees it: samples coming in, requests going out, and whether it is there at all."""

import logging
import time
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from hilctl.law.requests import REFUSAL_TEXTS, REQUEST, Edge, Refusal, RequestKind
from hilctl.loop.link import Answer, Busy, Link, QueueFull
from hilctl.service.history import History
from hilctl.service.tasks import Pace, Task
from hilctl.wire.errors import Code, Refused, refusal_of

log = logging.getLogger(__name__)

_DRAIN_ROWS = 4096  # at a time: two megabytes, a few milliseconds
_ANSWER_S = 3.0  # a tick takes a request within two periods; a core that does not is not well
_ANSWERS = 256  # kept for tasks that have not looked yet

# Every other refusal is TRIPPED: something that a person must see to.
_CODES = {
    Refusal.WRONG_MODE: Code.WRONG_MODE,
    Refusal.MOVING: Code.WRONG_MODE,
    Refusal.UNKNOWN: Code.INTERNAL,
}


class Begin(NamedTuple):
    """When the loop begins a motion by itself (loop/parked.py): not before this tick, or once a channel has passed a
    level."""

    at_tick: int = 0
    edge: Edge = Edge.NONE
    channel: int = 0
    level: float = 0.0


AT_ONCE = Begin()


class Ended(NamedTuple):
    """The core's end."""

    exit_code: int
    text: str


_EXITS = {
    0: "it ended in order",
    2: "it was not started with this service's memory: different versions of the program",
    3: "the driver's code raised an error; its log says where",
}


def taken(answer: Answer) -> int:
    """The tick at which a request was taken, or its refusal."""
    refusal = Refusal(answer.refusal)
    if refusal != Refusal.ACCEPTED:
        raise Refused(_CODES.get(refusal, Code.TRIPPED), REFUSAL_TEXTS[refusal], "mode")
    return int(answer.tick)


class Core:
    """A link with a memory."""

    def __init__(self, link: Link, history: History, *, virtual: bool) -> None:
        self.link, self.history, self.virtual = link, history, virtual
        self.ended: Ended | None = None
        self.ending = False  # it was asked to end
        self._started = False
        self.held: int | None = None  # virtual clock: rows from here on wait for who fetches
        self._answers: OrderedDict[int, Any] = OrderedDict()
        self._unanswered = 0
        self._last_arming = 0  # its request's number

    def look(self) -> bool:
        """Sees whether the core has ended; True once, when it just has."""
        if self.ended is not None:
            return False
        code = self.link.poll()
        if code is None:
            return False
        why = _EXITS.get(code, "it was killed" if code < 0 else "its log says why")
        self.ended = Ended(code, f"the core ended with exit code {code}: {why}")
        return True

    @property
    def started(self) -> bool:
        """Whether the loop has run its first tick."""
        self._started = self._started or self.link.status.started
        return self._started

    def need(self) -> None:
        """Refuses while there is no core."""
        if self.ended is not None:
            raise Refused(Code.GONE, f"{self.ended.text}; restart the service", "core")
        if self.ending:
            raise Refused(Code.GONE, "the service is ending", "core")
        if not self.started:
            raise Refused(Code.BUSY, f"the core is {self.link.status.state}; ask again in a moment", "core")

    @property
    def arming_asked(self) -> bool:
        """Whether the mode in the core's status may yet be that from before a request to arm."""
        return bool(self.link.status.request < self._last_arming)

    def drain(self, room: int = _DRAIN_ROWS) -> int:
        """Moves the rows that have come, at most `room`, into the history; returns how many."""
        return self.link.pour(min(_DRAIN_ROWS, room), self.history.append)

    @property
    def unanswered(self) -> bool:
        """Whether the loop owes an answer."""
        return self._unanswered > 0

    def collect(self) -> None:
        """Takes in the answers that have come."""
        if not self._unanswered:
            return
        for answer in self.link.answers():
            self._unanswered -= 1
            self._answers[answer.id] = answer
            while len(self._answers) > _ANSWERS:
                self._answers.popitem(last=False)

    def hold(self, sequence: int | None) -> None:
        """Virtual clock: keeps rows from here on until they are fetched; None keeps nothing."""
        if self.virtual and sequence != self.held:
            self.held = sequence
            self.link.held(sequence)

    def ask(
        self, kind: RequestKind, *, motion: Any = None, knots: Any = None, trip: int = 0, action: int = 0
    ) -> Task[int]:
        """Puts a request to the loop; returns the tick at which it was taken."""
        id = self.send(kind, motion=motion, knots=knots, trip=trip, action=action)
        deadline_s = time.monotonic() + _ANSWER_S
        while id not in self._answers:
            if self.ended is not None:
                self.need()
            if time.monotonic() > deadline_s:
                raise Refused(Code.INTERNAL, f"the loop gave no answer to {kind.name.lower()} within {_ANSWER_S:g} s")
            yield Pace.FAST
        return taken(self._answers.pop(id))

    def answer(self, id: int) -> Answer | None:
        """To a request that was sent, once; None as long as there is none."""
        found: Answer | None = self._answers.pop(id, None)
        return found

    def call_off(self) -> None:
        """What waits in the loop for its time does not begin any more. Its answer tells whether it had begun."""
        if self.ended is None:
            self.link.call_off()

    def send(
        self, kind: RequestKind, *, motion: Any = None, knots: Any = None, trip: int = 0, action: int = 0,
        begin: Begin = AT_ONCE,
    ) -> int:  # fmt: skip
        """Puts a request to the loop and does not wait for its answer."""
        self.need()
        self.hold(None)  # the loop must come round to it
        request = np.zeros(1, REQUEST)[0]
        request.kind, request.trip, request.action = kind, trip, action
        request.at_tick, request.edge, request.channel, request.level = begin
        try:
            if knots is not None and len(knots):
                request.bank = self.link.put_knots(knots)
            if motion is not None:
                request.motion = motion
            id = self.link.ask(request)
        except (Busy, QueueFull) as error:
            raise refusal_of(error) from None
        self._unanswered += 1
        if kind == RequestKind.ARM:
            self._last_arming = id
        return id
