"""From finished chunks to table, summary and page."""

from pathlib import Path
from typing import NamedTuple

from hilctl.experiment.store import write
from hilctl.report.runs.page import write as write_page
from hilctl.results.runs import StudiedRuns
from hilctl.results.stored import as_json
from hilctl.study.folder import RESULT, Folder
from hilctl.study.judge import judged
from hilctl.study.table import write_table


class Concluded(NamedTuple):
    """What is on disk, and what to say of it."""

    result: StudiedRuns
    page: Path
    note: str


def conclude(folder: Folder, wall_s: float) -> Concluded:
    """Writes them."""
    rows = [row for chunk in folder.finished() for row in chunk.rows]
    table, note = write_table(folder.path, folder.plan, rows)
    result = judged(folder, table.name, wall_s)
    write(folder.path / RESULT, as_json(result))
    return Concluded(result, write_page(result, rows, folder.path / "report.html"), note)
