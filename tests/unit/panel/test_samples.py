"""The ring of samples against a plain dictionary of them: at every width, with ticks that are missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.panel.samples import FOLD, Samples


def filled(steps, *, kept=40, span_s=6.0):
    """A ring at 1 kHz, and what it should hold."""
    samples, truth = Samples(["a", "b"], 1000.0, most_bytes=4 * FOLD * 2 * kept, span_s=span_s), {}
    tick = 100
    for block in steps:
        ticks = []
        for step, value in block:
            tick += step
            ticks.append(tick)
            truth[tick] = np.float32(value)
        a = np.array([value for _, value in block])
        samples.put({"tick": np.array(ticks, np.int64), "a": a, "b": -a})
    return samples, truth


BLOCKS = st.lists(
    st.lists(
        st.tuples(st.sampled_from((1, 1, 1, 1, 2, 70)), st.floats(-1e6, 1e6, width=32)), min_size=1, max_size=60
    ),
    min_size=1, max_size=60,
)  # fmt: skip


@given(BLOCKS, st.integers(0, 9), st.integers(0, 6000), st.integers(1, 40))
def test_every_column_has_the_extremes_of_its_samples_and_of_no_others(steps, power, back, count):
    samples, truth = filled(steps)
    step = 2**power
    first = max(0, samples.end - back) // step * step
    found = samples.extremes(samples.rows(["a", "b"]), first, step, count)
    oldest = samples.fold_first if step >= FOLD else samples.full_first
    for column in range(count):
        begin = first + column * step
        if step >= FOLD and begin < oldest:
            continue  # partly overwritten
        values = [truth[tick] for tick in range(begin, begin + step) if tick in truth and tick >= oldest]
        low, high = found[0, column]
        if values:
            assert (low, high) == (min(values), max(values))
            assert tuple(found[1, column]) == (-max(values), -min(values))
        else:
            assert np.isnan([low, high]).all()


@given(BLOCKS)
def test_the_full_rate_has_every_sample_and_gaps_where_none_was(steps):
    samples, truth = filled(steps)
    found = samples.between(0, samples.full_first, samples.end - 1)
    assert len(found) == samples.end - samples.full_first
    for tick, value in zip(range(samples.full_first, samples.end), found, strict=True):
        assert np.isnan(value) if tick not in truth else value == truth[tick]


@pytest.mark.parametrize("power", range(14))
def test_a_spike_of_one_sample_is_seen_at_every_width(power):
    samples = Samples(["a"], 5000.0)
    for first in range(0, 100_000, 100):
        values = np.zeros(100)
        if first == 50_000:
            values[37] = 1.0
        samples.put({"tick": np.arange(first, first + 100), "a": values})
    step = 2**power
    found = samples.extremes([0], 0, step, -(-100_000 // step))
    assert np.nanmax(found) == 1.0
    assert np.nanargmax(found[0, :, 1]) == 50_037 // step


def test_a_stretch_across_the_end_of_the_ring_is_whole():
    samples = Samples(["a", "b"], 1000.0, most_bytes=4 * FOLD * 2 * 4, span_s=6.0)  # four folds
    for first in range(0, 900, 50):
        ticks = np.arange(first, first + 50)
        samples.put({"tick": ticks, "a": ticks * 1.0, "b": ticks * -1.0})
    first = samples.full_first
    assert first % (4 * FOLD) != 0 and samples.end - first > 3 * FOLD
    assert samples.between(1, 0, 10**6).tolist() == [-tick for tick in range(first, 900)]
    found = samples.extremes([1, 0], first, 1, 900 - first)
    assert found[0, :, 0].tolist() == [-tick for tick in range(first, 900)]
    assert found[1, :, 1].tolist() == list(range(first, 900))
    assert samples.newest() == {"a": 899.0, "b": -899.0}


def test_memory_does_not_grow_and_is_bounded_at_any_rate():
    for rate in (100.0, 1000.0, 10_000.0):
        samples = Samples([f"c{k}" for k in range(60)], rate)
        held = samples._full.nbytes + samples._low.nbytes + samples._high.nbytes
        assert held < 200e6


def test_a_clock_that_begins_again_begins_again():
    samples, _ = filled([[(1, 1.0), (1, 2.0)]])
    samples.put({"tick": np.array([1_000_000_000]), "a": np.array([3.0]), "b": np.array([-3.0])})
    assert samples.first == 1_000_000_000
    assert samples.newest() == {"a": 3.0, "b": -3.0}
