"""NI TDMS: the group `samples`, a channel for each column with its unit; all else is in the file's properties."""

from pathlib import Path

import numpy as np
from nptdms import ChannelObject, GroupObject, RootObject, TdmsWriter

from hilctl.recording.export.about import About
from hilctl.recording.export.formats import Block

GROUP = "samples"


class Tdms:
    """A segment for each block."""

    def __init__(self, path: Path, about: About) -> None:
        self._about = about
        self._file = path.open("wb")
        self._out = TdmsWriter(self._file)
        self._out.open()
        root = RootObject({"name": about.rig, "run": about.run, "started": about.started, "hilctl": about.text})
        self._out.write_segment([root, GroupObject(GROUP, {"rate_hz": about.rate_hz})])
        self._begun = False

    def write(self, block: Block) -> None:
        """Adds rows."""
        channels = []
        for column in self._about.columns:
            said = {} if self._begun else {"unit_string": column.unit, "description": column.meaning}
            channels.append(ChannelObject(GROUP, column.name, np.asarray(block.columns[column.name]), said))
        self._out.write_segment(channels)
        self._begun = True

    def close(self) -> None:
        """Ends it."""
        self._out.close()
        self._file.close()

    drop = close


def open_file(path: Path, about: About) -> Tdms:
    """A new file."""
    return Tdms(path, about)
