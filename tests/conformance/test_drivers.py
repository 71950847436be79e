"""Every driver keeps what every driver promises: one suite, one bench a driver (benches.py)."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from benches import BENCHES

from firmware_bridge.registry import names
from hilctl.conformance.promises import *  # noqa: F403 (the suite)

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(params=BENCHES)
def bench(request):
    with ExitStack() as devices, BENCHES[request.param](devices) as made:
        yield made


def test_every_built_in_driver_has_a_bench():
    assert {name.partition("-")[0] for name in BENCHES} >= set(names())
