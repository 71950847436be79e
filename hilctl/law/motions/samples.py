"""An uploaded history: samples over time, checked where they come in, from a CSV file or from arrays."""

import csv
import io
import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from hilctl.law.motions.planning import Reals
from hilctl.law.reference.wave import KNOTS
from hilctl.machine import GRAVITY
from hilctl.params import BadValues, Problem, nearest

Quantity = Literal["displacement", "acceleration"]

LONGEST = 100_000  # characters of a line; the csv module refuses a cell of more than 131 072
FEWEST = 8  # samples that a spline with ends at rest makes sense of
MOST = KNOTS - 16  # the spline's ends take a few more

# Column name → quantity and factor to SI.
_TIMES: dict[str, float] = {"time_s": 1.0, "time_ms": 1e-3}
_COLUMNS: dict[str, tuple[Quantity, float]] = {
    "displacement_m": ("displacement", 1.0),
    "displacement_mm": ("displacement", 1e-3),
    "displacement_cm": ("displacement", 1e-2),
    "acceleration_m_s2": ("acceleration", 1.0),
    "acceleration_cm_s2": ("acceleration", 1e-2),
    "acceleration_g": ("acceleration", GRAVITY),
}


class Samples(NamedTuple):
    """A history in SI units; times begin at 0 and grow."""

    times_s: Reals
    values: Reals
    quantity: Quantity

    @property
    def interval_s(self) -> float:
        """The usual spacing."""
        return float(np.median(np.diff(self.times_s)))


def samples_of(
    values: Sequence[float] | Reals,
    quantity: Quantity,
    *,
    interval_s: float = 0.0,
    times_s: Sequence[float] | Reals | None = None,
    at: str = "samples",
) -> Samples:
    """A history from an array, evenly spaced or with its times."""
    y = _reals(values, f"{at}.values")
    if times_s is None:
        if not (math.isfinite(interval_s) and interval_s > 0):
            raise _bad(f"{at}.interval_s", interval_s, "must be above 0 s where no times are given")
        t = np.arange(len(y), dtype=np.float64) * interval_s
    else:
        t = _reals(times_s, f"{at}.times_s")
        if len(t) != len(y):
            raise _bad(f"{at}.times_s", f"{len(t)} values", f"must be as many as the {len(y)} values")
    return _checked(t, y, quantity, lambda i: f"{at}.times_s[{i}]", lambda i: f"{at}.values[{i}]", at)


def read_csv(text: str, name: str = "csv") -> Samples:
    """A history from CSV text: a header naming a time and one data column with their units, then numbers.

    Comma, semicolon or tab; lines that begin with # are comments. Other columns are ignored.
    """
    numbered = [(n, line) for n, line in enumerate(text.lstrip("\ufeff").splitlines(), 1) if line.strip()]
    numbered = [(n, line) for n, line in numbered if not line.lstrip().startswith("#")]
    too_long = next(((n, len(line)) for n, line in numbered if len(line) > LONGEST), None)
    if too_long is not None:
        raise _bad(f"{name} line {too_long[0]}", f"{too_long[1]} characters", f"must be at most {LONGEST}")
    if not numbered:
        raise _bad(name, "an empty text", "must have a header and lines of numbers")
    head_line, head = numbered[0]
    mark = max(",;\t", key=head.count)
    names = [cell.strip() for cell in next(csv.reader([head], delimiter=mark))]
    where = f"{name} line {head_line}"
    time_at = _only(names, tuple(_TIMES), where, "a time column")
    data_at = _only(names, tuple(_COLUMNS), where, "one displacement or acceleration column")
    lines = [n for n, _ in numbered[1:]]
    t, y = np.zeros(len(lines)), np.zeros(len(lines))
    rows = csv.reader(io.StringIO("\n".join(line for _, line in numbered[1:])), delimiter=mark)
    for i, row in enumerate(rows):
        for column, out in ((time_at, t), (data_at, y)):
            key = f"{name} line {lines[i]} column {names[column]}"
            if column >= len(row):
                raise _bad(key, f"{len(row)} columns", f"must have {len(names)} columns like the header")
            try:
                out[i] = float(row[column])
            except ValueError:
                raise _bad(key, row[column], "must be a number") from None
    quantity, factor = _COLUMNS[names[data_at]]
    time_key = f"column {names[time_at]}"
    data_key = f"column {names[data_at]}"
    return _checked(
        t * _TIMES[names[time_at]], y * factor, quantity,
        lambda i: f"{name} line {lines[i]} {time_key}", lambda i: f"{name} line {lines[i]} {data_key}", name,
    )


def _only(names: list[str], known: tuple[str, ...], where: str, what: str) -> int:
    found = [i for i, n in enumerate(names) if n in known]
    if len(found) == 1:
        return found[0]
    if found:
        raise _bad(where, ", ".join(names[i] for i in found), f"must have only {what}")
    near = next((hint for n in names if (hint := nearest(n, known)).startswith("did")), f"known: {', '.join(known)}")
    raise _bad(where, ", ".join(names), f"must have {what}", near)


def _reals(values: Sequence[float] | Reals, at: str) -> Reals:
    try:
        made = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        raise _bad(at, "something else", "must be a list of numbers") from None
    if made.ndim != 1:
        raise _bad(at, f"{made.ndim} dimensions", "must be a list of numbers")
    return made


def _checked(
    t: Reals, y: Reals, quantity: Quantity, time_key: Callable[[int], str], value_key: Callable[[int], str], at: str
) -> Samples:
    if quantity not in ("displacement", "acceleration"):
        raise _bad(f"{at}.quantity", quantity, "must be displacement or acceleration")
    if not FEWEST <= len(y) <= MOST:
        raise _bad(at, f"{len(y)} samples", f"must be {FEWEST} to {MOST} samples")
    for series, key in ((t, time_key), (y, value_key)):
        wrong = np.flatnonzero(~np.isfinite(series))
        if len(wrong):
            raise _bad(key(int(wrong[0])), float(series[wrong[0]]), "must be finite")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        i = int(back[0]) + 1
        raise _bad(time_key(i), float(t[i]), f"must be later than the time before, {t[i - 1]:g} s")
    return Samples(t - t[0], y, quantity)


def _bad(key: str, value: object, limit: str, remedy: str = "") -> BadValues:
    return BadValues([Problem(key, value, limit, remedy)])
