"""What all tests share: tests on the real clock run last, one after another, with nothing beside them."""

import fcntl
import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_on_the_real_clock)
    for item in items:
        if _on_the_real_clock(item) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("real-clock"))


@pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of the timer of pytest-timeout
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return (yield)
    with (Path(tempfile.gettempdir()) / f"hilctl-tests-{run}.lock").open("w") as room:
        fcntl.flock(room, fcntl.LOCK_EX if _on_the_real_clock(item) else fcntl.LOCK_SH)
        return (yield)


def _on_the_real_clock(item: pytest.Item) -> bool:
    return item.get_closest_marker("realtime") is not None
