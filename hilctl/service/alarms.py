"""Alarms: what asks for a person, kept until somebody acknowledges it. Read from the events, whose numbers they bear.

    raised --acknowledge--> acknowledged
      again while raised: counted        again after that: another alarm

Whether its cause is still there is another matter: `active`. Those of earlier runs (alarm_file.py) are raised again by
an event of their own, stay apart from those of this run, and are over.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from hilctl.recording.layout import Event
from hilctl.service.alarm_file import LONGEST, Kept
from hilctl.signals import Trip
from hilctl.trips import TRIP_TEXTS, general
from hilctl.wire.errors import Code, Refused

KEPT = 256  # of those that were acknowledged
EARLIER = "earlier_alarm"  # the event that raises one of an earlier run

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
    "alarms_failed": (lambda b: "alarms", lambda b: f"{b['path']}: alarms are not kept: {b['reason']}"),
    "rows_lost": (lambda b: "", lambda b: f"{b['count']} samples were lost between loop and service"),
    "link_lost": (lambda b: "driver", lambda b: f"the link to the device ({b['driver']}) was lost: {b['reason']}"),
    "core_gone": (lambda b: "core", lambda b: f"{b['text']}; restart the service"),
    "clock_step": (lambda b: "", lambda b: f"the wall clock of the rig PC was stepped by {b['by_s']:g} s"),
}
# What ends the cause of others; trips and warnings end with what `status` shows.
_OVER = {"link_back": "link_lost", "core_gone": "link_lost", "journal_back": "journal_failed",
         "alarms_back": "alarms_failed"}  # fmt: skip
_LASTING = {"link_lost", "core_gone", "journal_failed", "alarms_failed"}
_NOT_KEPT = {("trip", Trip.SHUTDOWN.name.lower())}  # who ended the run in order knows


def raised_again(one: Kept) -> Body:
    """The body of the event that raises an alarm of an earlier run."""
    return {
        "alarm_kind": one.kind, "key": one.key, "text": one.text, "alarm_tick": one.tick, "raised_ns": one.time_ns,
        "last_ns": one.last_ns, "count": one.count, "run": one.run,
    }  # fmt: skip


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
    run: str = ""  # in which it was raised
    earlier: bool = False  # and whether that was another one than this
    acknowledged: dict[str, Any] | None = None


class Alarms:
    """All that this run has raised, or found."""

    def __init__(self, run: str = "") -> None:
        self._run = run
        self._raised: dict[tuple[str, str], Alarm] = {}  # in the order of their numbers, as the next
        self._earlier: dict[int, Alarm] = {}
        self._done: deque[Alarm] = deque(maxlen=KEPT)
        self.version = 0  # grows with every change of those that are raised

    def __len__(self) -> int:
        return len(self._raised) + len(self._earlier)

    def hear(self, event: Event) -> None:
        """An event, which may raise an alarm or end another's cause."""
        over = _OVER.get(event.kind)
        if over is not None:
            for alarm in (*self._raised.values(), *self._done):
                alarm.active = alarm.active and alarm.kind != over
        if event.kind == EARLIER:
            self._hear_earlier(event.number, event.body)
        if event.kind not in _RAISED or event.body.get("asked"):  # what somebody has asked for asks for nobody
            return
        self.version += 1
        key_of, text_of = _RAISED[event.kind]
        key, text = key_of(event.body), text_of(event.body)
        known = self._raised.get((event.kind, key))
        if known is None:
            made = Alarm(event.number, event.kind, key, text, event.tick, event.time_ns, event.time_ns, run=self._run)
            made.active = event.kind in _LASTING
            self._raised[event.kind, key] = made
            return
        known.text, known.last_ns, known.count = text, event.time_ns, known.count + 1
        known.active = event.kind in _LASTING

    def _hear_earlier(self, number: int, b: Body) -> None:
        self._earlier[number] = Alarm(
            number, b["alarm_kind"], b["key"], b["text"], b["alarm_tick"], b["raised_ns"], b["last_ns"], b["count"],
            run=b["run"], earlier=True,
        )  # fmt: skip

    def kept(self) -> list[Kept]:
        """What the next run shall raise again, the oldest first."""
        return [
            Kept(a.kind, a.key[:LONGEST], a.text[:LONGEST], a.tick, a.time_ns, a.last_ns, a.count, a.run)
            for a in (*self._earlier.values(), *self._raised.values())
            if (a.kind, a.key) not in _NOT_KEPT
        ]

    def acknowledge(self, number: int, by: str, time_ns: int, comment: str = "", *, before: bool = False) -> list[int]:
        """Somebody has seen this one, and `before` all that were raised before it; their numbers."""
        seen = [a for a in self._open() if a.number == number or (before and a.number < number)]
        if not seen:
            raise Refused(Code.BAD_VALUE, self._why_none(number), "number")
        self.version += 1
        for alarm in seen:
            alarm.acknowledged = {"by": by, "time_ns": time_ns, "comment": comment}
            if alarm.earlier:
                del self._earlier[alarm.number]
            else:
                del self._raised[alarm.kind, alarm.key]
            self._done.append(alarm)
        return [alarm.number for alarm in seen]

    def plain(self, trip: str, warnings: Iterable[str], *, acknowledged: bool = False) -> list[dict[str, Any]]:
        """As sent on the wire, in the order in which they were raised. `trip` and `warnings` are those of now."""
        now = {("trip", trip), *(("warning", limit) for limit in warnings)}
        found = sorted([*(self._done if acknowledged else ()), *self._open()], key=lambda alarm: alarm.number)
        return [{**asdict(alarm), "active": self._lasts(alarm, now)} for alarm in found]

    def _open(self) -> list[Alarm]:
        return [*self._earlier.values(), *self._raised.values()]

    @staticmethod
    def _lasts(alarm: Alarm, now: set[tuple[str, str]]) -> bool:
        return not alarm.earlier and (alarm.active or (alarm.kind, alarm.key) in now)

    def _why_none(self, number: int) -> str:
        for alarm in self._done:
            if alarm.number == number and alarm.acknowledged is not None:
                return f"alarm {number} was acknowledged already, by {alarm.acknowledged['by']}"
        numbers = ", ".join(str(alarm.number) for alarm in self._open())
        return f"no alarm {number}; " + (f"those not acknowledged are {numbers}" if numbers else "all are acknowledged")
