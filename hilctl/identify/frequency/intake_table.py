"""A file's bytes as a table: lines that are header, units and rows, cells that hold a number, a hole or a time.

Measurement systems write about themselves first, in as many lines as they like; some write a line of units below the
names. The rows are the first lines that hold numbers, all of one width; the names stand right above them.
"""

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from hilctl.identify.frequency.intake_names import unit_of
from hilctl.identify.frequency.intake_record import IntakeFault

_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
LONGEST = 100_000  # characters of a line; the csv module refuses a cell of more than 131 072
_HEAD = 4096  # bytes that show whether it is text
_BINARY = (  # of others' files: how they begin, what they are
    (b"PK\x03\x04", "a packed file (npz, xlsx, zip)"), (b"\xd0\xcf\x11\xe0", "an Excel workbook"),
    (b"MATLAB", "a MATLAB file"), (b"\x89HDF", "an HDF5 file"), (b"TDSm", "a TDMS file"), (b"\x93NUMPY", "an npy file"),
)  # fmt: skip


def text_of(path: Path, raw: bytes) -> str:
    """IntakeFault where it is no text."""
    if raw.startswith(_GZIP):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise IntakeFault(f"{path} is packed by gzip, and cut off or damaged ({error}); copy it again") from None
    for begin, what in _BINARY:
        if raw.startswith(begin):
            raise IntakeFault(f"{path} is {what}, no text; export its channels as CSV with a header")
    if raw.startswith(_UTF16):
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw[:_HEAD]:
        raise IntakeFault(f"{path} is neither text nor a recording of ours; export it as CSV with a header")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


_HOLES = ("", "nan", "na", "n/a", "null", "none", "-")
_CLOCK = re.compile(r"^(?:(\d{1,2})\.(\d{1,2})\.(\d{4})[ T])?(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?$")
_ISO = re.compile(r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}")
_LONG_FRACTION = re.compile(r"([.,]\d{6})\d+")
_DAY_S = 86400.0
_BEGIN = datetime(2000, 1, 1)


def number(cell: str, mark: str) -> float | None:
    """None where it is none. A decimal comma where commas do not part columns."""
    cell = cell.strip()
    if cell.lower() in _HOLES:
        return float("nan")
    if mark != "," and "," in cell and "." not in cell:
        cell = cell.replace(",", ".")
    try:
        return float(cell)
    except ValueError:
        return None


def stamp_s(cell: str) -> float | None:
    """A date with time, or a time of day, in s from some beginning; None where it is neither."""
    cell = cell.strip()
    try:
        if _ISO.match(cell):
            made = datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", cell.replace(",", ".")))
            return (made.replace(tzinfo=None) - _BEGIN).total_seconds()
        if clock := _CLOCK.match(cell):
            day, month, year, hours, minutes, seconds, fraction = clock.groups()
            days = (datetime(int(year), int(month), int(day)) - _BEGIN).days if year else 0
            return (
                days * _DAY_S + int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}")
            )  # fmt: skip
    except ValueError:
        pass
    return None


def says(cell: str, mark: str) -> bool:
    """A number, or a time, stands there."""
    value = number(cell, mark)
    return value == value if value is not None else stamp_s(cell) is not None


def fits(cell: str, mark: str) -> bool:
    """It may stand in a row: a number, a time, or a hole."""
    return number(cell, mark) is not None or stamp_s(cell) is not None


SPACES = " "
_SPACED = re.compile(r"\s+")
_NAMES = re.compile(r"\t+| {2,}")
_SEEN = 3  # rows that have to look alike


class Line(NamedTuple):
    """A line that says something, and its number in the file."""

    at: int
    text: str


class Table(NamedTuple):
    """What was found."""

    header: tuple[str, ...]  # with units in brackets, where a line of its own gave them
    header_at: int  # number of its line; 0 where there is none
    mark: str
    rows: list[Line]


def lines_of(text: str) -> list[Line]:
    """Those that are neither empty nor begin with #."""
    split = text.splitlines()
    for at, line in enumerate(split, 1):
        if len(line) > LONGEST:
            remedy = f"at most {LONGEST} may; write one row a line"
            raise IntakeFault(f"line {at} has {len(line)} characters, {remedy}", key=f"line {at}", remedy=remedy)
    kept = (Line(at, line) for at, line in enumerate(split, 1))
    return [one for one in kept if one.text.strip() and not one.text.lstrip().startswith("#")]


def table_of(lines: Sequence[Line]) -> Table:
    """`lines` holds one at least. Without rows, the first line is the header."""
    begin, mark = _rows(lines)
    if begin is None:
        mark = mark_of(lines[0].text)
        return Table(cells(lines[0].text, mark, names=True), lines[0].at, mark, list(lines[1:]))
    if begin == 0:
        return Table((), 0, mark, list(lines))
    width = len("".join("x" if cell.strip() else " " for cell in cells(lines[begin].text, mark)).rstrip())
    above = cells(lines[begin - 1].text, mark, width)
    if any(says(cell, mark) for cell in above) or (len(above) < width and begin > 1):
        # No names: a row that something is wrong with, or a text. Then the first line is meant.
        return Table(cells(lines[0].text, mark, names=True), lines[0].at, mark, list(lines[1:]))
    if begin > 1 and _units(above):
        names = cells(lines[begin - 2].text, mark, width)
        if len(names) >= width and not any(says(cell, mark) for cell in names):
            told = tuple(_with_unit(name, unit) for name, unit in zip_longest(names, above, fillvalue=""))
            return Table(told, lines[begin - 2].at, mark, list(lines[begin:]))
    return Table(above, lines[begin - 1].at, mark, list(lines[begin:]))


def _rows(lines: Sequence[Line]) -> tuple[int | None, str]:
    """The first of the lines that hold numbers."""
    for at, line in enumerate(lines):
        mark = mark_of(line.text)
        first = cells(line.text, mark)
        if not all(fits(cell, mark) for cell in first) or not any(says(cell, mark) for cell in first):
            continue
        beside = [cells(each.text, mark_of(each.text)) for each in lines[at + 1 : at + _SEEN]]
        if all(len(each) == len(first) for each in beside[:1]):
            return at, mark
    return None, ","


def mark_of(line: str) -> str:
    """What parts this line's columns: the first of these that stands in it."""
    return next((mark for mark in ";\t|," if mark in line), SPACES)


def cells(line: str, mark: str, width: int = 0, *, names: bool = False) -> tuple[str, ...]:
    """Of a line. Names between spaces may hold some, where two or more part them, or where `width` says so."""
    if mark != SPACES:
        return tuple(next(csv.reader([line], delimiter=mark), []))
    parts = tuple(_SPACED.split(line.strip()))
    if (names or width) and len(parts) != width:
        wide = tuple(_NAMES.split(line.strip()))
        return wide if len(wide) in (width, 0) or not width else parts
    return parts


def parted(rows: Sequence[Line], mark: str) -> Iterator[Sequence[str]]:
    """The cells of each row. A row is a line: a quotation mark that nothing ends does not take in those behind it."""
    if mark == SPACES:
        return (_SPACED.split(row.text.strip()) for row in rows)
    texts = (row.text for row in rows)
    return (next(csv.reader([text], delimiter=mark), []) if '"' in text else text.split(mark) for text in texts)


def _units(line: Sequence[str]) -> bool:
    told = [cell.strip() for cell in line if cell.strip()]
    return bool(told) and all(unit_of(cell) is not None for cell in told)


def _with_unit(name: str, cell: str) -> str:
    unit = unit_of(cell)
    return f"{name.strip()} [{unit}]" if unit else name.strip()
