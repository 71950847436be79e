"""The paper's hybrid genetic algorithm: it reaches the least sum of squares, run after run."""

import numpy as np
import pytest

from hilctl.bench.identify_friction import REACHED, case
from hilctl.identify.friction.fit_genetic import Evolution, runs, sobol
from hilctl.identify.friction.model_curve import FC, FS, WORDS, squares
from hilctl.params import BadValues, check

HOW = Evolution()


def searched(seed, wide, how=HOW):
    """The measurement, the least sum of squares, and what the runs found."""
    one = case(seed, wide)
    return one, one.least(), runs(one.scaled.data, one.low, one.high, how)


def spread(one, found):
    """Greatest less least of the runs, of each word relative to its range."""
    free = one.high > one.low
    return (np.ptp(found.words, axis=0) / np.where(free, one.high - one.low, 1.0))[free].max()


def check_many(seeds, wide):
    reached, spreads = [], []
    for seed in range(seeds):
        one, least, found = searched(seed, wide, Evolution(seed=seed))
        assert np.all(found.costs >= least * (1 - 1e-12))  # nothing is less than the least
        reached.append(np.mean(found.costs <= least * (1 + REACHED)))
        spreads.append(spread(one, found))
    return reached, spreads


def test_a_hundred_campaigns_reach_the_least_within_the_papers_ranges_and_their_runs_agree():
    reached, spreads = check_many(100, wide=False)
    assert min(reached) == 1.0
    assert max(spreads) < 1e-6


def test_a_hundred_campaigns_reach_it_within_wide_ranges():
    reached, _ = check_many(100, wide=True)
    assert np.mean(reached) >= 0.95


def test_the_history_never_rises_and_settles_as_in_the_papers_figure():
    one, least, found = searched(1, False)
    costs = found.history[:, :, -1]
    assert costs.shape == (HOW.runs, HOW.generations + 1)
    assert np.all(np.diff(costs, axis=1) <= 0)
    assert np.all(costs[:, 0] > 1.01 * least)  # the start is not the end
    assert np.all(costs[:, 10:] <= least * (1 + REACHED))
    assert np.all(found.words == found.history[:, -1, :WORDS])
    for run in found.history:
        for row in run:
            assert squares(one.scaled.data, row[:WORDS]) == pytest.approx(row[-1], rel=1e-14)
            assert np.all((one.low <= row[:WORDS]) & (row[:WORDS] <= one.high))
            assert row[FS] >= row[FC]


def test_without_the_descent_twenty_generations_are_not_enough():
    _, least, found = searched(1, False, Evolution(descending=0.0))
    assert np.all(found.costs > least * (1 + 1e-4))


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    one, _, found = searched(0, False)
    assert np.array_equal(found.history, runs(one.scaled.data, one.low, one.high).history)
    other = runs(one.scaled.data, one.low, one.high, Evolution(seed=2))
    assert not np.array_equal(found.history[:, 0], other.history[:, 0])


def test_the_start_is_spread_evenly():
    points = sobol(4, 32)
    for gene in range(4):
        filled = np.histogram(points[:, gene], bins=32, range=(0, 1))[0]
        assert np.all(filled == 1)


def test_means_and_best_are_of_the_runs():
    _, _, found = searched(0, False, Evolution(generations=1))
    assert np.array_equal(found.best, found.words[np.argmin(found.costs)])
    assert found.mean == pytest.approx(sum(found.words) / len(found.words))


def test_settings_are_bounded():
    with pytest.raises(BadValues, match="population: 1 refused, must be 8 to 1024"):
        check(Evolution, {"population": 1})
