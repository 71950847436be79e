"""The parameters in force: changed all or nothing, numbered by epochs, every change with its author.

What the loop can take while it runs may be changed here; what only a start can change (rates, drivers, sockets) is
refused.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from hilctl.law.settings import Controller, pack_settings
from hilctl.params import BadValues, Leaf, Problem, assign, flatten, leaves, nearest
from hilctl.rig import Rig, refuse_unstable
from hilctl.wire.errors import Code, Refused

_RESTART = ("rig", "loop", "service", "recording", "driver", "twin", "schema", "include")
_DESIGNED = ("machine", "sensors", "law", "friction")  # what the stability of the loop follows from
_UNDOS = 64


class Edit(NamedTuple):
    """One key's change."""

    key: str
    old: Any
    new: Any


class Set(NamedTuple):
    """A parameter set and the epoch it bears."""

    rig: Rig
    epoch: int
    edits: tuple[Edit, ...]


class Store:
    """The newest parameter set."""

    def __init__(self, rig: Rig, epoch: int = 1) -> None:
        self.rig, self.epoch = rig, epoch
        self._done: list[tuple[Edit, ...]] = []

    @property
    def controller(self) -> Controller:
        """The loop's tables."""
        return self.rig.controller

    def leaves(self) -> list[Leaf]:
        """Every parameter that `set` knows, with its declaration."""
        friction = leaves(type(self.rig.friction.params), "friction")
        return [*leaves(Controller), *(leaf for leaf in friction if leaf.path != "friction.model")]

    def values(self) -> dict[str, Any]:
        """Every parameter in force, by key; lists for lists."""
        found = {**flatten(self.controller), **flatten(self.rig.friction.params, "friction")}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}

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
                problems.append(Problem(key, "", "no such key", nearest(key, tuple(values))))
            chosen |= found
        if problems:
            raise BadValues(problems)
        return chosen

    def propose(self, changes: Mapping[str, Any]) -> Set:
        """The set with these changes, checked whole and not yet in force."""
        if not changes:
            raise BadValues([Problem("values", {}, "must name at least one key")])
        known = self.values()
        problems: list[Problem] = []
        good: dict[str, Any] = {}
        for key, value in changes.items():
            if key.split(".")[0] in _RESTART or key == "friction.model":
                problems.append(
                    Problem(key, value, "cannot change while the service runs", "change the rig file and restart")
                )
            elif key not in known:
                problems.append(Problem(key, value, "no such key", nearest(key, tuple(known))))
            else:
                good[key] = value
        rig = self._changed(good, problems)
        if problems:
            raise BadValues(problems)
        if any(key.split(".")[0] in _DESIGNED for key in good):
            refuse_unstable(rig)
        now = dataclasses.replace(self.rig, tables=rig.tables, friction=rig.friction)
        values = Store(now).values()
        edits = tuple(Edit(key, known[key], values[key]) for key in changes)
        return Set(now, self.epoch + 1, edits)

    def _changed(self, changes: Mapping[str, Any], problems: list[Problem]) -> Rig:
        rubbing = {k.removeprefix("friction."): v for k, v in changes.items() if k.startswith("friction.")}
        rest = {k: v for k, v in changes.items() if not k.startswith("friction.")}
        tables, friction = self.rig.tables, self.rig.friction
        # Both are tried, so that every problem is told at once.
        try:
            tables = assign(tables, rest) if rest else tables
        except BadValues as bad:
            problems += bad.problems
        try:
            if rubbing:
                friction = friction._replace(params=assign(friction.params, rubbing, "friction"))
        except BadValues as bad:
            problems += bad.problems
        return dataclasses.replace(self.rig, tables=tables, friction=friction)

    def record(self, proposed: Set) -> Any:
        """The set as the loop reads it."""
        return pack_settings(proposed.rig.controller, proposed.rig.friction, self.rig.dt_s, proposed.epoch)

    def adopt(self, proposed: Set, *, undo: bool = False) -> None:
        """The proposed set is in force from here on."""
        self.rig, self.epoch = proposed.rig, proposed.epoch
        if undo:
            self._done.pop()
        else:
            self._done = [*self._done[-_UNDOS + 1 :], proposed.edits]

    def reverse(self) -> dict[str, Any]:
        """The changes that would take the last set back."""
        if not self._done:
            raise Refused(Code.BAD_VALUE, "nothing to undo", "undo")
        return {edit.key: edit.old for edit in self._done[-1]}
