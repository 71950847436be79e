"""Uploaded histories, by name: begun, filled in order, ended. A few are kept; they belong to no client."""

from collections import OrderedDict

import numpy as np

from hilctl.law.motions import Samples, samples_of
from hilctl.params import BadValues, Problem
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops_motion import Waveform

_KEPT = 8


class _Upload:
    def __init__(self, begun: Waveform) -> None:
        self.begun, self.values, self.received = begun, np.empty(begun.count), 0


class Waveforms:
    """What was uploaded, and what is being uploaded."""

    def __init__(self) -> None:
        self._ready: OrderedDict[str, Samples] = OrderedDict()
        self._uploads: OrderedDict[str, _Upload] = OrderedDict()

    def handle(self, asked: Waveform, data: bytes) -> dict[str, object]:
        """One step of an upload."""
        if not asked.name:
            raise BadValues([Problem("name", asked.name, "is required")])
        match asked.action:
            case "begin":
                self._begin(asked)
            case "chunk":
                self._chunk(asked, data)
            case "end":
                return self._end(asked.name)
            case "drop":
                self._uploads.pop(asked.name, None)
                self._ready.pop(asked.name, None)
                return {"name": asked.name, "received": 0, "seconds": 0.0}
        return {"name": asked.name, "received": self._uploads[asked.name].received, "seconds": 0.0}

    def get(self, name: str) -> Samples | None:
        """The history of this name."""
        return self._ready.get(name)

    def _begin(self, asked: Waveform) -> None:
        if asked.count < 1:
            raise BadValues([Problem("count", asked.count, "must be how many numbers will come")])
        if asked.interval_s == 0 and asked.count % 2:
            raise BadValues([Problem("count", asked.count, "must be even: pairs of a time and a value")])
        self._uploads.pop(asked.name, None)
        if len(self._uploads) >= _KEPT:
            self._uploads.popitem(last=False)
        self._uploads[asked.name] = _Upload(asked)

    def _running(self, name: str) -> _Upload:
        upload = self._uploads.get(name)
        if upload is None:
            raise Refused(Code.BAD_VALUE, f"no upload {name!r} was begun", "name")
        return upload

    def _chunk(self, asked: Waveform, data: bytes) -> None:
        upload = self._running(asked.name)
        if asked.offset != upload.received:
            raise Refused(
                Code.BAD_VALUE, f"offset {asked.offset}, expected {upload.received}: chunks come in order", "offset"
            )
        values = np.frombuffer(data, "<f8")
        if upload.received + len(values) > upload.begun.count:
            raise Refused(Code.TOO_LARGE, f"more than the {upload.begun.count} numbers that were announced", "data")
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            at = asked.offset + int(wrong[0])
            raise Refused(Code.BAD_VALUE, f"number {at} is {values[wrong[0]]!r}, must be finite", "data")
        upload.values[upload.received : upload.received + len(values)] = values
        upload.received += len(values)

    def _end(self, name: str) -> dict[str, object]:
        upload = self._running(name)
        begun = upload.begun
        if upload.received != begun.count:
            raise Refused(Code.BAD_VALUE, f"{upload.received} of {begun.count} numbers have come", "count")
        if begun.interval_s:
            samples = samples_of(upload.values, begun.quantity, interval_s=begun.interval_s, at=name)
        else:
            pairs = upload.values.reshape(-1, 2)
            samples = samples_of(pairs[:, 1], begun.quantity, times_s=pairs[:, 0], at=name)
        del self._uploads[name]
        self._ready.pop(name, None)
        self._ready[name] = samples
        while len(self._ready) > _KEPT:
            self._ready.popitem(last=False)
        return {"name": name, "received": upload.received, "seconds": float(samples.times_s[-1])}
