"""Requests that come twice: recognised by (sender, id), answered once.

A sender is a key or token, and what the program that uses it calls itself.
A client that got no reply may send the same bytes again; nothing is done twice. The last 1024 are remembered. An id
that is older than what its client is remembered by may be a replay, and is refused.
"""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Literal

from hilctl.wire.errors import Code, Refused

REMEMBERED = 1024
_ASKERS = 8  # of one request; each message gets a reply
_CLIENTS = 4096  # whose oldest forgotten id is kept


@dataclass
class Entry:
    """A request that was seen."""

    digest: bytes
    replay: bool  # whether its reply is kept, or the request is simply done again
    reply: bytes | None = None
    askers: list[list[bytes]] = field(default_factory=list)  # envelopes of those who wait for it


Sender = tuple[str, str]
Verdict = Literal["new", "pending", "answered"]


class Repeats:
    """The memory of requests."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._entries: OrderedDict[tuple[Sender, int], Entry] = OrderedDict()
        self._forgotten: OrderedDict[Sender, int] = OrderedDict()
        self._remembered = remembered

    def meet(self, client: Sender, id: int, body: bytes, replay: bool, envelope: list[bytes]) -> tuple[Verdict, Entry]:
        """Whether this request is new, still being done (its asker is added), or was answered (the reply is there)."""
        digest = hashlib.blake2b(body, digest_size=16).digest()
        entry = self._entries.get((client, id))
        if entry is None:
            return "new", self._remember(client, id, Entry(digest, replay, askers=[envelope]))
        if entry.digest != digest:
            raise Refused(Code.BAD_MESSAGE, f"id {id} was used before for another request", "id")
        if not entry.replay:
            entry.askers = [envelope]
            return "new", entry
        if entry.reply is None:
            entry.askers = [*entry.askers[-_ASKERS + 1 :], envelope]
            return "pending", entry
        return "answered", entry

    def _remember(self, client: Sender, id: int, entry: Entry) -> Entry:
        if id <= self._forgotten.get(client, -1):
            raise Refused(Code.BAD_MESSAGE, f"id {id} is older than what is remembered of this client", "id")
        self._entries[client, id] = entry
        while len(self._entries) > self._remembered:
            (owner, old), _ = self._entries.popitem(last=False)
            self._forgotten[owner] = max(old, self._forgotten.pop(owner, -1))
            while len(self._forgotten) > _CLIENTS:
                self._forgotten.popitem(last=False)
        return entry
