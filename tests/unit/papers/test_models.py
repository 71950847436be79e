"""003: every equation of the paper by its law; the claims about the models are in the kept page."""

import pytest

from hilctl.papers.models import laws
from hilctl.papers.models.case import CASE
from hilctl.papers.models.claims import LAWS, claims
from hilctl.papers.phenomena.cell import Cell
from hilctl.papers.phenomena.table import PHENOMENA


def test_every_equation_holds_and_every_figure_has_a_row():
    rows = laws.rows_of()
    assert [row for row in rows if row.within is not True] == []
    claimed = {"§ 2.1.1", "§ 2.1.3", "§ 2.2"}
    assert {row.of for row in rows} == {result.key for result in CASE.results} - claimed


def test_a_claim_that_the_test_of_the_law_denies_differs_and_says_why():
    cell = Cell(True, 1.0, "shown by the stand")
    table = {law: {one.key: cell for one in PHENOMENA} for law in (*LAWS, "armstrong, five parameters")}
    rows = list(claims(table))
    assert {row.of for row in rows} == {"§ 2.1.1", "Fig. 3", "§ 2.1.3", "§ 2.2"}
    denied = [row for row in rows if row.paper == "no"]
    assert len(denied) == 18 and all(row.within is False and "shown by the stand" in row.why for row in denied)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2.0])
def test_dahls_loop_closes(alpha):
    loop = laws.dahl_loop(alpha)
    assert loop.friction[0] == pytest.approx(loop.friction[-1], abs=0.02 * laws.FC)
    assert loop.friction.max() == pytest.approx(-loop.friction.min(), rel=1e-3)
