"""What stands in a cell: a number, a hole, or a time."""

import re
from datetime import datetime

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
