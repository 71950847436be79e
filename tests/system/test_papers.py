"""Every paper's case, run whole: its figures are those of the page that is kept in docs/papers."""

import pytest

from hilctl.papers.declaration import changed
from hilctl.papers.register import CASES, case_of
from hilctl.papers.run import read, run
from tests.documents import PAPERS

SHORT = "003"  # seconds; the others take a minute

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.many(first=name == SHORT)) for name in CASES])
def test_todays_figures_are_those_of_the_page(name, tmp_path):
    written = run(case_of(name), tmp_path)
    assert changed(read(PAPERS / f"{name}.json"), written.page) == ()
    page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    assert all(figure in page for figure in figures_of(written.page))
    assert page.count("<svg") == len(figures_of(written.page))


def figures_of(page):
    return [block.caption[:20] for part in page.parts for block in part.blocks if hasattr(block, "name")]
