"""The hybrid genetic algorithm of the paper (Ling and Zhu, friction of a hydraulic shaking table), compiled.

    start      quasi-random (Sobol) points of the ranges, so that no part of them is left out
    selection  of two drawn at random the better; the best of all always lives on
    crossover  a child lies between its parents, or a little beyond
    mutation   a gene moves, by less and less from generation to generation, or is replaced by a new draw
    descent    part of each generation makes Levenberg–Marquardt steps before it enters the next
                   d = -(J^T J + mu I)^-1 J^T r,   mu = |J^T r|

Two things are added to the paper's iteration, which as printed can leave the ranges or go uphill: a gene at an end of
its range that is pushed outwards is held, and a step that gains nothing is tried again with a greater mu.

A gene is a word of the curve on a scale from 0 to 1 over its range, logarithmic where its ends are far apart; forces
and weights are scaled by the caller, so that mu = |J^T r| has no units. The draws come from outside: the same draws,
the same result, compiled or not.
"""

import math
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from hilctl.identify.friction.fit_polish import free_columns
from hilctl.identify.friction.fit_solve import cholesky_solve
from hilctl.identify.friction.model_curve import FC, FS, VS, WORDS, normal, squares
from hilctl.params import Params, number, whole
from hilctl.rt.jit import jit

FAR_APART = 30.0  # ends of a range: from here on its gene is logarithmic
BEYOND = 0.25  # of the parents' distance, that a child may lie outside of them
MUTATION_WIDTH = 0.2  # of a range, in the first generation
ANEW = 0.2  # share of the mutations that draw a new gene
HARDER, TRIES = 10.0, 3  # a step that gains nothing: mu grows by this, so often
PER_CHILD, PER_GENE = 5, 4  # draws for a child besides those for its genes, and for each of these


@jit()
def decoded(genes: Any, low: Any, high: Any, columns: Any, count: int, x: Any) -> None:
    """The words that these genes stand for."""
    for j in range(WORDS):
        x[j] = low[j]
    for c in range(count):
        j = columns[c]
        if low[j] > 0.0 and high[j] > FAR_APART * low[j]:
            value = low[j] * math.exp(genes[c] * math.log(high[j] / low[j]))
        else:
            value = low[j] + genes[c] * (high[j] - low[j])
        x[j] = min(max(value, low[j]), high[j])
    if x[VS] > 0.0 and x[FS] < x[FC]:
        x[FS] = min(x[FC], high[FS])
        x[FC] = min(x[FC], x[FS])


@jit()
def gene_slope(low: Any, high: Any, x: Any, j: int) -> float:
    """How fast a word moves with its gene; of vs, ln vs."""
    if low[j] > 0.0 and high[j] > FAR_APART * low[j]:
        across = math.log(high[j] / low[j])
        slope: float = across if j == VS else across * x[j]
        return slope
    width: float = high[j] - low[j]
    return width / x[j] if j == VS else width


@jit()
def descend(
    data: Any, low: Any, high: Any, columns: Any, count: int, genes: Any, cost: float, steps: int, room: Any
) -> float:
    """Levenberg–Marquardt steps of one individual, in place; returns its cost then."""
    a, factor = room[0:WORDS], room[WORDS : 2 * WORDS]
    g, step, slope = room[2 * WORDS], room[2 * WORDS + 1], room[2 * WORDS + 2]
    x, new, row = room[2 * WORDS + 3], room[2 * WORDS + 4], room[2 * WORDS + 5]
    for _ in range(steps):
        decoded(genes, low, high, columns, count, x)
        normal(data, x, columns, count, a, g, row)
        mu = 0.0
        for c in range(count):
            slope[c] = gene_slope(low, high, x, columns[c])
            g[c] *= slope[c]
            if (genes[c] <= 0.0 and g[c] > 0.0) or (genes[c] >= 1.0 and g[c] < 0.0):
                slope[c] = g[c] = 0.0
            mu += g[c] * g[c]
        mu = math.sqrt(mu)
        for c in range(count):
            for k in range(c + 1):
                a[c, k] *= slope[c] * slope[k]
        better = False
        for _try in range(TRIES):
            for c in range(count):
                row[c] = a[c, c]
                a[c, c] += mu if slope[c] > 0.0 else 1.0
            solved = cholesky_solve(a, g, count, factor, step)
            for c in range(count):
                a[c, c] = row[c]
            if solved:
                for c in range(count):
                    step[c] = min(max(genes[c] + step[c], 0.0), 1.0)
                decoded(step, low, high, columns, count, new)
                moved = squares(data, new)
                if moved < cost:
                    better, cost = True, moved
                    for c in range(count):
                        genes[c] = step[c]
                    break
            mu *= HARDER
        if not better:
            break
    return cost


