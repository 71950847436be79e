"""What an exported file says of its recording."""

import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.recording.chain import Chain

TIME = "time_s"


class Column(NamedTuple):
    """A column of the exported table."""

    name: str
    unit: str
    kind: str  # i8 or f8
    meaning: str


class About(NamedTuple):
    """The recording, and what of it is exported."""

    columns: tuple[Column, ...]  # time_s first
    rate_hz: float
    rig: str
    run: str
    started: str
    wall: dict[str, int]
    events: list[dict[str, Any]]
    changes: list[dict[str, Any]]
    facts: dict[str, Any]

    def wall_ns(self, time_ns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The wall clock's time of samples; on the virtual clock, or where none was kept, their own."""
        return time_ns + np.int64(self.wall.get("offset_ns", 0))

    @property
    def text(self) -> str:
        """All but the samples, as JSON."""
        return json.dumps({**self.facts, "events": self.events, "changes": self.changes}, ensure_ascii=False)


def about(chain: Chain, names: tuple[str, ...]) -> About:
    """Of these channels of a recording."""
    first = chain.first
    units, kinds, meanings = first.units, first.kinds, first.meanings
    facts = {
        "rig": first.rig, "run": first.run, "rate_hz": first.rate_hz, "clock": first.clock, "started": first.started,
        "wall": first.wall, "host": first.host, "versions": first.versions, "files": [p.name for p in chain.paths],
        "complete": chain.last.complete, "ended": chain.last.ended, "rig_file": first.rig_file,
        "parameters_at_start": first.parameters_at_start,
    }  # fmt: skip
    columns = [Column(TIME, "s", "f8", "tick by the rate")]
    columns += [Column(name, units[name], kinds[name], meanings[name]) for name in names]
    events = [event for part in chain.parts for event in part.recording.events]
    changes = [change for part in chain.parts for change in part.recording.changes]
    return About(tuple(columns), first.rate_hz, first.rig, first.run, first.started, first.wall, events, changes, facts)
