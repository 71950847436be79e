"""Finds the instant in the samples as they come, at the full rate, not in what a browser draws."""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError

Kind = Literal["rising", "falling", "above", "below", "event", "trip"]
KINDS: dict[Kind, str] = {
    "rising": "passes the level upwards",
    "falling": "passes the level downwards",
    "above": "is above the level",
    "below": "is below the level",
    "trip": "the rig trips",
    "event": "an event comes",
}


class BadTrigger(HilctlError, ValueError):
    """A trigger that cannot fire."""

    code = "bad_value"


class Trigger(NamedTuple):
    """What is waited for, and what is shown around it."""

    kind: Kind
    channel: str = ""
    level: float = 0.0
    event: str = ""
    pre_s: float = 0.1
    post_s: float = 0.4

    def check(self, channels: tuple[str, ...], longest_s: float) -> None:
        """Raises BadTrigger with the key, the value and what is accepted."""
        if self.kind not in KINDS:
            raise BadTrigger(f"trigger.kind: {self.kind!r}, one of {', '.join(KINDS)}", key="kind")
        if self.of_samples and self.kind != "trip" and self.channel not in channels:
            raise BadTrigger(f"trigger.channel: no channel {self.channel!r}; choose one of the list", key="channel")
        if not np.isfinite(self.level):
            raise BadTrigger(f"trigger.level: {self.level}, must be a finite number", key="level")
        if self.kind == "event" and not self.event:
            raise BadTrigger("trigger.event: is missing; name the kind of event, like mode", key="event")
        for key, value in (("pre_s", self.pre_s), ("post_s", self.post_s)):
            if not 0 <= value <= longest_s:
                raise BadTrigger(f"trigger.{key}: {value:g} s, from 0 to {longest_s:g} s", key=key)
        if self.pre_s + self.post_s <= 0:
            raise BadTrigger("trigger.pre_s and post_s: both 0; what is shown would be empty", key="post_s")

    @property
    def of_samples(self) -> bool:
        """Whether it is looked for in the samples."""
        return self.kind != "event"


class Search:
    """Goes through blocks, and remembers the last sample of the one before."""

    def __init__(self, trigger: Trigger) -> None:
        self.trigger = trigger
        self._before: float | None = None

    def block(self, columns: dict[str, npt.NDArray[Any]]) -> int | None:
        """The tick of the first sample that fires, or None."""
        t = self.trigger
        if not t.of_samples or not len(columns["tick"]):
            return None
        values = np.asarray(columns["trip" if t.kind == "trip" else t.channel], np.float64)
        level = 0.5 if t.kind == "trip" else t.level
        above = values < level if t.kind in ("falling", "below") else values > level
        if t.kind in ("rising", "falling", "trip"):
            came_from = np.empty(len(values), bool)  # a sample at the level, or none at all, is not across it
            came_from[1:] = (values[:-1] >= level) if t.kind == "falling" else (values[:-1] <= level)
            came_from[0] = self._before is not None and (
                self._before >= level if t.kind == "falling" else self._before <= level
            )
            above &= came_from
        known = values[np.isfinite(values)]
        self._before = float(known[-1]) if len(known) else self._before
        at = np.flatnonzero(above)
        return int(columns["tick"][at[0]]) if len(at) else None

    def event(self, kind: str, tick: int) -> int | None:
        """Likewise of an event."""
        return tick if self.trigger.kind == "event" and kind == self.trigger.event else None
