"""The paper's Algorithm 1: the bounded trust region of Coleman and Li (1996), with its constants.

For each parameter, v is its distance to the bound that the descent leads to, d = sqrt|v|, and s = d p:

    min  p·(d g) + 1/2 p·(d H d + diag|g|) p      |p| <= Delta            H = J'J
    rho = (f(x + s) - f(x) + 1/2 p·diag|g| p) / psi(p)                     accepted where rho > mu

The step is shortened so that it stays inside the bounds, and replaced by the one down the scaled gradient where it
gains less than beta of that one's. The region's size is printed with rho > mu in its third rule, which must be
rho >= eta. Parameters run from 0 to 1 between their bounds: in SI units they span 22 decades, and a region of size 1
would hold none of them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hilctl.identify.grey_box.model import CannotBe
from hilctl.identify.grey_box.problem import Problem
from hilctl.results.response import Reals

MU, BETA, ETA = 0.25, 0.1, 0.75
GAMMA_1, GAMMA_2 = 0.5, 2.0
DELTA = 1.0
_INSIDE = 0.95  # of the way to a bound


class Path(NamedTuple):
    """A search."""

    x: Reals
    costs: tuple[float, ...]  # half the sum of squares, at the start and after each iteration
    accepted: int


def search(problem: Problem, iterations: int) -> Path:
    """From the problem's start; an iteration is a step that was tried."""
    parameters = problem.parameters
    low, wide = parameters.low, parameters.high - parameters.low

    def triangle(q: Reals) -> Reals:
        found = problem.triangle(low + wide * q)
        return np.hstack([found[:, :-1] * wide, found[:, -1:]])

    path = trust_region(triangle, (parameters.start - low) / wide, iterations)
    return path._replace(x=low + wide * path.x)


def trust_region(triangle: Callable[[Reals], Reals], start: Reals, iterations: int) -> Path:
    """Between 0 and 1 in every parameter. `triangle`: [J r], or R of it."""
    x, size, accepted = start, DELTA, 0
    now = triangle(x)
    costs = [_cost(now)]
    for _ in range(iterations):
        jacobian, residual = now[:, :-1], now[:, -1]
        g = jacobian.T @ residual
        d = np.sqrt(np.where(g < 0, 1 - x, x))
        quadratic = d[:, None] * (jacobian.T @ jacobian) * d + np.diag(np.abs(g))
        slope = d * g
        p = _best(x, d, slope, quadratic, size)
        expected = float(slope @ p + 0.5 * p @ quadratic @ p)
        if expected >= 0.0:
            costs.append(costs[-1])
            continue
        try:
            tried = triangle(x + d * p)
            rho = (_cost(tried) - costs[-1] + 0.5 * float(np.abs(g) @ p**2)) / expected
        except CannotBe:
            rho = -np.inf
        if rho > MU:
            x, now, accepted = x + d * p, tried, accepted + 1
        length = float(np.linalg.norm(p))
        size = GAMMA_1 * min(size, length) if rho <= MU else size if rho < ETA else max(size, GAMMA_2 * length)
        costs.append(_cost(now))
    return Path(x, tuple(costs), accepted)


def _cost(triangle: Reals) -> float:
    return 0.5 * float(np.sum(triangle[:, -1] ** 2))


def _best(x: Reals, d: Reals, slope: Reals, quadratic: Reals, size: float) -> Reals:
    """The step, within the region and the bounds."""
    full = _inside(x, d, _solved(slope, quadratic, size))
    norm = float(np.linalg.norm(slope))
    if norm == 0.0:
        return full
    bend = float(slope @ quadratic @ slope)
    far = min(norm**2 / bend, size / norm) if bend > 0 else size / norm
    down = _inside(x, d, -far * slope)
    gains = [float(slope @ p + 0.5 * p @ quadratic @ p) for p in (full, down)]
    return full if gains[0] <= BETA * gains[1] else down


def _inside(x: Reals, d: Reals, p: Reals) -> Reals:
    """Shortened where it would reach a bound."""
    s = d * p
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(s > 0, (1 - x) / s, np.where(s < 0, -x / s, np.inf))
    return p * min(1.0, _INSIDE * float(reach.min()))


def _solved(slope: Reals, quadratic: Reals, size: float) -> Reals:
    """The least of the quadratic within the region: p = -(Q + m)^-1 slope, m >= 0 the least with |p| <= size."""
    values, vectors = np.linalg.eigh(quadratic)
    values = np.maximum(values, 1e-14 * max(float(values[-1]), 1e-300))
    along = vectors.T @ slope

    def length(m: float) -> float:
        return float(np.linalg.norm(along / (values + m)))

    low, high = 0.0, 0.0
    if length(0.0) > size:
        high = float(np.linalg.norm(along)) / size
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if length(middle) > size else (low, middle)
    return np.asarray(-vectors @ (along / (values + high)))
