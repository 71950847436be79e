"""Telemetry as it comes: blocks of samples, events, the status once a second."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy.typing as npt
import zmq

from hilctl.client.access import Access
from hilctl.client.handshake import live
from hilctl.wire.encode import arrays_of, unpack_reply


@dataclass(frozen=True)
class Block:
    """Samples `first` to `first + count - 1`. A gap in the numbers is what this listener was too slow for."""

    first: int
    count: int
    columns: dict[str, npt.NDArray[Any]]
    run: str
    wall: dict[str, int] | None = None  # what is added to `time_ns` for wall time; None on the virtual clock


class Event(NamedTuple):
    """Something that happened."""

    kind: str
    tick: int
    body: dict[str, Any]


class Status(NamedTuple):
    """How things are."""

    body: dict[str, Any]


def listen(
    endpoint: str, topics: Sequence[str], timeout_s: float | None, access: Access,
    rest: Callable[[], None] = lambda: None,
) -> Iterator[Block | Event | Status]:  # fmt: skip
    """Subscribes at once, and yields what comes until nothing has come for `timeout_s`.

    `rest` is called whenever all that has come is taken: a listener that waits there a while is woken less often.
    """
    socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
    live(socket)
    access.put(socket)
    socket.setsockopt(zmq.RCVHWM, 10_000)
    for topic in topics:
        socket.subscribe(topic)
    socket.connect(endpoint)
    return _messages(socket, timeout_s, rest)


def _messages(
    socket: "zmq.Socket[bytes]", timeout_s: float | None, rest: Callable[[], None]
) -> Iterator[Block | Event | Status]:  # fmt: skip
    with socket:
        while socket.poll(None if timeout_s is None else int(1000 * timeout_s)):
            with suppress(zmq.Again):
                while True:
                    topic, payload = socket.recv_multipart(zmq.NOBLOCK)
                    yield from _message(topic, unpack_reply(payload))
            rest()


def _message(topic: bytes, body: dict[str, Any]) -> Iterator[Block | Event | Status]:
    if topic == b"block":
        yield Block(body["first"], body["count"], arrays_of(body["columns"]), body["run"], body.get("wall"))
    elif topic == b"event":
        yield Event(body["kind"], body["tick"], body)
    elif topic == b"status":
        yield Status(body)
