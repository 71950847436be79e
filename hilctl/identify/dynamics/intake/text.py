"""CSV with a header, as we export it and as others do: parted by commas, semicolons, tabs, bars or spaces."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hilctl.identify.dynamics.intake.cells import number, stamp_s
from hilctl.identify.dynamics.intake.clock import clock_of
from hilctl.identify.dynamics.intake.decoding import text_of
from hilctl.identify.dynamics.intake.foreign import Foreign, IntakeFault, Reals
from hilctl.identify.dynamics.intake.names import TIME, Column, columns_of, told_unit
from hilctl.identify.dynamics.intake.table import SPACES, Table, lines_of, parted, table_of

_DAY_S, _NEAR_S = 86400.0, 60.0
_SHOWN = 60  # characters of a cell or a header, in a message


def read_csv(path: Path, mapping: Mapping[str, str], rate_hz: float = 0.0) -> Foreign:
    """Every column that is one of our channels. IntakeFault says in which line something is wrong."""
    text = text_of(path, path.read_bytes())
    lines = lines_of(text)
    if not lines:
        raise IntakeFault(f"{path} is empty; export it again")
    notes = []
    if len(lines) > 2 and not text.endswith(("\n", "\r")):
        lines.pop()  # a number that was cut off looks like one that was not
        notes.append(f"{path.name}: its last line has no end, and is left out")
    table = table_of(lines)
    columns = _columns(path, table, mapping)
    if not table.rows:
        raise IntakeFault(f"{path} has a header in line {table.header_at} and nothing below it; export it again")
    values = _fast(table, columns)
    if values is None:
        values = _slow(path, table, columns)
    values = values * [one.factor for one in columns]
    channels = {one.channel: np.ascontiguousarray(values[:, k]) for k, one in enumerate(columns)}
    times = channels.pop(TIME, None)
    if times is not None:
        at = next(one.at for one in columns if one.channel == TIME)
        _check_times(path, table, times, at)
        clock = clock_of(path, times, table.header, rate_hz, told_unit(table.header[at], mapping))
    else:
        clock = clock_of(path, None, table.header, rate_hz)
    return Foreign(path.name, channels, clock.rate_hz, clock.times_s, None, (*notes, *clock.notes))


def _columns(path: Path, table: Table, mapping: Mapping[str, str]) -> list[Column]:
    if not table.header:
        raise IntakeFault(
            f"{path} line {table.rows[0].at}: numbers instead of a header; insert a line before them that names "
            "each column with its unit, like time_s,xd_m,displacement_m"
        )
    try:
        columns = columns_of(table.header, mapping)
    except IntakeFault as fault:
        raise IntakeFault(f"{path}: {fault}") from None
    if not [one for one in columns if one.channel not in (TIME, "tick")]:
        named = [name.strip() for name in table.header if name.strip()]
        raise IntakeFault(
            f"{path} line {table.header_at}: none of its columns is known: {_short(', '.join(named))}; say which is "
            f"which, like --map displacement={_short(named[-1]) if named else 'COLUMN'}"
        )
    return columns


def _fast(table: Table, columns: Sequence[Column]) -> Reals | None:
    """All numbers at once; None where something is no number, or holes or times stand there."""
    body = "\n".join(row.text for row in table.rows)
    if '"' in body:
        return None
    if table.mark != "," and "," in body:
        if "." in body:
            return None
        body = body.replace(",", ".")
    try:
        made = np.loadtxt(
            io.StringIO(body), delimiter=None if table.mark == SPACES else table.mark, ndmin=2, comments=None,
            usecols=[one.at for one in columns],
        )  # fmt: skip
    except ValueError:
        return None
    return made if len(made) == len(table.rows) else None


def _slow(path: Path, table: Table, columns: Sequence[Column]) -> Reals:
    """Cell by cell: which one is wrong, and how."""
    values = np.empty((len(table.rows), len(columns)))
    for i, row in enumerate(parted(table.rows, table.mark)):
        for k, one in enumerate(columns):
            where = f"{path} line {table.rows[i].at} column {_short(table.header[one.at].strip())!r}"
            if one.at >= len(row):
                raise IntakeFault(
                    f"{where}: the line has {len(row)} columns, the header {len(table.header)}; cut it off"
                )
            value = number(row[one.at], table.mark)
            if value is None and one.channel == TIME:
                value = stamp_s(row[one.at])
            if value is None:
                raise IntakeFault(
                    f"{where}: {_short(row[one.at])!r} is not a number; correct the line, or cut the record there"
                )
            values[i, k] = value
    return values


def _check_times(path: Path, table: Table, times: Reals, at: int) -> None:
    """None may be missing; a time of day goes on after midnight."""
    bad = np.flatnonzero(~np.isfinite(times))
    if len(bad):
        raise IntakeFault(
            f"{path} line {table.rows[bad[0]].at} column {_short(table.header[at].strip())!r}: the time is missing; "
            "correct the line, or cut the record there"
        )
    midnight = np.abs(np.diff(times) + _DAY_S) < _NEAR_S
    if midnight.any():
        times[1:] += _DAY_S * np.cumsum(midnight)


def _short(text: str) -> str:
    kept = "".join(letter if letter.isprintable() else "?" for letter in text)
    return kept if len(kept) <= _SHOWN else f"{kept[:_SHOWN]}…"
