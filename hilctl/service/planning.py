"""Who gets how much of the planners: two threads, so that nobody's question keeps the holder's motion waiting.

    the holder of the lease   motions, checks and changes of parameters, one after the other
    everybody else            checks of motions: a few of each key, a few of all, each for a few seconds

What is planned is given up when its time is over, or when the service ends.
"""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

from hilctl.law.motions.checking import GaveUp
from hilctl.service.tasks import Task, finished
from hilctl.wire.errors import Code, Refused

T = TypeVar("T")
Going = Callable[[], bool]
OF_ONE, OF_ALL = 2, 8  # checks that wait or run
LONGEST_S = 5.0


class Planning:
    """The two threads and their budgets."""

    def __init__(self) -> None:
        self.planner: Executor = ThreadPoolExecutor(1, "planner")
        self.checker: Executor = ThreadPoolExecutor(1, "checker")
        self.ending = False
        self._checks: Counter[str] = Counter()  # by the id of who asked

    def plan(self, work: "Callable[[Going], T]") -> Task[T]:
        """For the holder of the lease."""
        asked = self.planner.submit(work, lambda: not self.ending)
        return (yield from _given(finished(asked), "the service is ending"))

    def check(self, who: str, holder: bool, work: "Callable[[Going], T]") -> Task[T]:
        """For anybody who is admitted; the holder of the lease does not wait for the others."""
        if holder:
            return (yield from self.plan(work))
        mine, all_of = self._checks[who], self._checks.total()
        if mine >= OF_ONE or all_of >= OF_ALL:
            told = f"{mine} checks of this key and {all_of} in all already wait, at most {OF_ONE} and {OF_ALL} may"
            raise Refused(Code.BUSY, f"{told}; ask again when they are answered", "check_motion")
        until_s: list[float] = []

        def going() -> bool:
            if not until_s:
                until_s.append(time.monotonic() + LONGEST_S)
            return not self.ending and time.monotonic() < until_s[0]

        self._checks[who] += 1
        try:
            told = f"this check takes longer than {LONGEST_S:g} s, and was given up; only the lease's holder may go on"
            return (yield from _given(finished(self.checker.submit(work, going)), told))
        finally:
            self._checks[who] -= 1
            self._checks += Counter()  # forgets who has none

    def end(self) -> None:
        """Gives everything up."""
        self.ending = True
        for pool in (self.planner, self.checker):
            pool.shutdown(wait=False, cancel_futures=True)


def _given(task: Task[T], why: str) -> Task[T]:
    try:
        return (yield from task)
    except GaveUp:
        raise Refused(Code.BUSY, why, "check_motion") from None
