"""Requests that come twice: recognised by (sender, id), answered once.

A sender is a key or token, and what the program that uses it calls itself. A client that got no reply may send the
same bytes again; nothing is done twice. Of each program the last 1024 changes are remembered, whatever the others do.
An id that is older than what its program is remembered by may be a replay, and is refused. What changes nothing is
simply done again; but while it is under way, who asks the same once more gets its answer.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

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
    there: list[Callable[[], bool]] = field(default_factory=list)  # whether the connections stand that these came by

    def asks(self, envelope: list[bytes]) -> None:
        """One more waits for it."""
        self.askers = [*self.askers[-_ASKERS + 1 :], envelope]

    def came_by(self, there: Callable[[], bool]) -> None:
        """This connection."""
        self.there = [*self.there[-_ASKERS + 1 :], there]

    def connected(self) -> bool:
        """Whether one of its connections still stands."""
        return any(there() for there in self.there)


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
        self._reading: dict[tuple[Sender, int], tuple[Any, Entry]] = {}  # what changes nothing and is under way
        self._forgotten: OrderedDict[Sender, int] = OrderedDict()
        self._remembered, self._spared = remembered, spared

    def meet(self, sender: Sender, id: int, body: bytes, envelope: list[bytes]) -> tuple[Verdict, Entry]:
        """Whether this request is new, still being done (its asker is added), or was answered (the reply is there)."""
        digest = hashlib.blake2b(body, digest_size=16).digest()
        memory = self._memory(sender)
        entry = memory.entries.get(id)
        if entry is None:
            return "new", self._remember(memory, id, Entry(digest, replay=True, askers=[envelope]))
        if entry.digest != digest:
            raise Refused(Code.BAD_MESSAGE, f"id {id} was used before for another request", "id")
        if entry.reply is None:
            entry.asks(envelope)
            return "pending", entry
        return "answered", entry

    def meet_reading(self, sender: Sender, id: int, what: Any, envelope: list[bytes]) -> tuple[Verdict, Entry]:
        """The same of a request that changes nothing: new, or under way until `done_reading`. What is asked is
        compared, not its bytes."""
        known = self._reading.get((sender, id))
        if known is not None and known[0] == what:
            known[1].asks(envelope)
            return "pending", known[1]
        entry = Entry(b"", replay=False, askers=[envelope])
        self._reading[sender, id] = what, entry
        return "new", entry

    def done_reading(self, sender: Sender, id: int, entry: Entry) -> None:
        """It is answered: from here on it would be done again."""
        known = self._reading.get((sender, id))
        if known is not None and known[1] is entry:
            del self._reading[sender, id]

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
