"""Requests that take a while, as generators: each runs until it must wait for something, and is tried again each cycle.

A handler is a plain function that returns its result, or a generator that yields how soon to look again and returns its
result at the end. One thread runs them all: nothing here is ever touched by two at once.
"""

import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from enum import IntEnum
from typing import Any, TypeVar

from hilctl.errors import HilctlError
from hilctl.wire.errors import Code, Refused, refusal_of

log = logging.getLogger(__name__)

T = TypeVar("T")
Result = dict[str, Any]
MOST = 256  # tasks that may wait at once: enough for every client there is, and an end for a flood
MOST_OF_KEY = 128
MOST_OF_ONE = 32  # program


class Pace(IntEnum):
    """How soon to look again."""

    SLOW = 0  # with the next block of samples
    FAST = 1  # in a millisecond: someone waits for an answer


Task = Generator[Pace, None, T]
Owner = tuple[str, str]  # a key or token, and the program that uses it
Done = Callable[[Result | Refused], None]


def refusal_from(error: Exception, what: str) -> Refused:
    """The refusal that an error of a handler becomes; a defect is logged and says no more than that."""
    if isinstance(error, HilctlError):
        return refusal_of(error)
    log.error("%s failed", what, exc_info=error)
    return Refused(Code.INTERNAL, f"{what} failed: {type(error).__name__}; the service's log says more")


def finished(future: "Future[T]") -> Task[T]:
    """Waits for another thread's work."""
    while not future.done():
        yield Pace.FAST
    return future.result()


class Tasks:
    """Everything that waits."""

    def __init__(self) -> None:
        self._tasks: list[tuple[Owner, str, Task[Result], Done]] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def add(self, owner: Owner, what: str, task: Task[Result], done: Done, *, always: bool = False) -> None:
        """Runs it up to its first wait, and keeps it if it is not over by then. `always`: whatever number waits."""
        of_one = sum(1 for other, *_ in self._tasks if other == owner)
        of_key = sum(1 for other, *_ in self._tasks if other[0] == owner[0])
        if not always and (len(self._tasks) >= MOST or of_key >= MOST_OF_KEY or of_one >= MOST_OF_ONE):
            task.close()
            told = f"{of_one} requests of this program, {of_key} of this key and {len(self._tasks)} in all already wait"
            done(Refused(Code.BUSY, f"{told}; at most {MOST_OF_ONE}, {MOST_OF_KEY} and {MOST} may"))
            return
        if self._try(what, task, done) is not None:
            self._tasks.append((owner, what, task, done))

    def own(self, what: str, task: Task[Any]) -> None:
        """What the service owes by itself: kept whatever number waits already, and begun with the next step."""

        def done(outcome: Result | Refused) -> None:
            if isinstance(outcome, Refused):
                log.error("%s: %s", what, outcome)

        self._tasks.append((("", ""), what, task, done))

    def step(self) -> Pace:
        """Tries every task once; says how soon to come back."""
        if not self._tasks:
            return Pace.SLOW
        soonest, kept = Pace.SLOW, []
        tasks, self._tasks = self._tasks, []
        for owner, what, task, done in tasks:
            pace = self._try(what, task, done)
            if pace is not None:
                kept.append((owner, what, task, done))
                soonest = max(soonest, pace)
        self._tasks = kept + self._tasks
        return soonest

    def _try(self, what: str, task: Task[Result], done: Done) -> Pace | None:
        try:
            return next(task)
        except StopIteration as end:
            done(end.value)
        except Exception as error:  # every error becomes a reply
            done(refusal_from(error, what))
        return None
