"""Requests that come twice: recognised by (sender, id), answered once.

A sender is a key or token, and what the program that uses it calls itself. A client that got no reply may send the
same bytes again; nothing is done twice. Of each program the last 1024 changes are remembered, whatever the others do.
An id that is older than what its program is remembered by may be a replay, and is refused. What changes nothing is
simply done again.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from hilctl.wire.errors import Code, Refused

REMEMBERED = 1024
PROGRAMS = 16  # of one key, those that asked last; the lease's holder is always one of them
_ASKERS = 8  # of one request; each message gets a reply
_FORGOTTEN = 4096  # programs whose newest id is kept


@dataclass
class Entry:
    """A request that was seen."""

    digest: bytes
    replay: bool  # whether its reply is kept, or the request is simply done again
    reply: bytes | None = None
    askers: list[list[bytes]] = field(default_factory=list)  # envelopes of those who wait for it


Sender = tuple[str, str]
Verdict = Literal["new", "pending", "answered"]


@dataclass
class _Memory:
    """Of one program."""

    entries: OrderedDict[int, Entry] = field(default_factory=OrderedDict)
    forgotten: int = -1


class Repeats:
    """The memory of requests. `spared` tells whose memory is kept in any case."""

    def __init__(self, remembered: int = REMEMBERED, spared: Callable[[], Sender | None] = lambda: None) -> None:
        self._of: OrderedDict[Sender, _Memory] = OrderedDict()
        self._forgotten: OrderedDict[Sender, int] = OrderedDict()
        self._remembered, self._spared = remembered, spared

    def meet(self, sender: Sender, id: int, body: bytes, replay: bool, envelope: list[bytes]) -> tuple[Verdict, Entry]:
        """Whether this request is new, still being done (its asker is added), or was answered (the reply is there)."""
        if not replay:
            return "new", Entry(b"", replay, askers=[envelope])
        digest = hashlib.blake2b(body, digest_size=16).digest()
        memory = self._memory(sender)
        entry = memory.entries.get(id)
        if entry is None:
            return "new", self._remember(memory, id, Entry(digest, replay, askers=[envelope]))
        if entry.digest != digest:
            raise Refused(Code.BAD_MESSAGE, f"id {id} was used before for another request", "id")
        if entry.reply is None:
            entry.askers = [*entry.askers[-_ASKERS + 1 :], envelope]
            return "pending", entry
        return "answered", entry

    def drop(self, key: str) -> None:
        """Nothing is remembered of a key or token that is admitted no more, and never again."""
        for memory in (self._of, self._forgotten):
            for sender in [one for one in memory if one[0] == key]:
                del memory[sender]

    def _memory(self, sender: Sender) -> _Memory:
        """Of this program, as the one that asked last; of too many of one key the one silent longest is forgotten."""
        memory = self._of.pop(sender, None)
        if memory is None:
            memory = _Memory(forgotten=self._forgotten.pop(sender, -1))
            of_key = [one for one in self._of if one[0] == sender[0] and one != self._spared()]
            if len(of_key) >= PROGRAMS:
                self._forget(of_key[0])
        self._of[sender] = memory
        return memory

    def _forget(self, sender: Sender) -> None:
        memory = self._of.pop(sender)
        self._forgotten[sender] = max([memory.forgotten, *memory.entries])
        while len(self._forgotten) > _FORGOTTEN:
            self._forgotten.popitem(last=False)

    def _remember(self, memory: _Memory, id: int, entry: Entry) -> Entry:
        if id <= memory.forgotten:
            raise Refused(Code.BAD_MESSAGE, f"id {id} is older than what is remembered of this client", "id")
        memory.entries[id] = entry
        while len(memory.entries) > self._remembered:
            old, _ = memory.entries.popitem(last=False)
            memory.forgotten = max(old, memory.forgotten)
        return entry
