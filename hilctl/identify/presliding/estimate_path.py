"""Dahl along the measured cycles: stiffness and shape of a spring that gives way by the path alone, and its level.

    dF/dx = s0 |r|^alpha sgn r,   r = 1 - F sgn(v)/fc

With alpha = 1 it is LuGre on a flat curve without the bristles' own damping.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_residuals import (
    MOST_APART,
    TIMING_S,
    WIDEST,
    Data,
    Model,
    apart,
    around,
    scaled_residuals,
    spread,
)
from hilctl.identify.presliding.estimate_ripple import TRUSTED, rippled, taken_off
from hilctl.identify.presliding.model import DAHL, force_along
from hilctl.identify.presliding.model_curve import Curve

_SHARED = 3  # parameters of both sides
_S0 = (1e5, 1e11)
_SHAPE = (0.0, 5.0)  # beyond it the spring gives way from the beginning
_LEVEL = (0.7, 1.4)
_SHAPES = (0.5, 1.0, 2.0)  # starts


class Path(NamedTuple):
    """A fit of Dahl."""

    s0: float  # of both sides, the geometric mean
    alpha: float
    level: float  # of friction, as a multiple of the curve's
    data: Data
    jacobian: Reals  # of log s0, alpha, log level, and of the logarithm of the ratio where it is free
    ratio: float = 1.0  # of s0: negative over positive side
    shift: tuple[float, ...] = (0.0,) * _SHARED  # of log s0, alpha, log level, by the table's ripple

    @property
    def settled_level(self) -> float:
        """The level without what the ripple does to it."""
        return math.exp(taken_off(math.log(self.level), self.shift[2]))

    @property
    def sided(self) -> bool:
        """Whether either side has its own stiffness."""
        return bool(self.jacobian.shape[1] > _SHARED)

    def model(self, curve: Curve) -> Model:
        """Its force along a cycle."""
        return lambda loop: force_along(DAHL, words(curve, self.s0, self.alpha, self.level, self.ratio), loop)

    def intervals(self, curve: Curve, blocks: Sequence[Sequence[Loop]]) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of s0 and alpha; each block holds all swings.

        What is not known of the sensors' delays lets friction turn earlier or later, and goes into both.
        """
        model = self.model(curve)

        def late(loop: Loop) -> Reals:
            return model(loop) + TIMING_S * np.gradient(loop.force_n) * len(loop.force_n) / loop.period_s

        residual = scaled_residuals(self.data, model)
        shifted = np.abs(np.linalg.pinv(self.jacobian) @ (scaled_residuals(self.data, late) - residual))
        wide = spread(self.data, self.jacobian, model, blocks) + shifted
        wide[:_SHARED] += TRUSTED * np.abs(self.shift)
        wide, s0 = np.minimum(wide, WIDEST), math.exp(taken_off(math.log(self.s0), self.shift[0]))
        alpha = max(taken_off(self.alpha, self.shift[1]), 0.0)
        low, high = max(alpha - float(wide[1]), 0.0), alpha + float(wide[1])
        found = {"s0": around(s0, float(wide[0])), "alpha": (alpha, low, high)}
        if not self.sided:
            return found
        half = float(wide[0]) + 0.5 * float(wide[_SHARED])
        forward, backward = apart(s0, self.ratio)
        return {**found, "s0": around(forward, half), "negative.s0": around(backward, half)}

    def sides(self, curve: Curve, blocks: Sequence[Sequence[Loop]]) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of the ratio, where it is free."""
        half = spread(self.data, self.jacobian, self.model(curve), blocks, np.eye(4)[_SHARED:])
        return {"s0": around(self.ratio, float(half[0]))}


def words(curve: Curve, s0: float, alpha: float, level: float = 1.0, ratio: float = 1.0) -> list[float]:
    """As the compiled model reads them: sliding slowly, friction is at fs."""
    sides = zip(curve.sides, apart(s0, ratio), strict=True)
    return [word for side, stiffness in sides for word in (level * side.fs, side.sigma, stiffness, alpha)]


def fit_path(data: Data, curve: Curve, s0: float) -> Path:
    """From a first idea of s0."""
    found = min((_search(data, curve, [math.log(s0), shape, 0.0]) for shape in _SHAPES), key=lambda r: float(r.cost))
    return _found(found, data)


def without_ripple(fit: Path, curve: Curve, off_m: Sequence[Reals]) -> Path:
    """With what the ripple of these cycles does to it."""
    own = words(curve, fit.s0, fit.alpha, fit.level)
    start = [math.log(fit.s0), fit.alpha, math.log(fit.level)]
    again = _search(fit.data._replace(loops=rippled(DAHL, own, fit.data.loops, off_m)), curve, start).x
    return fit._replace(shift=tuple(float(b - a) for a, b in zip(start, again, strict=True)))


def by_side(alike: Path, curve: Curve) -> Path:
    """From a fit with both sides alike: with the ratio of their stiffnesses free."""
    start = [math.log(alike.s0), alike.alpha, math.log(alike.level), math.log(alike.ratio)]
    return _found(_search(alike.data, curve, start), alike.data)._replace(shift=alike.shift)


def _found(found: Any, data: Data) -> Path:
    x = found.x
    ratio = math.exp(x[_SHARED]) if len(x) > _SHARED else 1.0
    return Path(math.exp(x[0]), float(x[1]), math.exp(x[2]), data, np.asarray(found.jac), ratio)


def _search(data: Data, curve: Curve, start: list[float]) -> Any:
    def residuals(x: Reals) -> Reals:
        own = words(curve, math.exp(x[0]), float(x[1]), math.exp(x[2]), *np.exp(x[_SHARED:]))
        return scaled_residuals(data, lambda loop: force_along(DAHL, own, loop))

    free = len(start)
    low = np.array([math.log(_S0[0]), _SHAPE[0], math.log(_LEVEL[0]), -math.log(MOST_APART)])[:free]
    high = np.array([math.log(_S0[1]), _SHAPE[1], math.log(_LEVEL[1]), math.log(MOST_APART)])[:free]
    return least_squares(residuals, np.clip(start, low + 1e-3, high - 1e-3), bounds=(low, high), diff_step=1e-4,
                         x_scale=(0.1, 0.1, 0.01, 0.1)[:free], ftol=1e-6, xtol=1e-6, max_nfev=60)  # fmt: skip
