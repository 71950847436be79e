"""Every driver keeps what every driver promises: one suite, one bench a driver (benches.py)."""

from contextlib import ExitStack

import pytest

from firmware_bridge.registry import names
from hilctl.conformance.promises import *  # noqa: F403 (the suite)
from tests.conformance.benches import BENCHES

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(params=BENCHES)
def bench(request):
    with ExitStack() as devices, BENCHES[request.param](devices) as made:
        yield made


def test_every_built_in_driver_has_a_bench():
    assert {name.partition("-")[0] for name in BENCHES} >= set(names())
