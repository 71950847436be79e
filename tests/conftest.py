"""What all tests share: those on the real clock run last, so that nothing the others started is left beside them.

An example has no deadline: a test counts and compares, and never measures time. Of the slow cases of a long list
(`many`), HILCTL_SLOW_SHARE run, and at least one of each test.
"""

import os
import signal
from zlib import crc32

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control starts what it puts into the background deaf to Ctrl-C, and so would be every
    # program that the tests start and end by it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _thin_out(config, items, float(os.environ.get("HILCTL_SLOW_SHARE", "1")))
    items.sort(key=lambda item: item.get_closest_marker("realtime") is not None)


def _thin_out(config: pytest.Config, items: list[pytest.Item], share: float) -> None:
    """Leaves a share of each long list of slow cases: those whose names come first by a checksum, on every machine."""
    lists: dict[str, list[pytest.Item]] = {}
    for item in items:
        if share < 1 and item.get_closest_marker("many") and item.get_closest_marker("slow"):
            lists.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = set()
    for cases in lists.values():
        cases.sort(key=lambda item: crc32(item.nodeid.encode()))
        left_out |= {item.nodeid for item in cases[max(1, round(share * len(cases))) :]}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]
