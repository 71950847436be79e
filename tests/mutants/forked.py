"""One mutant, one forked child: it has imported everything, changes one function's code in place, and runs tests."""

import gc
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple


class Fate(Enum):
    """What the tests made of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"  # it never came to an end: killed, by the limit of time
    SURVIVED = "survived"
    NOT_COVERED = "not covered"


class Trial(NamedTuple):
    """A mutant's function, the code that it gets, and what then tells whether all tests pass."""

    key: Any
    function: Any
    code: Any
    passes: Callable[[], bool]
    limit_s: float


def try_all(trials: Iterable[Trial], at_once: int) -> Iterator[tuple[Any, Fate]]:
    """The fate of each, as they come to their ends."""
    gc.collect()
    gc.freeze()  # what a child does not collect it does not copy
    running: dict[int, tuple[Any, float]] = {}
    for trial in trials:
        while len(running) >= at_once:
            yield from _ended(running)
        running[_begin(trial)] = trial.key, time.monotonic() + trial.limit_s
    while running:
        yield from _ended(running)
    gc.unfreeze()


def _begin(trial: Trial) -> int:
    child = os.fork()
    if child:
        return child
    fate = 1
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silent, descriptor)
        trial.function.__code__ = trial.code
        fate = 0 if trial.passes() else 1
    finally:
        os._exit(fate)


def _ended(running: dict[int, tuple[Any, float]]) -> Iterator[tuple[Any, Fate]]:
    """Waits for one child at least; ends those that take too long."""
    while True:
        for child, (key, until) in list(running.items()):
            late = time.monotonic() > until
            if late:
                os.kill(child, signal.SIGKILL)
            ended, status = os.waitpid(child, 0 if late else os.WNOHANG)
            if ended:
                del running[child]
                yield key, Fate.TIMED_OUT if late else Fate.SURVIVED if status == 0 else Fate.KILLED
                return
        time.sleep(0.002)
