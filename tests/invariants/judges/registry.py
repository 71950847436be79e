"""What a judge is: it looks at a run and names the first tick that breaks its invariant."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from hilctl.signals import Mode, Trip
from tests.invariants.run import Run


class Violation(NamedTuple):
    """An invariant that does not hold."""

    judge: str
    tick: int
    text: str

    def __str__(self) -> str:
        return f"{self.judge} at tick {self.tick}: {self.text}"


Check = Callable[[Run], Iterator[tuple[int, str]]]
JUDGES: dict[str, Callable[[Run], Iterator[Violation]]] = {}


def judge(check: Check) -> Check:
    """Registers a judge, which yields the row and what is wrong there."""

    def judged(run: Run) -> Iterator[Violation]:
        for k, text in check(run):
            mode = Mode(int(run.mode[k])).name.lower()
            trip = Trip(int(run.trip[k])).name.lower()
            yield Violation(check.__name__, int(run.tick[k]), f"{text} (mode {mode}, trip {trip})")
            return

    JUDGES[check.__name__] = judged
    return check


def first(mask: Any) -> int:
    """The first row in which it is so, or -1."""
    return int(np.argmax(mask)) if mask.any() else -1


def since(mask: Any, run: Run) -> Any:
    """For how many ticks it has been so, in every tick."""
    ticks = run.tick
    begins = np.where(mask & ~np.concatenate(([False], mask[:-1])), ticks, -1)
    return np.where(mask, ticks - np.maximum.accumulate(begins), 0)
