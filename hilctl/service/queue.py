"""Motions that wait for their turn: the list alone. What makes them run is do_queue.py's."""

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

from hilctl.law.motions import Plan
from hilctl.wire.ops_queue import Start

KEPT = 256  # that are over
_OVER = ("done", "stopped", "tripped", "cancelled", "gone")


class Planned(NamedTuple):
    """A plan, and what it is valid for."""

    plan: Plan
    from_m: float
    epoch: int

    @property
    def rest_m(self) -> float:
        """Where the table rests afterwards."""
        return float(self.plan.motion.out.to_m)


@dataclass
class Item:
    """One motion of the queue."""

    number: int
    kind: str
    parameters: dict[str, Any]
    start: Start
    due_tick: int  # not before this one; 0: at once, or on a trigger
    by: str
    planned: Planned | None  # None once it has begun
    seconds: float | None
    text: str
    rest_m: float
    state: str = "waiting"
    motion: int = 0
    tick: int = -1  # at which it began
    first: int = -1
    last: int = -1
    why: str = ""

    @property
    def over(self) -> bool:
        """Nothing more will come of it."""
        return self.state in _OVER

    def plain(self) -> dict[str, Any]:
        """As sent on the wire."""
        on = self.start.channel
        trigger = {"channel": on, "edge": self.start.edge, "level": self.start.level, "within_s": self.start.within_s}
        return {
            "item": self.number, "state": self.state, "kind": self.kind, "parameters": self.parameters,
            "seconds": self.seconds, "text": self.text, "start": trigger if on else None, "by": self.by,
            "motion": self.motion, "tick": self.tick, "due_tick": self.due_tick, "first": self.first,
            "last": self.last, "why": self.why,
        }  # fmt: skip


class MotionQueue:
    """The motions that wait, the one of them that runs, and those that are over."""

    def __init__(self) -> None:
        self.waiting: deque[Item] = deque()
        self.running: Item | None = None
        self.holder = 0  # of the lease, who filled it
        self.cancels = 0  # how often it was cancelled
        self.adding = self.working = False
        self.parked: Item | None = None  # the one that the loop will begin by itself
        self.undecided = ""  # why that one shall not begin: the loop has not said yet whether it had begun
        self._over: deque[Item] = deque(maxlen=KEPT)
        self._next = 1

    def __len__(self) -> int:
        return len(self.waiting) - bool(self.undecided)

    def number(self) -> int:
        """The next item's."""
        self._next += 1
        return self._next - 1

    def cancel(self, why: str, first: int = 0) -> list[int]:
        """Nothing that waits begins any more, from this item on; their numbers, without one that is undecided."""
        gone = [item for item in self.waiting if item.number >= first]
        if gone:
            self.cancels += 1
        if self.parked in gone:
            gone.remove(self.parked)
            self.undecided = self.undecided or why
        for item in gone:
            self.waiting.remove(item)
            self.end(item, "cancelled", why)
        return [item.number for item in gone]

    def end(self, item: Item, state: str, why: str = "") -> None:
        """It is over."""
        item.state, item.why, item.planned = state, why, None
        self._over.append(item)

    def find(self, number: int) -> Item | None:
        """The item of this number, as long as it is remembered."""
        return next((item for item in self.items if item.number == number), None)

    @property
    def items(self) -> list[Item]:
        """All that are remembered, in order."""
        return [*self._over, *((self.running,) if self.running is not None else ()), *self.waiting]
