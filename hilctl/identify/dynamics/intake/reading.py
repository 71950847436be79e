"""A file to a record, by what it is."""

from collections.abc import Mapping
from pathlib import Path

from hilctl.identify.dynamics.intake.foreign import Foreign, IntakeFault
from hilctl.identify.dynamics.intake.ours import read_recording
from hilctl.identify.dynamics.intake.text import read_csv

_HDF5 = b"\x89HDF\r\n\x1a\n"


def read_record(path: str | Path, mapping: Mapping[str, str] | None = None, *, rate_hz: float = 0.0) -> Foreign:
    """A CSV with a header, or a recording of ours. IntakeFault where it cannot be taken; FileNotFoundError as ever."""
    file = Path(path)
    if file.is_dir():
        raise IntakeFault(f"{file} is a directory; name a file in it")
    with file.open("rb") as begin:
        first = begin.read(len(_HDF5))
    if first == _HDF5:
        if mapping:
            raise IntakeFault(f"{file} is a recording of ours, whose channels have their names: leave --map out")
        return read_recording(file)
    return read_csv(file, mapping or {}, rate_hz)
