"""What the service has sent to the loop, kept until the loop says that it took it: then both are an intake."""

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.law.reference.external import AT_REST
from hilctl.law.reference.motion import Kind
from hilctl.law.requests import RequestKind
from hilctl.loop.intake import IntakeKind
from hilctl.loop.layout import BANKS, INTAKE_SLOTS
from hilctl.loop.outside import Reader

_POINT = 8  # bytes
_SETS = 64  # sets that may wait in the mailbox for the loop: of these it takes the newest


class Intake(NamedTuple):
    """Something that the loop took (loop/intake.py), and its bytes: a record, of a waveform with the knots after it."""

    number: int  # of all, counted by the loop
    kind: int
    tick: int
    between: int
    id: int
    refusal: int
    value: float
    limit: float
    data: bytes


class Sent:
    """One run's."""

    def __init__(self, entries: Reader) -> None:
        self._entries, self._lost = entries, 0
        self._settings: OrderedDict[int, bytes] = OrderedDict()  # by epoch
        self._requests: dict[int, bytes] = {}
        self._knots: list[bytes] = [b""] * BANKS
        self._points, self._seen = bytearray(), 0  # coefficients that the loop has not seen, and how many it has

    def settings(self, record: Any) -> None:
        """A parameter set."""
        self._settings[int(record.epoch)] = record.tobytes()
        while len(self._settings) > _SETS:
            self._settings.popitem(last=False)

    def knots(self, bank: int, knots: npt.NDArray[np.float64]) -> None:
        """A waveform, into this bank."""
        self._knots[bank] = np.ascontiguousarray(knots, np.float64).tobytes()

    def knots_of(self, bank: int) -> bytes:
        """The waveform that this bank was given last."""
        return self._knots[bank]

    def request(self, request: Any) -> None:
        """A request."""
        with_knots = request.kind == RequestKind.TRACK and request.motion.kind in (Kind.WAVEFORM, Kind.EXTERNAL)
        if request.kind == RequestKind.TRACK and request.motion.kind == Kind.EXTERNAL:
            self._points, self._seen = bytearray(), AT_REST
        self._requests[int(request.id)] = request.tobytes() + (self._knots[int(request.bank)] if with_knots else b"")

    def forget(self, id: int) -> None:
        """A request that the law never saw."""
        self._requests.pop(id, None)

    def points(self, coefficients: npt.NDArray[np.float64]) -> None:
        """More of an external reference."""
        self._points += np.ascontiguousarray(coefficients, np.float64).tobytes()

    @property
    def told(self) -> int:
        """How much the loop has ever taken: once this has grown, there is something in `taken`."""
        return self._entries.told

    def taken(self) -> list[Intake]:
        """What the loop took since the last call, in order."""
        if not self._entries.waiting and self._entries.lost == self._lost:
            return []
        number, out = self._entries.read + self._lost, []
        for entry in self._entries.take(INTAKE_SLOTS):
            kind, tick, between, id, refusal, value, limit = entry.item()
            out.append(Intake(number, kind, tick, between, id, refusal, value, limit, self._data(kind, id)))
            number += 1
        lost = self._entries.lost - self._lost
        if lost and out:
            self._lost += lost
            out.append(out[-1]._replace(number=number + lost - 1, kind=IntakeKind.LOST.value, id=lost, data=b""))
        return out

    def _data(self, kind: int, id: int) -> bytes:
        if kind == IntakeKind.SETTINGS:
            return self._settings.get(id, b"")
        if kind == IntakeKind.POINTS:
            size = _POINT * max(id - self._seen, 0)
            data, self._points, self._seen = bytes(self._points[:size]), self._points[size:], id
            return data
        return self._requests.pop(id, b"") if kind == IntakeKind.REQUEST else b""
