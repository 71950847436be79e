"""ASAM MDF 4.10: one channel group with the time as its master. It is first built in a folder beside the file, on the
same disk, and then written in one go: for a moment it takes twice its room."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from asammdf import MDF, Signal

from hilctl.recording.export.about import TIME, About
from hilctl.recording.export.formats import Block


class Mdf4:
    """A measurement file."""

    def __init__(self, path: Path, about: About) -> None:
        self._path, self._about = path, about
        self._folder = path.with_name(f"{path.name}.parts")
        self._folder.mkdir()
        self._out = MDF(version="4.10", temporary_folder=str(self._folder))
        self._out.header.comment = about.text
        self._out.header.start_time = datetime.fromisoformat(about.started).astimezone(UTC)
        self._begun = False

    def write(self, block: Block) -> None:
        """Adds rows."""
        times = np.asarray(block.columns[TIME])
        if self._begun:
            columns = [(column, None) for name, column in block.columns.items() if name != TIME]
            self._out.extend(0, [(times, None), *columns])
            return
        signals = [
            Signal(np.asarray(block.columns[c.name]), times, name=c.name, unit=c.unit, comment=c.meaning)
            for c in self._about.columns
            if c.name != TIME
        ]
        self._out.append(signals, comment="samples", common_timebase=True)
        self._begun = True

    def close(self) -> None:
        """Writes the file."""
        self._out.save(self._path, overwrite=True).replace(self._path)
        self.drop()

    def drop(self) -> None:
        """Removes what it was built from."""
        self._out.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def open_file(path: Path, about: About) -> Mdf4:
    """A new file."""
    return Mdf4(path, about)
