"""Messages from a ROUTER, frame by frame. What a peer sends costs no more than it has to.

zmq limits a frame and not a message (MAXMSGSIZE), and hands a message over only when all of it has come. So a frame
larger than any request cuts its sender off before it is read, and of a message of many frames only the first few are
kept: the rest is dropped as it is taken out, without a copy, over as many cycles as that needs.
"""

import time
from typing import NamedTuple

import zmq

from hilctl.wire.decode import MAX_REQUEST

CUT_OFF = 2 * MAX_REQUEST  # bytes of a frame; up to it, too large a request gets an answer that says so
_FRAMES = 3  # the sender, REQ's empty frame, the request
_LOOK = 64  # frames between two looks at the clock


class Message(NamedTuple):
    """A message; `frames` are the first few of it, and only the sender's where all of it is too large."""

    frames: list[bytes]
    origin: zmq.Frame  # tells of its connection
    parts: int  # of all its frames, the sender's too
    size: int  # bytes, without the sender's


def of_connection(origin: zmq.Frame, name: str) -> str:
    """A property of the connection: User-Id, the key that was proved; Peer-Address. Empty where it has none."""
    try:
        return str(origin.get(name) or "")
    except (zmq.ZMQError, KeyError):
        return ""


class Inbox:
    """Takes messages out of a socket."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self._socket = socket
        self._frames: list[bytes] = []
        self._origin: zmq.Frame | None = None
        self._count = self._size = 0

    def next(self, until_s: float) -> Message | None:
        """The next whole message; None when there is none, or when the time is over in the middle of one."""
        while True:
            try:
                frame = self._socket.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return None
            self._keep(frame)
            if not frame.more:
                assert self._origin is not None
                message = Message(self._frames, self._origin, self._count, self._size)
                self._frames, self._count, self._size = [], 0, 0
                return message
            if self._count % _LOOK == 0 and time.monotonic() > until_s:
                return None

    def _keep(self, frame: zmq.Frame) -> None:
        self._count += 1
        if self._count == 1:
            self._frames.append(frame.bytes)
            self._origin = frame
            return
        self._size += len(frame)
        if self._size > MAX_REQUEST:
            del self._frames[1:]
        elif self._count <= _FRAMES:
            self._frames.append(frame.bytes)
