"""Every cell of the table of laws and phenomena, against what the literature says of the laws.

[AH94]  B. Armstrong-Hélouvry, P. Dupont, C. Canudas de Wit: A survey of models, analysis tools and compensation methods
        for the control of machines with friction. Automatica 30, 1994: the seven parameters; which static laws stick.
[CdW95] C. Canudas de Wit, H. Olsson, K. J. Åström, P. Lischinsky: A new model for control of systems with friction.
        IEEE Trans. Automatic Control 40, 1995: LuGre's lag, break-away by rate and stick-slip; Dahl has no Stribeck.
[BS95]  P.-A. Bliman, M. Sorine: Easy-to-use realistic dry friction models for automatic control. ECC 1995: the force
        depends on the path alone; hence neither lag nor rate nor dwell nor a steady falling branch.
[Ga97]  M. Gäfvert: Comparisons of two dynamic friction models. IEEE CCA 1997: LuGre is the richer of the two.
[Sw00]  J. Swevers, F. Al-Bender, C. Ganseman, T. Prajogo: An integrated friction model structure with improved
        presliding behavior for accurate friction compensation. IEEE Trans. Automatic Control 45, 2000: non-local
        memory, which LuGre lacks.
[Du02]  P. Dupont, V. Hayward, B. Armstrong, F. Altpeter: Single state elastoplastic friction models. IEEE Trans.
        Automatic Control 47, 2002: Dahl and LuGre drift under a biased vibration.
[AB05]  F. Al-Bender, V. Lampaert, J. Swevers: The generalized Maxwell-slip model. IEEE Trans. Automatic Control 50,
        2005: GMS has all but the dwell.
"""

import pytest

from hilctl.friction import MODELS
from hilctl.papers.phenomena.table import PHENOMENA

COLUMNS = ("stribeck", "rest", "spring", "hysteresis", "memory", "lag", "rate", "dwell", "stick-slip", "vibration")
EXPECTED = {
    #                        stribeck rest spring hyst. memory lag rate dwell slip vibration
    "stribeck":             "yes      yes  no     no    no     no  no   no    yes  yes",  # AH94
    "karnopp":              "yes      yes  no     no    no     no  no   no    yes  yes",  # AH94
    "lugre":                "yes      yes  yes    yes   no     yes yes  no    yes  no",  # CdW95, Sw00, Du02
    "coulomb":              "no       yes  no     no    no     no  no   no    no   yes",  # AH94
    "viscous":              "no       no   —      —     —      no  —    —     no   —",  # AH94
    "static":               "no       yes  no     no    no     no  no   no    yes  yes",  # AH94
    "tanh":                 "yes      no   no     no    no     no  no   no    yes  no",  # AH94: smooth laws creep
    "breakaway":            "yes      no   no     no    no     no  no   no    yes  no",
    "breakaway-rotational": "yes      no   no     no    no     no  no   no    yes  no",
    "armstrong":            "yes      yes  yes    no    no     yes yes  yes   yes  yes",  # AH94
    "dahl":                 "no       yes  yes    yes   no     no  no   no    no   no",  # CdW95, Du02
    "bliman-sorine-1":      "no       yes  yes    yes   no     no  no   no    no   no",  # BS95: it is Dahl's
    "bliman-sorine-2":      "no       yes  yes    yes   no     no  no   no    no   no",  # BS95, Ga97
    "gms":                  "yes      yes  yes    yes   yes    yes yes  no    yes  yes",  # AB05
}  # fmt: skip


def test_every_law_and_every_phenomenon_has_a_cell(table):
    assert set(EXPECTED) == set(MODELS) == set(table)
    assert tuple(one.key for one in PHENOMENA) == COLUMNS
    assert all(tuple(cells) == COLUMNS for cells in table.values())


@pytest.mark.parametrize("law", EXPECTED)
def test_each_cell_is_as_the_literature_says(table, law):
    assert [table[law][key].word for key in COLUMNS] == EXPECTED[law].split()


def test_no_cell_stands_within_a_fifth_of_its_bound(table):
    """A verdict that hung on the last digit would be none."""
    close = []
    for law, cells in table.items():
        for one in PHENOMENA:
            cell, bound = cells[one.key], one.least if one.least is not None else one.most
            if cell.figure is not None and 0.8 * bound < cell.figure < 1.25 * bound:
                close.append((law, one.key, cell.figure))
    assert close == []


def test_a_cell_with_a_figure_obeys_its_bound(table):
    for cells in table.values():
        for one in PHENOMENA:
            cell = cells[one.key]
            if cell.shows:
                assert one.least is None or cell.figure >= one.least
                assert one.most is None or abs(cell.figure) <= one.most
            assert cell.why


def test_a_law_without_break_away_has_dashes_and_no_other_has(table):
    dashes = {law for law, cells in table.items() if any(cell.shows is None for cell in cells.values())}
    assert dashes == {"viscous"}


def test_gms_remembers_exactly_and_lugre_ratchets_by_more_than_its_stroke(table):
    assert abs(table["gms"]["memory"].figure) < 0.2
    assert table["lugre"]["memory"].figure > 100


def test_bristles_of_the_usual_damping_lag_when_slow_and_lead_when_fast():
    """A constant s1 takes more off than the deflection adds where s1(v) > g/v: above some 30 mm/s."""
    from hilctl.papers.phenomena import lag
    from hilctl.papers.phenomena.stand import stand_for

    lugre = stand_for("lugre")
    assert lag.width(lugre, lag.swung(lugre, 16.0)) > 0.2
    assert lag.width(lugre, lag.swung(lugre, 16.0, slow=2e-3, fast=0.2)) < -0.5


def test_stick_slip_ends_beyond_a_stiffness_too():
    from hilctl.papers.phenomena import stick_slip
    from hilctl.papers.phenomena.stand import stand_for

    lugre = stand_for("lugre")
    assert stick_slip.pulled(lugre, stiffer=1.0).resting > 50
    assert stick_slip.pulled(lugre, stiffer=100.0).resting < 1


def test_the_pages_hold_the_table_as_it_is_computed_now(table):
    from tests import documents

    for page, text in documents.computed_pages(table).items():
        assert page.read_text(encoding="utf-8") == text, "run `make pages`"


def test_the_pictures_of_the_page_are_all_there_and_no_others():
    from hilctl.papers.phenomena.figures import PICTURES
    from tests.documents import DOCS

    kept = {path.stem for path in (DOCS / "friction").glob("*.png")}
    assert kept == set(PICTURES)
    text = (DOCS / "friction-laws.md").read_text(encoding="utf-8")
    assert [name for name in PICTURES if f"(friction/{name}.png)" not in text] == []
