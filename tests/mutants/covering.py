"""Which tests run which lines of the functions that are broken, and how long each takes; measured in one run."""

import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from types import FrameType
from typing import Any


class TooLong(BaseException):
    """A test that takes too long in plain Python; no `except Exception` of the test holds it."""


class Cover:
    """Lines by the tests that run them. A test of more than `longest_s` of processor time is left out."""

    def __init__(self, files: set[str], longest_s: float) -> None:
        self.files, self.longest_s = files, longest_s
        self.tests: dict[tuple[str, int], set[Any]] = defaultdict(set)
        self.took_s: dict[Any, float] = {}

    def measure(self, test: Any, run: Callable[[], bool]) -> bool:
        """Runs a test, and keeps what it ran through if it passed in time."""
        lines: set[tuple[str, int]] = set()

        def note(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            return note

        def entered(frame: FrameType, event: str, argument: Any) -> Any:
            return note(frame, event, argument) if frame.f_code.co_filename in self.files else None

        def out_of_time(number: int, frame: Any) -> None:
            sys.settrace(None)
            raise TooLong

        before = signal.signal(signal.SIGPROF, out_of_time)
        signal.setitimer(signal.ITIMER_PROF, self.longest_s)
        begun = time.process_time()
        sys.settrace(entered)
        try:
            passed = run()
        except TooLong:
            passed = False
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, before)
        if passed:
            self.took_s[test] = time.process_time() - begun
            for line in lines:
                self.tests[line].add(test)
        return passed

    def covering(self, file: str, first: int, last: int, budget_s: float) -> list[Any]:
        """Tests that run any of these lines, the quickest first, as many as the time allows."""
        found = {test for line in range(first, last + 1) for test in self.tests.get((file, line), ())}
        chosen, left_s = [], budget_s
        for test in sorted(found, key=lambda one: self.took_s[one]):
            if chosen and self.took_s[test] > left_s:
                break
            chosen.append(test)
            left_s -= self.took_s[test]
        return chosen
