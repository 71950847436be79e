"""What `hilctl report` was given, and the page of each kind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hilctl.cli import commission_told
from hilctl.cli.output import note
from hilctl.errors import WrongUse

# The file that each kind leaves in its folder, and a key that only this kind has. The widest comes first.
_LEFT = {
    "commissioning": ("commission.json", "stages"),
    "friction": ("friction.json", "windows"),
    "points": ("fit.json", "set_aside"),
    "plant": ("plant.json", "explained_percent"),
    "presliding": ("presliding.json", "probabilities"),
    "dynamics": ("study.json", "transfer_functions"),
    "runs": ("study-runs.json", "within_share"),
}
# What is in a folder whose work did not come to its end, and what ends it.
_BEGUN = {"campaign.json": "hilctl identify friction --resume {}", "dynamics.json":
          "hilctl identify dynamics --resume {}", "study-plan.json": "hilctl study {} --resume"}  # fmt: skip
_TAKES = ("give the folder of a commissioning, of one of its parts (`hilctl identify`) or of a study by simulation, "
          "its JSON file, or a recording")


def recognised(source: Path) -> tuple[str, Path]:
    """The kind of what is there, and its file; WrongUse says what it is not."""
    if source.is_dir():
        for kind, (name, _) in _LEFT.items():
            if (source / name).is_file():
                return kind, source / name
        command = _ends(source)
        if command:
            raise WrongUse(f"{source}: its work is not finished: `{command}` ends it")
        raise WrongUse(f"{source}: holds no result ({', '.join(name for name, _ in _LEFT.values())}); {_TAKES}")
    if not source.exists():
        raise WrongUse(f"{source}: no such file; {_TAKES}")
    if source.suffix == ".h5":
        return "recording", source
    held = _held(source)
    for kind, (_, key) in _LEFT.items():
        if key in held:
            return kind, source
    raise WrongUse(f"{source}: is neither a result nor a recording; {_TAKES}")


def _ends(folder: Path) -> str:
    """The command that ends the work that was begun in a folder; empty where none was."""
    from hilctl.experiment.course import PLAN

    for name, command in _BEGUN.items():
        if (folder / name).is_file():
            return command.format(folder)
    if not (folder / PLAN).is_file():
        return ""
    from hilctl.identify import plant, presliding

    work = _held(folder / PLAN).get("work")
    kind = next((kind for kind, its in (("plant", plant.WORK), ("presliding", presliding.WORK)) if its == work), "")
    return f"hilctl identify {kind} --resume {folder}" if kind else ""


def _held(file: Path) -> dict[str, Any]:
    """What a JSON file holds."""
    try:
        held = msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise WrongUse(f"{file}: is no JSON file that can be read ({error}), and no recording; {_TAKES}") from None
    if not isinstance(held, dict):
        raise WrongUse(f"{file}: is neither a result nor a recording; {_TAKES}")
    return held


def written(kind: str, file: Path, folder: Path) -> Path:
    """Writes its page into the folder; returns the page's path."""
    return _WRITES[kind](file, folder)


def _commissioning(file: Path, folder: Path) -> Path:
    from hilctl.results.stored import read

    return commission_told.report(read(file), folder)[0]


def _friction(file: Path, folder: Path) -> Path:
    from hilctl.report.alone.page import of_campaign
    from hilctl.results.identified import IdentifiedFriction
    from hilctl.results.stored import read_as

    return of_campaign(read_as(IdentifiedFriction, file, _again("friction", file)), folder / "report.html")


def _plant(file: Path, folder: Path) -> Path:
    from hilctl.report.alone.page import of_plant
    from hilctl.results.identified import IdentifiedPlant
    from hilctl.results.stored import read_as

    return of_plant(read_as(IdentifiedPlant, file, _again("plant", file)), folder / "report.html")


def _reversals(file: Path, folder: Path) -> Path:
    from hilctl.report.alone.page import of_reversals
    from hilctl.results.identified import IdentifiedReversals
    from hilctl.results.stored import read_as

    return of_reversals(read_as(IdentifiedReversals, file, _again("presliding", file)), folder / "report.html")


def _again(kind: str, file: Path) -> str:
    """What gives the result again, from what was measured."""
    return f"`hilctl identify {kind} --again {file.parent}` judges what was measured again"


def _points(file: Path, folder: Path) -> Path:
    from hilctl.report.alone.page import of_points
    from hilctl.results.identified import FittedPoints
    from hilctl.results.stored import read_as

    return of_points(read_as(FittedPoints, file), folder / "report.html")


def _dynamics(file: Path, folder: Path) -> Path:
    """Evaluated again from the stored motions: the samples that its figures show are in no JSON file."""
    from hilctl.identify.dynamics.again import again, agrees
    from hilctl.report.dynamics.page import write_report
    from hilctl.results.dynamics import IdentifiedDynamics
    from hilctl.results.stored import read_as

    stored = read_as(IdentifiedDynamics, file, _again("dynamics", file))
    note("the stored motions are evaluated again, for their figures: about half a minute")
    study = again(file.parent, stored)
    if not agrees(study, stored):
        note(f"{file} holds other numbers than this page: it was evaluated with other choices, or by another version; "
             f"`hilctl identify dynamics --resume {file.parent}` writes both again")  # fmt: skip
    return write_report(study, folder, stored.applied.epochs if stored.applied else ())


def _runs(file: Path, folder: Path) -> Path:
    from hilctl.report.runs.page import write
    from hilctl.results.runs import StudiedRuns
    from hilctl.results.stored import read_as
    from hilctl.study.folder import Folder

    rows = [row for chunk in Folder.open(file.parent).finished() for row in chunk.rows]
    return write(read_as(StudiedRuns, file), rows, folder / "report.html")


def _recording(file: Path, folder: Path) -> Path:
    from hilctl.recording.reader import open_recording
    from hilctl.report.recorded import page, trip

    with open_recording(file) as recording:
        write = page.write if recording.trip is None else trip.write
        return write(recording, folder / file.with_suffix(".html").name)


_WRITES: dict[str, Callable[[Path, Path], Path]] = {
    "commissioning": _commissioning, "friction": _friction, "points": _points, "plant": _plant,
    "presliding": _reversals, "dynamics": _dynamics, "runs": _runs, "recording": _recording,
}  # fmt: skip
