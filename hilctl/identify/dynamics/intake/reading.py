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
    with file.open("rb") as begin:
        first = begin.read(len(_HDF5))
    if first == _HDF5:
        if mapping:
            raise IntakeFault(f"{file} is a recording of ours, whose channels have their names: leave --map out")
        return read_recording(file)
    if b"\0" in first:
        raise IntakeFault(f"{file} is neither text nor a recording of ours; export it as CSV with a header")
    return read_csv(file, mapping or {}, rate_hz)
