"""The page: what tripped and why, the channels that explain it, what followed, the link, the log."""

from pathlib import Path
from typing import Any

import numpy as np

from hilctl.errors import NoFigures, WrongUse
from hilctl.recording.reader import Recording
from hilctl.report.document import document, save, section
from hilctl.report.drawing import inline, laid_out, styled
from hilctl.report.markup import NOTHING, Html, absent, code, facts, p, sentence, table, tag
from hilctl.report.trip.panels import AFTER_S, BEFORE_S, draw
from hilctl.signals import Trip

_LINES = 60  # of the log, the newest


def write(recording: Recording, path: Path) -> Path:
    """One HTML file that needs nothing else; WrongUse for a recording that no trip has left."""
    told = recording.trip
    if told is None:
        raise WrongUse(f"{recording.path}: is no black box: no trip has left it; a page is made of `trip-…` files")
    cause, tick = told["cause"], int(told["tick"])
    title = f"Trip of {recording.rig}: {cause['trip'].replace('_', ' ')}"
    parts = [
        ("channels", "Around the trip", _pictures(recording, Trip[cause["trip"].upper()], tick)),
        ("followed", "What followed", _followed(told, tick, recording.rate_hz)),
        ("link", "The link to the device", _link(told)),
        ("log", "The log", _log(told)),
    ]
    sections = (section(n, key, name, text) for n, (key, name, text) in enumerate(parts, 1))
    return save(document(title, [_head(recording, cause, tick, title), *sections]), path)


def _head(recording: Recording, cause: dict[str, Any], tick: int, title: str) -> Html:
    unit = f" {cause['unit']}" if cause.get("unit") else ""
    value, limit = (f"{cause[name]:.6g}{unit}" if cause.get(name) is not None else "" for name in ("value", "limit"))
    return tag("header", tag("h1", title), p(sentence(str(cause.get("text") or cause.get("meaning", "")))), facts([
        ("Rig", recording.rig), ("Recorded", recording.started), ("Tick", str(tick)),
        ("Value", value), ("Limit", limit),
        ("Key", code(str(cause.get("key", "")))), ("Reaction", str(cause.get("action") or "")),
        ("Epoch", str(recording.epoch)), ("File", code(str(recording.path))),
    ]))  # fmt: skip


def _pictures(recording: Recording, trip: Trip, tick: int) -> Html:
    ticks = recording.columns("tick")["tick"]
    first, end = np.searchsorted(ticks, [tick - BEFORE_S * recording.rate_hz, tick + AFTER_S * recording.rate_hz])
    if first == end:
        return absent("No sample of the time around the trip is in this file.")
    try:
        with styled():
            figure = draw(trip, (ticks[first:end] - tick) / recording.rate_hz, recording.rows(int(first), int(end)))
            made = inline(laid_out([("trip", figure)]))
    except NoFigures as why:
        return absent(f"This page has {why}.")
    return tag("figure", Html(made["trip"]))


def _followed(told: dict[str, Any], tick: int, rate_hz: float) -> Html:
    rows = [
        (f"{(event['tick'] - tick) / rate_hz:.3f}", event["kind"], _said(event)) for event in told["consequences"]
    ]
    return table((">after, s", "event", "what it says"), rows) or absent("Nothing is on record.")


def _said(event: dict[str, Any]) -> str:
    left_out = ("kind", "tick", "number", "time_ns")
    said = {key: value for key, value in event.items() if key not in left_out and value not in ("", None)}
    return ", ".join(f"{key} {value}" for key, value in said.items())


def _link(told: dict[str, Any]) -> Html:
    before, after = ((told.get(name) or {}).get("link") or {} for name in ("status", "status_after"))
    rows = [(key, str(value), str(after.get(key, ""))) for key, value in before.items() if not isinstance(value, dict)]
    return table(("", "at the trip", "afterwards"), rows) or absent("The service died before it could say.")


def _log(told: dict[str, Any]) -> Html:
    rows = [(line["level"], line["logger"], line["text"]) for line in told.get("log", [])[-_LINES:]]
    return table(("level", "from", "text"), rows) or absent("It was lost with the service.") or NOTHING
