"""The histograms of durations."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.loop import histogram
from hilctl.loop.layout import STAGE


def plain(function):
    return getattr(function, "plain", function)


def _filled(durations_ns, second=0):
    stage = np.zeros(1, STAGE)[0]
    for duration_ns in durations_ns:
        plain(histogram.rt_count)(stage, duration_ns, second)
    return stage


@settings(deadline=None)
@given(st.integers(0, 2**40))
def test_a_duration_falls_between_the_edges_of_its_bin(duration_ns):
    k = plain(histogram.rt_bin)(duration_ns)
    edges = histogram.edges_ns()
    assert len(edges) == histogram.BINS
    assert edges[k] <= duration_ns
    assert k == histogram.BINS - 1 or duration_ns < edges[k + 1]


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.integers(0, 2**36), min_size=1, max_size=300))
def test_quantiles_are_right_to_a_bin(durations_ns):
    stage = _filled(durations_ns)
    ordered = sorted(durations_ns)
    told = histogram.since_start(stage)
    assert told.number == len(durations_ns)
    assert told.max_ns == ordered[-1]
    for share, value_ns in ((0.5, told.p50_ns), (0.99, told.p99_ns), (0.999, told.p999_ns)):
        exact_ns = ordered[min(int(np.ceil(share * len(ordered))), len(ordered)) - 1]
        assert abs(plain(histogram.rt_bin)(int(value_ns)) - plain(histogram.rt_bin)(exact_ns)) <= 1
        assert value_ns <= told.max_ns


def test_an_empty_histogram_says_zeros():
    assert histogram.since_start(np.zeros(1, STAGE)[0]) == (0, 0.0, 0.0, 0.0, 0)


def test_the_last_ten_seconds_forget_what_is_older():
    stage = _filled([1_000_000] * 5, second=100)
    for second in range(101, 115):
        plain(histogram.rt_clear_slices)(stage, second - 1, second)
        plain(histogram.rt_count)(stage, 1000, second)
        recent = histogram.last_ten_seconds(stage)
        held = second < 110
        assert recent.max_ns == (1_000_000 if held else 1000)
        assert recent.number == (second - 100 + 5 if held else 10)
    assert histogram.since_start(stage).number == 5 + 14


def test_a_pause_longer_than_ten_seconds_leaves_nothing_old():
    stage = _filled([5000] * 3, second=7)
    plain(histogram.rt_clear_slices)(stage, 7, 7_000_000_000)
    assert histogram.last_ten_seconds(stage).number == 0


def test_compiled_and_plain_count_alike():
    compiled, interpreted = np.zeros(1, STAGE)[0], np.zeros(1, STAGE)[0]
    for duration_ns in (0, 15, 16, 17, 31, 32, 999, 1000, 123_456_789, 2**35 - 1, 2**35, 2**50):
        histogram.rt_count(compiled, duration_ns, 3)
        plain(histogram.rt_count)(interpreted, duration_ns, 3)
    assert compiled.tobytes() == interpreted.tobytes()
