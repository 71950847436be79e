"""The active parameters: changed all or nothing, numbered by epochs, every set with its author and origin.

What the loop can take while it runs may be changed here; what only a start can change (rates, drivers, sockets) is
refused. A set can be taken back: the one before it then holds again, exactly, under an epoch of its own.
"""

import time
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from hilctl.friction import linear_models
from hilctl.law.settings import Controller, pack_settings
from hilctl.params import BadValues, Leaf, Problem, flatten, leaves, nearest
from hilctl.rig import Rig, refuse_unstable
from hilctl.service.changed import changed
from hilctl.wire.errors import Code, Refused

_DESIGNED = ("machine", "sensors", "law", "friction")  # what the stability of the loop follows from
UNDOS = 64
KEPT = 1024  # sets that can be listed


class Edit(NamedTuple):
    """One key's change; None where a number is left open, and where the friction's model has no such key."""

    key: str
    old: Any
    new: Any


class Set(NamedTuple):
    """A parameter set and the epoch it bears."""

    rig: Rig
    epoch: int
    edits: tuple[Edit, ...]
    undoes: int = 0  # the epoch that it takes back
    remodels: bool = False  # the friction's model changes


class Author(NamedTuple):
    """Whose set it is, why, and when."""

    client: str = ""
    origin: str = ""
    tick: int = -1
    time_ns: int = 0  # CLOCK_REALTIME, for people
    key: str = ""  # the public key by which the author came in, or the token's name


NOBODY = Author()


class Done(NamedTuple):
    """A set that was active."""

    epoch: int
    author: Author
    undoes: int
    edits: tuple[Edit, ...]

    def plain(self) -> dict[str, Any]:
        """As sent on the wire."""
        by = self.author
        return {"epoch": self.epoch, "tick": by.tick, "time_ns": by.time_ns, "author": by.client, "origin": by.origin,
                "undoes": self.undoes, "changed": [edit._asdict() for edit in self.edits]}  # fmt: skip


class Store:
    """The newest parameter set. `file` is the rig as its file alone says it, where the start has changed that; `start`
    the one of the start."""

    def __init__(self, rig: Rig, epoch: int = 1, file: Rig | None = None) -> None:
        self.rig, self.epoch, self.file = rig, epoch, file or rig
        self.start = rig
        self.done: deque[Done] = deque(maxlen=KEPT)
        self._before: deque[tuple[int, Rig]] = deque(maxlen=UNDOS)  # each set's epoch, and what held before it
        self._forgotten = 0
        at_start = edits_of(values_of(self.file), values_of(rig))
        if at_start:
            now = Author("hilctl run", "changed at the start", 0, time.time_ns())
            self.done.append(Done(epoch, now, 0, at_start))

    @property
    def controller(self) -> Controller:
        """The loop's tables."""
        return self.rig.controller

    def leaves(self) -> list[Leaf]:
        """Every parameter that `set` knows, with its declaration; of the active friction model."""
        friction = leaves(type(self.rig.friction.params), "friction")
        return [
            *leaves(Controller),
            *(leaf._replace(choices=linear_models()) if leaf.path == "friction.model" else leaf for leaf in friction),
        ]

    def values(self) -> dict[str, Any]:
        """Every active parameter, by key; lists for lists."""
        return values_of(self.rig)

    def select(self, keys: list[str]) -> dict[str, Any]:
        """The values of these keys, or of the tables that they name; all when there are none."""
        values = self.values()
        if not keys:
            return values
        chosen: dict[str, Any] = {}
        problems = []
        for key in keys:
            found = {k: v for k, v in values.items() if k == key or k.startswith(f"{key}.")}
            if not found:
                problems.append(Problem(key, UNSET, "no such key", nearest(key, tuple(values))))
            chosen |= found
        if problems:
            raise BadValues(problems)
        return chosen

    def propose(self, changes: Mapping[str, Any]) -> Set:
        """The set with these changes, checked whole and not yet active."""
        if not changes:
            raise BadValues([Problem("values", {}, "must name at least one key")])
        rig = changed(self.rig, changes)
        if any(key.split(".")[0] in _DESIGNED for key in changes):
            refuse_unstable(rig)
        edits = edits_of(self.values(), values_of(rig), tuple(changes))
        return Set(rig, self.epoch + 1, edits, remodels=rig.friction.model != self.rig.friction.model)

    def back(self) -> Set:
        """The set that takes the last one back: what held before it, exactly."""
        if not self._before:
            why = f"only {UNDOS} sets are kept" if self._forgotten else "the parameters are those of the start"
            raise Refused(Code.BAD_VALUE, f"nothing to undo: {why}", "undo")
        epoch, rig = self._before[-1]
        edits = edits_of(self.values(), values_of(rig))
        return Set(rig, self.epoch + 1, edits, epoch, rig.friction.model != self.rig.friction.model)

    def as_before(self, rig: Rig) -> Set:
        """The set that makes everything as it was, whatever was set since; without edits where nothing was."""
        edits = edits_of(self.values(), values_of(rig))
        return Set(rig, self.epoch + 1, edits, remodels=rig.friction.model != self.rig.friction.model)

    def record(self, proposed: Set) -> Any:
        """The set as the loop reads it."""
        return pack_settings(proposed.rig.controller, proposed.rig.friction, self.rig.dt_s, proposed.epoch)

    def adopt(self, proposed: Set, author: Author = NOBODY) -> None:
        """The proposed set is active from here on."""
        if proposed.undoes:
            self._before.pop()
        else:
            self._forgotten += len(self._before) == UNDOS
            self._before.append((proposed.epoch, self.rig))
        self.rig, self.epoch = proposed.rig, proposed.epoch
        self.done.append(Done(proposed.epoch, author, proposed.undoes, proposed.edits))

    def differs(self) -> tuple[Edit, ...]:
        """The active values that differ from the rig file."""
        return edits_of(values_of(self.file), self.values())


def values_of(rig: Rig) -> dict[str, Any]:
    """Every parameter that the loop reads, by key; lists for lists."""
    found = {**flatten(rig.controller), **flatten(rig.friction.params, "friction")}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}


def edits_of(old: Mapping[str, Any], new: Mapping[str, Any], named: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """What differs, to the last bit, after what was named."""
    either = dict.fromkeys((*named, *old, *new))
    return tuple(
        Edit(key, old.get(key), new.get(key))
        for key in either
        if key in named or (key in old) != (key in new) or repr(old[key]) != repr(new[key])
    )
