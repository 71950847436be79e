"""Telemetry: blocks of samples, events and status for subscribers, and the scope for PlotJuggler.

Two frames a message, topic and MessagePack. XPUB tells which topics have subscribers: for the others nothing is
gathered or packed. A subscriber that stalls is served from the socket's queue for ten seconds before it loses blocks,
which the sequence numbers show.
"""

from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np
import numpy.typing as npt
import zmq

from hilctl.recording.layout import Event
from hilctl.service.blocks import Blocks
from hilctl.service.doors import Door
from hilctl.service.history import History
from hilctl.service.subscriptions import Subscriptions, line_of
from hilctl.service.wall import Wall
from hilctl.signals import CHANNELS, NAMES
from hilctl.wire.encode import words_of_rows

BLOCK, EVENT, STATUS = b"block", b"event", b"status"
SCOPE = b"hilctl"
_MORE = int(zmq.SNDMORE | zmq.NOBLOCK)
_QUEUE_S = 10.0
_SUBSCRIPTION, _SUBSCRIPTION_CURVE = 128, 1024  # bytes: a peer only ever subscribes, after a handshake of half of that
# Subscriptions of one connection that wait. zmq takes in all that have come before it gives out the first: with 8, a
# flood of 50 000 takes 13 ms and 46 MB before it is noticed, with 64 it takes 143 ms and 80 MB (measured 2026-11-25).
_WAITING = 8
_LINGER_MS = 200
MOST_ROWS = 4096  # of one block: on the virtual clock a cycle may bring more
_REAL = [i for i, c in enumerate(CHANNELS) if c.kind == "f8"]
_WHOLE = [i for i, c in enumerate(CHANNELS) if c.kind == "i8"]


def listen(context: "zmq.Context[zmq.Socket[bytes]]", door: Door, queue: int) -> "zmq.Socket[bytes]":
    """A socket behind this door, for which at most so many messages wait for each peer."""
    socket = context.socket(zmq.XPUB)
    # Each subscription is passed on, and zmq makes it: left to us (XPUB_MANUAL), one goes to the wrong peer after a
    # message that is none (libzmq 4.3.5).
    socket.setsockopt(zmq.XPUB_VERBOSER, 1)
    socket.setsockopt(zmq.RCVHWM, _WAITING)
    socket.setsockopt(zmq.SNDHWM, queue)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.MAXMSGSIZE, _SUBSCRIPTION if door.curve is None else _SUBSCRIPTION_CURVE)
    door.open(socket)
    return socket


class Topics:
    """Which of a socket's topics have subscribers."""

    def __init__(self, socket: "zmq.Socket[bytes]", *topics: bytes) -> None:
        self.socket = socket
        self.wanted: frozenset[bytes] = frozenset()
        self.fresh: list[bytes] = []  # prefixes that were newly asked for
        self._topics = topics
        self._waiting = [(socket, zmq.POLLIN)]
        self._subscriptions = Subscriptions()

    @property
    def flood(self) -> str:
        """The key, or the address, of who passed the budget of subscriptions."""
        return self._subscriptions.flood

    @property
    def listeners(self) -> dict[str, int]:
        """How many listen to each topic."""
        counts = self._subscriptions.prefixes.items()
        return {t.decode(): sum(count for prefix, count in counts if t.startswith(prefix)) for t in self._topics}

    def learn(self) -> None:
        """Takes in subscriptions."""
        changed = False
        while not self.flood and zmq.zmq_poll(self._waiting, 0):
            self._take(self.socket.recv(zmq.NOBLOCK, copy=False))
            changed = True
        if self._subscriptions.look() or changed:
            self.wanted = frozenset(topic.encode() for topic, count in self.listeners.items() if count)

    def _take(self, frame: zmq.Frame) -> None:
        verb, prefix, line = frame.bytes[:1], frame.bytes[1:], line_of(frame)
        if verb == b"\x00":
            self._subscriptions.remove(line, prefix)
        elif verb == b"\x01" and line is not None:
            self._subscriptions.add(line, prefix)
            self.fresh.append(prefix)


