"""The core on a thread of this process: for tests, and for work that wants its twin at hand. Nothing else differs."""

import os
from collections import deque
from typing import Any

from firmware_bridge.driver import RigFacts
from hilctl.loop import memory as shared
from hilctl.loop.link import Link
from hilctl.loop.options import DRIVER_FAILED, CoreOptions, Start
from hilctl.loop.running import LoopThread, load_loop
from hilctl.loop.voice import Voice
from hilctl.signals import Trip


class CoreThread:
    """The runner of link.py, as a thread."""

    def __init__(self, thread: LoopThread, said: "_Heard") -> None:
        self._thread, self._heard = thread, said
        self._code: int | None = None

    def begin(self) -> None:
        """Loads the loop, opens the driver and starts."""
        load_loop(self._heard)
        if self._thread.open():
            self._thread.start()
        else:
            self._code = DRIVER_FAILED

    def poll(self) -> int | None:
        """See Runner."""
        if self._code is None and self._thread.over:
            self._thread.wait(1.0)
            self._code = self._thread.close()
        return self._code

    def end(self) -> None:
        """See Runner."""
        self._thread.end(Trip.SHUTDOWN)

    def wait(self, timeout_s: float) -> int | None:
        """See Runner."""
        if self._code is None:
            self._thread.wait(timeout_s)
        return self.poll()

    def kill(self) -> None:
        """A thread cannot be killed: it stays."""

    @property
    def spent_s(self) -> float:
        """Processor time that the loop took; known at its end."""
        return self._thread.spent_s

    voice = -1  # what it says waits in a queue of this process

    def said(self) -> list[dict[str, Any]]:
        """See Runner."""
        heard = self._heard.messages  # other threads append meanwhile
        return [heard.popleft() for _ in range(len(heard))]

    def close(self) -> None:
        """Ends the loop: its memory must outlive it."""
        self.end()
        self.wait(60.0)


class _Heard(Voice):
    """Keeps what the core says."""

    def __init__(self) -> None:
        super().__init__(None)
        self.messages: deque[dict[str, Any]] = deque()

    def _send(self, message: dict[str, Any]) -> None:
        self.messages.append(message)


def start(settings: Any, *, driver: Any, facts: RigFacts, options: CoreOptions, driver_config: Any = None) -> Link:
    """A link to a core on a thread. `driver` is a name, with its `driver_config`, or a driver that stands already."""
    run = int.from_bytes(os.urandom(7), "little")
    memory = shared.make(settings, options, run)
    name = driver if isinstance(driver, str) else type(driver).__name__
    heard = _Heard()
    given = None if isinstance(driver, str) else driver
    thread = LoopThread(memory, Start(run, name, driver_config or {}, facts, options), heard, given)
    runner = CoreThread(thread, heard)
    runner.begin()
    return Link(memory, runner, name, options)


def spent_s(link: Link) -> float:
    """Processor time of a loop that has ended."""
    return float(getattr(link._runner, "spent_s", 0.0))
