"""What counts as late of cyclictest's histogram, and which rounds of a benchmark are judged."""

import subprocess
import tempfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.bench.bridge import quietest
from hilctl.bench.bridge_loop import Second
from hilctl.bench.cyclictest import CyclictestError, Yardstick, late_share

PERIOD_US = 1000


def wakeups(latency_us):
    """How late each due wake-up is served: the one that was late, and those that fell due meanwhile."""
    return [latency_us - k * PERIOD_US for k in range(latency_us // PERIOD_US + 1)]


@settings(deadline=None, max_examples=50)
@given(
    counts=st.dictionaries(st.integers(0, 99_999), st.integers(1, 50), min_size=1, max_size=20),
    latest_us=st.integers(1, PERIOD_US - 1),
)
def test_a_stall_counts_once_for_each_wake_up_that_it_took(counts, latest_us):
    served = [late for latency, times in counts.items() for late in wakeups(latency) * times]
    found = late_share(np.array(list(counts.items())), PERIOD_US, latest_us)
    assert found == pytest.approx(sum(late > latest_us for late in served) / len(served))


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [("unable to set the policy", 1, "unable to set"), ("# Histogram\n000000 000000\n", 0, "no histogram")],
)
def test_where_it_tells_nothing_nothing_is_compared(text, code, why):
    with tempfile.TemporaryFile() as said, subprocess.Popen(["sh", "-c", f"exit {code}"]) as process:
        said.write(text.encode())
        with pytest.raises(CyclictestError, match=why):
            Yardstick(process, PERIOD_US, said).histogram()


def test_the_seconds_in_which_the_hypervisor_took_the_least_are_judged_whatever_they_found():
    seconds = [Second(taken, late, 0.0) for taken, late in ((0.2, 0.0), (0.0, 0.9), (0.01, 0.5), (0.05, 0.1))]
    assert [one.late_share for one in quietest(seconds, 2)] == [0.9, 0.5]
