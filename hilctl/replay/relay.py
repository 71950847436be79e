"""What a recording holds as bytes, laid out as today's controller has it: states, parameter sets, requests, readings.

Where a record has other fields than when it was recorded, those of the same name are taken over, and new ones are 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.law.requests import REQUEST
from hilctl.law.settings import SETTINGS
from hilctl.law.state import STATE
from hilctl.loop import layout
from hilctl.loop.intake import IntakeKind
from hilctl.loop.layout import CARRIED
from hilctl.recording.layout import Known, Taken, type_of
from hilctl.recording.reader import Recording
from hilctl.replay.tick import ENTRY

_FOREVER = 1 << 62
_ALMOST = 1.0 - 1e-9
READINGS = layout.given(1).dtype
TODAY = {"readings": READINGS, "state": STATE, "carried": CARRIED, "settings": SETTINGS, "request": REQUEST}


def same_layout(types: str) -> bool:
    """Whether every record is laid out as today."""
    return all(type_of(types, name).descr == dtype.descr for name, dtype in TODAY.items())


def state_of(types: str, known: Known, alter: Callable[[Any], None] | None) -> tuple[bytes, Any]:
    """The controller's state, and what the loop carries beside it."""
    state = _today(types, "state", known.state)
    if alter is not None:
        for name in ("now", "source", "target"):
            alter(state[0][name])
        if state[0].blend >= 1.0:  # what follows from the parameters is computed while they are blended
            state[0].source = state[0].target
            state[0].blend = _ALMOST
    return state.tobytes(), _today(types, "carried", known.carried)[0]


class Entries:
    """What the loop took, as the replay reads it."""

    def __init__(self, recording: Recording, alter: Callable[[Any], None] | None) -> None:
        self._recording, self._alter = recording, alter
        self._types = recording.types
        self._taken = recording.taken
        self._same_readings = type_of(self._types, "readings").descr == READINGS.descr
        self.table: Any = np.zeros(0, ENTRY)
        self.blobs: npt.NDArray[np.uint8] = np.zeros(8, np.uint8)
        self.next = 0
        self.usable_until, self.why = _FOREVER, ""

    def since(self, number: int, tick: int) -> "Entries":
        """Those from this number on, after that tick, up to the first that a replay cannot use; `why` it cannot."""
        blobs, rows = bytearray(), []
        self.next, self.usable_until, self.why = 0, _FOREVER, ""
        expected = number
        for one in self._taken:
            if one.number < number:
                continue
            if one.number != expected or one.kind == IntakeKind.LOST:  # at any time after the one before
                self.usable_until, self.why = tick + 1, "something that the loop took after it was not recorded"
                break
            why, tick = _useless(one), one.tick
            if why:
                self.usable_until, self.why = tick + one.between, why
                break
            data = self._data(one)
            rows.append((one.kind, one.tick, one.between, one.id, one.refusal, one.value, one.limit, len(blobs),
                         len(data)))  # fmt: skip
            blobs += data + bytes(-len(data) % 8)
            expected += 1
        self.table = np.array(rows, ENTRY) if rows else np.zeros(0, ENTRY)
        self.blobs = np.frombuffer(bytes(blobs) or bytes(8), np.uint8).copy()
        return self

    def readings(self, first: int, end: int) -> Any:
        """What the driver gave in these rows of the file."""
        read = self._recording.readings(first, end)
        return read.view(READINGS) if self._same_readings else _renamed(read, READINGS)

    def _data(self, one: Taken) -> bytes:
        if one.kind == IntakeKind.SETTINGS:
            settings = _today(self._types, "settings", one.data)
            if self._alter is not None:
                self._alter(settings[0])
            return bytes(settings.tobytes())
        if one.kind == IntakeKind.REQUEST:
            size = type_of(self._types, "request").itemsize
            return bytes(_today(self._types, "request", one.data[:size]).tobytes()) + one.data[size:]
        return one.data


def _useless(one: Taken) -> str:
    """Why a replay cannot follow this; empty where it can."""
    if one.kind in (IntakeKind.SETTINGS, IntakeKind.REQUEST) and not one.data:
        what = "parameter set" if one.kind == IntakeKind.SETTINGS else "request"
        return f"the {what} {one.id} was not recorded"
    return ""


def _today(types: str, name: str, data: bytes) -> Any:
    recorded = np.frombuffer(data, type_of(types, name))
    return _renamed(recorded, TODAY[name])


def _renamed(recorded: Any, today: Any) -> Any:
    """The same values by the names of the fields."""
    out: Any = np.zeros(len(recorded), today)
    if recorded.dtype.descr == today.descr:
        out.view(np.uint8).reshape(-1)[:] = np.ascontiguousarray(recorded).view(np.uint8).reshape(-1)
        return out
    for name in today.names:
        if name not in recorded.dtype.names:
            continue
        if today[name].names:
            out[name] = _renamed(recorded[name], today[name])
        elif recorded[name].shape == out[name].shape:
            out[name] = recorded[name]
    return out
