"""What the paper says that each model shows or does not, beside the computed test of it."""

from collections.abc import Iterator

from hilctl.papers.declaration import Row
from hilctl.papers.models.laws import five_parameters
from hilctl.papers.phenomena.cell import Cell
from hilctl.papers.phenomena.stand import stand_for
from hilctl.papers.phenomena.table import PHENOMENA, Table

LAWS = ("coulomb", "viscous", "static", "stribeck", "karnopp", "armstrong", "dahl", "lugre", "bliman-sorine-2")
FIVE = "armstrong, five parameters"
TITLES = {one.key: one.title for one in PHENOMENA}
_NO_SPEED = (
    "no state of the law depends on how fast the path is passed: the abstract's Stribeck effect at low speed is shown "
    "by LuGre, whose level depends on the speed"
)


def table_of() -> Table:
    """Every law of the paper, tried for every phenomenon."""
    stands = {law: stand_for(law) for law in LAWS} | {FIVE: five_parameters()}
    return {law: {one.key: one.test(stand) for one in PHENOMENA} for law, stand in stands.items()}


def claims(table: Table) -> Iterator[Row]:
    """Each claim as a row."""
    for law in ("coulomb", "viscous", "static", "stribeck"):
        for key in ("hysteresis", "spring", "rate", "dwell"):
            yield _claim(table, "§ 2.1.1", law, key, shows=False)
    yield _claim(table, "Fig. 3", "karnopp", "rest", shows=True)
    for key in ("falling", "spring", "lag", "dwell"):
        yield _claim(table, "§ 2.1.3", "armstrong", _KEYS.get(key, key), shows=True)
    five = "the paper does not print this form; here fc, fv, dFs, vs and kt, with tauL = 0 and dFsa = dFsinf"
    yield _claim(table, "§ 2.1.3", FIVE, _KEYS["falling"], shows=True, why=five)
    for key in ("lag", "dwell"):
        yield _claim(table, "§ 2.1.3", FIVE, key, shows=False, why=five)
    for law in ("dahl", "lugre", "bliman-sorine-2"):
        for key in ("spring", "hysteresis"):
            yield _claim(table, "§ 2.2", law, key, shows=True)
        yield _claim(table, "§ 2.2", law, _KEYS["falling"], shows=True, why="" if law == "lugre" else _NO_SPEED)
    yield _claim(table, "§ 2.2", "lugre", "lag", shows=True)


_KEYS = {"falling": "stribeck"}


def _claim(table: Table, of: str, law: str, key: str, *, shows: bool, why: str = "") -> Row:
    cell: Cell = table[law][key]
    ours = "no" if cell.shows is None else cell.word
    return Row(of=of, what=f"{law}: {TITLES[key]}", paper="yes" if shows else "no", ours=ours,
               why=f"{why}; {cell.why}" if why else cell.why)  # fmt: skip
