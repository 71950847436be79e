"""The bounded trust region: scipy's `trf` (Branch, Coleman and Li), on the residuals' triangle; from one place or many.

An iteration is what the paper counts: a step that was accepted. A trial of a machine that cannot be is rejected and the
region shrinks. Whether searches from many places end at the same machine says whether it is the only one.
"""

from typing import NamedTuple

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.grey_box.model import CannotBe
from hilctl.identify.grey_box.parameters import Free, Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.triangle import Memory
from hilctl.results.response import Reals

MOST_TRIALS = 200
TOLERANCE = 1e-8  # of cost and of parameters
STILL = 1e-12  # of the gradient, in units of the residuals at the start


class Found(NamedTuple):
    """Where a search ended."""

    x: Reals
    triangle: Reals
    iterations: int
    trials: int
    costs: tuple[float, ...]  # half the sum of squares: at the start and after each iteration
    at_bound: tuple[int, ...]  # -1, 0, 1
    ended: str  # why

    @property
    def squares(self) -> float:
        """The sum of squared residuals."""
        return float(np.sum(self.triangle[:, -1] ** 2))


class NoStart(HilctlError, ValueError):
    """The search cannot begin: there is no machine with the start's parameters."""


class _Memory(Memory):
    """By parameters in units of their scale; a machine that cannot be is infinitely far off."""

    def __init__(self, problem: Problem) -> None:
        self.scale = problem.parameters.scale
        super().__init__(lambda q: problem.triangle(q * self.scale))
        self.costs: list[float] = []

    def residuals(self, q: Reals) -> Reals:
        try:
            return super().residuals(q)
        except CannotBe:
            return np.full(len(self.scale) + 1, np.inf)

    def slopes(self, q: Reals) -> Reals:
        self.costs.append(0.5 * float(np.sum(self.residuals(q) ** 2)))
        return super().slopes(q) * self.scale


def search(problem: Problem, tolerance: float = TOLERANCE, trials: int | None = None) -> Found:
    """The least squares from the problem's start. NoStart where that is no machine."""
    from scipy.optimize import least_squares

    parameters, memory = problem.parameters, _Memory(problem)
    low, high = parameters.low / memory.scale, parameters.high / memory.scale
    margin = 1e-6 * (high - low)
    start = np.clip(parameters.start / memory.scale, low + margin, high - margin)
    if not np.all(np.isfinite(memory.residuals(start))):
        try:
            problem.triangle(start * memory.scale)
        except CannotBe as error:
            raise NoStart(f"the start is no machine: {error}") from error
    found = least_squares(
        memory.residuals, start, jac=memory.slopes, bounds=(low, high), x_scale="jac", method="trf", tr_solver="exact",
        ftol=tolerance, xtol=tolerance, gtol=STILL, max_nfev=trials or MOST_TRIALS,
    )  # fmt: skip
    at_bound = [_at(q, lo, hi) for q, lo, hi in zip(found.x, low, high, strict=True)]
    return Found(
        np.asarray(found.x * memory.scale), memory.triangle(found.x), len(memory.costs) - 1,
        int(found.nfev), tuple(memory.costs), tuple(at_bound), str(found.message),
    )  # fmt: skip


def _at(q: float, low: float, high: float) -> int:
    near = 1e-4 * (high - low)
    return -1 if q <= low + near else 1 if q >= high - near else 0


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


def search_many(problem: Problem, more: int) -> tuple[Found, tuple[int, int]]:
    """The best of the problem's own start and some random ones; how many ended where the best did, of how many."""
    random = np.random.default_rng(1)
    found = [search(problem)]
    found += [search(started(problem, draw(problem, random))) for _ in range(more)]
    best = min(found, key=lambda one: one.squares)
    slack = SAME * max(best.squares, 1e-6 * 2 * found[0].costs[0])
    return best, (sum(one.squares <= best.squares + slack for one in found), len(found))
