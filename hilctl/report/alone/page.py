"""The page of each part: what was found and why, as a commissioning's report shows it."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from hilctl.report.alone import friction, machine, turning
from hilctl.report.brief import Brief
from hilctl.report.document import report, save
from hilctl.report.drawing import inlined, pictures_of
from hilctl.report.figure import Pictures
from hilctl.report.markup import Html, absent, code, moment
from hilctl.report.sections import ending, law, measured, parameters, reversals
from hilctl.results.commissioned import Commissioned
from hilctl.results.identified import FittedPoints, IdentifiedFriction, IdentifiedPlant, IdentifiedReversals

_Section = Callable[[Commissioned, Pictures], Html]
_RAW: dict[str, tuple[str, _Section]] = {"raw": ("Every parameter", ending.raw)}
_FIT: dict[str, tuple[str, _Section]] = {
    "law": ("Which friction model, and why", law.law),
    "parameters": ("The friction model's parameters", parameters.friction),
    **_RAW,
}
_CAMPAIGN = {"friction": ("Friction, measured", measured.measured), **_FIT}
_POINTS = {"friction": ("The points and their curve", measured.points), **_FIT}
_PLANT = {"plant": ("Valve, cylinder and mass", parameters.plant), **_RAW}
_REVERSALS = {"reversals": ("Friction before it slides", reversals.reversals)}


def of_campaign(found: IdentifiedFriction, path: Path) -> Path:
    """Writes the page of a friction campaign in one file; returns its path."""
    shown = Commissioned(rig=found.rig, campaign=found, fit=found.fit)
    about = [("Measured", moment(found.begun)), ("Epoch", str(found.epoch)), *_files(found.folder, "friction.json")]
    return _save(path, f"Friction of {found.rig}", shown, _CAMPAIGN, friction.first(found), about)


def of_points(found: FittedPoints, path: Path) -> Path:
    """Likewise, of points from elsewhere."""
    shown = Commissioned(fit=found.fit)
    about = [("Points of", code(found.source)), ("For a program", code("fit.json"))]
    note = "These points are of a joint: where forces in N stand, read N·m, and rad/s for m/s." if found.joint else ""
    name = Path(found.source).name
    return _save(path, f"Friction of {name}", shown, _POINTS, friction.first_of_points(found), about, note)


def of_plant(found: IdentifiedPlant, path: Path) -> Path:
    """Likewise, of valve, cylinder and mass."""
    shown = Commissioned(rig=found.rig, plant=found.plant, plant_fit=found)
    about = [*_measured(found), *_files(found.folder, "plant.json")]
    return _save(path, f"Valve, cylinder and mass of {found.rig}", shown, _PLANT, machine.first(found), about)


def of_reversals(found: IdentifiedReversals, path: Path) -> Path:
    """Likewise, of friction before it slides."""
    shown = Commissioned(rig=found.rig, presliding=found)
    about = [*_measured(found), *_files(found.folder, "presliding.json")]
    return _save(path, f"Friction of {found.rig} before it slides", shown, _REVERSALS, turning.first(found), about)


def _measured(found: IdentifiedPlant | IdentifiedReversals) -> list[tuple[str, object]]:
    return [("Prepared", moment(found.prepared.date))] if found.prepared else []


def _files(folder: str, name: str) -> list[tuple[str, object]]:
    return [("Samples in", code(folder)), ("For a program", code(name))]


def _save(
    path: Path, title: str, shown: Commissioned, sections: Mapping[str, tuple[str, _Section]], lines: Brief,
    about: Iterable[tuple[str, object]], note: str = "",
) -> Path:  # fmt: skip
    pictures, without = inlined(lambda: pictures_of(shown))
    texts = {key: (name, make(shown, pictures)) for key, (name, make) in sections.items()}
    return save(report(title, lines, about, texts, before=[absent(without), absent(note)]), path)
