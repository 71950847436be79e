"""One mutant, one forked child: it has imported everything, changes one function's code in place, and runs tests."""

import gc
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple

_LATE = 20.0


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
    limit_s: float  # of processor time; of the clock's, so many times more that no busy machine is taken for a mutant


def try_all(trials: Iterable[Trial], at_once: int) -> Iterator[tuple[Any, Fate]]:
    """The fate of each, as they come to their ends."""
    gc.collect()
    gc.freeze()  # what a child does not collect it does not copy
    running: dict[int, Any] = {}
    for trial in trials:
        while len(running) >= at_once:
            yield from _ended(running)
        running[_begin(trial)] = trial.key
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
        for ends in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(ends, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, trial.limit_s)
        signal.setitimer(signal.ITIMER_REAL, _LATE * trial.limit_s)
        trial.function.__code__ = trial.code
        fate = 0 if trial.passes() else 1
    finally:
        os._exit(fate)


def _ended(running: dict[int, Any]) -> Iterator[tuple[Any, Fate]]:
    """Waits for one child at least."""
    while True:
        for child, key in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                del running[child]
                yield key, _fate(status)
                return
        time.sleep(0.002)


def _fate(status: int) -> Fate:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM):
        return Fate.TIMED_OUT
    return Fate.SURVIVED if status == 0 else Fate.KILLED
