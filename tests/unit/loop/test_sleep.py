"""Waiting on the real clock, compiled and not."""

import pytest

from hilctl.loop.clock import rt_sleep
from hilctl.rt.libc import monotonic_ns

pytestmark = pytest.mark.usefixtures("forms")


@pytest.mark.parametrize("spin_ns", [0, 100_000])
def test_a_wait_ends_no_earlier_than_the_deadline(spin_ns):
    due_ns = monotonic_ns() + 300_000
    assert rt_sleep(due_ns, spin_ns) >= due_ns
