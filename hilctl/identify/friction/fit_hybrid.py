"""The hybrid genetic algorithm's settings, and its runs: quasi-random starts, draws, and what came of them."""

from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from hilctl.identify.friction.fit_genetic import PER_CHILD, PER_GENE, evolve
from hilctl.identify.friction.model_curve import WORDS
from hilctl.params import Params, number, whole


class Evolution(Params, kw_only=True):
    """How the genetic algorithm goes about it. The paper says 10 runs, and that 20 generations are enough."""

    population: Annotated[int, whole(8, 1024, "", "individuals")] = 24
    generations: Annotated[int, whole(1, 1000, "", "generations of a run")] = 20
    runs: Annotated[int, whole(1, 100, "", "runs, each from a start of its own")] = 10
    crossover: Annotated[float, number(0, 1, "", "share of the children that have two parents")] = 0.9
    mutation: Annotated[float, number(0, 1, "", "share of the genes that mutate")] = 0.15
    descending: Annotated[float, number(0, 1, "", "share of a generation that descends")] = 0.25
    steps: Annotated[int, whole(1, 50, "", "Levenberg–Marquardt steps that each of these makes")] = 2
    seed: Annotated[int, whole(0, 2**31, "", "of the draws")] = 1


class Runs(NamedTuple):
    """What the runs found, in the units of the data that they were given."""

    words: Any  # a row a run
    costs: Any  # sum of squares, a run
    history: Any  # run, generation (the start first), words and sum of squares of the best

    @property
    def best(self) -> Any:
        """The words with the least sum of squares."""
        return self.words[int(np.argmin(self.costs))]

    @property
    def mean(self) -> Any:
        """Of all runs, as the paper takes it."""
        return self.words.mean(axis=0)


@cache
def sobol(dimensions: int, count: int) -> Any:
    """The first points of Sobol's sequence, each in the middle of its cell."""
    from scipy.stats import qmc

    bits = max(int(np.ceil(np.log2(count))), 1)
    points = qmc.Sobol(dimensions, scramble=False).random_base2(bits)
    return points[:count] + 0.5 / 2**bits


def runs(data: Any, low: Any, high: Any, how: Evolution | None = None) -> Runs:
    """Runs of the hybrid algorithm on folded and scaled data (see `curve`), between these words."""
    how = how or Evolution()
    genes = int(np.count_nonzero(high > low))
    random = np.random.default_rng(how.seed)
    # Each run shifts the sequence, round and round: as evenly spread, and another.
    starts = (sobol(genes, how.population) + random.random((how.runs, 1, genes))) % 1.0
    draws = random.random((how.runs, how.generations, how.population, PER_CHILD + PER_GENE * genes))
    history = np.empty((how.runs, how.generations + 1, WORDS + 1))
    descents = round(how.descending * how.population)
    evolve(data, low, high, starts, draws, descents, how.steps, how.crossover, how.mutation, history)
    return Runs(history[:, -1, :WORDS].copy(), history[:, -1, WORDS].copy(), history)
