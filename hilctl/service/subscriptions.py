"""Who listens to what: the subscriptions of the connections that are there, and a budget of them.

A subscriber that goes without a word leaves a message for each of its subscriptions, which does not say whose it was:
zmq makes it, when the connection has ended. So connections are known by their descriptors in this process, and then
those are looked through whose descriptor has been closed, or is another connection's.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import zmq

from hilctl.service.inbox import of_connection

OF_ONE, OF_ALL = 256, 1024  # subscriptions of one key, and of all: zmq remembers each, 100 bytes for each of its own
# For how long after such a message: zmq closes the descriptor a moment after the message of the connection's end.
_LOOK_S = 1.0


class Line(NamedTuple):
    """A connection."""

    sender: str  # the key, or the address
    descriptor: int  # -1 where zmq does not tell it: that connection counts for ever
    inode: int  # of its socket: a descriptor is soon another connection's

    @property
    def alive(self) -> bool:
        """Whether it is there."""
        return inode_of(self.descriptor) == self.inode


def inode_of(descriptor: int) -> int:
    """Of the socket with this descriptor; 0 where there is none."""
    try:
        return os.fstat(descriptor).st_ino if descriptor >= 0 else 0
    except OSError:
        return 0


def line_of(frame: zmq.Frame) -> Line | None:
    """The connection that a message came from; None where zmq made it up."""
    sender = of_connection(frame, "User-Id") or of_connection(frame, "Peer-Address")
    if not sender:
        return None
    try:
        descriptor = int(frame.get(zmq.SRCFD))
    except zmq.ZMQError:
        descriptor = -1
    return Line(sender, descriptor, inode_of(descriptor))


class Subscriptions:
    """Those of one socket."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.flood = ""  # the key, or the address, of who passed the budget
        self.prefixes: Counter[bytes] = Counter()
        self._of: dict[Line, set[bytes]] = {}
        self._senders: Counter[str] = Counter()
        self._clock, self._look_until_s = clock, 0.0

    def add(self, line: Line, prefix: bytes) -> None:
        """Another subscription. One that is there already is no other; a connection that has ended has none."""
        if prefix in self._of.get(line, ()) or (line.descriptor >= 0 and not line.inode):
            return
        self._of.setdefault(line, set()).add(prefix)
        self._senders[line.sender] += 1
        self.prefixes[prefix] += 1
        if self._senders[line.sender] > OF_ONE or self._senders.total() > OF_ALL:
            self.flood = line.sender

    def remove(self, line: Line | None, prefix: bytes) -> None:
        """The end of one; `line`: whose it is, or None where its connection has ended."""
        if line is None:
            self._look_until_s = self._clock() + _LOOK_S
        elif prefix in self._of.get(line, ()):
            self._forget(line, {prefix})

    def look(self) -> bool:
        """Whether connections have ended, whose subscriptions are forgotten by now."""
        if self._clock() > self._look_until_s:
            return False
        ended = [line for line in self._of if not line.alive]
        for line in ended:
            self._forget(line, set(self._of[line]))
        return bool(ended)

    def _forget(self, line: Line, prefixes: set[bytes]) -> None:
        self._of[line] -= prefixes
        if not self._of[line]:
            del self._of[line]
        self._senders -= Counter({line.sender: len(prefixes)})
        self.prefixes -= Counter(prefixes)
