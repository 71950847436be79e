"""The table of a study: a row a run, every varied value, its seed and its outcomes. The same runs give the same bytes.

Parquet needs pyarrow (extra `export`); without it the table is a file of comma-separated values.
"""

import csv
import io
import math
from pathlib import Path
from typing import Any

from hilctl.experiment.store import write
from hilctl.study.plan import Plan
from hilctl.study.work import columns

TEXTS = ("outcome", "why", "trip", "trip_key")
NAME = "runs"
NO_PARQUET = ("the table is written as CSV: Parquet needs pyarrow, which is not installed; "
              "`pip install 'hilctl[export]'` installs it")  # fmt: skip


def write_table(folder: Path, study: Plan, rows: list[dict[str, Any]]) -> tuple[Path, str]:
    """The file, and a remark where it could not be Parquet."""
    names = columns(study)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        path = folder / f"{NAME}.csv"
        write(path, _csv(names, rows))
        return path, NO_PARQUET
    kinds = {name: _kind(study, name, pa) for name in names}
    arrays = [pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()]
    out = io.BytesIO()
    pq.write_table(pa.table(arrays, schema=pa.schema(list(kinds.items()))), out, compression="zstd")
    path = folder / f"{NAME}.parquet"
    write(path, out.getvalue())
    return path, ""


def _kind(study: Plan, name: str, pa: Any) -> Any:
    varied = {one.key: one for one in study.varied}
    if name in ("run", "seed"):
        return pa.int64()
    if name in varied:
        return {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}.get(varied[name].kind, pa.string())
    return pa.string() if name.rpartition(".")[2] in TEXTS else pa.float64()


def _csv(names: list[str], rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(names)
    lines.writerows([[_cell(row[name]) for name in names] for row in rows])
    return out.getvalue().encode()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
