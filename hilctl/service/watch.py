"""What happened, read from the samples: modes, trips, motions, epochs and warnings that came with a block of rows."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.signals import NAMES, Mode, Trip
from hilctl.wire.encode import words_of_rows

_KEPT = 1024  # motions whose end can still be asked for
_WATCHED = ("mode", "trip", "epoch", "motion", "warnings")
_COLUMNS = [NAMES.index(name) for name in _WATCHED]
_WARNING_HOLD_S = 1.0  # a warning that flickers is told once a second


@dataclass
class Motion:
    """A motion by its samples; `end` is the first that is not its own any more."""

    id: int
    first: int
    first_tick: int
    end: int = -1
    why: str = ""  # done, stopped, tripped


class Seen(NamedTuple):
    """A change between two samples."""

    kind: str
    tick: int
    body: dict[str, Any]


class Watch:
    """The last sample's state, and what changed since."""

    def __init__(self, rate_hz: float) -> None:
        self.mode, self.trip, self.epoch, self.motion, self.warnings, self.tick = Mode.OFF, 0, 0, 0, 0, -1
        self.motions: OrderedDict[int, Motion] = OrderedDict()
        self._told_warning: dict[int, int] = {}
        self._hold_ticks = int(_WARNING_HOLD_S * rate_hz)

    def look(self, first: int, rows: npt.NDArray[Any]) -> list[Seen]:
        """The changes in these rows, in order. A block without any costs one comparison."""
        watched = words_of_rows(rows)[:, _COLUMNS]
        before = np.array([(self.mode, self.trip, self.epoch, self.motion, self.warnings)])
        changed = np.flatnonzero((watched != np.concatenate((before, watched[:-1]))).any(axis=1))
        seen: list[Seen] = []
        for i in changed.tolist():
            self._change(first + i, int(rows["tick"][i]), watched[i].tolist(), seen)
        self.tick = int(rows["tick"][-1])
        return seen

    def stand(self, sequence: int, status: Any) -> list[Seen]:
        """The changes that a status tells while virtual time stands still and makes no rows."""
        now = [status.mode, status.trip, status.epoch, status.motion_id, self.warnings]
        seen: list[Seen] = []
        if now[:4] != [self.mode, self.trip, self.epoch, self.motion]:
            self._change(sequence, status.tick, now, seen)
        return seen

    def _change(self, sequence: int, tick: int, now: list[int], seen: list[Seen]) -> None:
        mode, trip, epoch, motion, warnings = now
        if epoch != self.epoch:
            seen.append(Seen("epoch", tick, {"epoch": epoch}))
        if warnings & ~self.warnings:
            self._warn(tick, warnings & ~self.warnings, seen)
        if trip != self.trip and trip:
            seen.append(Seen("trip", tick, {"trip": trip}))
        elif trip != self.trip:
            seen.append(Seen("reset", tick, {}))
        if motion != self.motion:
            why = "tripped" if trip else "done" if mode == Mode.HOLD else "stopped"
            self._next_motion(sequence, tick, motion, why, seen)
        if mode != self.mode:
            seen.append(Seen("mode", tick, {"mode": Mode(mode).name.lower(), "was": Mode(self.mode).name.lower()}))
        self.mode, self.trip, self.epoch, self.motion, self.warnings = Mode(mode), trip, epoch, motion, warnings

    def _next_motion(self, sequence: int, tick: int, motion: int, why: str, seen: list[Seen]) -> None:
        running = self.motions.get(self.motion)
        if running is not None:
            running.end, running.why = sequence, why
            body = {"motion": running.id, "why": why, "first": running.first, "last": sequence - 1}
            seen.append(Seen("motion_over", tick, body))
        if motion:
            self.motions[motion] = Motion(motion, sequence, tick)
            seen.append(Seen("motion", tick, {"motion": motion, "first": sequence}))
            while len(self.motions) > _KEPT:
                self.motions.popitem(last=False)

    def _warn(self, tick: int, fresh: int, seen: list[Seen]) -> None:
        for trip in Trip:
            told = self._told_warning.get(trip, -(1 << 62))
            if fresh >> trip & 1 and tick - told >= self._hold_ticks:
                self._told_warning[trip] = tick
                seen.append(Seen("warning", tick, {"limit": trip.name.lower()}))
