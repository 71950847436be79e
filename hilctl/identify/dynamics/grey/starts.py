"""The same search from many places: whether they end at the same machine says whether it is the only one."""

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.dynamics.grey.model import CannotBe, Reals
from hilctl.identify.dynamics.grey.parameters import Free, Parameters
from hilctl.identify.dynamics.grey.problem import Problem
from hilctl.identify.dynamics.grey.search import Found, search

WIDE = 10.0  # times the lower bound: beyond, a parameter is drawn by its logarithm
SAME = 1e-4  # of the sum of squares, or of what is explained: closer ends are the same
_DRAWS = 1000


class NoMachine(HilctlError, ValueError):
    """Nothing between the bounds is a machine."""


def draw(problem: Problem, random: np.random.Generator) -> Reals:
    """A start anywhere between the bounds that is a machine. NoMachine where none is found."""
    p = problem.parameters
    for _ in range(_DRAWS):
        share = random.uniform(0.02, 0.98, len(p.free))
        logarithmic = p.low * WIDE <= p.high
        floor = np.where(p.low > 0, p.low, 0.01 * p.high)
        x = np.where(logarithmic & (floor > 0), floor * (p.high / np.where(floor > 0, floor, 1)) ** share,
                     p.low + share * (p.high - p.low))  # fmt: skip
        try:
            problem.model.simulate(p.values(x), problem.records[0])
        except CannotBe:
            continue
        return np.asarray(x)
    raise NoMachine(f"none of {_DRAWS} draws between the bounds is a machine; narrow the bounds")


def started(problem: Problem, x: Reals) -> Problem:
    """The same problem from another start."""
    p = problem.parameters
    choices = dict(p.choices)
    for name, value, low, high in zip(p.free, x, p.low, p.high, strict=True):
        choices[name] = Free(float(value), float(low), float(high))
    return problem._replace(parameters=Parameters(problem.model, choices))


def search_many(problem: Problem, more: int, seed: int) -> tuple[Found, tuple[int, int]]:
    """The best of the problem's own start and some random ones; how many ended where the best did, of how many."""
    random = np.random.default_rng(seed)
    found = [search(problem)]
    found += [search(started(problem, draw(problem, random))) for _ in range(more)]
    best = min(found, key=lambda one: one.squares)
    slack = SAME * max(best.squares, 1e-6 * 2 * found[0].costs[0])
    return best, (sum(one.squares <= best.squares + slack for one in found), len(found))
