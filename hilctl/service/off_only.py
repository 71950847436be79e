"""What a set may change in the mode off only: what shifts a measured position, and what then protects less.

A position that is shifted while the table is held moves the table; a limit that is loosened while the rig is energised
protects less than a person beside it expects. Which way a limit or a sensor's range protects less is in its
declaration (`loosens`).
"""

from functools import cache
from typing import Any, NamedTuple

from hilctl.law.settings import Controller
from hilctl.params import Leaf, flatten, leaves
from hilctl.rig import Rig
from hilctl.service.service import Service
from hilctl.signals import ALARMS, SENSORS, Mode, Trip
from hilctl.wire.errors import Code, Refused

SHIFTS = ("sensors.displacement.gain", "sensors.displacement.offset", "sensors.displacement.delay_s")
_GUARDED = ("limits.", "sensors.")
_TRIPPED_BY = {
    **{alarm.trip: name for name, alarm in ALARMS.items()},
    Trip.SUPPLY_PRESSURE: "supply_pressure",
    Trip.READ_BACK: "spool",
}


class Bound(NamedTuple):
    """A change that is bound to off, and why."""

    key: str
    old: Any
    new: Any
    why: str


@cache
def _guarded() -> tuple[Leaf, ...]:
    return tuple(leaf for leaf in leaves(Controller) if leaf.path.startswith(_GUARDED))


def bound_to_off(old: Rig, new: Rig) -> tuple[Bound, ...]:
    """What of a change is bound to off."""
    was, now = flatten(old.controller), flatten(new.controller)
    found = []
    for leaf in _guarded():
        key = leaf.path
        if was[key] != now[key] and (why := _why(leaf, _holds(was, key), _holds(now, key))):
            found.append(Bound(key, was[key], now[key], why))
    return tuple(found)


def shifts(bound: tuple[Bound, ...]) -> bool:
    """Whether a measured position is shifted."""
    return any(one.key in SHIFTS for one in bound)


def need_off(s: Service, bound: tuple[Bound, ...]) -> None:
    """Refuses what is bound to off in any other mode, by the core's own word."""
    mode = Mode(s.core.link.status.mode)
    if bound and mode != Mode.OFF:
        told = [f"{one.key}: {one.new!r} refused in the mode {mode.name.lower()}, {one.why}" for one in bound]
        remedy = "`hilctl off`, then ask again; or change the rig file and restart"
        raise Refused(Code.WRONG_MODE, "; ".join(("\n".join(told), remedy)), bound[0].key)


def need_no_fault(s: Service, bound: tuple[Bound, ...]) -> None:
    """Refuses to take an input away that says fault, or nothing, or whose trip is latched."""
    for one in bound:
        table, name, leaf = one.key.split(".", maxsplit=2) if one.key.count(".") == 2 else ("", "", "")
        if (table, leaf, one.new) == ("sensors", "present", False):
            problem = _fault(s, name)
            if problem:
                remedy = "remove the cause, then `hilctl reset`; an input that is not wired is left out in the rig file"
                raise Refused(Code.TRIPPED, f"{one.key}: False refused, {problem}; {remedy}", one.key)


def _fault(s: Service, name: str) -> str:
    """Why the rig cannot do without this sensor now; empty where it can."""
    status = s.core.link.status
    trip = Trip(s.watch.trip or status.trip)
    by = SENSORS[status.trip_sensor] if trip and status.trip_sensor >= 0 else _TRIPPED_BY.get(trip)
    if trip and by == name:
        return f"its trip {trip.name.lower()} is latched"
    if name not in ALARMS:
        return ""
    row = s.core.history.last()
    if row is None or int(row["rejected"]) >> SENSORS.index(name) & 1 or row[name] != row[name]:
        return "its input cannot be read at present, and may say fault"
    return f"its input says fault: it reads {float(row[name]):g}" if row[name] > 0.5 else ""


def _holds(values: dict[str, Any], key: str) -> Any:
    """The value that holds; of a sensor's age that is left open, the one for all."""
    return values["limits.stale.max_s"] if values[key] is None else values[key]


def _why(leaf: Leaf, old: Any, new: Any) -> str:
    if leaf.path in SHIFTS:
        return f"it was {old!r}, and the change shifts the measured position"
    if leaf.path.endswith(".present"):
        return f"it was {old!r}, and what protects depends on it"
    looser = {
        "up": _rank(leaf, new) > _rank(leaf, old),
        "down": _rank(leaf, new) < _rank(leaf, old),
        "never": False,
    }.get(leaf.loosens or "both", True)
    return f"it protects less than {old!r}, which holds" if looser else ""


def _rank(leaf: Leaf, value: Any) -> float:
    return leaf.choices.index(value) if leaf.choices else float(value)
