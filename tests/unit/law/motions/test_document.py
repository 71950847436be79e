"""docs/motions.md says what the declarations say."""

from pathlib import Path

from hilctl.law.motions.document import TABLES, named, refreshed

PAGE = Path(__file__).parents[4] / "docs" / "motions.md"


def test_the_parameter_tables_are_those_of_the_declarations() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert sorted(named(text)) == sorted(TABLES)
    assert refreshed(text) == text, "run python -m hilctl.law.motions.document docs/motions.md"
