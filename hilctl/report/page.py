"""The whole page: a head, the summary, and the sections in the order of the work."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hilctl.errors import NoFigures
from hilctl.report.document import contents, document, save, section
from hilctl.report.drawing import drawn, inline
from hilctl.report.markup import NOTHING, Html, absent, code, facts, html, moment, tag
from hilctl.report.sections import ending, law, learning, measured, parameters, prepared, sent, tracking, tuning
from hilctl.report.sections.common import Pictures
from hilctl.report.sections.compensation import compensation
from hilctl.report.sections.reversals import reversals
from hilctl.report.sections.sines import sines
from hilctl.report.sections.summary import summary
from hilctl.results.commissioned import PARTS, Commissioned

# A part that can be measured alone has its own name here, and its own title.
_SECTIONS: dict[str, tuple[str, Callable[[Commissioned, Pictures], Html]]] = {
    "prepared": ("What was prepared", prepared.prepared),
    "friction": (PARTS["friction"], measured.measured),
    "law": ("Which law, and why", law.law),
    "reversals": (PARTS["reversals"], reversals),
    "parameters": ("The friction law's parameters", parameters.friction),
    "plant": (PARTS["plant"], parameters.plant),
    "gains": (PARTS["gains"], tuning.tuning),
    "sent": ("What was sent to the rig", sent.sent),
    "compensation": (PARTS["compensation"], compensation),
    "sines": (PARTS["sines"], sines),
    "tracking": (PARTS["tracking"], tracking.tracking),
    "learning": (PARTS["learning"], learning.learning),
    "unidentified": ("What could not be identified", ending.unidentified),
    "lost": ("What was lost", ending.lost),
    "times": ("How long it took", ending.times),
    "raw": ("Every parameter", ending.raw),
}


def write(result: Commissioned, path: Path, made: Mapping[str, Any] | None = None) -> Path:
    """Writes the report of this commissioning, one HTML file that needs nothing else; returns its path.

    `made`: its figures, where they are drawn already. Without matplotlib it has none, and says what brings them.
    """
    return save(page(result, made), Path(path))


def page(result: Commissioned, made: Mapping[str, Any] | None = None) -> str:
    """The report as a text."""
    without, pictures = "", {}
    try:
        pictures = inline(drawn(result) if made is None else made)
    except NoFigures as why:
        without = f"This report has {why}."
    title = f"Commissioning of {result.rig or 'a rig'}"
    texts = {key: (name, make(result, pictures)) for key, (name, make) in _SECTIONS.items()}
    return document(title, [
        _head(result, title), absent(without) if without else NOTHING, summary(result),
        contents({key: name for key, (name, _) in texts.items()}),
        *(section(n, key, name, text) for n, (key, (name, text)) in enumerate(texts.items(), 1)), _foot(result),
    ])  # fmt: skip


def _head(result: Commissioned, title: str) -> Html:
    twin = tag("span", "simulated twin", class_="twin") if result.twin else NOTHING
    return tag("header", tag("h1", title, twin), facts([
        ("Date", moment(result.date)), ("By", result.author),
        ("Campaign", code(result.campaign.id if result.campaign else "")),
        ("Epoch", "" if result.epoch is None else str(result.epoch)), ("Files", code(result.folder)),
    ]))  # fmt: skip


def _foot(result: Commissioned) -> Html:
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    return tag("footer", f"Made by {versions}." if versions else html("Made by hilctl."))
