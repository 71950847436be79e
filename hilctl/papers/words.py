"""What both forms of a page say: the count of results, and a row as cells."""

from hilctl.papers.declaration import Page, Row, Value
from hilctl.report.numbers import plain

HEAD = ("result", "", ">paper", ">ours", ">difference", "unit", "why they differ")
DIGITS = 5


def summary(made: Page) -> str:
    """How many of the paper's results have a row here, and how many agree."""
    agree = sum(row.within is True for row in made.rows)
    missing = f"; missing: {', '.join(made.missing)}" if made.missing else "; none is missing"
    had = len(made.results) - len(made.missing)
    differ = len(made.rows) - agree
    return (
        f"{had} of {len(made.results)} results of the paper are compared in {len(made.rows)} figures{missing}. "
        f"{agree} agree within their bounds" + (f"; {differ} differ, and the reason is given." if differ else ".")
    )


def cells_of(made: Page, row: Row) -> tuple[str, ...]:
    """Of a row of the results."""
    return (
        row.of, row.what, value(row.paper), value(row.ours), "" if row.difference is None else plain(row.difference, 3),
        row.unit, _why(row),
    )  # fmt: skip


def value(x: Value) -> str:
    """As a person reads it."""
    if isinstance(x, str):
        return x
    return plain(x, DIGITS)


def _why(row: Row) -> str:
    if row.within is True:
        agrees = f"agrees ({bounds(row)})" if bounds(row) else "agrees"
        return f"{agrees}; {row.why}" if row.why else agrees
    return row.why


def bounds(row: Row) -> str:
    """Between which values ours is right; nothing where they are one, as far as digits show."""
    if row.low is not None and row.high is not None:
        low, high = plain(row.low), plain(row.high)
        return f"{low} to {high}" if low != high else ""
    if row.low is not None:
        return f"{plain(row.low)} or more"
    return f"{plain(row.high)} or less" if row.high is not None else ""
