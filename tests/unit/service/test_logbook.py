"""The log's newest lines in memory."""

import logging
from collections.abc import Iterator

import pytest

from hilctl.service.logbook import PAGE, Logbook

log = logging.getLogger("hilctl.tried")


@pytest.fixture
def book() -> Iterator[Logbook]:
    book = Logbook(kept=600)
    book.open()
    log.setLevel(logging.INFO)
    yield book
    log.setLevel(logging.NOTSET)
    book.close()


def texts(page: dict[str, list[dict[str, str]]]) -> list[str]:
    return [line["text"] for line in page["lines"]]


def test_lines_are_filtered_by_level_number_and_time(book: Logbook) -> None:
    log.info("one %d", 1)
    log.warning("two")
    log.critical("three")
    log.debug("not written")
    page = book.page(0, "info", 0)
    assert texts(page) == ["one 1", "two", "three"] and page["next"] == 3 and page["lost"] == 0
    assert page["lines"][2]["level"] == "error" and page["lines"][0]["logger"] == "hilctl.tried"
    assert texts(book.page(0, "warning", 0)) == ["two", "three"]
    assert texts(book.page(2, "info", 0)) == ["three"]
    assert texts(book.page(0, "info", page["lines"][2]["time_ns"] + 1)) == []
    assert book.page(9, "info", 0)["next"] == 9


def test_pages_join_and_what_is_no_longer_kept_is_counted(book: Logbook) -> None:
    for number in range(1000):
        log.info("line %d", number)
    found, first, lost = [], 10, None
    while (page := book.page(first, "info", 0))["lines"]:
        assert len(page["lines"]) <= PAGE
        found, first, lost = found + texts(page), page["next"], page["lost"] if lost is None else lost
    assert found == [f"line {number}" for number in range(400, 1000)] and lost == 390 and first == 1000


def test_a_line_is_bounded_and_on_one_line_and_a_defect_is_named(book: Logbook) -> None:
    log.info("a\nb\x1b[31m%s", "x" * 10_000)
    try:
        raise ValueError("broken")
    except ValueError:
        log.exception("it failed")
    first, second = book.page(0, "info", 0)["lines"]
    assert len(first["text"]) == 500 and first["text"].startswith("a b [31mx")
    assert second["text"] == "it failed: ValueError('broken')"


def test_after_its_end_it_hears_nothing(book: Logbook) -> None:
    book.close()
    log.info("unheard")
    assert book.next == 0
