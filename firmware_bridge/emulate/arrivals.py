"""When bytes came on a line: dated by a thread of its own, which does nothing else.

A device has a processor for itself, and obeys when a command comes. This process has an interpreter and shares the
host: it may look 0.2 ms later. So what comes is dated at once, by compiled code before everything else here, and acts
and is measured as of then. (The inverse model turns friction round by commands of a tick each, which cancel one another
only where each acts as long as the next.) On a TCP socket the thread costs more than it shows: it wakes in the middle
of the packet's way, and 0.17 ms of an exchange become 0.3.
"""

import os
import select
import threading
import time
from typing import Any

import numpy as np

from hilctl.rt.jit import PLAIN, jit
from hilctl.rt.libc import EVENT_FD, monotonic_ns, wait_event

PRIORITY = 41  # before the device
_MOST = 4096  # descriptors
_OLDEST_NS = 5_000_000  # what is older belongs to bytes that were read before


@jit(lambda: "void(int64, uint32[::1], int64[::1])", cached=True)
def rt_date(fd: int, event: Any, came_ns: Any) -> None:
    """Without end: of each descriptor on which something comes, when."""
    while True:
        if wait_event(fd, event) == 1:
            came_ns[event[EVENT_FD]] = monotonic_ns()


class Arrivals:
    """The dates, by descriptor. Until it has begun, everything comes when it is looked at."""

    def __init__(self) -> None:
        self._epoll: select.epoll | None = None
        self._came_ns = np.zeros(_MOST, np.int64)

    def begin(self) -> None:
        """Starts the thread; it ends with the process."""
        if not PLAIN:
            self._epoll = select.epoll()
            threading.Thread(target=self._date, args=(self._epoll.fileno(),), daemon=True).start()

    def _date(self, fd: int) -> None:
        try:
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_FIFO, os.sched_param(PRIORITY))
        except OSError:
            pass  # not allowed here
        rt_date(fd, np.zeros(4, np.uint32), self._came_ns)

    def watch(self, fd: int) -> None:
        """From now on what comes there is dated, until it is closed."""
        if self._epoll is not None and fd < _MOST:
            self._epoll.register(fd, select.EPOLLIN | select.EPOLLET)

    def newest(self, fd: int) -> int:
        """The date of what came there last, 0 where there is none that has not counted."""
        return int(self._came_ns[fd]) if fd < _MOST else 0

    def of(self, fd: int) -> int:
        """When that came which has just been read there."""
        now_ns, came_ns = time.monotonic_ns(), self.newest(fd)
        if came_ns:
            self._came_ns[fd] = 0
        return came_ns if 0 <= now_ns - came_ns < _OLDEST_NS else now_ns


arrivals = Arrivals()
