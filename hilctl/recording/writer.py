"""Writes one recording's file. Not thread-safe: one thread owns it from open to close.

Rows are written and handed to the kernel in one go, so that between two writes the file stays whole: it opens after
`kill -9`. `sync` brings it onto the disk: from then on not even a power cut takes it. libver stays at its default:
"latest" and SWMR do not open then (measured with h5py 3, killed at random).
"""

import json
import os
import platform
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from hilctl.params.finite import finite
from hilctl.recording.disk import Disk
from hilctl.recording.flushes import FLUSH, KEPT, Flushes
from hilctl.recording.layout import (
    CHUNK_ROWS,
    FORMAT,
    KNOWN,
    SEGMENT,
    TAKEN,
    VERSION,
    Change,
    Event,
    Header,
    Known,
    Taken,
    type_of,
)
from hilctl.recording.numbered import numbered
from hilctl.recording.order import NODE, PAGE
from hilctl.recording.room import DiskFull, free_bytes, need_of
from hilctl.signals import CHANNELS, SAMPLE

_ENDED: "np.dtype[Any]" = np.dtype("S400")
_TEXT = h5py.string_dtype()
_EVENT = np.dtype([("number", "i8"), ("tick", "i8"), ("time_ns", "i8"), ("kind", _TEXT), ("body", _TEXT)])
_CHANGE = np.dtype(
    [("epoch", "i8"), ("tick", "i8"), ("time_ns", "i8")]
    + [(n, _TEXT) for n in ("author", "origin", "key", "old", "new")]
)
_CHANNEL = np.dtype([(n, _TEXT) for n in ("name", "unit", "kind", "meaning")])


