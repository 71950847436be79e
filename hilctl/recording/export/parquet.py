"""Parquet, with the units as the fields' metadata and all else as JSON in the file's."""

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from hilctl.recording.export.about import TIME, About
from hilctl.recording.export.formats import Block

_TYPES = {"f8": pa.float64(), "i8": pa.int64()}


class Parquet:
    """A row group for each block. Measured values repeat hardly ever: no dictionaries, which cost half of the time."""

    def __init__(self, path: Path, about: About) -> None:
        fields = [
            pa.field(c.name, _TYPES[c.kind], nullable=False, metadata={"unit": c.unit, "meaning": c.meaning})
            for c in about.columns
        ]
        self._schema = pa.schema(fields, metadata={"hilctl": about.text})
        # Statistics wait in memory until the end: only those by which a span is looked for.
        found_by = [c.name for c in about.columns if c.name in (TIME, "tick")]
        self._out = parquet.ParquetWriter(
            path, self._schema, compression="snappy", use_dictionary=False, write_statistics=found_by
        )

    def write(self, block: Block) -> None:
        """Adds rows."""
        arrays = [pa.array(column) for column in block.columns.values()]
        self._out.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Ends it with its index."""
        self._out.close()

    drop = close


def open_file(path: Path, about: About) -> Parquet:
    """A new file."""
    return Parquet(path, about)
