"""What happened, read from the samples: modes, trips, motions, epochs and warnings that came with a block of rows."""

import struct
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.signals import NAMES, SAMPLE, Arming, Mode, Trip

_KEPT = 1024  # motions whose end can still be asked for
# The watched channels stand side by side in a sample: one slice, hardly any memory to read.
_WATCHED = ("epoch", "mode", "arming", "motion", "trip", "warnings")
_FIRST, _TICK = NAMES.index(_WATCHED[0]), NAMES.index("tick")
_COLUMNS = slice(_FIRST, _FIRST + len(_WATCHED))
assert NAMES[_COLUMNS] == _WATCHED
_AS_WORDS = struct.Struct(f"<{len(_WATCHED)}q")
_PRESSURE_AGE = 1 << Trip.PRESSURE_AGE  # a warning that changes the law: its end is also reported
_WARNING_HOLD_S = 1.0  # a warning that flickers is reported once a second


@dataclass
class Motion:
    """A motion by its samples; `end` is the first that is not its own any more."""

    id: int
    first: int
    first_tick: int
    end: int = -1
    why: str = ""  # done, stopped, tripped, dry


class Seen(NamedTuple):
    """A change between two samples."""

    kind: str
    tick: int
    body: dict[str, Any]


class Watch:
    """The last sample's state, and what changed since."""

    def __init__(self, rate_hz: float) -> None:
        self.epoch, self.mode, self.arming, self.motion, self.trip, self.warnings = 0, Mode.OFF, 0, 0, 0, 0
        self.tick = -1
        self.motions: OrderedDict[int, Motion] = OrderedDict()
        self._told_warning: dict[int, int] = {}
        self._hold_ticks = int(_WARNING_HOLD_S * rate_hz)
        self._alike = b""  # what is watched of as many rows without a change as came last

    def look(self, first: int, words: npt.NDArray[np.int64]) -> list[Seen]:
        """The changes in these rows, a table of words, in order. A block without any costs one comparison."""
        watched = words[:, _COLUMNS]
        self.tick = int(words[-1, _TICK])
        together = watched.tobytes()
        if self._alike.startswith(together):
            return []
        before = _AS_WORDS.pack(self.epoch, self.mode, self.arming, self.motion, self.trip, self.warnings)
        if together == before * len(words):
            self._alike = before * (2 * len(words))
            return []
        changed = (np.flatnonzero((watched[1:] != watched[:-1]).any(axis=1)) + 1).tolist()
        if watched[0].tobytes() != before:
            changed.insert(0, 0)
        seen: list[Seen] = []
        for i in changed:
            self._change(first + i, int(words[i, _TICK]), watched[i].tolist(), seen, words[i].view(SAMPLE)[0])
        return seen

    def quiet(self, words: npt.NDArray[np.int64]) -> bool:
        """Whether `look` would find nothing new in these rows, by what it saw last."""
        return self._alike.startswith(words[:, _COLUMNS].tobytes())

    def core_ended(self) -> None:
        """The rig is off, though no row says so."""
        self._alike, self.mode = b"", Mode.OFF

    def stand(self, sequence: int, status: Any) -> list[Seen]:
        """The changes that a status tells while virtual time stands still and makes no rows."""
        now = [status.epoch, status.mode, status.arming, status.motion_id, status.trip, self.warnings]
        seen: list[Seen] = []
        if now[:5] != [self.epoch, self.mode, self.arming, self.motion, self.trip]:
            self._change(sequence, status.tick, now, seen)
        return seen

    def _change(self, sequence: int, tick: int, now: list[int], seen: list[Seen], row: Any = None) -> None:
        epoch, mode, arming, motion, trip, warnings = now
        if epoch != self.epoch:
            seen.append(Seen("epoch", tick, {"epoch": epoch}))
        if warnings & ~self.warnings:
            self._warn(tick, warnings & ~self.warnings, seen, row)
        if self.warnings & ~warnings & _PRESSURE_AGE:
            seen.append(Seen("warning_over", tick, {"limit": Trip.PRESSURE_AGE.name.lower()}))
        if trip != self.trip and trip:
            seen.append(Seen("trip", tick, {"trip": trip}))
        elif trip != self.trip:
            seen.append(Seen("reset", tick, {}))
        if motion != self.motion:
            why = "tripped" if trip else "done" if mode == Mode.HOLD else "stopped"
            self._next_motion(sequence, tick, motion, why, seen)
        if mode != self.mode:
            seen.append(Seen("mode", tick, {"mode": Mode(mode).name.lower(), "was": Mode(self.mode).name.lower()}))
        if arming != self.arming and arming:
            seen.append(Seen("arming", tick, {"step": Arming(arming).name.lower()}))
        self._alike = b""
        self.epoch, self.mode, self.arming, self.motion = epoch, Mode(mode), arming, motion
        self.trip, self.warnings = trip, warnings

    def _next_motion(self, sequence: int, tick: int, motion: int, why: str, seen: list[Seen]) -> None:
        running = self.motions.get(self.motion)
        if running is not None:
            running.end, running.why = sequence, why
            body = {"motion": running.id, "why": why, "first": running.first, "last": sequence - 1}
            seen.append(Seen("motion_over", tick, body))
        if motion:
            self.motions[motion] = Motion(motion, sequence, tick)
            seen.append(Seen("motion", tick, {"motion": motion, "first": sequence}))
            self._forget_old()

    def over_unseen(self, motion: int, sequence: int, tick: int, why: str) -> Seen:
        """A motion that was over before its first sample: it was stopped, or tripped, in the tick that began it."""
        self.motions[motion] = Motion(motion, sequence, tick, sequence, why)
        self._forget_old()
        return Seen("motion_over", tick, {"motion": motion, "why": why, "first": sequence, "last": sequence - 1})

    def _forget_old(self) -> None:
        while len(self.motions) > _KEPT:
            self.motions.popitem(last=False)

    def _warn(self, tick: int, fresh: int, seen: list[Seen], row: Any) -> None:
        for trip in Trip:
            told = self._told_warning.get(trip, -(1 << 62))
            if fresh >> trip & 1 and tick - told >= self._hold_ticks:
                self._told_warning[trip] = tick
                ages = _pressure_ages(row) if trip == Trip.PRESSURE_AGE and row is not None else {}
                seen.append(Seen("warning", tick, {"limit": trip.name.lower(), **ages}))


def _pressure_ages(row: Any) -> dict[str, float]:
    """How old the pressures are, in seconds."""
    return {f"{name}_age_s": round(int(row[f"{name}_age_ns"]) * 1e-9, 6) for name in ("pressure_a", "pressure_b")}
