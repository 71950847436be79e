"""When bytes came: dated on the firmware's line by a thread that does nothing else, on a socket by the system.

A device has a processor for itself, and obeys when a command comes. This process has an interpreter and shares the
host: it may look 0.2 ms later. So what comes is dated at once, and acts and is measured as of then. (The inverse model
turns friction round by commands of a tick each, which cancel one another only where each acts as long as the next.)
"""

import select
import socket
import struct
import threading
import time
from typing import Any

import numpy as np

from hilctl.rt.jit import PLAIN, jit
from hilctl.rt.libc import EVENT_FD, monotonic_ns, wait_event
from hilctl.rt.priority import prefer

PRIORITY = 41  # before the device
_MOST = 4096  # descriptors
_STAMP = struct.Struct("qq")  # a timespec
_SO_TIMESTAMPNS = 35  # of Linux; the socket module has no name for it
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
        prefer(PRIORITY)
        rt_date(fd, np.zeros(4, np.uint32), self._came_ns)

    def watch(self, fd: int) -> None:
        """From now on what comes there is dated, until it is closed."""
        if self._epoll is not None and fd < _MOST:
            self._epoll.register(fd, select.EPOLLIN | select.EPOLLET)

    def note(self, fd: int, came_ns: int) -> None:
        """The system says when something came there."""
        if fd < _MOST:
            self._came_ns[fd] = came_ns

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


class DatedSocket(socket.socket):
    """A TCP socket that listens, or one that it accepted: what comes is dated when the system has it."""

    def accept(self) -> tuple[socket.socket, Any]:
        """A connection whose bytes are dated."""
        plain, address = super().accept()
        made = DatedSocket(plain.family, plain.type, socket.IPPROTO_TCP, plain.detach())  # asyncio sets NODELAY by it
        made.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        return made, address

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Bytes, and their date."""
        data, about, _, _ = self.recvmsg(size, socket.CMSG_SPACE(_STAMP.size), flags)
        for level, kind, stamp in about:
            if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS:
                seconds, nanoseconds = _STAMP.unpack(stamp)
                old_ns = time.time_ns() - (1_000_000_000 * seconds + nanoseconds)
                arrivals.note(self.fileno(), time.monotonic_ns() - old_ns)
        return data
