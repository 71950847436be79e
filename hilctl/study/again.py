"""A run of a study made again: the same bytes, and its recording, which `hilctl report` and `hilctl replay` read."""

import math
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.errors import WrongUse
from hilctl.study.folder import Folder
from hilctl.study.one import run
from hilctl.study.recorded import Recorded
from hilctl.study.work import BOTH, row_of


class Again(NamedTuple):
    """What came of it."""

    row: dict[str, Any]
    differs: list[str]  # columns that are not as stored
    stored: bool  # whether there was a row to compare with
    recordings: list[Path]


def again(folder: Folder, number: int) -> Again:
    """Makes the run again, compares it with the table, and records it."""
    study = folder.plan
    if not 0 <= number < study.runs:
        raise WrongUse(f"--run {number}: this study has the runs 0 to {study.runs - 1}")
    row, _, _ = row_of(study, number)
    stored = folder.row(number)
    differs = [] if stored is None else [key for key in row if not _same(row[key], stored.get(key))]
    halves = BOTH if len(study.compensation) > 1 else [*study.compensation, ""][:1]
    return Again(row, differs, stored is not None, [path for half in halves if (path := _record(folder, number, half))])


def _record(folder: Folder, number: int, half: str) -> Path | None:
    """Once more, with every row kept; None where the values are refused and nothing runs."""
    suffix = f"-{half}" if len(folder.plan.compensation) > 1 else ""
    path, recorded = folder.path / f"run-{number}{suffix}.h5", Recorded()
    ran = run(folder.plan, number, half, recorded)
    if ran.rig is None or not ran.simulated_s:
        return None
    recorded.write(path, ran.rig, f"run {number} of the study {folder.path.name}")
    return path


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)
