"""Waits until somebody asks: one system call, where zmq's own waiting asks each of its sockets before and after.

A socket's descriptor tells that something has changed, once, and not that something is there (zmq_getsockopt(3),
ZMQ_FD). So a socket that was used otherwise is asked itself before the next wait.
"""

import select
from typing import Any

import zmq


class Doorbell:
    """Of some sockets, and of a descriptor beside them, which rings while it is readable; -1: of none."""

    def __init__(self, *sockets: Any, beside: int = -1) -> None:
        self._sockets, self._beside = sockets, beside
        self._poll = select.poll()
        for socket in sockets:
            self._poll.register(socket.getsockopt(zmq.FD), select.POLLIN)
        if beside >= 0:
            self._poll.register(beside, select.POLLIN)
        self._used = True

    def used(self) -> None:
        """Something was sent or received since the last wait."""
        self._used = True

    def wait(self, most_ms: int) -> list[Any]:
        """Where there is something to take, the descriptor last; none when the time is over, or sometimes before."""
        waiting: list[Any] = self._asked() if self._used else []
        self._used = bool(waiting)
        changed = self._poll.poll(0 if waiting else most_ms)
        if changed and not waiting:
            waiting = self._asked()
            self._used = bool(waiting)
        return [*waiting, self._beside] if any(fd == self._beside for fd, _ in changed) else waiting

    def _asked(self) -> list[Any]:
        return [socket for socket in self._sockets if socket.getsockopt(zmq.EVENTS) & zmq.POLLIN]
