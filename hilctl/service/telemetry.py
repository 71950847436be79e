"""Telemetry: blocks of samples, events and status to whoever subscribes, and the scope for PlotJuggler.

Two frames a message, topic and MessagePack. XPUB tells who subscribes to what: nothing is packed for nobody. A
subscriber that stalls is served from the socket's queue for ten seconds before it loses blocks, which the sequence
numbers show.
"""

from typing import Any

import msgpack
import numpy as np
import zmq

from hilctl.recording.layout import Event
from hilctl.service.history import History
from hilctl.signals import CHANNELS, NAMES
from hilctl.wire.encode import columns_of, words_of_rows

BLOCK, EVENT, STATUS = b"block", b"event", b"status"
SCOPE = b"hilctl"
_QUEUE_S = 10.0
_MOST_ROWS = 4096  # of one block: on the virtual clock a cycle may bring more
_REAL = [i for i, c in enumerate(CHANNELS) if c.kind == "f8"]
_WHOLE = [i for i, c in enumerate(CHANNELS) if c.kind == "i8"]


def _listen(context: "zmq.Context[zmq.Socket[bytes]]", bind: str, port: int, queue: int) -> "zmq.Socket[bytes]":
    socket = context.socket(zmq.XPUB)
    socket.setsockopt(zmq.XPUB_VERBOSE, 1)
    socket.setsockopt(zmq.SNDHWM, queue)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.MAXMSGSIZE, 256)  # a peer only ever subscribes
    socket.bind(f"tcp://{bind}:{port or '*'}")
    return socket


class Topics:
    """Who listens to what."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self.socket = socket
        self._counts: dict[bytes, int] = {}

    def learn(self) -> list[bytes]:
        """Takes in subscriptions; returns the prefixes that were newly asked for."""
        fresh: list[bytes] = []
        while True:
            try:
                message = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return fresh
            prefix, count = message[1:], self._counts.get(message[1:], 0)
            if message[:1] == b"\x01":
                self._counts[prefix] = count + 1
                fresh.append(prefix)
            elif message[:1] == b"\x00":
                # XPUB passes on only the last unsubscription of a prefix.
                self._counts.pop(prefix, None)

    def wanted(self, topic: bytes) -> bool:
        """Whether anybody listens to this topic."""
        return any(topic.startswith(prefix) for prefix in self._counts)


class Telemetry:
    """The two publishing sockets."""

    def __init__(self, context: Any, bind: str, ports: tuple[int, int], run: str, schema: str, block_s: float) -> None:
        queue = max(100, int(_QUEUE_S / block_s))
        self._blocks = Topics(_listen(context, bind, ports[0], queue))
        self._scope = Topics(_listen(context, bind, ports[1], queue))
        self.sockets = (self._blocks.socket, self._scope.socket)
        self._run, self._schema = run, schema
        self._sent = self._scoped = 0  # next sequence number to send
        self._status = b""
        self._packer = msgpack.Packer(use_bin_type=True)

    @property
    def endpoints(self) -> tuple[str, str]:
        """Where telemetry and scope are."""
        first, second = (s.getsockopt_string(zmq.LAST_ENDPOINT) for s in self.sockets)
        return first, second

    def learn(self) -> None:
        """Takes in subscriptions; a new listener to `status` is told the last one."""
        fresh = self._blocks.learn()
        if self._status and any(STATUS.startswith(prefix) for prefix in fresh):
            self._send(STATUS, self._status)
        self._scope.learn()

    def event(self, event: Event) -> None:
        """Tells an event."""
        if self._blocks.wanted(EVENT):
            self._send(EVENT, self._packer.pack(event.plain()))

    def status(self, status: dict[str, Any]) -> None:
        """Tells the status, and keeps it for who comes later."""
        self._status = self._packer.pack(status)
        self._send(STATUS, self._status)

    def samples(self, history: History, scope_every: int) -> None:
        """Sends what has come since the last time."""
        first = max(self._sent, history.first)
        if self._blocks.wanted(BLOCK):
            while first < history.end:
                rows = history.glance(first, _MOST_ROWS)
                block = {
                    "run": self._run,
                    "schema": self._schema,
                    "first": first,
                    "count": len(rows),
                    "columns": columns_of(rows),
                }
                self._send(BLOCK, self._packer.pack(block))
                first += len(rows)
        self._sent = history.end
        self._scope_samples(history, scope_every)

    def _scope_samples(self, history: History, every: int) -> None:
        first = max(self._scoped, history.first)
        first += -first % every
        if self._scope.wanted(SCOPE) and first < history.end:
            rows = history.rows(max(first, history.end - _MOST_ROWS * every), history.end, every)
            words = words_of_rows(rows)
            table = np.empty(words.shape)
            table[:, _REAL] = words.view(np.float64)[:, _REAL]
            table[:, _WHOLE] = words[:, _WHOLE]
            names = ("timestamp", *NAMES)
            timed = np.column_stack((rows["time_ns"] * 1e-9, table))
            message = [dict(zip(names, row, strict=True)) for row in timed.tolist()]
            self._scope.socket.send_multipart([SCOPE, self._packer.pack(message)], zmq.NOBLOCK)
        self._scoped = history.end

    def _send(self, topic: bytes, payload: bytes) -> None:
        # XPUB never blocks: it drops for whoever has ten seconds waiting.
        self._blocks.socket.send_multipart([topic, payload], zmq.NOBLOCK)

    def close(self) -> None:
        """Gives the sockets back, after what was sent has had a moment to leave."""
        for socket in self.sockets:
            socket.close(linger=200)
