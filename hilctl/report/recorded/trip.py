"""The page of a trip: what tripped and why, the channels that explain it, what followed, the link, the log."""

from pathlib import Path
from typing import Any

import numpy as np

from hilctl.errors import WrongUse
from hilctl.recording.reader import Recording
from hilctl.report.brief import Brief, keys, listed
from hilctl.report.document import report, save
from hilctl.report.drawing import inlined
from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, absent, code, moment, sentence, table
from hilctl.report.numbers import with_unit
from hilctl.report.panels import channels_of, draw, panels_of
from hilctl.results.recorded import Followed, Tripped
from hilctl.results.stored import as_json
from hilctl.signals import Trip

BEFORE_S, AFTER_S = 2.0, 1.0  # that are drawn
_LINES = 60  # of the log, the newest
_OWN = ("kind", "tick", "number", "time_ns")  # of every event


def write(recording: Recording, path: Path) -> Path:
    """One HTML file that needs nothing else, and its JSON twin; WrongUse for a recording that no trip has left."""
    told = recording.trip
    if told is None:
        raise WrongUse(f"{recording.path}: is no black box: no trip has left it; a trip's page needs a `trip-…` file")
    rows = _around(recording, int(told["tick"]))
    made = tripped(recording, told, rows)
    twin = save(as_json(made).decode(), path.with_suffix(".json"))
    panels = panels_of(Trip[made.trip.upper()])
    times_s = (rows["tick"] - made.tick) / recording.rate_hz
    values = {channel: rows[channel] for channel in channels_of(panels) if channel in recording.channels}
    pictures, without = inlined(lambda: [("trip", draw(panels, times_s, values, "time after the trip, s", 0.0))])
    sections = {
        "channels": ("Around the trip", _channels(made, pictures, len(rows))),
        "followed": ("What followed", _followed(made)),
        "link": ("The link to the device", _link(made)),
        "log": ("The log", _log(made)),
    }
    text = report(
        f"Trip of {made.rig}: {made.trip.replace('_', ' ')}", first(made),
        [("Recorded", moment(made.started)), ("Tick", str(made.tick)), ("Value", _figure(made.value, made.unit)),
         ("Limit", _figure(made.limit, made.unit)), ("Key", code(made.key)), ("Reaction", made.action),
         ("Epoch", str(made.epoch)), ("File", code(made.file)), ("For a program", code(twin.name))],
        sections, before=[absent(without)],
    )  # fmt: skip
    return save(text, path)


def tripped(recording: Recording, told: dict[str, Any], rows: Any) -> Tripped:
    """The twin of its page; `rows`: the samples around it."""
    cause, tick, rate_hz = told["cause"], int(told["tick"]), recording.rate_hz
    before, after = ((told.get(name) or {}).get("link") or {} for name in ("status", "status_after"))
    off = next((one["tick"] for one in told["consequences"] if one["kind"] == "mode" and one["mode"] == "off"), None)
    return Tripped(
        rig=recording.rig, file=recording.path.name, started=recording.started, epoch=recording.epoch, tick=tick,
        trip=cause["trip"], text=str(cause.get("text") or cause.get("meaning", "")), key=str(cause.get("key", "")),
        unit=str(cause.get("unit") or ""), value=cause.get("value"), limit=cause.get("limit"),
        remedy=str(cause.get("remedy", "")), action=str(cause.get("action") or ""),
        off_after_s=None if off is None else (off - tick) / rate_hz, travel_m=_travel(rows, tick),
        changed=list(dict.fromkeys(str(one["key"]) for one in recording.changes if one["tick"] <= tick)),
        followed=[
            Followed((one["tick"] - tick) / rate_hz, one["kind"], _said(one)) for one in told["consequences"]
        ],
        link={key: [value, after.get(key)] for key, value in before.items() if not isinstance(value, dict)},
        log=told.get("log", [])[-_LINES:],
    )  # fmt: skip


def _around(recording: Recording, tick: int) -> Any:
    """The samples that are drawn."""
    ticks = recording.columns("tick")["tick"]
    ends = np.searchsorted(ticks, [tick - BEFORE_S * recording.rate_hz, tick + AFTER_S * recording.rate_hz])
    return recording.rows(int(ends[0]), int(ends[1]))


def _travel(rows: Any, tick: int) -> float | None:
    """How far the table went from where it was."""
    after = rows["position_m"][rows["tick"] >= tick]
    after = after[np.isfinite(after)]
    return float(np.abs(after - after[0]).max()) if len(after) > 1 else None


def _said(event: dict[str, Any]) -> str:
    if event.get("text"):
        return str(event["text"])
    said = {key: value for key, value in event.items() if key not in _OWN and value not in ("", None)}
    return ", ".join(f"{key} {value}" for key, value in said.items())


def first(made: Tripped) -> Brief:
    """The five lines."""
    found = made.text.removesuffix(f"; {made.remedy}")
    better = "not known: no switching off was recorded"
    if made.off_after_s is not None:
        better = f"the rig is safe: everything was switched off {with_unit(made.off_after_s, 's', 3)} after the trip"
    more = [one.text or one.kind for one in made.followed[1:] if one.kind == "trip"]
    travel = "" if made.travel_m is None else f"the table went on for {with_unit(made.travel_m, 'm', 3)}"
    reaction = f"the reaction “{made.action}”" if made.action else "the reaction of the rig file"
    changed = f"; set before it: {keys(made.changed)}" if made.changed else ""
    return Brief(
        found, f"{reaction}{changed}", better,
        listed([travel, *(f"then also: {text}" for text in more)]) or "nothing followed",
        made.remedy or "look at the channels below, first at the one that is above all others",
    )  # fmt: skip


def _channels(made: Tripped, pictures: Pictures, count: int) -> Html:
    if not count:
        return absent("No sample of the time around the trip is in this file.")
    claim = f"{sentence(made.text.partition(';')[0])[:-1]}, at 0 s."
    caption = "Uppermost: what was judged. The dotted line is the trip; a channel that the rig lacks is left out."
    return shown(pictures, "trip", caption, claim) or absent("No figure was drawn.")


def _followed(made: Tripped) -> Html:
    rows = [(f"{one.after_s:.3f}", one.kind, one.text) for one in made.followed]
    return table((">after, s", "event", "what it says"), rows) or absent("Nothing is on record.")


def _link(made: Tripped) -> Html:
    rows = [(key, str(value), "" if after is None else str(after)) for key, (value, after) in made.link.items()]
    return table(("", "at the trip", "afterwards"), rows) or absent("The service died before it could say.")


def _log(made: Tripped) -> Html:
    rows = [(line["level"], line["logger"], line["text"]) for line in made.log]
    return table(("level", "from", "text"), rows) or absent("It was lost with the service.")


def _figure(x: float | None, unit: str) -> str:
    return "" if x is None else with_unit(x, unit)
