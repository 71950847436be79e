"""The whole page: a head, the summary, and the sections in the order of the work."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hilctl.errors import NoFigures
from hilctl.report.document import contents, document, save, section
from hilctl.report.drawing import inline
from hilctl.report.markup import NOTHING, Html, absent, code, facts, html, moment, p, tag
from hilctl.report.part import Part
from hilctl.report.sections import ending, law, learning, measured, parameters, prepared, proof, sent, tracking
from hilctl.report.sections.common import Pictures
from hilctl.report.sections.summary import summary

_SECTIONS: dict[str, tuple[str, Callable[[Part, Pictures], Html]]] = {
    "prepared": ("What was prepared", prepared.prepared),
    "measured": ("Friction, measured", measured.measured),
    "law": ("Which law, and why", law.law),
    "friction": ("The friction law's parameters", parameters.friction),
    "plant": ("The machine", parameters.plant),
    "sent": ("What was sent to the rig", sent.sent),
    "proof": ("Compensation, proved", proof.proof),
    "tracking": ("Tracking", tracking.tracking),
    "learning": ("Learned drives", learning.learning),
    "unidentified": ("What could not be identified", ending.unidentified),
    "lost": ("What was lost", ending.lost),
    "times": ("How long it took", ending.times),
    "raw": ("Every parameter", ending.raw),
}


def write(told: Mapping[str, Any], path: Path) -> Path:
    """Writes the report of this commissioning, one HTML file that needs nothing else; returns its path.

    Without matplotlib it has no figures, and says what brings them.
    """
    return save(page(told), Path(path))


def page(told: Mapping[str, Any]) -> str:
    """The report as a text."""
    part, without = Part(told), ""
    pictures: Pictures = {}
    try:
        pictures = inline(told)
    except NoFigures as why:
        without = f"This report has {why}."
    title = f"Commissioning of {part['rig'].text or 'a rig'}"
    made = {key: (name, make(part, pictures)) for key, (name, make) in _SECTIONS.items()}
    return document(title, [
        _head(part, title), absent(without) if without else NOTHING, summary(part),
        contents({key: name for key, (name, _) in made.items()}),
        *(section(n, key, name, text) for n, (key, (name, text)) in enumerate(made.items(), 1)), _foot(part),
    ])  # fmt: skip


def _head(told: Part, title: str) -> Html:
    twin = tag("span", "simulated twin", class_="twin") if told["twin"].value is True else NOTHING
    return tag("header", tag("h1", title, twin), p(told["description"].text, class_="described"), facts([
        ("Date", moment(told["date"].text)), ("By", told["author"].text),
        ("Campaign", code(told["campaign"].text)), ("Epoch", told["epoch"].text), ("Files", code(told["folder"].text)),
    ]))  # fmt: skip


def _foot(told: Part) -> Html:
    versions = ", ".join(f"{name} {part.text}" for name, part in told["versions"].named.items() if part.text)
    return tag("footer", f"Made by {versions}." if versions else html("Made by hilctl."))