def versions() -> dict[str, str]:
    """Of everything that shapes the samples."""
    found = {"python": platform.python_version()}
    for package in ("hilctl", "numba", "llvmlite", "numpy", "h5py"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            from hilctl import __version__

            found[package] = __version__ if package == "hilctl" else "absent"
    found["libc"] = " ".join(platform.libc_ver())
    return found


def host() -> dict[str, Any]:
    """The machine that wrote it."""
    system = os.uname()
    return {
        "name": system.nodename,
        "system": f"{system.sysname} {system.release}",
        "machine": system.machine,
        "cores": os.cpu_count(),
        "processor": _processor(),
    }


def _processor() -> str:
    """Its model, as the kernel names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "CPU part")))
    return next(models, platform.machine())


class Writer:
    """An open recording."""

    def __init__(self, path: Path, header: Header, first: int) -> None:
        self.path, self.first = path, first
        self._expected = first  # sequence number of the next row
        self._disk = Disk(path)
        self._file = h5py.File(self._disk, "w", alignment_threshold=NODE, alignment_interval=PAGE)
        self._describe(header)
        stored: npt.DTypeLike = np.dtype(SAMPLE.descr)
        self._samples = self._grow("samples", stored, CHUNK_ROWS)
        self._segments = self._grow("segments", SEGMENT, 64)
        self._events = self._grow("events", _EVENT, 64)
        self._changes = self._grow("parameters", _CHANGE, 64)
        self._readings: Any = None
        if header.types:
            self._readings = self._grow("readings", type_of(header.types, "readings"), CHUNK_ROWS)
        self._taken, self._known = self._grow("taken", TAKEN, 64), self._grow("known", KNOWN, 64)
        self._blobs = self._grow("blobs", np.uint8, 1 << 16)
        self._trip = self._grow("trip", np.uint8, 1 << 16)  # from the beginning: a new name is not written in one go
        self._ring, self._flushes = self._file.create_dataset("flushes", data=np.zeros(KEPT, FLUSH)), Flushes()
        try:
            self._flush()
            self.sync()
        except OSError:
            self._give_back()
            path.unlink(missing_ok=True)  # there is nothing in it
            raise

    def _grow(self, name: str, dtype: Any, chunk: int) -> Any:
        return self._file.create_dataset(name, (0,), dtype, maxshape=(None,), chunks=(chunk,))

    def _describe(self, header: Header) -> None:
        attributes = self._file.attrs
        attributes["format"], attributes["version"] = FORMAT, VERSION
        attributes["required"] = header.required
        for name in ("rig", "rig_file", "run", "schema", "rate_hz", "clock", "epoch", "law_tick", "continues"):
            attributes[name] = getattr(header, name)
        attributes["started"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        attributes["wall"] = json.dumps(header.wall or {})
        attributes["host"], attributes["versions"] = json.dumps(host()), json.dumps(versions())
        attributes["complete"] = False
        attributes.create("ended", np.bytes_(b""), dtype=_ENDED)
        # A rig has hundreds of parameters: more than an attribute may hold.
        self._file.create_dataset("parameters_at_start", data=json.dumps(header.parameters), dtype=_TEXT)
        files = [{"path": path, "text": text} for path, text in header.rig_files]
        self._file.create_dataset("rig_files", data=json.dumps(files), dtype=_TEXT)
        rows = np.array([(c.name, c.unit, c.kind, c.meaning) for c in CHANNELS], _CHANNEL)
        self._file.create_dataset("channels", data=rows)
        self._file.create_dataset("types", data=header.types, dtype=_TEXT)
        if header.law_state:
            self._file.create_dataset("law_state", data=np.frombuffer(header.law_state, np.uint8))

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._disk.size

    @property
    def rows_written(self) -> int:
        """How many it holds."""
        return int(self._samples.shape[0])

    @property
    def end(self) -> int:
        """Sequence number after the last row written."""
        return self._expected

    def write(
        self,
        blocks: list[tuple[int, npt.NDArray[Any]]],
        events: list[Event],
        changes: list[Change],
        inputs: Sequence[Taken | Known] = (),
    ) -> None:
        """Adds all of it and gives it to the kernel; OSError when that failed, and then it may only be closed.

        Rows are samples, or tables of words with the readings beside each sample."""
        self._need_room(sum(rows.nbytes for _, rows in blocks))
        for first, rows in blocks:
            if first != self._expected or not len(self._segments):
                self._append(self._segments, np.array([(len(self._samples), first)], SEGMENT))
            samples, readings = _sides(rows)
            self._append(self._samples, samples.view(self._samples.dtype).reshape(len(rows)))
            if self._readings is not None and readings is not None:
                self._append(self._readings, readings.view(self._readings.dtype).reshape(len(rows)))
            self._expected = first + len(rows)
        if events:
            made = [(e.number, e.tick, e.time_ns, e.kind, json.dumps(e.body)) for e in events]
            self._append(self._events, np.array(made, _EVENT))
        if changes:
            rows_ = [(*c[:6], json.dumps(c.old), json.dumps(c.new)) for c in changes]
            self._append(self._changes, np.array(rows_, _CHANGE))
        if inputs:
            self._write_inputs(inputs)
        self._flush()

    def _write_inputs(self, inputs: Sequence[Taken | Known]) -> None:
        taken, known, blobs, at = [], [], bytearray(), len(self._blobs)
        for one in inputs:
            place = at + len(blobs)
            if isinstance(one, Taken):
                taken.append((*one[:-1], place, len(one.data)))
                blobs += one.data
            else:
                known.append((*one[:4], place, len(one.state), len(one.carried), len(one.knots)))
                blobs += one.state + one.carried + one.knots
        self._append(self._blobs, np.frombuffer(blobs, np.uint8))
        self._append(self._taken, np.array(taken, TAKEN))
        self._append(self._known, np.array(known, KNOWN))

    def describe_trip(self, told: dict[str, Any]) -> None:
        """What caused the trip of a black box, and what followed."""
        self._append(self._trip, np.frombuffer(json.dumps(finite(told)).encode(), np.uint8))
        self._flush()

    def sync(self) -> None:
        """Brings all that was written onto the disk; NotSafe when that failed, and then it may only be closed."""
        self._disk.sync()
        self._raise()
        self._flushes.synced(self._disk.size)

    def rows(self, first: int, end: int, every: int) -> npt.NDArray[Any]:
        """Rows that were written, by sequence number; stops where a gap begins."""
        return numbered(self._samples, len(self._samples), self._segments[:], first, end, every).view(SAMPLE)

    def close(self, ended: str = "") -> None:
        """Closes it. `complete` only when nothing went wrong, and when everything before it is on the disk."""
        self._disk.sync()
        if self._disk.error is None:
            # In place, and of a fixed size: between two writes of a longer text the file could not be read.
            self._file.attrs.modify("ended", np.bytes_(ended.encode()[: _ENDED.itemsize]))
            self._file.attrs.modify("complete", not ended)
        self._give_back()
        self._raise()

    def _give_back(self) -> None:
        self._file.close()
        self._disk.settle()
        self._disk.sync()
        self._disk.close()

    def _flush(self) -> None:
        """What was added, and then that it was: HDF5 may write a new length before what is counted by it."""
        self._file.flush()
        self._disk.settle()
        flush = self._flushes.next()
        if flush is not None:
            place, told = flush
            self._ring[place] = told
            self._file.flush()
            self._disk.settle()
        self._raise()

    def _raise(self) -> None:
        if self._disk.error is not None:
            raise self._disk.error

    def _append(self, dataset: Any, rows: npt.NDArray[Any]) -> None:
        if len(rows):
            before = dataset.shape[0]
            dataset.resize((before + len(rows),))
            dataset[before:] = rows
            self._flushes.add(dataset.name.strip("/"), before, rows)

    def _need_room(self, size: int) -> None:
        free = free_bytes(self.path)
        if free < need_of(size):
            raise DiskFull(f"only {free / 1e6:.1f} MB are free on the disk of {self.path}")


def _sides(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """Samples, and the readings beside them, where a table of words has them."""
    if rows.ndim == 1:
        return rows, None
    width = SAMPLE.itemsize // 8
    return np.ascontiguousarray(rows[:, :width]), np.ascontiguousarray(rows[:, width:])
