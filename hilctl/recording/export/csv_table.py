"""CSV: a line of names, then a line a sample, numbers with every digit."""

import csv
from pathlib import Path

from hilctl.recording.export.about import About
from hilctl.recording.export.formats import Block


class Csv:
    """A text file."""

    def __init__(self, path: Path, about: About) -> None:
        self._file = open(path, "w", newline="")  # noqa: SIM115  (closed by `close`)
        self._out = csv.writer(self._file)
        self._out.writerow([column.name for column in about.columns])

    def write(self, block: Block) -> None:
        """Adds rows."""
        self._out.writerows(zip(*(column.tolist() for column in block.columns.values()), strict=True))

    def close(self) -> None:
        """Ends it."""
        self._file.close()

    drop = close


def open_file(path: Path, about: About) -> Csv:
    """A new file."""
    return Csv(path, about)
