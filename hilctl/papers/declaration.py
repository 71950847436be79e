"""What a case is: the paper's results in its order, and what a run of the case gives for each.

A case is one module with `CASE`, listed in hilctl/papers/register.py:

    CASE = Case(
        name="002", title="…", paper="authors, journal, year, pages", needs="what it runs on",
        results=(Result("eq. 3", "the joint's friction torque"), Result("Fig. 5", "free swing")), run=run,
    )

    def run(tell: Tell) -> Outcome: …   # heavy imports inside: a list of the cases loads every module

Each result of the paper has at least one row; the page counts them.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Self

import msgspec

Value = float | str | None
Tell = Callable[[str], None]
_NUMBER = re.compile(r"[-−]?\d[\d.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
STEADY = 0.01  # of a row's value: by how much it may differ on another day or host


class Result(NamedTuple):
    """Something that the paper states: an equation, a row of a table, a figure."""

    key: str  # "Table 2", "Fig. 4", "eq. 7"
    what: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of the paper beside ours. Texts are compared as they are."""

    of: str  # the key of the paper's result
    what: str
    paper: Value
    ours: Value
    unit: str = ""
    low: float | None = None  # between these ours is right
    high: float | None = None
    why: str = ""  # they differ; required where ours is not within
    steady: float | None = STEADY  # share; None: a later run only has to be right, too

    @classmethod
    def near(cls, of: str, what: str, paper: float, ours: float, unit: str = "", *, share: float = 0.0,
             by: float = 0.0, why: str = "", steady: float | None = STEADY) -> Self:  # fmt: skip
        """Right within a share of the paper's value, and within an amount."""
        off = share * abs(paper) + by
        return cls(of=of, what=what, paper=paper, ours=float(ours), unit=unit, low=paper - off, high=paper + off,
                   why=why, steady=steady)  # fmt: skip

    @property
    def within(self) -> bool | None:
        """Whether ours is right; None where nothing says what would be."""
        if self.low is None and self.high is None:
            return self.ours == self.paper if isinstance(self.paper, str) and isinstance(self.ours, str) else None
        if not isinstance(self.ours, (int, float)):
            return False
        return (self.low is None or self.ours >= self.low) and (self.high is None or self.ours <= self.high)

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        both = (self.paper, self.ours)
        numbers = [x for x in both if isinstance(x, (int, float))]
        return numbers[1] - numbers[0] if len(numbers) == len(both) else None


class Table(msgspec.Struct, frozen=True, tag="table"):
    """Cells are texts; a heading that begins with > stands over numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


class Figure(msgspec.Struct, frozen=True, tag="figure"):
    """A drawing of the outcome, by its name there."""

    name: str
    caption: str


class Text(msgspec.Struct, frozen=True, tag="text"):
    """A paragraph."""

    text: str


Block = Text | Table | Figure


class Part(msgspec.Struct, frozen=True):
    """A section of the page."""

    title: str
    blocks: tuple[Block, ...]


class Outcome(NamedTuple):
    """What a run gives; parts in the paper's order."""

    rows: tuple[Row, ...]
    parts: tuple[Part, ...] = ()
    drawings: Mapping[str, Callable[[], Any]] = {}  # matplotlib's figures, drawn when the page is written


class Case(NamedTuple):
    """A paper that can be run."""

    name: str
    title: str
    paper: str  # where it was published
    needs: str  # what the case runs on
    results: tuple[Result, ...]
    run: Callable[[Tell], Outcome]


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A case and its outcome, as stored beside the page."""

    format: Literal[1] = 1
    paper: str  # its number
    title: str
    source: str
    needs: str
    results: dict[str, str]
    rows: tuple[Row, ...]
    parts: tuple[Part, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Results of the paper that no row belongs to."""
        had = {row.of for row in self.rows}
        return tuple(key for key in self.results if key not in had)

    @property
    def faults(self) -> tuple[str, ...]:
        """What must not be on a page: rows of no result, and rows that are not right and do not say why."""
        strange = [f"{row.of}: {row.what}: no such result" for row in self.rows if row.of not in self.results]
        silent = [f"{row.of}: {row.what}: no reason" for row in self.rows if row.within is not True and not row.why]
        return (*(f"{key}: no row" for key in self.missing), *strange, *silent)

    def told(self) -> dict[str, Any]:
        """As plain values."""
        rows = [
            {**msgspec.to_builtins(row), "within": row.within, "difference": row.difference} for row in self.rows
        ]
        return {**msgspec.to_builtins(self), "rows": rows, "missing": list(self.missing)}


def page_of(case: Case, outcome: Outcome) -> Page:
    """Rows in the order of the paper's results."""
    order = {result.key: place for place, result in enumerate(case.results)}
    rows = sorted(outcome.rows, key=lambda row: order.get(row.of, len(order)))
    return Page(
        paper=case.name, title=case.title, source=case.paper, needs=case.needs,
        results={result.key: result.what for result in case.results}, rows=tuple(rows), parts=outcome.parts,
    )  # fmt: skip


def changed(kept: Page, now: Page) -> tuple[str, ...]:
    """Rows that a later run does not repeat, each as a line."""
    lines = []
    then, today = ({(row.of, row.what): row for row in page.rows} for page in (kept, now))
    for key in dict.fromkeys((*then, *today)):
        name = ": ".join(key)
        if key not in then or key not in today:
            lines.append(f"{name}: {'new' if key in today else 'gone'}")
        elif not _repeats(then[key], today[key]):
            lines.append(f"{name}: {then[key].ours} became {today[key].ours} {today[key].unit}".rstrip())
    return tuple(lines)


def same_words(kept: Page, now: Page) -> bool:
    """Whether both pages are about the same, for the same reasons; numbers apart."""
    return _words(kept) == _words(now)


def _words(page: Page) -> tuple[object, ...]:
    rows = [(row.of, row.what, row.unit, _NUMBER.sub("", row.why)) for row in page.rows]
    parts = _NUMBER.sub("", msgspec.json.encode(page.parts).decode())
    return page.title, page.source, page.needs, page.results, rows, parts


def _repeats(kept: Row, now: Row) -> bool:
    if (kept.paper, kept.unit, kept.within) != (now.paper, now.unit, now.within):
        return False
    if isinstance(kept.ours, (int, float)) and isinstance(now.ours, (int, float)):
        if now.steady is None:
            return True
        return bool(abs(now.ours - kept.ours) <= now.steady * max(abs(kept.ours), abs(now.ours)))
    return kept.ours == now.ours
