"""The command socket: what comes in, who may, what goes out. Every message gets exactly one reply.

A request passes, in this order: rate limit, size, decoder, admission, role, memory of repeats, arguments, lease,
handler.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

import zmq

from hilctl.service import (
    do_attention,
    do_change,
    do_feed,
    do_files,
    do_jobs,
    do_keep,
    do_link,
    do_motion,
    do_queue,
    do_record,
    do_supply,
    do_talk,
)
from hilctl.service.doors import Door
from hilctl.service.inbox import CUT_OFF, Inbox, Message, of_connection
from hilctl.service.peers import Peers
from hilctl.service.rate import RateLimit
from hilctl.service.repeats import Entry, Repeats, Sender
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Result, refusal_from
from hilctl.wire.decode import MAX_REQUEST, Malformed, Request, decode_request
from hilctl.wire.encode import encode_refusal, encode_result
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import OPS, Arguments, check_arguments
from hilctl.wire.roles import Who

log = logging.getLogger(__name__)

_BUDGET_S = 0.01  # of requests at a time: samples and heartbeat must not wait longer
_REPLIES = 256  # that may wait for one slow peer: pages are a megabyte each
_LAST_S = 0.2  # for what has come, and for replies to leave, before the connections are closed
_ALWAYS = ("stop", "off", "lease")  # what ends a motion, or hands it on, waits behind nothing
# Of something that is noted as a whole.
_STEPS = (("lease", "beat"), ("waveform", "chunk"), ("feed", None), ("job_upload", None))

Handler = Callable[[Service, Asked, Arguments], Any]

HANDLERS: dict[str, Handler] = {
    "hello": do_talk.hello,
    "describe": do_talk.describe,
    "status": do_talk.status,
    "events": do_talk.events,
    "lease": do_talk.lease,
    "arm": do_motion.arm,
    "reconnect": do_link.reconnect,
    "supply": do_supply.supply,
    "track": do_motion.track,
    "move": do_motion.move,
    "check_motion": do_motion.check_motion,
    "feed": do_feed.feed,
    "queue": do_queue.queue,
    "queued": do_queue.queued,
    "unqueue": do_queue.unqueue,
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
    "journal": do_keep.journal,
    "wait": do_talk.wait,
    "fetch": do_record.fetch,
    "waveform": lambda s, asked, given: s.waveforms.handle(given.args, given.open["data"]),
    "record": do_record.record,
    "recordings": do_files.recordings,
    "download": do_files.download,
    "delete": do_files.delete,
    "alarms": do_attention.alarms,
    "acknowledge": do_attention.acknowledge,
    "log": do_attention.log,
    "job_start": do_jobs.start,
    "job_upload": do_jobs.upload,
    "job_abort": do_jobs.abort,
    "job_delete": do_jobs.delete,
    "jobs": do_jobs.jobs,
    "job": do_jobs.job,
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


def _detail(args: dict[str, Any]) -> str:
    """What was asked for, short enough for a line."""
    return " ".join(f"{key}={value!r:.200}" for key, value in args.items() if not isinstance(value, bytes))[:400]


class Desk:
    """Answers requests."""

    def __init__(self, context: Any, service: Service, door: Door) -> None:
        settings = service.rig.service
        self.service, self.door = service, door
        self._context = context
        self.socket = self._open()
        self._inbox = Inbox(self.socket)
        self._rate = RateLimit(settings.rate_per_s, settings.burst)
        self._repeats = Repeats(spared=self._holder)
        service.jobs.gone = self._repeats.drop

    def _holder(self) -> Sender | None:
        """The program that has the lease."""
        held = self.service.lease.held
        return (held.owner, held.client) if held is not None else None

    def _open(self) -> "zmq.Socket[bytes]":
        socket: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        socket.setsockopt(zmq.MAXMSGSIZE, CUT_OFF)
        socket.setsockopt(zmq.SNDHWM, _REPLIES)
        socket.setsockopt(zmq.LINGER, 0)
        # A reply that finds no place is an error that is counted, never a wait.
        socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._peers = Peers(socket)
        self.door.open(socket)
        return socket

    def reopen(self) -> None:
        """Ends every connection, when what has come is answered; who may, connects again and asks again."""
        until_s = time.monotonic() + _LAST_S
        while (message := self._inbox.next(until_s)) is not None and time.monotonic() < until_s:
            self._handle(message)
        self._close()
        self.socket = self._open()
        self._inbox = Inbox(self.socket)

    def close(self) -> None:
        """Nobody is answered any more; the last replies have a moment to leave."""
        self._close()
        self.door.close()

    def _close(self) -> None:
        self._peers.close()
        self.socket.close(linger=int(1000 * _LAST_S))

    def look(self) -> None:
        """Which connections have ended, before the reports of them fill the memory."""
        self._peers.look()

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
        key = of_connection(message.origin, "User-Id") if self.service.admission.curve else ""
        admitted = self._rate.admit(key.encode() or frames[0], message.size, now_s)
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
        self._admit(envelope, request, message, key, now_s)

    def _admit(self, envelope: list[bytes], request: Request, message: Message, key: str, now_s: float) -> None:
        s, sender = self.service, of_connection(message.origin, "Peer-Address")
        try:
            who = s.admission.who(key, request.access)
            sender = who.name
            op = OPS.get(request.op)
            if op is not None and who.role < op.role:
                told = f"{op.name} is for {op.role.word}s and above; the role of {who.name} is {who.role.word}"
                raise Refused(Code.NO_ROLE, told, "role")
            client, repeats = (who.id, request.client), self._repeats
            if op is not None and op.effect:
                verdict, entry = repeats.meet(client, request.id, message.frames[-1], envelope)
            else:
                what = (request.op, request.args, request.lease)
                verdict, entry = repeats.meet_reading(client, request.id, what, envelope)
        except Refused as refused:
            s.audit.refused(sender, request.client, request.op, refused, now_s)
            self._refuse(envelope, request.id, refused)
            return
        if verdict == "answered" and entry.reply is not None:
            self._send(envelope, entry.reply)
            return
        peers, peer = self._peers, self._peers.of(message.origin)
        entry.came_by(lambda: peers.there(peer))
        if verdict == "new":
            self._begin(request, Asked(who, request.client, request.lease, now_s, entry.connected), entry)
        elif not entry.replay:  # it was heard, though it has nothing new to say
            s.lease.beat(who.id, request.lease, now_s)

    def _begin(self, request: Request, asked: Asked, entry: Entry) -> None:
        s = self.service

        def done(outcome: Result | Refused) -> None:
            outcome = self._still(asked.who, outcome)
            self._note(request, asked, outcome)
            self._reply((asked.who.id, asked.client), request.id, entry, outcome)

        try:
            op, given = check_arguments(request.op, request.args)
            s.lease.beat(asked.who.id, asked.token, asked.now_s)
            if op.lease:
                s.lease.need(asked.who.id, asked.token, op.name)
                s.jobs.commands(asked.who.id)
            outcome = HANDLERS[op.name](s, asked, given)
        except Exception as error:  # every error becomes a reply
            done(refusal_from(error, request.op))
            return
        if isinstance(outcome, dict):
            done(outcome)
        else:
            s.tasks.add((asked.who.id, asked.client), request.op, outcome, done, always=op.name in _ALWAYS)

    def _still(self, who: Who, outcome: Result | Refused) -> Result | Refused:
        """The outcome; nothing of it for a sender who was revoked while it was waited for."""
        if self.service.admission.role(who.id) is not None:
            return outcome
        return Refused(Code.NO_ACCESS, f"{who.name} was revoked while this was being done", "access")

    def _note(self, request: Request, asked: Asked, outcome: Result | Refused) -> None:
        """Changes and refusals, for the audit."""
        s, op = self.service, OPS.get(request.op)
        if isinstance(outcome, Refused):
            s.audit.refused(asked.who.name, asked.client, request.op, outcome, time.monotonic())
        elif op is not None and op.effect and (op.name, request.args.get("action")) not in _STEPS:
            s.audit.done(asked.who, asked.client, op.name, _detail(request.args))

    def _reply(self, sender: Sender, id: int, entry: Entry, outcome: Result | Refused) -> None:
        if isinstance(outcome, Refused):
            self.service.requests_refused += 1
            reply = encode_refusal(id, outcome)
        else:
            reply = encode_result(id, outcome)
        if entry.replay:
            entry.reply = reply
        else:
            self._repeats.done_reading(sender, id, entry)
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
        return self.door.endpoint
