"""The page: the curve, the model and why it is this one, its parameters, as a commissioning's report shows them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from hilctl.report.brief import Brief
from hilctl.report.document import report, save
from hilctl.report.drawing import inlined, pictures_of
from hilctl.report.figure import Pictures
from hilctl.report.friction.first import first, first_of_points
from hilctl.report.markup import Html, absent, code, moment
from hilctl.report.sections import ending, law, measured, parameters
from hilctl.results.commissioned import Commissioned
from hilctl.results.identified import FittedPoints, IdentifiedFriction

_Section = Callable[[Commissioned, Pictures], Html]
_FIT: dict[str, tuple[str, _Section]] = {
    "law": ("Which friction model, and why", law.law),
    "parameters": ("The friction model's parameters", parameters.friction),
    "raw": ("Every parameter", ending.raw),
}
_CAMPAIGN = {"friction": ("Friction, measured", measured.measured), **_FIT}
_POINTS = {"friction": ("The points and their curve", measured.points), **_FIT}


def write(found: IdentifiedFriction | FittedPoints, path: Path) -> Path:
    """Writes the report of a campaign, or of points from elsewhere, in one file; returns its path."""
    return save(_campaign(found) if isinstance(found, IdentifiedFriction) else _points(found), path)


def _campaign(found: IdentifiedFriction) -> str:
    shown = Commissioned(rig=found.rig, campaign=found, fit=found.fit)
    about = [("Measured", moment(found.begun)), ("Epoch", str(found.epoch)), ("Samples in", code(found.folder)),
             ("For a program", code("friction.json"))]  # fmt: skip
    return _page(f"Friction of {found.rig}", shown, _CAMPAIGN, first(found), about)


def _points(found: FittedPoints) -> str:
    about = [("Points of", code(found.source)), ("For a program", code("fit.json"))]
    shown = Commissioned(fit=found.fit)
    note = "These points are of a joint: where forces in N stand, read N·m, and rad/s for m/s." if found.joint else ""
    return _page(f"Friction of {Path(found.source).name}", shown, _POINTS, first_of_points(found), about, note)


def _page(
    title: str, shown: Commissioned, sections: Mapping[str, tuple[str, _Section]], lines: Brief,
    about: Iterable[tuple[str, object]], note: str = "",
) -> str:  # fmt: skip
    pictures, without = inlined(lambda: pictures_of(shown))
    texts = {key: (name, make(shown, pictures)) for key, (name, make) in sections.items()}
    return report(title, lines, about, texts, before=[absent(without), absent(note)])
