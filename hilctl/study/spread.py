"""Work in parts over workers: processes here, or those of a Dask cluster, by one interface (concurrent.futures).

A part goes out again where its worker is lost; one that has lost two goes out alone, so that no other is blamed for
what it does to its worker. Results come in any order and are kept by their number, so that neither
the workers nor a lost one change anything.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Any, Protocol

from hilctl.errors import HilctlError
from hilctl.study.work import prepare_worker

_AHEAD = 3  # parts a worker that are out: none waits for the next
_TRIES = 4  # of a part whose worker is lost
_TOGETHER = 2  # of them beside other parts
_LOOK_S = 1.0

Tell = Callable[[int, int], None]


class Work(Protocol):
    """What is to be computed, in numbered parts."""

    @property
    def total(self) -> int:
        """How many parts there are."""

    def missing(self) -> list[int]:
        """Those that are to be computed."""

    def call(self, number: int) -> tuple[Any, ...]:
        """The function that computes a part, and its arguments; its result are bytes."""

    def keep(self, number: int, content: bytes) -> None:
        """A part's result."""

    def told(self, number: int) -> str:
        """The part, for a person."""

    def without(self, number: int, why: str) -> bool:
        """Each try of a part has lost its worker: whether the others are done all the same."""


class Workers(Protocol):
    """Where the parts go."""

    def count(self) -> int:
        """How many work now."""

    def executor(self) -> Executor:
        """What takes them; another one after `lost`."""

    def lost(self, error: BaseException) -> bool:
        """Whether an error means that a worker went away, and not that the work is wrong."""

    def close(self) -> None:
        """Lets them go."""


class Local:
    """Processes of this machine."""

    def __init__(self, workers: int) -> None:
        self._workers, self._pool = workers, None  # type: int, ProcessPoolExecutor | None

    def count(self) -> int:
        """See Workers."""
        return self._workers

    def executor(self) -> Executor:
        """See Workers."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, get_context("spawn"), initializer=prepare_worker)
        return self._pool

    def lost(self, error: BaseException) -> bool:
        """See Workers. A pool that lost one process is broken as a whole."""
        if not isinstance(error, BrokenProcessPool | CancelledError):
            return False
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        return True

    def close(self) -> None:
        """See Workers."""
        if self._pool is not None:
            processes = list((getattr(self._pool, "_processes", None) or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:  # what they would still compute nobody waits for
                with suppress(OSError, ValueError):
                    process.terminate()


def processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0))


def spread(work: Work, workers: Workers, tell: Tell) -> None:
    """Computes what is missing."""
    todo = work.missing()[::-1]
    total, done = work.total, work.total - len(todo)
    out: dict[Future[bytes], int] = {}
    tries: Counter[int] = Counter()
    tell(done, total)
    try:
        while todo or out:
            _send(work, workers, todo, out, tries)
            finished, _ = wait(out, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
            for future in finished:
                number = out.pop(future, None)
                if number is None:
                    continue
                error: BaseException | None = None
                try:
                    work.keep(number, future.result())
                    done += 1
                    tell(done, total)
                except (Exception, CancelledError) as raised:  # whatever the worker raised
                    error = raised
                if error is not None:
                    _again(work, workers, error, number, todo, tries)
    finally:
        for future in out:
            future.cancel()


def _send(work: Work, workers: Workers, todo: list[int], out: dict["Future[bytes]", int],
          tries: "Counter[int]") -> None:  # fmt: skip
    while todo and len(out) < _most(workers, todo, out, tries):
        number = todo[-1]
        try:
            future: Future[bytes] = workers.executor().submit(*work.call(number))
        except Exception as error:  # a pool that broke since the last look
            if not workers.lost(error) or tries[-1] > _TRIES * 10:
                raise
            tries[-1] += 1
            time.sleep(0.05)
            continue
        out[future] = todo.pop()
        tries[number] += 1


def _most(workers: Workers, todo: list[int], out: dict["Future[bytes]", int], tries: "Counter[int]") -> int:
    """How many parts may be out."""
    alone = tries[todo[-1]] >= _TOGETHER or any(tries[number] > _TOGETHER for number in out.values())
    return 1 if alone else _AHEAD * max(1, workers.count())


def _again(work: Work, workers: Workers, error: BaseException, number: int, todo: list[int],
           tries: "Counter[int]") -> None:  # fmt: skip
    """A part whose worker is lost goes out again; any other error ends the work."""
    if not workers.lost(error):
        raise error
    if tries[number] < _TRIES:
        todo.append(number)
        return
    why = f"{_TRIES} workers were lost while they computed this; look at memory and at the system's log"
    if not work.without(number, why):
        raise HilctlError(f"{work.told(number)}: {why}, then go on with what is missing") from error


def measured(chunks: list[Any]) -> tuple[float, float]:
    """Simulated seconds, and processor seconds, of all."""
    return sum(one.simulated_s for one in chunks), sum(one.spent_s for one in chunks)
