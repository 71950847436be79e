"""What counts as late of cyclictest's histogram, and which rounds of a benchmark are judged."""

import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.bench.bridge import quietest, untouched
from hilctl.bench.bridge_loop import Second
from hilctl.bench.cyclictest import Yardstick, histogram, late_share
from hilctl.errors import HilctlError

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
    ("told", "code", "why"),
    [
        ("", 1, "unable to set"),
        ("", 0, "no histogram"),
        ('{"thread": {"0": {"histogram": {}, "cycles": 0, "max": 0}}}', 0, "no histogram"),
    ],
)
def test_where_it_tells_nothing_nothing_is_compared(told, code, why, tmp_path):
    (tmp_path / "said").write_text("unable to set the policy")
    (tmp_path / "found.json").write_text(told)
    with subprocess.Popen(["sh", "-c", f"exit {code}"]) as process, pytest.raises(HilctlError, match=why):
        Yardstick(process, PERIOD_US, tmp_path).histogram()


def test_what_is_longer_than_its_histogram_counts_the_longest_as_it_was():
    found = histogram({"histogram": {"20": 7, "31": 2}, "cycles": 12, "max": 2_500_000})
    assert found.tolist() == [[20, 7], [31, 2], [1_000_000, 2], [2_500_000, 1]]
    assert late_share(found, PERIOD_US, 900) == pytest.approx((2 * 1000 + 2500) / (9 + 2 * 1001 + 2501))


def test_the_seconds_in_which_the_hypervisor_took_the_least_are_judged_whatever_they_found():
    seconds = [Second(taken, late, 0.0) for taken, late in ((0.2, 0.0), (0.0, 0.9), (0.01, 0.5), (0.05, 0.1))]
    assert [one.late_share for one in quietest(seconds, 2)] == [0.9, 0.5]


@settings(deadline=None, max_examples=50)
@given(
    quiet=st.floats(0, 0.1),
    steep=st.floats(0, 8),
    taken=st.lists(st.floats(0, 0.1), min_size=10, max_size=60),
)
def test_what_the_hypervisor_takes_is_left_out_of_a_share(quiet, steep, taken):
    seconds = [Second(one, quiet + steep * one, 0.0) for one in taken]
    found = untouched(seconds, [one.late_share for one in seconds])
    if np.ptp(taken) > 1e-3 or not any(taken):
        assert found == pytest.approx(quiet, abs=1e-6)


def test_where_it_takes_nothing_it_is_the_mean_and_no_share_is_less_than_none():
    assert untouched([Second(0.0, 0.0, 0.0)] * 3, [0.01, 0.02, 0.06]) == pytest.approx(0.03)
    assert untouched([Second(0.1, 0.0, 0.0), Second(0.2, 0.0, 0.0)], [0.0, 0.5]) == 0