@jit()
def one_run(
    data: Any, low: Any, high: Any, start: Any, draws: Any, descents: int, steps: int,
    crossing: float, mutating: float, history: Any,
) -> None:  # fmt: skip
    """Generations from a start; `history[k]` is the best of generation k, its words and its cost."""
    population, count = start.shape
    columns = np.empty(WORDS, np.int64)
    free_columns(low, high, columns)
    now, then = start.copy(), np.empty((population, count))
    cost, next_cost = np.empty(population), np.empty(population)
    room, x = np.empty((2 * WORDS + 6, WORDS)), np.empty(WORDS)
    best = 0
    for i in range(population):
        decoded(now[i], low, high, columns, count, x)
        cost[i] = squares(data, x)
        best = i if cost[i] < cost[best] else best
    for generation in range(draws.shape[0] + 1):
        decoded(now[best], low, high, columns, count, x)
        history[generation, :WORDS] = x
        history[generation, WORDS] = cost[best]
        if generation == draws.shape[0]:
            break
        width = MUTATION_WIDTH * (1.0 - generation / draws.shape[0])
        then[0] = now[best]
        next_cost[0] = cost[best]
        for i in range(1, population):
            draw = draws[generation, i]
            one = _of_two(cost, draw[0], draw[1])
            other = _of_two(cost, draw[2], draw[3])
            crosses = draw[4] < crossing
            for c in range(count):
                at = PER_CHILD + PER_GENE * c
                gene = now[one, c]
                if crosses:
                    gene += ((1.0 + 2.0 * BEYOND) * draw[at] - BEYOND) * (now[other, c] - gene)
                if draw[at + 1] < mutating:
                    far = 2.0 * draw[at + 3] - 1.0
                    gene = draw[at + 3] if draw[at + 2] < ANEW else gene + width * far
                then[i, c] = min(max(gene, 0.0), 1.0)
            decoded(then[i], low, high, columns, count, x)
            next_cost[i] = squares(data, x)
        for i in range(descents):
            next_cost[i] = descend(data, low, high, columns, count, then[i], next_cost[i], steps, room)
        now[:] = then
        cost[:] = next_cost
        best = 0
        for i in range(population):
            best = i if cost[i] < cost[best] else best


@jit()
def _of_two(cost: Any, first: float, second: float) -> int:
    """The better of two drawn."""
    one, other = int(first * cost.size), int(second * cost.size)
    return one if cost[one] <= cost[other] else other


@jit(
    lambda: "void(float64[:, ::1], float64[::1], float64[::1], float64[:, :, ::1], float64[:, :, :, ::1], "
    "int64, int64, float64, float64, float64[:, :, ::1])",
    cached=True,
)
def evolve(
    data: Any, low: Any, high: Any, starts: Any, draws: Any, descents: int, steps: int,
    crossing: float, mutating: float, history: Any,
) -> None:  # fmt: skip
    """Several runs; the first index of starts, draws and history is the run."""
    for run in range(starts.shape[0]):
        one_run(data, low, high, starts[run], draws[run], descents, steps, crossing, mutating, history[run])


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
