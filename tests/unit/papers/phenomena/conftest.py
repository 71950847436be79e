"""The table is computed once: it takes some seconds."""

import pytest


@pytest.fixture(scope="session")
def table():
    from hilctl.papers.phenomena.table import computed

    return computed()
