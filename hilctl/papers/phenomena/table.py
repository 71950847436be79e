"""The table of laws and phenomena: every cell a computed test."""

from collections.abc import Iterable
from typing import Any

from hilctl.friction import MODELS
from hilctl.papers.phenomena import breaking, lag, presliding, steady, stick_slip, vibration
from hilctl.papers.phenomena.cell import Cell, Phenomenon, shown
from hilctl.papers.phenomena.stand import stand_for

PHENOMENA: tuple[Phenomenon, ...] = (
    *steady.PHENOMENA, *presliding.PHENOMENA, *lag.PHENOMENA, *breaking.PHENOMENA,
    *stick_slip.PHENOMENA, *vibration.PHENOMENA,
)  # fmt: skip

Table = dict[str, dict[str, Cell]]


def computed(laws: Iterable[str] = tuple(MODELS)) -> Table:
    """Every law tried for every phenomenon."""
    return {law: {one.key: one.test(stand_for(law)) for one in PHENOMENA} for law in laws}


def matrix(table: Table) -> str:
    """Laws below each other, phenomena side by side; the last row says what decides."""
    lines = [_row("law", *(one.title for one in PHENOMENA)), _row(*["---"] * (1 + len(PHENOMENA)))]
    lines += [_row(f"`{law}`", *(_cell(cells[one.key], one) for one in PHENOMENA)) for law, cells in table.items()]
    lines.append(_row("*yes if*", *(f"*{one.figure} {bound(one)}*" for one in PHENOMENA)))
    return "\n".join(lines)


def reasons(table: Table) -> str:
    """A section a phenomenon: every law with its figure and the reason."""
    parts = []
    for one in PHENOMENA:
        head = f"## {one.title.capitalize()}\n\nDecided by: {one.figure} {bound(one)}."
        rows = [_row("law", "", "figure", "because"), _row(*["---"] * 4)]
        for law, cells in table.items():
            cell = cells[one.key]
            figure = "" if cell.figure is None else f"{shown(cell.figure)} {one.unit}"
            rows.append(_row(f"`{law}`", cell.word, figure, cell.why))
        parts.append(head + "\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def page(table: Table) -> str:
    """The whole answer as a page."""
    intro = (
        "Every cell is a computed test of the law with its typical parameters: a figure against a bound. —: the\n"
        "phenomenon makes no sense for the law. Of a joint, 20 rad/s stand for 1 m/s. Made by `hilctl models`."
    )
    return f"# Friction laws and phenomena\n\n{intro}\n\n{matrix(table)}\n\n{reasons(table)}\n"


def as_object(table: Table) -> dict[str, Any]:
    """The same for a program."""
    return {
        "phenomena": {
            one.key: {"title": one.title, "figure": one.figure, "unit": one.unit, "least": one.least, "most": one.most}
            for one in PHENOMENA
        },
        "laws": {
            law: {
                "table": {"model": law, **MODELS[law].typical},
                "cells": {
                    key: {"verdict": cell.word, "figure": cell.figure, "why": cell.why} for key, cell in cells.items()
                },
            }
            for law, cells in table.items()
        },
    }


def _cell(cell: Cell, one: Phenomenon) -> str:
    if cell.figure is None:
        return cell.word
    unit = "%" if one.unit.startswith("%") else one.unit
    return f"{cell.word}: {shown(cell.figure)} {unit}"


def bound(one: Phenomenon) -> str:
    """From where on the answer is yes."""
    sign, limit = ("≥", one.least) if one.least is not None else ("≤", one.most)
    return f"{sign} {limit:g} {one.unit}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
