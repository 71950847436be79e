"""CSV with a header, as we export it and as others do: comma, semicolon or tab, decimal comma where that is meant."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hilctl.identify.dynamics.intake.foreign import Foreign, IntakeFault, Reals
from hilctl.identify.dynamics.intake.names import TIME, columns_of

_HOLES = ("", "nan", "na", "null", "none", "-")


def read_csv(path: Path, mapping: Mapping[str, str], rate_hz: float = 0.0) -> Foreign:
    """Every column that is one of our channels. IntakeFault says in which line something is wrong."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_text(encoding="latin-1")
    lines = [
        (n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")
    ]  # fmt: skip
    if not lines:
        raise IntakeFault(f"{path} is empty; export it again")
    mark = max(";\t,", key=lines[0][1].count)
    header = next(csv.reader([lines[0][1]], delimiter=mark))
    if all(_number(cell, mark) is not None for cell in header if cell.strip()):
        raise IntakeFault(
            f"{path} line {lines[0][0]}: numbers where a header has to stand; write a line before them that names "
            "each column with its unit, like time_s,xd_m,displacement_m"
        )
    try:
        columns = columns_of(header, mapping)
    except IntakeFault as fault:
        raise IntakeFault(f"{path}: {fault}") from None
    if not [one for one in columns if one.channel not in (TIME, "tick")]:
        raise IntakeFault(
            f"{path}: none of its columns is known: {', '.join(header)}; say which is which, like "
            f"--map displacement={header[-1].strip()}"
        )
    values = np.empty((len(lines) - 1, len(columns)))
    rows = csv.reader(io.StringIO("\n".join(line for _, line in lines[1:])), delimiter=mark)
    for i, row in enumerate(rows):
        for k, one in enumerate(columns):
            where = f"{path} line {lines[i + 1][0]} column {header[one.at].strip()!r}"
            if one.at >= len(row):
                raise IntakeFault(f"{where}: the line has {len(row)} columns, the header {len(header)}; cut it off")
            number = _number(row[one.at], mark)
            if number is None:
                raise IntakeFault(f"{where}: {row[one.at]!r} is no number; mend the line, or cut the record there")
            values[i, k] = number * one.factor
    channels = {one.channel: np.ascontiguousarray(values[:, k]) for k, one in enumerate(columns)}
    times = channels.pop(TIME, None)
    return Foreign(path.name, channels, rate_of(path, times, channels, rate_hz), times)


def rate_of(path: Path, times: Reals | None, channels: Mapping[str, Reals], rate_hz: float) -> float:
    """The declared one, or what the times show. IntakeFault where there is neither."""
    if rate_hz:
        return rate_hz
    if times is None:
        raise IntakeFault(f"{path} has no time column; give one (time_s), or the sampling rate with --rate HZ")
    steps = np.diff(times)
    usual = float(np.median(steps)) if len(steps) else 0.0
    if not (np.isfinite(usual) and usual > 0):
        raise IntakeFault(f"{path}: its times do not grow; check the time column, or give --rate HZ and leave it out")
    count = np.round((times[-1] - times[0]) / usual)
    fine = float(times[-1] - times[0]) / count if count > 0 and np.isfinite(count) else usual
    return 1 / (fine if abs(fine / usual - 1) < 1e-3 else usual)


def _number(cell: str, mark: str) -> float | None:
    cell = cell.strip()
    if cell.lower() in _HOLES:
        return float("nan")
    if mark != "," and "," in cell and "." not in cell:
        cell = cell.replace(",", ".")
    try:
        return float(cell)
    except ValueError:
        return None
