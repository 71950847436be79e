"""The last seconds of channels: every sample counts, whatever the blocks and bins in which it comes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.cli.watch_spark import sparks
from hilctl.cli.watch_traces import BINS, Traces

RATE_HZ = 1000.0


def fed(ticks, values, cuts=(), seconds=10.0):
    """Traces of one channel, which came in blocks that end at these places."""
    traces = Traces(["xr_m"], RATE_HZ, seconds)
    for part in np.split(np.arange(len(ticks)), sorted(cuts)):
        traces.take({"tick": np.asarray(ticks)[part], "xr_m": np.asarray(values, float)[part]})
    return traces


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 9_599), cuts=st.lists(st.integers(0, 9_600), max_size=20), columns=st.integers(1, 480))
def test_a_spike_of_one_sample_is_in_one_column_of_any_curve(at, cuts, columns):
    values = np.zeros(9_600)
    values[at] = -3.0
    low, high = fed(np.arange(9_600), values, cuts).groups(columns)
    assert low.shape == (1, columns)
    assert np.nanmin(low) == -3.0 and (low == -3.0).sum() == 1 and np.nanmax(high) <= 0.0


def test_what_is_older_than_the_shown_seconds_is_forgotten():
    values = np.zeros(40_000)
    values[9_000], values[33_000] = 5.0, 1.0
    _, high = fed(np.arange(40_000), values, range(20, 40_000, 20)).groups(38)
    assert np.nanmax(high) == 1.0


def test_missed_ticks_leave_a_hole_and_a_long_stall_nothing():
    ticks = np.concatenate((np.arange(2_000), np.arange(4_000, 5_000)))
    low, _ = fed(ticks, np.ones(3_000)).groups(BINS)
    assert np.isnan(low[0, -140:-60]).all() and (low[0, -40:-1] == 1.0).all()
    ticks = np.concatenate((np.arange(100), 10**6 + np.arange(100)))
    low, high = fed(ticks, np.concatenate((np.full(100, 7.0), np.full(100, 2.0)))).groups(40)
    assert np.nanmin(low) == np.nanmax(high) == 2.0


def test_ticks_that_begin_again_are_another_run():
    traces = fed(np.arange(5_000), np.full(5_000, 9.0))
    traces.take({"tick": np.arange(50), "xr_m": np.full(50, 1.0)})
    assert np.nanmax(traces.groups(40)[1]) == 1.0


def test_no_number_is_no_extreme():
    low, high = fed(np.arange(300), np.where(np.arange(300) % 3, np.nan, 4.0)).groups(20)
    assert np.nanmin(low) == np.nanmax(high) == 4.0
    low, high = fed(np.arange(300), np.full(300, np.nan)).groups(20)
    assert sparks(low, high, plain=True) == [" " * 20]


@pytest.mark.parametrize(("low", "high", "dots", "plain"), [
    ([0, 0, 0, 0], [0, 0, 9, 0], "⣀⣇", "__|_"),
    ([0, 3, 6, 9], [0, 3, 6, 9], "⡠⠊", "_.-'"),
    ([5, 5], [5, 5], "⣀", "__"),
    ([np.nan, np.inf], [np.nan, np.inf], "⠀", "  "),
])  # fmt: skip
def test_a_curve_is_bars_from_minimum_to_maximum_in_four_levels(low, high, dots, plain):
    low, high = (np.array([row], float) for row in (low, high))
    assert sparks(low, high, plain=False) == [dots]
    assert sparks(low, high, plain=True) == [plain]
