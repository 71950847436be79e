"""Alarms: what asks for a person, kept until somebody acknowledges it. Read from the events, whose numbers they bear.

    raised --acknowledge--> acknowledged
      again while raised: counted        again after that: another alarm

Whether its cause is still there is another matter: `active`.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from hilctl.recording.layout import Event
from hilctl.signals import Trip
from hilctl.trips import TRIP_TEXTS, general
from hilctl.wire.errors import Code, Refused

KEPT = 256  # of those that were acknowledged

Body = dict[str, Any]


def _warning(body: Body) -> str:
    trip = Trip[str(body["limit"]).upper()]
    return general(trip) if trip in TRIP_TEXTS else str(body["limit"])


# What raises an alarm: its key, and its text.
_RAISED: dict[str, tuple[Callable[[Body], str], Callable[[Body], str]]] = {
    "trip": (lambda b: str(b["trip"]), lambda b: str(b["text"])),
    "warning": (lambda b: str(b["limit"]), _warning),
    "lease_lost": (
        lambda b: "service.lease_lost",
        lambda b: f"the lease of {b['holder']} was lost after {b['silent_s']:g} s of silence; then: {b['then']}",
    ),
    "restore_failed": (lambda b: "", lambda b: f"the parameters were not put back: {b['reason']}"),
    "recording_failed": (lambda b: "recording", lambda b: f"the recording {b['path']} ended: {b['reason']}"),
    "recording_continued": (
        lambda b: "recording",
        lambda b: f"the recording continues in {b['path']}: {b['reason']}",
    ),
    "journal_failed": (lambda b: "journal", lambda b: f"{b['path']}: parameter sets are not kept: {b['reason']}"),
    "rows_lost": (lambda b: "", lambda b: f"{b['count']} samples were lost between loop and service"),
    "link_lost": (lambda b: "driver", lambda b: f"the link to the device ({b['driver']}) was lost: {b['reason']}"),
    "core_gone": (lambda b: "core", lambda b: f"{b['text']}; restart the service"),
    "clock_step": (lambda b: "", lambda b: f"the wall clock of the rig PC was stepped by {b['by_s']:g} s"),
}
# What ends the cause of others; trips and warnings end with what `status` shows.
_OVER = {"link_back": "link_lost", "core_gone": "link_lost", "journal_back": "journal_failed"}
_LASTING = {"link_lost", "core_gone", "journal_failed"}


@dataclass
class Alarm:
    """One."""

    number: int  # of the event that raised it
    kind: str
    key: str
    text: str
    tick: int
    time_ns: int
    last_ns: int
    count: int = 1
    active: bool = False
    acknowledged: dict[str, Any] | None = None


class Alarms:
    """All of this run."""

    def __init__(self) -> None:
        self._raised: dict[tuple[str, str], Alarm] = {}  # in the order of their numbers
        self._done: deque[Alarm] = deque(maxlen=KEPT)

    def __len__(self) -> int:
        return len(self._raised)

    def hear(self, event: Event) -> None:
        """An event, which may raise an alarm or end another's cause."""
        over = _OVER.get(event.kind)
        if over is not None:
            for alarm in (*self._raised.values(), *self._done):
                alarm.active = alarm.active and alarm.kind != over
        if event.kind not in _RAISED or event.body.get("asked"):  # what somebody has asked for asks for nobody
            return
        key_of, text_of = _RAISED[event.kind]
        key, text = key_of(event.body), text_of(event.body)
        known = self._raised.get((event.kind, key))
        if known is None:
            made = Alarm(event.number, event.kind, key, text, event.tick, event.time_ns, event.time_ns)
            made.active = event.kind in _LASTING
            self._raised[event.kind, key] = made
            return
        known.text, known.last_ns, known.count = text, event.time_ns, known.count + 1
        known.active = event.kind in _LASTING

    def acknowledge(self, number: int, by: str, time_ns: int, comment: str = "", *, before: bool = False) -> list[int]:
        """Somebody has seen this one, and `before` all that were raised before it; their numbers."""
        seen = [a for a in self._raised.values() if a.number == number or (before and a.number < number)]
        if not seen:
            raise Refused(Code.BAD_VALUE, self._why_none(number), "number")
        for alarm in seen:
            alarm.acknowledged = {"by": by, "time_ns": time_ns, "comment": comment}
            del self._raised[alarm.kind, alarm.key]
            self._done.append(alarm)
        return [alarm.number for alarm in seen]

    def plain(self, trip: str, warnings: Iterable[str], *, acknowledged: bool = False) -> list[dict[str, Any]]:
        """As sent on the wire, in the order in which they were raised. `trip` and `warnings` are those of now."""
        now = {("trip", trip), *(("warning", limit) for limit in warnings)}
        found = sorted([*(self._done if acknowledged else ()), *self._raised.values()], key=lambda alarm: alarm.number)
        return [{**asdict(alarm), "active": alarm.active or (alarm.kind, alarm.key) in now} for alarm in found]

    def _why_none(self, number: int) -> str:
        for alarm in self._done:
            if alarm.number == number and alarm.acknowledged is not None:
                return f"alarm {number} was acknowledged already, by {alarm.acknowledged['by']}"
        numbers = ", ".join(str(alarm.number) for alarm in self._raised.values())
        return f"no alarm {number}; " + (f"those not acknowledged are {numbers}" if numbers else "all are acknowledged")