class Telemetry:
    """The two publishing sockets."""

    def __init__(self, context: Any, doors: tuple[Door, Door], run: str, schema: str, block_s: float) -> None:
        self._context, self.doors = context, doors
        self._queue = max(100, int(_QUEUE_S / block_s))
        self._blocks = Topics(listen(context, doors[0], self._queue), BLOCK, EVENT, STATUS)
        self._scope = Topics(listen(context, doors[1], self._queue), SCOPE)
        self._packed = Blocks(run, schema)
        self.wall: Wall | None = None  # none on the virtual clock
        self.sent = 0  # next sequence number to send
        self._packer = msgpack.Packer(use_bin_type=True)

    @property
    def endpoints(self) -> tuple[str, str]:
        """Where telemetry and scope are."""
        return self.doors[0].endpoint, self.doors[1].endpoint

    @property
    def sockets(self) -> "tuple[zmq.Socket[bytes], zmq.Socket[bytes]]":
        """Where subscriptions come in."""
        return self._blocks.socket, self._scope.socket

    @property
    def wanted(self) -> bool:
        """Whether anybody listens to anything."""
        return bool(self._blocks.wanted or self._scope.wanted)

    @property
    def scope_wanted(self) -> bool:
        """Whether anybody listens to the scope."""
        return bool(self._scope.wanted)

    @property
    def listeners(self) -> dict[str, int]:
        """How many listen to blocks, events and status, and how many to the scope."""
        scope = self._scope.listeners[SCOPE.decode()]
        return {**self._blocks.listeners, "scope": scope}

    def reopen(self) -> None:
        """Ends every subscription to telemetry; who may, subscribes again by itself."""
        self._blocks.socket.close(linger=_LINGER_MS)
        self._blocks = Topics(listen(self._context, self.doors[0], self._queue), BLOCK, EVENT, STATUS)

    def learn(self, status: Callable[[], dict[str, Any]]) -> str:
        """Takes in subscriptions; a new subscriber to `status` gets it at once.

        Who has subscribed too often is named, and all subscriptions of that socket have ended: what zmq remembers of
        them, it gives back in no other way.
        """
        for topics in (self._blocks, self._scope):
            topics.learn()
        flood = self._blocks.flood or self._scope.flood
        if self._blocks.flood:
            self.reopen()
        if self._scope.flood:
            self._scope.socket.close(linger=_LINGER_MS)
            self._scope = Topics(listen(self._context, self.doors[1], self._queue), SCOPE)
        if any(STATUS.startswith(prefix) for prefix in self._blocks.fresh):
            self.status(status)
        self._blocks.fresh.clear()
        self._scope.fresh.clear()
        return flood

    def event(self, event: Event) -> None:
        """Sends an event; also to a subscriber of this moment, who shall miss none."""
        self._blocks.learn()
        if EVENT in self._blocks.wanted:
            self._send(EVENT, self._packer.pack(event.plain()))

    def status(self, status: Callable[[], dict[str, Any]]) -> None:
        """Sends the status; it takes a millisecond to gather, which is done for a subscriber only."""
        if STATUS in self._blocks.wanted:
            self._send(STATUS, self._packer.pack(status()))

    def samples(self, history: History, scope_every: int) -> None:
        """Sends the samples that have come since the last time."""
        if BLOCK in self._blocks.wanted:
            self._packed.date(None if self.wall is None else self.wall.now)
            first, end = max(self.sent, history.first), history.end
            while first < end:
                words = history.glance(first, MOST_ROWS)
                self._send(BLOCK, self._packed.pack(first, words))
                first += len(words)
        if SCOPE in self._scope.wanted:
            self._scope_samples(history, scope_every)
        self.sent = max(self.sent, history.end)

    def straight(self, parts: list[npt.NDArray[np.int64]]) -> None:
        """Sends rows that history has not taken in yet, those from number `sent` on, to who listens to blocks."""
        wanted = BLOCK in self._blocks.wanted
        if wanted:
            self._packed.date(None if self.wall is None else self.wall.now)
        for words in parts:
            if wanted:
                self._send(BLOCK, self._packed.pack(self.sent, words))
            self.sent += len(words)

    def _scope_samples(self, history: History, every: int) -> None:
        first = max(self.sent, history.first)
        first += -first % every
        if first < history.end:
            rows = history.rows(max(first, history.end - MOST_ROWS * every), history.end, every)
            words = words_of_rows(rows)
            table = np.empty(words.shape)
            table[:, _REAL] = words.view(np.float64)[:, _REAL]
            table[:, _WHOLE] = words[:, _WHOLE]
            names = ("timestamp", *NAMES)
            timed = np.column_stack((rows["time_ns"] * 1e-9, table))
            message = [dict(zip(names, row, strict=True)) for row in timed.tolist()]
            self._scope.socket.send_multipart([SCOPE, self._packer.pack(message)], zmq.NOBLOCK)

    def _send(self, topic: bytes, payload: bytes) -> None:
        # XPUB never blocks: it drops the message for a subscriber for which ten seconds wait.
        self._blocks.socket.send(topic, _MORE)
        self._blocks.socket.send(payload, zmq.NOBLOCK)

    def close(self) -> None:
        """Closes the sockets; what was sent has a moment to leave."""
        for topics, door in zip((self._blocks, self._scope), self.doors, strict=True):
            topics.socket.close(linger=_LINGER_MS)
            door.close()
