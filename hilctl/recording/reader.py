"""Reads a recording, complete or cut off."""

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hilctl.errors import WrongUse
from hilctl.params import nearest
from hilctl.recording.damaged import Damaged, guarded, reading
from hilctl.recording.flushes import lengths
from hilctl.recording.layout import FORMAT, GROWING, VERSION, Known, Taken
from hilctl.recording.numbered import numbered
from hilctl.recording.short import opened
from hilctl.recording.writing import being_written


@guarded
class Recording:
    """An open recording; samples are read when asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with reading(path):
            self._file = opened(path)
        try:
            with reading(path):
                self._begin()
        except BaseException:
            self._file.close()
            raise

    def _begin(self) -> None:
        """What the file says of itself as a whole."""
        attributes = self._file.attrs
        found = attributes.get("format"), attributes.get("version")
        if found != (FORMAT, VERSION):
            why = f"format {found[0]!r}, version {found[1]}"
            raise Damaged(self.path, why, f"this program reads {FORMAT!r}, {VERSION}")
        self.rig, self.rig_file = str(attributes["rig"]), str(attributes["rig_file"])
        self.run, self.schema = str(attributes["run"]), str(attributes["schema"])
        self.rate_hz, self.clock = float(attributes["rate_hz"]), str(attributes["clock"])
        self.started = str(attributes["started"])
        self.epoch = int(attributes["epoch"])
        self.host: dict[str, Any] = json.loads(attributes["host"])
        self.versions: dict[str, str] = json.loads(attributes["versions"])
        self.wall: dict[str, int] = json.loads(attributes.get("wall", "{}"))
        self.continues = str(attributes.get("continues", ""))
        self.required = bool(attributes.get("required", False))
        ended = attributes["ended"]  # a text of any length, in older files
        self.ended = ended.decode(errors="ignore") if isinstance(ended, bytes) else str(ended)
        self.complete = bool(attributes["complete"])
        self.channels = tuple(self._file["samples"].dtype.names or ())
        self._held: dict[str, int] = {}  # files of older programs have lengths alone, or nothing
        if "held" in self._file:
            self._held = dict(zip(GROWING, self._file["held"][:].tolist(), strict=False))
        if "flushes" in self._file:
            flushes = self._file["flushes"][:]
            self._held = lengths(flushes, lambda name, first, end: self._file[name][first:end], self.complete)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Gives the file back."""
        self._file.close()

    def __len__(self) -> int:
        return self._length("samples")

    def _length(self, name: str) -> int:
        length = int(self._file[name].shape[0])
        return min(length, self._held.get(name, length))

    def _all(self, name: str) -> npt.NDArray[Any]:
        return np.asarray(self._file[name][: self._length(name)])

    @property
    def end(self) -> str:
        """Complete; else whether it is still being written, ended by itself (`ended` says why), or was cut off."""
        if self.complete:
            return "complete"
        return "still being written" if being_written(self.path) else "not complete" if self.ended else "cut off"

    @property
    def units(self) -> dict[str, str]:
        """The unit of every channel."""
        return {row["name"].decode(): row["unit"].decode() for row in self._file["channels"][:]}

    @property
    def rig_files(self) -> dict[str, str]:
        """The text of the rig file and of the files that it includes, by path."""
        if "rig_files" not in self._file:
            return {}
        return {file["path"]: file["text"] for file in json.loads(self._file["rig_files"][()])}

    @property
    def kinds(self) -> dict[str, str]:
        """The type of every channel, as numpy names it."""
        return {row["name"].decode(): row["kind"].decode() for row in self._file["channels"][:]}

    @property
    def meanings(self) -> dict[str, str]:
        """What every channel is."""
        return {row["name"].decode(): row["meaning"].decode() for row in self._file["channels"][:]}

    @property
    def parameters_at_start(self) -> dict[str, Any]:
        """Every parameter as it was when the recording began."""
        made: dict[str, Any] = json.loads(self._file["parameters_at_start"][()])
        return made

    @property
    def law_state(self) -> tuple[int, bytes] | None:
        """Tick and bytes of the law's state before the first sample."""
        if "law_state" not in self._file:
            return None
        return int(self._file.attrs["law_tick"]), bytes(self._file["law_state"][:])

    @property
    def trip(self) -> dict[str, Any] | None:
        """Of a black box: the first cause, what followed, status and log."""
        if "trip" not in self._file:
            return None
        text = self._file["trip"].shape == ()  # as older programs wrote it
        told = bytes(self._file["trip"][()] if text else self._all("trip"))
        return dict(json.loads(told)) if told else None

    @property
    def types(self) -> str:
        """How readings, states and what was taken are laid out; empty where the file has none of them."""
        return str(self._file["types"].asstr()[()]) if "types" in self._file else ""

    def readings(self, first: int = 0, end: int | None = None) -> npt.NDArray[Any]:
        """What the driver gave, by row of the file."""
        held = self._length("readings")
        return np.asarray(self._file["readings"][first : held if end is None else min(end, held)])

    @property
    def taken(self) -> list[Taken]:
        """What the loop took from outside, in order; the bytes are read with it."""
        if "taken" not in self._file:
            return []
        rows = self._all("taken").tolist()
        return [Taken._make((*fields, self._blob(at, size))) for *fields, at, size in rows]

    @property
    def known(self) -> list[Known]:
        """The controller's states, in order."""
        if "known" not in self._file:
            return []
        out = []
        for *numbers, at, state, carried, knots in self._all("known").tolist():
            blob = self._blob(at, state + carried + knots)
            parts = blob[:state], blob[state : state + carried], blob[state + carried :]
            out.append(Known._make((*numbers, *parts)))
        return out

    def _blob(self, at: int, size: int) -> bytes:
        return bytes(self._file["blobs"][at : at + size])

    def rows(self, first: int = 0, end: int | None = None, every: int = 1) -> npt.NDArray[Any]:
        """Samples by row of the file."""
        return np.asarray(self._file["samples"][first : len(self) if end is None else min(end, len(self)) : every])

    def numbered(self, first: int, end: int, every: int = 1) -> npt.NDArray[Any]:
        """Samples by sequence number; stops where a gap begins."""
        return numbered(self._file["samples"], len(self), self._all("segments"), first, end, every)

    @property
    def first(self) -> int | None:
        """The sequence number of the first row, None where there is none."""
        segments = self._all("segments")
        return int(segments[0]["sequence"]) if len(segments) else None

    def rows_before(self, number: int) -> int:
        """How many rows have a sequence number below this one."""
        segments = self._all("segments")
        index = int(np.searchsorted(segments["sequence"], number, "right")) - 1
        if index < 0:
            return 0
        end = int(segments["row"][index + 1]) if index + 1 < len(segments) else len(self)
        return min(end, int(segments["row"][index]) + number - int(segments["sequence"][index]))

    def columns(self, *channels: str, first: int = 0, end: int | None = None) -> dict[str, npt.NDArray[Any]]:
        """Channels as arrays; all when none is named."""
        absent = [name for name in channels if name not in self.channels]
        if absent:
            raise WrongUse(f"{self.path}: has no channel {absent[0]!r}; {nearest(absent[0], self.channels)}")
        rows = self.rows(first, end)
        return {name: np.ascontiguousarray(rows[name]) for name in channels or self.channels}

    def sequence(self) -> npt.NDArray[np.int64]:
        """The sequence number of every row; it jumps where samples were lost."""
        out = np.arange(len(self), dtype=np.int64)
        for row, number in self._all("segments"):
            out[row:] = np.arange(len(self) - row, dtype=np.int64) + number
        return out

    def row_of(self, sequence: int) -> int | None:
        """The row of the file with this sequence number, or the next behind its segment; None before the first."""
        segments = self._all("segments")
        index = int(np.searchsorted(segments["sequence"], sequence, "right")) - 1
        if index < 0:
            return None
        row = int(segments["row"][index]) + sequence - int(segments["sequence"][index])
        end = int(segments["row"][index + 1]) if index + 1 < len(segments) else len(self)
        return row if row <= end else None

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened, in order."""
        return [
            {
                "number": int(e["number"]),
                "tick": int(e["tick"]),
                "time_ns": int(e["time_ns"]),
                "kind": e["kind"].decode(),
                **json.loads(e["body"]),
            }
            for e in self._all("events")
        ]

    @property
    def changes(self) -> list[dict[str, Any]]:
        """Every parameter change, in order."""
        texts, whole = ("author", "origin", "key"), ("epoch", "tick", "time_ns")
        return [
            {n: int(c[n]) for n in whole}
            | {n: c[n].decode() for n in texts}
            | {n: json.loads(c[n]) for n in ("old", "new")}
            for c in self._all("parameters")
        ]


def open_recording(path: str | Path) -> Recording:
    """The recording in this file."""
    return Recording(Path(path))
