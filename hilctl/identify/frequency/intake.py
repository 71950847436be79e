"""Recordings from elsewhere and ours, read, named and brought to SI, so that a study takes them like its own.

A CSV has a header, its columns parted by commas, semicolons, tabs, bars or spaces. Of a recording of ours the samples
are taken while something was tracked, with what the rig was.
"""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.frequency.intake_names import TIME, Column, columns_of, told_unit
from hilctl.identify.frequency.intake_record import Foreign, IntakeFault, clock_of
from hilctl.identify.frequency.intake_table import SPACES, Table, lines_of, number, parted, stamp_s, table_of, text_of
from hilctl.params.tables import flat
from hilctl.recording.damaged import Damaged
from hilctl.recording.reader import open_recording
from hilctl.results.response import Reals
from hilctl.signals import Mode

REST_S = 0.3  # before and behind


def read_recording(path: Path) -> Foreign:
    """From the first tracked sample to the last, and a little rest around."""
    try:
        opened = open_recording(path)
    except Damaged:
        raise IntakeFault(
            f"{path} is HDF5, and no recording of ours (`hilctl record`), or cut off or damaged; "
            "export its channels as CSV with a header, or copy it again"
        ) from None
    with opened as recording:
        rows = recording.columns()
        rate_hz, rig = recording.rate_hz, recording.rig
        declared = flat(recording.parameters_at_start)
        believed = {key: value for key, value in declared.items() if not key.startswith("twin.")}
        facts = Facts(rig, rate_hz, recording.epoch, believed)
        changed = [str(one["key"]) for one in recording.changes]
        complete = recording.complete
    tracked = np.flatnonzero(rows["mode"] == Mode.TRACK)
    if not len(tracked):
        raise IntakeFault(f"{path}: nothing was tracked while it was recorded; record a motion (`hilctl track`)")
    rest = round(REST_S * rate_hz)
    at = slice(max(0, int(tracked[0]) - rest), int(tracked[-1]) + 1 + rest)
    notes = [] if complete else [f"{path.name} is not complete; what it holds is taken"]
    if changed:
        notes.append(f"{path.name}: {', '.join(dict.fromkeys(changed))} changed while it was recorded")
    channels = {name: np.asarray(values[at], np.float64) for name, values in rows.items()}
    return Foreign(path.name, channels, rate_hz, None, facts, tuple(notes))


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
