"""GMS along the measured cycles: how many springs, how stiff, and at what share each slips.

An element of stiffness k that yields after the travel d carries k times what one of stiffness 1 does. So over a grid of
yields the friction is linear in the stiffnesses, none of which is negative:

    F(t) = sum k_j S_j(t),   k >= 0          S_j: the force of the element with yield d_j and stiffness 1

a convex problem, with one solution whatever it is started from (NNLS). It also says best what *any* set of such
elements could do. What it finds is gathered into a few elements, whose k and d are then refined together.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares, nnls

from hilctl.friction.gms import ELEMENTS
from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_residuals import (
    MOST_APART,
    Data,
    Model,
    apart,
    around,
    scaled_residuals,
    spread,
)
from hilctl.identify.presliding.model import GMS, elements_along, force_along
from hilctl.identify.presliding.model_curve import Curve

ATTRACTION_N_S = 1e6  # slow reversals do not show it: g/C is 3 ms
GRID = 30  # yields of the grid
_ENOUGH = 1e-5  # noise leaves a thousandth
_SPAN = 3.5  # a yield may be off by so much, as a factor, in the refinement


class Slips(NamedTuple):
    """A fit of GMS."""

    k: Reals  # of both sides, the geometric mean
    d: Reals  # k d is what it carries in positive motion
    data: Data
    jacobian: Reals  # of the logarithms of k and d, and of the ratio where it is free
    ratio: float = 1.0  # of every k: negative over positive side

    @property
    def sided(self) -> bool:
        """Whether either side has its own stiffness."""
        return bool(self.jacobian.shape[1] > 2 * len(self.k))

    def model(self, curve: Curve) -> Model:
        """Its force along a cycle."""
        return lambda loop: force_along(GMS, words(curve, self.k, self.d, self.ratio), loop)

    @property
    def stiffness(self) -> float:
        """While all elements stick."""
        return float(self.k.sum())

    @property
    def shares(self) -> Reals:
        """Of the curve: together 1."""
        return np.asarray(self.k * self.d / float(self.k @ self.d))

    def intervals(self, curve: Curve, blocks: Sequence[Sequence[Loop]]) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of s0, the stiffness while all stick, and of each element's k and alpha."""
        n = len(self.k)
        share = self.k / self.stiffness
        # s0, every k, and every alpha, as the logarithms of k and d move them
        load = np.eye(n) - self.shares
        rows = np.block([[share, np.zeros(n)], [np.eye(n), np.zeros((n, n))], [load, load]])
        if self.sided:
            stiff = np.concatenate((np.full(1 + n, -0.5), np.zeros(n)))
            rows = np.vstack((np.column_stack((rows, stiff)), [*share, *np.zeros(n), 0.5]))
        wide = spread(self.data, self.jacobian, self.model(curve), blocks, rows)
        names = ["s0", *(f"k.{i}" for i in range(n)), *(f"alpha.{i}" for i in range(n)), "negative.s0"][: len(rows)]
        (forward, backward), k = apart(self.stiffness, self.ratio), self.k / math.sqrt(self.ratio)
        values = np.concatenate(([forward], k, self.shares, [backward]))[: len(rows)]
        return {name: around(float(value), float(half)) for name, value, half in zip(names, values, wide, strict=True)}

    def sides(self, curve: Curve, blocks: Sequence[Sequence[Loop]]) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of the ratio, where it is free."""
        row = np.eye(1, 2 * len(self.k) + 1, 2 * len(self.k))
        half = spread(self.data, self.jacobian, self.model(curve), blocks, row)
        return {"s0": around(self.ratio, float(half[0]))}


def words(curve: Curve, k: Reals, d: Reals, ratio: float = 1.0) -> list[float]:
    """As the compiled law reads them: alpha fs = k d."""
    rest = [0.0] * (ELEMENTS - len(k))
    alpha, forward = k * d / curve.fs, k / math.sqrt(ratio)
    return [*curve.words(), ATTRACTION_N_S, *map(float, alpha), *rest, *map(float, forward), *rest, ratio]


def on_grid(data: Data, curve: Curve, shortest_m: float, longest_m: float, ratio: float = 1.0) -> tuple[Reals, Reals]:
    """Yields, and the stiffness at each: the convex problem."""
    d = np.geomspace(shortest_m, longest_m, GRID)
    rows, right = [], []
    for loop, std in zip(data.loops, data.std_n, strict=True):
        parts = [_unit_elements(curve, d[i : i + ELEMENTS], ratio, loop) for i in range(0, GRID, ELEMENTS)]
        basis, weight = np.concatenate(parts).T, 1 / std**2
        v = np.gradient(loop.at_points_m, loop.period_s / len(std))
        forward, backward = curve.sides
        force = loop.force_n - np.where(v < 0.0, backward.sigma, forward.sigma) * v
        rows.append((basis - weight @ basis / weight.sum()) / std[:, None])
        right.append((force - weight @ force / weight.sum()) / std)
    k, _ = nnls(np.concatenate(rows) * d, np.concatenate(right))
    return d, np.asarray(k * d)  # the columns were scaled by d, hence k = d * solution


def _unit_elements(curve: Curve, d: Reals, ratio: float, loop: Loop) -> Reals:
    return elements_along(words(curve, np.ones(len(d)), d, ratio), len(d), loop)


def gathered(d: Reals, k: Reals, elements: int) -> tuple[Reals, Reals]:
    """So many elements in place of those that the grid has: the nearest two become one, again and again."""
    kept = k * d > 1e-4 * float(k @ d)
    d, k = d[kept], k[kept]
    while len(d) > elements:
        load = k * d
        loss = np.diff(np.log(d)) ** 2 * load[1:] * load[:-1] / (load[1:] + load[:-1])
        i = int(np.argmin(loss))
        both = k[i] + k[i + 1]
        d = np.concatenate((d[:i], [(load[i] + load[i + 1]) / both], d[i + 2 :]))
        k = np.concatenate((k[:i], [both], k[i + 2 :]))
    while len(d) < elements:  # split the one that carries most
        i = int(np.argmax(k * d))
        d = np.insert(d, i, 0.7 * d[i])
        k = np.insert(k, i, 0.5 * k[i])
        d[i + 1] *= 1.3
        k[i + 1] *= 0.5
    return k, d


def refine(data: Data, curve: Curve, k: Reals, d: Reals, ratio: float | None = None) -> Slips:
    """All k and d together, from here; with a ratio, that too."""
    n = len(k)
    ratios = () if ratio is None else (ratio,)

    def residuals(logs: Reals) -> Reals:
        own = words(curve, np.exp(logs[:n]), np.exp(logs[n : 2 * n]), *(float(one) for one in np.exp(logs[2 * n :])))
        return scaled_residuals(data, lambda loop: force_along(GMS, own, loop))

    start = np.log(np.concatenate((k, d, ratios)))
    room = np.log(np.concatenate((np.full(n, 100.0), np.full(n, _SPAN), np.full(len(ratios), MOST_APART))))
    found: Any = least_squares(residuals, start, bounds=(start - room, start + room), diff_step=3e-4, x_scale=0.1,
                               ftol=_ENOUGH, xtol=_ENOUGH, max_nfev=40)  # fmt: skip
    k, d = np.exp(found.x[:n]), np.exp(found.x[n : 2 * n])
    order = np.argsort(d)
    columns = np.concatenate((order, n + order, np.arange(2 * n, 2 * n + len(ratios))))
    final = float(np.exp(found.x[2 * n])) if ratios else 1.0
    return Slips(k[order], d[order], data, np.asarray(found.jac)[:, columns], final)
