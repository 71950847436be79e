"""What a test waited for because the host was disturbed: noted by the test, printed at the end of the run."""

import pytest

PROPERTY = "waited"
_running: list[pytest.Item] = []


def enter(item: pytest.Item) -> None:
    """From here on notes belong to this test."""
    _running[:] = [item]


def note(text: str) -> None:
    """For the summary. Outside of a test it is dropped."""
    if _running:
        _running[0].user_properties.append((PROPERTY, text))


def lines(reports: list[pytest.TestReport]) -> list[str]:
    """One line a note."""
    notes = [(report.nodeid, text) for report in reports for name, text in report.user_properties if name == PROPERTY]
    return [f"{test}: {text}" for test, text in dict.fromkeys(notes)]
