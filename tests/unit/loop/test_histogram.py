"""The histograms of durations."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilctl.loop import histogram
from hilctl.loop.layout import STAGE
from tests.forms import changed

pytestmark = pytest.mark.usefixtures("forms")
fixed = settings(deadline=None, derandomize=True, max_examples=50,
                 suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip


def _filled(durations_ns, second=0):
    stage = np.zeros(1, STAGE)[0]
    for duration_ns in durations_ns:
        histogram.rt_count(stage, duration_ns, second)
    return stage


@fixed
@given(st.integers(0, 2**40))
def test_a_duration_falls_between_the_edges_of_its_bin(duration_ns):
    k = histogram.rt_bin(duration_ns)
    edges = histogram.edges_ns()
    assert len(edges) == histogram.BINS
    assert edges[k] <= duration_ns
    assert k == histogram.BINS - 1 or duration_ns < edges[k + 1]


@pytest.mark.parametrize("k", [1, 2, 16, 17, 18, 33, 300, histogram.BINS - 1])
def test_the_edge_of_a_bin_belongs_to_it_and_a_nanosecond_less_to_the_bin_below(k):
    edge_ns = round(histogram.edges_ns()[k])
    assert histogram.rt_bin(edge_ns) == k
    assert histogram.rt_bin(edge_ns - 1) == k - 1


@fixed
@given(st.lists(st.integers(0, 2**36), min_size=1, max_size=80))
def test_quantiles_are_right_to_a_bin(durations_ns):
    stage = _filled(durations_ns)
    ordered = sorted(durations_ns)
    told = histogram.since_start(stage)
    assert told.number == len(durations_ns)
    assert told.max_ns == ordered[-1]
    for share, value_ns in ((0.5, told.p50_ns), (0.99, told.p99_ns), (0.999, told.p999_ns)):
        exact_ns = ordered[min(int(np.ceil(share * len(ordered))), len(ordered)) - 1]
        assert abs(histogram.rt_bin(int(value_ns)) - histogram.rt_bin(exact_ns)) <= 1
        assert value_ns <= told.max_ns


def test_an_empty_histogram_says_zeros():
    assert histogram.since_start(np.zeros(1, STAGE)[0]) == (0, 0.0, 0.0, 0.0, 0)


def test_the_last_ten_seconds_forget_what_is_older():
    stage = _filled([1_000_000] * 5, second=100)
    for second in range(101, 115):
        histogram.rt_clear_slices(stage, second - 1, second)
        histogram.rt_count(stage, 1000, second)
        recent = histogram.last_ten_seconds(stage)
        held = second < 110
        assert recent.max_ns == (1_000_000 if held else 1000)
        assert recent.number == (second - 100 + 5 if held else 10)
    assert histogram.since_start(stage).number == 5 + 14


def test_a_pause_longer_than_ten_seconds_leaves_nothing_old():
    stage = _filled([5000] * 3, second=7)
    histogram.rt_clear_slices(stage, 7, 7_000_000_000)
    assert histogram.last_ten_seconds(stage).number == 0


def test_a_count_goes_into_its_bin_of_all_and_of_its_second_and_keeps_the_greatest():
    stage = _filled([5, 2000], second=13)
    before = stage.copy()
    histogram.rt_count(stage, 1000, 13)
    k = histogram.rt_bin(1000)
    assert changed(before, stage) == {f"total[{k}]": 1, f"slices[3,{k}]": 1}
    histogram.rt_count(stage, 3000, 24)
    k = histogram.rt_bin(3000)
    assert (stage.total[k], stage.slices[4, k]) == (1, 1)
    assert (stage.most, stage.slice_most[3], stage.slice_most[4]) == (3000, 2000, 3000)
    assert stage.total.sum() == stage.slices.sum() == 4


def test_only_the_seconds_after_the_last_are_cleared():
    stage = np.zeros(1, STAGE)[0]
    stage.slices[:], stage.slice_most[:] = 7, 9
    histogram.rt_clear_slices(stage, 14, 17)
    cleared = [k for k in range(histogram.SLICES) if stage.slice_most[k] == 0]
    assert cleared == [k for k in range(histogram.SLICES) if not stage.slices[k].any()] == [5, 6, 7]
    assert (stage.slices[8] == 7).all()
