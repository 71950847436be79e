"""What all tests share: those on the real clock run last, so that nothing the others started is left beside them."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("realtime") is not None)
