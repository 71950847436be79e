"""What stands in a recording's file, and where. The writer and the reader both go by this.

samples      one row a tick, every channel
segments     (row, sequence): from this row on, samples count up from this sequence number; one more after each gap
events       what happened: modes, trips, epochs, warnings
parameters   every change: key, old, new, author, origin, epoch, tick
channels     name, unit, type and meaning of the samples' fields
law_state    the law's full state before the first sample, as bytes; absent when the core gave none
rig_files    path and text of the rig file and of the files that it includes
attributes   format, version, rig, rig_file, run, schema, rate_hz, clock, started, wall, host, versions, law_tick,
continues, required, complete, ended

`wall`: what is added to a sample's time_ns to have the wall clock's, and its uncertainty; empty on the virtual clock.
`continues` names the file before this one. Rotated, this one begins with the row after the last one of that file, and
with the law's state. Where the disk had failed that file, what it holds beyond `flushed` stands in this one too.
"""

from typing import Any, NamedTuple

import numpy as np

FORMAT = "hilctl recording"
VERSION = 1
SUFFIX = ".h5"
ALWAYS = "always-"  # how the names of recordings begin that recording.always makes and removes
CHUNK_ROWS = 1024  # half a megabyte a chunk: h5py's default of some kilobytes costs a B-tree node every few rows

SEGMENT: "np.dtype[Any]" = np.dtype([("row", np.int64), ("sequence", np.int64)])


class Header(NamedTuple):
    """What a recording says about itself."""

    rig: str
    rig_file: str
    run: str
    schema: str
    rate_hz: float
    clock: str
    epoch: int
    parameters: dict[str, Any]  # every key of the active set
    law_tick: int = -1
    law_state: bytes = b""
    continues: str = ""  # the file that this one goes on from
    wall: dict[str, int] | None = None
    rig_files: tuple[tuple[str, str], ...] = ()
    required: bool = False  # by recording.required: it is evidence, and never deleted over the wire


class Event(NamedTuple):
    """Something that happened."""

    number: int
    kind: str
    tick: int
    time_ns: int  # CLOCK_REALTIME, for people
    body: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        """As sent on the wire."""
        return {"number": self.number, "kind": self.kind, "tick": self.tick, "time_ns": self.time_ns, **self.body}


class Change(NamedTuple):
    """One parameter's change."""

    epoch: int
    tick: int
    time_ns: int
    author: str
    origin: str
    key: str
    old: Any
    new: Any
