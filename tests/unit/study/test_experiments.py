import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hilctl.study.experiments import DESIGNS, design, noise_seed

SEEDS = some.integers(0, 2**31 - 1)


@settings(max_examples=25, deadline=None)
@given(kind=some.sampled_from(DESIGNS), quantities=some.integers(1, 9), runs=some.integers(1, 70), seed=SEEDS)
def test_every_design_has_a_row_a_run_within_its_bounds_and_follows_from_its_seed(kind, quantities, runs, seed):
    made = design(kind, quantities, runs, seed)
    assert made.shape == (runs, quantities)
    assert ((made >= 0.0) & (made < 1.0)).all()
    assert np.array_equal(made, design(kind, quantities, runs, seed))


@settings(max_examples=25, deadline=None)
@given(kind=some.sampled_from(["sobol", "random"]), runs=some.integers(1, 70), more=some.integers(0, 200), seed=SEEDS)
def test_a_shorter_study_is_the_beginning_of_a_longer_one(kind, runs, more, seed):
    assert np.array_equal(design(kind, 3, runs + more, seed)[:runs], design(kind, 3, runs, seed))


@pytest.mark.parametrize("kind", DESIGNS)
def test_another_seed_is_another_design(kind):
    assert not np.array_equal(design(kind, 2, 16, 1), design(kind, 2, 16, 2))


@pytest.mark.parametrize("kind", ["sobol", "lhs"])
def test_each_quantity_is_covered_evenly(kind):
    made = design(kind, 5, 64, 3)
    for column in made.T:
        assert np.array_equal(np.bincount((64 * column).astype(int), minlength=64), np.ones(64))


def test_every_run_has_a_noise_of_its_own():
    seeds = [noise_seed(1, run) for run in range(500)]
    assert len(set(seeds)) == 500
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert noise_seed(2, 0) != seeds[0]
