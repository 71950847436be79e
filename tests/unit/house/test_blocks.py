"""Every command and every Python block of the pages is run by a test, or has a reason not to be; every picture has a
maker."""

import re
from pathlib import Path

import pytest

from tests import blocks, documents, pictures

HOUSE = Path(__file__).resolve().parents[3]
DOCS = HOUSE / "docs"
SHOWN = [*blocks.commands(), *blocks.blocks()]


def test_every_command_and_every_python_block_has_its_proof():
    assert len(blocks.commands()) > 200
    assert len(blocks.blocks()) >= 14
    unproved = [f"{one.page}: {one.text}" for one in SHOWN if one.by is None]
    assert unproved == [], "add to tests/blocks.py which test runs it, or why none can"


@pytest.mark.parametrize("by", sorted({one.by for one in SHOWN if one.by}))
def test_the_tests_that_a_proof_names_exist(by):
    named = re.findall(r"(?:tests/)?[\w/]*test_\w+\.py|tests/[\w/]+", by)
    places = [HOUSE / name if name.startswith("tests/") else HOUSE / "tests" / "system" / name for name in named]
    assert [str(place) for place in places if not place.exists()] == []
    assert named or re.search(r"minutes|environment|excerpt|looked up", by)


def test_no_pattern_and_no_block_of_the_lists_is_left_over():
    shown = [f"{one.page}: {one.text}" for one in blocks.commands()]
    assert [pattern for pattern, _ in blocks.COMMANDS if not any(re.search(pattern, one) for one in shown)] == []
    code = [(one.page, one.text) for one in blocks.blocks()]
    assert [row for row in blocks.BLOCKS if not any(page == row[0] and row[1] in text for page, text in code)] == []


def test_what_is_typed_is_most_of_what_can_be():
    """A new command is typed, or somebody wrote down why not."""
    typed = [one for one in SHOWN if one.by == blocks.PLAYED]
    assert len(typed) >= 60


def test_every_picture_has_a_maker_and_is_shown():
    made = {name for maker in pictures.MAKERS.values() for name in maker.pictures}
    kept = {str(path.relative_to(DOCS)) for kind in ("png", "svg", "jpg") for path in DOCS.rglob(f"*.{kind}")}
    assert made == kept
    text = "".join(page.read_text(encoding="utf-8") for page in blocks.PAGES if page.stem != "pictures")
    shown = {Path(link).name for link in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)}
    assert [name for name in sorted(made) if Path(name).name not in shown] == []


def test_the_page_of_pictures_is_made_of_the_makers():
    assert pictures.rows() in documents.pages()[DOCS / "pictures.md"]
