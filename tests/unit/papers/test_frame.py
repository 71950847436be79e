"""What a case declares is counted; its page, its JSON twin and the page in the documents say the same."""

import json
import sys
from types import ModuleType

import pytest
from msgspec.structs import replace

from hilctl.cli.main import main
from hilctl.papers import register
from hilctl.papers.declaration import (
    Case,
    Figure,
    Outcome,
    Part,
    Result,
    Row,
    Table,
    Text,
    changed,
    page_of,
)
from hilctl.papers.markdown import markdown
from hilctl.papers.run import Incomplete, keep, read, run
from tests.documents import PAPERS

ROWS = (
    Row.near("Fig. 1", "slope", 2.0, 2.1, "N/m", share=0.01, why="another spring"),
    Row(of="eq. 1", what="sign", paper="−", ours="−"),
)


def drawn():
    from hilctl.report.pictures.style import new

    return new()[0]


def case(*rows):
    table = Table(("x", ">F"), (("1 | 2", "2"),), "force")
    parts = (Part("Figure 1", (Text("A spring."), table, Figure("f", "bent"))),)
    results = (Result("eq. 1", "Hooke's law"), Result("Fig. 1", "the spring"))
    return Case("009", "A spring", "Hooke 1678", "nothing", results, lambda _: Outcome(rows, parts, {"f": drawn}))


@pytest.fixture
def registered(monkeypatch):
    module = ModuleType("spring")
    module.CASE = case(*ROWS)
    monkeypatch.setitem(sys.modules, "spring", module)
    monkeypatch.setattr(register, "CASES", {"009": "spring"})


def test_the_page_has_every_result_in_the_papers_order(tmp_path):
    written = run(case(*ROWS), tmp_path)
    page = (tmp_path / "009.html").read_text(encoding="utf-8")
    assert "2 of 2 results of the paper are compared in 2 figures; none is missing. 1 agree" in page
    assert page.index("eq. 1") < page.index("Fig. 1") < page.index("another spring") < page.index("<svg")
    assert [row.within for row in written.page.rows] == [True, False]
    assert read(tmp_path / "009.json") == written.page


@pytest.mark.parametrize(("rows", "why"), [
    (ROWS[:1], "eq. 1: no row"),
    ((ROWS[1], replace(ROWS[0], why="")), "Fig. 1: slope: no reason"),
    ((*ROWS, replace(ROWS[1], of="eq. 2")), "eq. 2: sign: no such result"),
])  # fmt: skip
def test_a_case_with_a_gap_ends_with_an_error_that_names_it(tmp_path, rows, why):
    with pytest.raises(Incomplete, match=why):
        run(case(*rows), tmp_path)
    assert (tmp_path / "009.html").exists()


def test_without_matplotlib_the_page_has_all_but_the_figures_and_says_what_brings_them(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    written = run(case(*ROWS), tmp_path)
    page = (tmp_path / "009.html").read_text(encoding="utf-8")
    assert "hilctl[report]" in written.without
    assert "hilctl[report]" in page and "<svg" not in page and "another spring" in page


def test_a_later_run_agrees_within_the_rows_share_and_is_kept_only_where_it_does_not(tmp_path):
    made = page_of(case(), Outcome(ROWS))
    assert keep(made, tmp_path)
    near, far = (page_of(case(), Outcome((replace(ROWS[0], ours=x), ROWS[1]))) for x in (2.11, 2.2))
    assert not keep(near, tmp_path) and read(tmp_path / "009.json").rows == made.rows
    assert changed(made, far) == ("Fig. 1: slope: 2.1 became 2.2 N/m",)
    assert changed(made, page_of(case(), Outcome(ROWS[1:]))) == ("Fig. 1: slope: gone",)
    assert keep(far, tmp_path)
    assert changed(made, page_of(case(), Outcome((replace(ROWS[0], ours=2.0), ROWS[1])))) != ()  # now it is right


def test_in_the_documents_a_cell_does_not_break_its_row():
    assert "| 1 \\| 2 | 2 |" in markdown(page_of(case(), case(*ROWS).run(print)))


def test_the_command_lists_runs_and_prints(registered, tmp_path, capsys):
    assert main(["paper"]) == 0
    assert "009" in capsys.readouterr().out
    assert main(["paper", "009", "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / "009.json").read_text(encoding="utf-8"))
    assert told["paper"] == "009" and told["missing"] == []
    assert {"what", "paper", "ours", "unit", "within", "why"} <= set(told["rows"][0])
    assert main(["paper", "all", "--out", str(tmp_path), "--json"]) == 0
    assert [one["paper"] for one in json.loads(capsys.readouterr().out)["papers"]] == ["009"]


def test_a_paper_that_does_not_exist_is_answered_with_those_that_do(capsys):
    assert main(["paper", "40"]) == 2
    assert "004" in capsys.readouterr().err


@pytest.mark.parametrize("name", register.CASES)
def test_the_kept_page_has_every_result_of_the_case_and_no_fault(name):
    kept, declared = read(PAPERS / f"{name}.json"), register.case_of(name)
    assert kept.faults == ()
    assert list(kept.results.items()) == [tuple(result) for result in declared.results]
    assert (kept.title, kept.source, kept.needs) == (declared.title, declared.paper, declared.needs)
