"""The search's Levenberg–Marquardt step against equation 7, whose derivatives are taken by differences here.

Genes have no units, forces are in units of the greatest: mu = |J^T r| could not be added to J^T J otherwise.
"""

from typing import Any

import numpy as np

from hilctl.identify.friction import Evolution
from hilctl.identify.friction.fit_genetic import HARDER, TRIES, decoded, descend, sobol
from hilctl.identify.friction.fit_polish import free_columns
from hilctl.identify.friction.fit_problem import unweighted
from hilctl.identify.friction.model_curve import ROOT_WEIGHT, WORDS, squares
from hilctl.results.response import Reals

_STEP = 1e-6  # of a gene


class Problem:
    """Points and ranges, as a function of the genes."""

    def __init__(self, data: Any, low: Any, high: Any) -> None:
        self.data, self.low, self.high = data, low, high
        self.columns = np.empty(WORDS, np.int64)
        self.count = int(free_columns(low, high, self.columns))

    def words(self, genes: Reals) -> Reals:
        """What they stand for."""
        out = np.empty(WORDS)
        decoded(np.ascontiguousarray(genes), self.low, self.high, self.columns, self.count, out)
        return out

    def cost(self, genes: Reals) -> float:
        """The sum of squares."""
        return float(squares(self.data, self.words(genes)))

    def residuals(self, genes: Reals) -> Reals:
        """Weighted."""
        return np.asarray(self.data[ROOT_WEIGHT] * unweighted(self.data, self.words(genes)))

    def searched(self, genes: Reals) -> Reals:
        """One step of the search."""
        there, room = genes.copy(), np.empty((2 * WORDS + 6, WORDS))
        descend(self.data, self.low, self.high, self.columns, self.count, there, self.cost(genes), 1, room)
        return there

    def equation_7(self, genes: Reals) -> Reals:
        """One step; where it gains nothing, again with ten times the mu."""
        shifts = _STEP * np.eye(self.count)
        jacobian = np.transpose(
            [(self.residuals(genes + d) - self.residuals(genes - d)) / (2 * _STEP) for d in shifts]
        )
        gradient = jacobian.T @ self.residuals(genes)
        mu = float(np.linalg.norm(gradient))
        for _ in range(TRIES):
            step = -np.linalg.solve(jacobian.T @ jacobian + mu * np.eye(self.count), gradient)
            there = np.clip(genes + step, 0.0, 1.0)
            if self.cost(there) < self.cost(genes):
                return there
            mu *= HARDER
        return genes


def step_off(data: Any, low: Any, high: Any) -> float:
    """The greatest difference, of a gene, over the points of the start."""
    problem = Problem(data, low, high)
    starts = sobol(problem.count, Evolution().population)
    return max(float(np.abs(problem.searched(one) - problem.equation_7(one)).max()) for one in starts)
