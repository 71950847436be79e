"""What all tests share: those on the real clock run last, so that nothing the others started is left beside them.

An example has no deadline: a test counts and compares, and never measures time.
"""

import signal

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control starts what it puts into the background deaf to Ctrl-C, and so would be every
    # program that the tests start and end by it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("realtime") is not None)
