"""The command socket: what comes in, who may, what goes out. Every message gets exactly one reply.

A request passes, in this order: rate limit, size, decoder, memory of repeats, arguments, lease, handler.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

import zmq

from hilctl.service import do_change, do_keep, do_motion, do_record, do_talk
from hilctl.service.inbox import CUT_OFF, Inbox, Message
from hilctl.service.rate import RateLimit
from hilctl.service.repeats import Entry, Repeats
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Result, refusal_from
from hilctl.wire.decode import MAX_REQUEST, Malformed, Request, decode_request
from hilctl.wire.encode import encode_refusal, encode_result
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import OPS, Arguments, check_arguments

log = logging.getLogger(__name__)

_BUDGET_S = 0.01  # of requests at a time: samples and heartbeat must not wait longer
_REPLIES = 256  # that may wait for one slow peer: pages are a megabyte each

Handler = Callable[[Service, Asked, Arguments], Any]

HANDLERS: dict[str, Handler] = {
    "hello": do_talk.hello,
    "describe": do_talk.describe,
    "status": do_talk.status,
    "events": do_talk.events,
    "lease": do_talk.lease,
    "arm": do_motion.arm,
    "track": do_motion.track,
    "move": do_motion.move,
    "check_motion": do_motion.check_motion,
    "hold": do_motion.stop,
    "stop": do_motion.stop,
    "off": do_motion.off,
    "reset": do_motion.reset,
    "zero": do_change.zero,
    "set": do_change.set_values,
    "undo": do_change.undo,
    "get": do_talk.get,
    "changes": do_keep.changes,
    "toml": do_keep.toml,
    "wait": do_talk.wait,
    "fetch": do_record.fetch,
    "waveform": lambda s, asked, given: s.waveforms.handle(given.args, given.open["data"]),
    "record": do_record.record,
    "shutdown": do_talk.shutdown,
}


def _misshapen(message: Message) -> Refused | None:
    """Why this can be no request, by its shape alone. REQ puts an empty frame before the message, DEALER none."""
    frames, count = message.frames, message.parts - 1
    if count == 0 or count > 2 or (count == 2 and len(frames) == 3 and frames[1]):
        return Refused(Code.BAD_MESSAGE, f"a message of {count} frames, {message.size} bytes; a request is one frame")
    if message.size > MAX_REQUEST:
        return Refused(Code.TOO_LARGE, f"{message.size} bytes, at most {MAX_REQUEST}; upload in chunks")
    return None


class Desk:
    """Answers requests."""

    def __init__(self, context: Any, service: Service) -> None:
        settings = service.rig.service
        self.service = service
        self.socket: zmq.Socket[bytes] = context.socket(zmq.ROUTER)
        self.socket.setsockopt(zmq.MAXMSGSIZE, CUT_OFF)
        self.socket.setsockopt(zmq.SNDHWM, _REPLIES)
        self.socket.setsockopt(zmq.LINGER, 0)
        # A reply that finds no place is an error that is counted, never a wait.
        self.socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._inbox = Inbox(self.socket)
        self._rate = RateLimit(settings.rate_per_s, settings.burst)
        self._repeats = Repeats()

    def serve(self) -> bool:
        """Handles what has come, for a limited time; True when more waits."""
        until_s = time.monotonic() + _BUDGET_S
        while True:
            message = self._inbox.next(until_s)
            if message is not None:
                self._handle(message)
            if time.monotonic() > until_s:
                return True
            if message is None:
                return False

    def _handle(self, message: Message) -> None:
        frames, now_s = message.frames, time.monotonic()
        admitted = self._rate.admit(frames[0], message.size, now_s)
        shape = _misshapen(message)
        if shape is not None:
            self._refuse(frames[:1], None, shape)
            return
        envelope, payload = frames[:-1], frames[-1]
        try:
            # Beyond the rate, only small ones are read, to say by name that they were not done.
            if not admitted and len(payload) > 1024:
                raise Malformed(Code.BUSY, "too many requests; ask again later")
            request = decode_request(payload)
            if not admitted:
                raise Malformed(Code.BUSY, "too many requests; ask again later", id=request.id)
        except Malformed as refused:
            self._refuse(envelope, refused.id, refused)
            return
        self._meet(envelope, request, payload, now_s)

    def _meet(self, envelope: list[bytes], request: Request, payload: bytes, now_s: float) -> None:
        op = OPS.get(request.op)
        try:
            replay = op is not None and op.effect
            verdict, entry = self._repeats.meet(request.client, request.id, payload, replay, envelope)
        except Refused as refused:
            self._refuse(envelope, request.id, refused)
            return
        if verdict == "answered" and entry.reply is not None:
            self._send(envelope, entry.reply)
        elif verdict == "new":
            self._begin(envelope, request, entry, now_s)

    def _begin(self, envelope: list[bytes], request: Request, entry: Entry, now_s: float) -> None:
        s, asked = self.service, Asked(request.client, request.lease, now_s)

        def done(outcome: Result | Refused) -> None:
            self._reply(request.id, entry, outcome, envelope)

        try:
            op, given = check_arguments(request.op, request.args)
            s.lease.beat(request.client, request.lease, now_s)
            if op.lease:
                s.lease.need(request.client, request.lease, op.name)
            outcome = HANDLERS[op.name](s, asked, given)
        except Exception as error:  # every error becomes a reply
            done(refusal_from(error, request.op))
            return
        if isinstance(outcome, dict):
            done(outcome)
        else:
            s.tasks.add(request.client, request.op, outcome, done)

    def _reply(self, id: int, entry: Entry, outcome: Result | Refused, envelope: list[bytes]) -> None:
        if isinstance(outcome, Refused):
            self.service.requests_refused += 1
            reply = encode_refusal(id, outcome)
        else:
            reply = encode_result(id, outcome)
        if not entry.replay:
            self._send(envelope, reply)
            return
        entry.reply = reply
        for asker in entry.askers:
            self._send(asker, reply)
        entry.askers = []

    def _refuse(self, envelope: list[bytes], id: int | None, refused: Refused) -> None:
        self.service.requests_refused += 1
        self._send(envelope, encode_refusal(id, refused))

    def _send(self, envelope: list[bytes], reply: bytes) -> None:
        try:
            self.socket.send_multipart([*envelope, reply], zmq.NOBLOCK)
        except zmq.ZMQError:  # its peer is gone, or does not read its replies
            self.service.replies_lost += 1

    @property
    def endpoint(self) -> str:
        """Where commands go."""
        return self.socket.getsockopt_string(zmq.LAST_ENDPOINT)
