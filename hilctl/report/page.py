"""The whole page: a head, the summary, and the sections in the order of the work."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hilctl.report.document import report, save
from hilctl.report.drawing import inline, inlined, pictures_of
from hilctl.report.figure import Pictures
from hilctl.report.markup import NOTHING, Html, absent, code, moment, tag
from hilctl.report.sections import ending, law, learning, measured, parameters, prepared, sent, tracking, tuning
from hilctl.report.sections.compensation import compensation
from hilctl.report.sections.first import first
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
    pictures, without = inlined(lambda: pictures_of(result)) if made is None else (inline(made), "")
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    return report(
        f"Commissioning of {result.rig or 'a rig'}", first(result),
        [("Date", moment(result.date)), ("By", result.author),
         ("Campaign", code(result.campaign.id if result.campaign else "")),
         ("Epoch", "" if result.epoch is None else str(result.epoch)), ("Files", code(result.folder)),
         ("For a program", code("commission.json"))],
        {key: (name, make(result, pictures)) for key, (name, make) in _SECTIONS.items()},
        mark=tag("span", "simulated twin", class_="twin") if result.twin else NOTHING,
        before=[absent(without), summary(result)], foot=f"Made by {versions or 'hilctl'}.",
    )  # fmt: skip
