"""Which lines of a text are the header, its units, and the rows; and what parts the columns.

Measurement systems write about themselves first, in as many lines as they like; some write a line of units below the
names. The rows are the first lines that hold numbers, all of one width; the names stand right above them.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hilctl.identify.dynamics.intake.cells import fits, says
from hilctl.identify.dynamics.intake.names import unit_of

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
    kept = (Line(at, line) for at, line in enumerate(text.splitlines(), 1))
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
    """The cells of each row."""
    if mark == SPACES:
        return (_SPACED.split(row.text.strip()) for row in rows)
    return iter(csv.reader((row.text for row in rows), delimiter=mark))


def _units(line: Sequence[str]) -> bool:
    told = [cell.strip() for cell in line if cell.strip()]
    return bool(told) and all(unit_of(cell) is not None for cell in told)


def _with_unit(name: str, cell: str) -> str:
    unit = unit_of(cell)
    return f"{name.strip()} [{unit}]" if unit else name.strip()
