"""The paper's figures and the table of who shows what, as the parts of its page."""

from hilctl.papers.declaration import Figure, Part, Text
from hilctl.papers.declaration import Table as Cells
from hilctl.papers.phenomena.cell import shown
from hilctl.papers.phenomena.table import PHENOMENA, Table, bound


def parts_of(table: Table) -> tuple[Part, ...]:
    """All, in the paper's order."""
    return (
        Part("The models", (Text(
            "All with the parameters of the reference rig: Fc 287 N, Fs 3118 N, vs 0.115 m/s, 3251 N·s/m. Friction is "
            "counted as the force that resists the motion. The paper's text breaks off in the section on Dahl's model; "
            "what it says of LuGre and Bliman–Sorine stands in its abstract."),)),
        Part("Figure 1: Coulomb, viscous, static and Stribeck friction", (Figure(
            "classical", "(a) Coulomb, (b) with viscous friction, (c) with static friction, (d) Stribeck. Bar: rest, "
            "where friction equals the push."),)),
        Part("Figure 2: the Stribeck speed", (Figure(
            "tangent", "Without viscous friction. For delta = 1 the first tangent meets Coulomb friction at the "
            "Stribeck speed; for delta = 2 it is level."),)),
        Part("Figure 3: Karnopp's rest", (Figure(
            "karnopp", "A push that grows and falls: below Fs friction equals the push and nothing moves."),)),
        Part("Figure 4: Dahl's loops", (Figure(
            "dahl", "Force over displacement; exponent 1 is the paper's, 0 is a spring with a stop."),)),
        Part("Who shows what", (
            Text("Each cell is a computed test of the law against the bound in the last row; —: the phenomenon "
                 "makes no sense for the law."),
            _who(table))),
    )  # fmt: skip


def _who(table: Table) -> Cells:
    rows = []
    for law, cells in table.items():
        said = []
        for one in PHENOMENA:
            cell = cells[one.key]
            figure = "" if cell.figure is None else f" {shown(cell.figure)}{_unit(one.unit)}"
            said.append(f"{cell.word}{figure}")
        rows.append((law, *said))
    bounds = [f"{one.figure} {bound(one)}" for one in PHENOMENA]
    return Cells(("law", *(one.title for one in PHENOMENA)), (*rows, ("yes if", *bounds)))


def _unit(unit: str) -> str:
    return " %" if unit.startswith("%") else f" {unit}"
