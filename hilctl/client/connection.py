"""Requests and replies over one socket.

A request that gets no reply is sent again, the same bytes: the service does it once. While it stays away, the client
looks whether anybody still listens there: a service that was killed is noticed at once, however long the wait.
"""

import itertools
import math
import socket
import threading
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

import zmq

from hilctl.client.access import Access
from hilctl.client.handshake import live, why_shut_out
from hilctl.errors import HilctlError
from hilctl.wire.decode import MAX_REQUEST
from hilctl.wire.encode import encode_request, unpack_reply
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import OPS

_AGAIN_S = 1.0  # a reply on one host takes a millisecond; one that takes a second was lost or waits for something
_LOOK_S = 1.0
_BUSY_S = 0.02
_BUSY_FOR_S = 5.0


class NoReply(HilctlError, TimeoutError):
    """The service did not answer in time."""

    code = "gone"


class ServiceGone(NoReply):
    """Nobody listens where the service should be: it has ended, or never ran."""


class Identity:
    """A client's name and its request numbers, shared by its connections."""

    def __init__(self, name: str = "", access: Access = Access()) -> None:  # noqa: B008  (immutable)
        self.client = f"{name}-{uuid.uuid4().hex[:16]}" if name else str(uuid.uuid4())
        self.token = ""  # the lease's
        self.quiet = False  # what only reads does not show it: nothing keeps the lease but beats and commands
        self.access = access
        self._ids = itertools.count(1)
        self._shown_s = -math.inf

    def next(self) -> int:
        """A number that was not used before; safe between threads."""
        return next(self._ids)

    def shown(self, op: str) -> str:
        """The lease's secret, as a request shows it."""
        if not self.token or (self.quiet and _reads(op)):
            return ""
        self._shown_s = time.monotonic()
        return self.token

    @property
    def silent_s(self) -> float:
        """For how long nothing has shown the lease's secret."""
        return time.monotonic() - self._shown_s


class Connection:
    """One socket, for one thread at a time."""

    def __init__(self, endpoint: str, identity: Identity, context: "zmq.Context[Any] | None" = None) -> None:
        self.endpoint, self.identity = endpoint, identity
        self._context = context or zmq.Context.instance()
        self._lock = threading.Lock()
        self._answered = False  # once at least
        self._socket = self._open()

    def _open(self) -> "zmq.Socket[bytes]":
        socket: zmq.Socket[bytes] = self._context.socket(zmq.DEALER)
        live(socket)
        self.identity.access.put(socket)
        socket.connect(self.endpoint)
        return socket

    def request(self, op: str, args: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The result, or Refused, or NoReply. Busy is tried again for a while."""
        until_s = time.monotonic() + min(timeout_s, _BUSY_FOR_S)
        while True:
            try:
                return self._once(op, args, timeout_s)
            except Refused as refused:
                if refused.code != Code.BUSY or time.monotonic() > until_s:
                    raise
            time.sleep(_BUSY_S)

    def _once(self, op: str, args: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        with self._lock:
            id = self.identity.next()
            message = self._message(id, op, args)
            if len(message) > MAX_REQUEST:
                raise Refused(Code.TOO_LARGE, f"{op}: {len(message)} bytes, at most {MAX_REQUEST}; upload in chunks")
            begun_s = time.monotonic()
            deadline_s, again_s, look_s = begun_s + timeout_s, begun_s + _AGAIN_S, begun_s + _LOOK_S
            self._send(message)
            while True:
                now_s = time.monotonic()
                if now_s >= deadline_s:
                    raise NoReply(f"{op}: no reply from {self.endpoint} within {timeout_s:g} s; does the service run?")
                if now_s >= look_s:
                    self._look(op)
                    look_s = time.monotonic() + _LOOK_S
                if now_s >= again_s:
                    # What changes something is done once, by its bytes; what reads is done again, as it is by now.
                    message = self._message(id, op, args) if _reads(op) else message
                    self._send(message)
                    again_s = now_s + 4 * _AGAIN_S
                if not self._socket.poll(int(1000 * (min(deadline_s, again_s, look_s) - now_s)) + 1):
                    continue
                reply = unpack_reply(self._socket.recv())
                self._answered = True
                if reply.get("id") == id:
                    return _result(reply)
                if reply.get("id") is None and not reply.get("ok"):
                    return _result(reply)  # it could not even read the request's number

    def _message(self, id: int, op: str, args: dict[str, Any]) -> bytes:
        ours = self.identity
        return encode_request(ours.client, id, op, args, ours.shown(op), ours.access.token)

    def _send(self, message: bytes) -> None:
        """A socket that was shut out once gives up: it has nobody to send to, and another takes its place."""
        try:
            self._socket.send(message, zmq.NOBLOCK)
        except zmq.Again:
            self._socket.close()
            self._socket = self._open()
            self._socket.send(message)

    def _look(self, op: str) -> None:
        """Why no reply comes, where that can be known."""
        if not _listens(self.endpoint):
            raise ServiceGone(f"{op}: nobody listens at {self.endpoint}; {self._why_nobody()}")
        if not self._answered or self.identity.access.key is not None:
            why = why_shut_out(self.endpoint, self.identity.access)
            if why:
                raise Refused(Code.NO_ACCESS, f"{op}: {self.endpoint} {why}", "access")

    def _why_nobody(self) -> str:
        if self._answered:
            return "the service has ended; start it with `hilctl run RIG`"
        return "check host and port, or start a service with `hilctl run RIG`"

    def close(self) -> None:
        """Gives the socket back."""
        self._socket.close()


def _reads(op: str) -> bool:
    return op in OPS and not OPS[op].effect


def _listens(endpoint: str) -> bool:
    """Whether somebody takes connections there; only a plain refusal says no."""
    where = urlsplit(endpoint)
    if where.scheme != "tcp" or where.hostname is None or where.port is None:
        return True
    try:
        socket.create_connection((where.hostname, where.port), timeout=_LOOK_S).close()
    except ConnectionRefusedError:
        return False
    except OSError:
        return True  # it may only be slow
    return True


def _result(reply: dict[str, Any]) -> dict[str, Any]:
    if reply["ok"]:
        result: dict[str, Any] = reply["result"]
        return result
    error = reply["error"]
    raise Refused(error["code"], error["message"], error["key"])
