"""Which connections still stand, of those that requests came by.

libzmq tells with each message by which descriptor it came, and a monitor tells which descriptors were closed. A number
may be used again: so a connection is its number and how often that had been closed when the message came.
"""

from collections import Counter
from typing import Any, NamedTuple

import zmq
from zmq.utils.monitor import parse_monitor_message


class Peer(NamedTuple):
    """The connection that a message came by."""

    descriptor: str
    ended: int


class Peers:
    """Those of one socket; to be made before it is bound."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self._ended: Counter[str] = Counter()
        self._of = socket
        where = f"inproc://ended-{id(self):x}"
        socket.monitor(where, zmq.EVENT_DISCONNECTED)
        self._reports: Any = socket.context.socket(zmq.PAIR)
        self._reports.setsockopt(zmq.RCVHWM, 0)  # libzmq waits for a monitor that is full, and with it every connection
        self._reports.connect(where)
        self._waiting = [(self._reports, zmq.POLLIN)]

    def look(self) -> None:
        """Takes in what has ended: to be called often, for the reports wait in memory."""
        while zmq.zmq_poll(self._waiting, 0):
            told = self._reports.recv_multipart(zmq.NOBLOCK)
            self._ended[str(parse_monitor_message(told)["value"])] += 1

    def of(self, origin: zmq.Frame) -> Peer | None:
        """By which connection a message came; None where libzmq does not say."""
        self.look()
        try:
            descriptor = str(origin.get("__fd"))
        except (zmq.ZMQError, KeyError):
            return None
        return Peer(descriptor, self._ended[descriptor])

    def there(self, peer: Peer | None) -> bool:
        """Whether it has not ended."""
        if peer is None or self._reports.closed:
            return False
        self.look()
        return self._ended[peer.descriptor] == peer.ended

    def close(self) -> None:
        """None stands any more; before its socket is closed."""
        self._of.disable_monitor()
        self._reports.close(linger=0)
