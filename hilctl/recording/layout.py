"""What stands in a recording's file, and where. The writer and the reader both go by this.

samples      one row a tick, every channel
readings     what the driver gave in each of these ticks, before any correction: values and ages
taken        what the loop took from outside, in its order: parameter sets, requests; `blobs` has their bytes
known        the controller's whole state now and then: from there on a replay is exact
types        how the bytes in `blobs` are laid out, as JSON
segments     (row, sequence): from this row on, samples count up from this sequence number; one more after each gap
events       what happened: modes, trips, epochs, warnings
parameters   every change: key, old, new, author, origin, epoch, tick
channels     name, unit, type and meaning of the samples' fields
law_state    the law's full state before the first sample, as bytes; absent when the core gave none
flushes      the last few flushes: how long each of `GROWING` was, and checksums; what a file that was not closed has
             beyond them is not whole
rig_files    path and text of the rig file and of the files that it includes
trip         of a black box: the first cause, what followed, status and log, as the bytes of JSON
attributes   format, version, rig, rig_file, run, schema, rate_hz, clock, started, wall, host, versions, law_tick,
continues, required, complete, ended

`wall`: what is added to a sample's time_ns to have the wall clock's, and its uncertainty; empty on the virtual clock.
`continues` names the file before this one. Rotated, this one begins with the row after the last one of that file, and
with the law's state. Where the disk had failed that file, what it holds beyond `flushed` stands in this one too.
"""

import json
from typing import Any, NamedTuple

import numpy as np

FORMAT = "hilctl recording"
VERSION = 1
SUFFIX = ".h5"
TRIP = "trip-"  # how the names of the black box's files begin
ALWAYS = "always-"  # how the names of recordings begin that recording.always makes and removes
CHUNK_ROWS = 1024  # half a megabyte a chunk: h5py's default of some kilobytes costs a B-tree node every few rows

SEGMENT: "np.dtype[Any]" = np.dtype([("row", np.int64), ("sequence", np.int64)])
_WHOLE = ("number", "kind", "tick", "between", "id", "refusal")
TAKEN: "np.dtype[Any]" = np.dtype(
    [(name, np.int64) for name in _WHOLE]
    + [("value", np.float64), ("limit", np.float64), ("at", np.int64), ("size", np.int64)]
)
KNOWN: "np.dtype[Any]" = np.dtype(
    [(n, np.int64) for n in ("tick", "row", "request", "taken", "at", "state", "carried", "knots")]
)


def types_of(**types: "np.dtype[Any]") -> str:
    """Record types as text, by name."""
    return json.dumps({name: dtype.descr for name, dtype in types.items()})


def type_of(types: str, name: str) -> "np.dtype[Any]":
    """The record type of this name, from that text."""
    return np.dtype(_fields(json.loads(types)[name]))


def _fields(told: Any) -> list[Any]:
    """JSON knows no tuples."""
    return [(name, _fields(kind) if isinstance(kind, list) else kind, *map(tuple, more)) for name, kind, *more in told]


GROWING = ("samples", "readings", "segments", "events", "parameters", "taken", "known", "blobs", "trip")


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
    types: str = ""  # how readings, states and what is taken are laid out, as JSON


class Taken(NamedTuple):
    """Something that the loop took from outside, in a tick or after it; `data` is what the service had sent."""

    number: int  # of all, counted by the loop
    kind: int
    tick: int
    between: int  # 1: after that tick
    id: int
    refusal: int
    value: float
    limit: float
    data: bytes


class Known(NamedTuple):
    """The controller's whole state after a tick, before the sample and the taken one with these numbers."""

    tick: int
    row: int
    request: int
    taken: int
    state: bytes
    carried: bytes  # what the loop keeps beside it
    knots: bytes  # the waveform of the motion that runs


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
