"""The bounded trust region: scipy's `trf` (Branch, Coleman and Li), on the residuals' triangle.

An iteration is what the paper counts: a step that was accepted. A trial of a machine that cannot be is rejected and the
region shrinks.
"""

from typing import NamedTuple

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.dynamics.grey.model import CannotBe, Reals
from hilctl.identify.dynamics.grey.problem import Problem

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


class _Memory:
    """The last triangles: scipy asks for residuals and derivatives apart."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.scale = problem, problem.parameters.scale
        self.size = len(self.scale) + 1
        self.last: dict[bytes, Reals] = {}
        self.costs: list[float] = []

    def triangle(self, q: Reals) -> Reals:
        key = q.tobytes()
        if key not in self.last:
            if len(self.last) >= 2:
                self.last.pop(next(iter(self.last)))
            self.last[key] = self.problem.triangle(q * self.scale)
        return self.last[key]

    def residuals(self, q: Reals) -> Reals:
        try:
            return np.asarray(self.triangle(q)[:, -1])
        except CannotBe:
            return np.full(self.size, np.inf)

    def slopes(self, q: Reals) -> Reals:
        found = self.triangle(q)
        self.costs.append(0.5 * float(np.sum(found[:, -1] ** 2)))
        return np.asarray(found[:, :-1] * self.scale)


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
