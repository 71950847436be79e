"""Devices that served one driver are not left beside the tests of others."""

import pytest

from tests.system.text_parts import end_idle


@pytest.fixture(scope="module", autouse=True)
def _devices_end():
    yield
    end_idle()
