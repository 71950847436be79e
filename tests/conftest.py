"""What all tests share: those on the real clock run last, so that nothing the others started is left beside them.

An example has no deadline: a test counts and compares, and never measures time.
"""

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("realtime") is not None)
