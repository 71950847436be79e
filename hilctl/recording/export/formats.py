"""The formats that a recording can be exported to. Command line, documents and tests all read this table."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError

if TYPE_CHECKING:
    from hilctl.recording.export.about import About

EXTRA = "export"


class Block(NamedTuple):
    """Some rows: every column as an array, and the samples' own times."""

    columns: Mapping[str, npt.NDArray[np.generic]]
    time_ns: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.time_ns)


class Sink(Protocol):
    """A file that is being written."""

    def write(self, block: Block) -> None:
        """Adds rows."""

    def close(self) -> None:
        """Ends it in order."""

    def drop(self) -> None:
        """Gives it up; the file is removed by the caller."""


class Format(NamedTuple):
    """A format: where its writer is, its file's ending, and the package that it needs from the extra `export`."""

    module: str
    suffix: str
    package: str  # as it is imported; empty: none
    meaning: str


FORMATS: dict[str, Format] = {
    "csv": Format("csv_table", ".csv", "", "text, every digit kept; any program reads it, and no other is as slow"),
    "parquet": Format("parquet", ".parquet", "pyarrow", "columns, compressed: pandas, polars, DuckDB, MATLAB, Spark"),
    "mat": Format("mat", ".mat", "", "MATLAB -v7.3 (HDF5): `load` in MATLAB and Octave"),
    "mcap": Format("mcap_log", ".mcap", "mcap", "Foxglove: samples, events and changes as JSON messages"),
    "mdf4": Format("mdf4", ".mf4", "asammdf", "ASAM MDF 4.10: CANape, asammdf, measurement databases"),
    "tdms": Format("tdms", ".tdms", "nptdms", "NI TDMS: LabVIEW, DIAdem"),
}


def rows() -> str:
    """The formats as a table."""
    lines = ["| option | ending | for | needs |", "|---|---|---|---|"]
    for name, format in FORMATS.items():
        needs = f"`{format.package}`: `pip install 'hilctl[{EXTRA}]'`" if format.package else ""
        lines.append(f"| `--{name}` | `{format.suffix}` | {format.meaning} | {needs} |")
    return "\n".join(lines)


def open_sink(name: str, path: Path, about: "About") -> Sink:
    """A new file of this format; HilctlError that names the extra where its package is missing."""
    format = FORMATS[name]
    if format.package:
        try:
            importlib.import_module(format.package)
        except ImportError as error:
            told = f"--{name} needs the package {format.package}, which cannot be imported: {error}"
            raise HilctlError(told, remedy=f"pip install 'hilctl[{EXTRA}]'") from None
    module = importlib.import_module(f"hilctl.recording.export.{format.module}")
    sink: Sink = module.open_file(path, about)
    return sink
