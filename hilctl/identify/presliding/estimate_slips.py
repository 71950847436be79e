"""GMS along the measured cycles: how many springs, how stiff, and at what share each slips.

An element of stiffness k that yields after the travel d carries k times what one of stiffness 1 does. So over a grid of
yields the friction is linear in the stiffnesses, none of which is negative:

    F(t) = sum k_j S_j(t),   k >= 0          S_j: the force of the element with yield d_j and stiffness 1

a convex problem, with one solution whatever it is started from (NNLS). It also says best what *any* set of such
elements could do. What it finds is gathered into a few elements, whose k and d are then refined together.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares, nnls

from hilctl.friction.gms import ELEMENTS
from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_residuals import WIDEST, Data, Model, half_widths, scaled_residuals
from hilctl.identify.presliding.model import GMS, elements_along, force_along
from hilctl.identify.presliding.model_curve import Curve

ATTRACTION_N_S = 1e6  # slow reversals do not show it: g/C is 3 ms
GRID = 30  # yields of the grid
_ENOUGH = 1e-5  # noise leaves a thousandth
_SPAN = 3.5  # a yield may be off by so much, as a factor, in the refinement


class Slips(NamedTuple):
    """A fit of GMS."""

    k: Reals
    d: Reals
    data: Data
    jacobian: Reals  # of the logarithms of k and d

    def model(self, curve: Curve) -> Model:
        """Its force along a cycle."""
        return lambda loop: force_along(GMS, words(curve, self.k, self.d), loop)

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
        model, n = self.model(curve), len(self.k)
        share = self.k / self.stiffness
        # s0, every k, and every alpha, as the logarithms of k and d move them
        load = np.eye(n) - self.shares
        rows = np.block([[share, np.zeros(n)], [np.eye(n), np.zeros((n, n))], [load, load]])
        residual = scaled_residuals(self.data, model)
        alone = [scaled_residuals(Data(tuple(loops), self.data.std_n), model) for loops in blocks]
        wide = np.minimum(half_widths(self.jacobian, residual, alone, rows), WIDEST)
        names = ["s0", *(f"k.{i}" for i in range(n)), *(f"alpha.{i}" for i in range(n))]
        values = np.concatenate(([self.stiffness], self.k, self.shares))
        return {
            name: (float(value), float(value * np.exp(-half)), float(value * np.exp(half)))
            for name, value, half in zip(names, values, wide, strict=True)
        }


def words(curve: Curve, k: Reals, d: Reals) -> list[float]:
    """As the compiled law reads them: alpha fs = k d."""
    rest = [0.0] * (ELEMENTS - len(k))
    alpha = [float(value) for value in k * d / curve.fs]
    return [*curve, ATTRACTION_N_S, *alpha, *rest, *(float(value) for value in k), *rest]


def on_grid(data: Data, curve: Curve, shortest_m: float, longest_m: float) -> tuple[Reals, Reals]:
    """Yields, and the stiffness at each: the convex problem."""
    d = np.geomspace(shortest_m, longest_m, GRID)
    rows, right = [], []
    for loop, std in zip(data.loops, data.std_n, strict=True):
        parts = [_unit_elements(curve, d[i : i + ELEMENTS], loop) for i in range(0, GRID, ELEMENTS)]
        basis, weight = np.concatenate(parts).T, 1 / std**2
        v = np.gradient(loop.at_points_m, loop.period_s / len(std))
        force = loop.force_n - curve.sigma * v
        rows.append((basis - weight @ basis / weight.sum()) / std[:, None])
        right.append((force - weight @ force / weight.sum()) / std)
    k, _ = nnls(np.concatenate(rows) * d, np.concatenate(right))
    return d, np.asarray(k * d)  # the columns were scaled by d, hence k = d * solution


def _unit_elements(curve: Curve, d: Reals, loop: Loop) -> Reals:
    return elements_along(words(curve, np.ones(len(d)), d), len(d), loop)


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


def refine(data: Data, curve: Curve, k: Reals, d: Reals) -> Slips:
    """All k and d together, from here."""
    n = len(k)

    def residuals(logs: Reals) -> Reals:
        own = words(curve, np.exp(logs[:n]), np.exp(logs[n:]))
        return scaled_residuals(data, lambda loop: force_along(GMS, own, loop))

    start = np.log(np.concatenate((k, d)))
    room = np.log(np.concatenate((np.full(n, 100.0), np.full(n, _SPAN))))
    found: Any = least_squares(residuals, start, bounds=(start - room, start + room), diff_step=3e-4, x_scale=0.1,
                               ftol=_ENOUGH, xtol=_ENOUGH, max_nfev=40)  # fmt: skip
    k, d = np.exp(found.x[:n]), np.exp(found.x[n:])
    order = np.argsort(d)
    both = np.concatenate((order, n + order))
    return Slips(k[order], d[order], data, np.asarray(found.jac)[:, both])
