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
    TIMING_S,
    WIDEST,
    Data,
    Model,
    half_widths,
    scaled_residuals,
)
from hilctl.identify.presliding.model import DAHL, force_along
from hilctl.identify.presliding.model_curve import Curve

_S0 = (1e5, 1e11)
_SHAPE = (0.0, 5.0)  # beyond it the spring gives way from the beginning
_LEVEL = (0.7, 1.4)
_SHAPES = (0.5, 1.0, 2.0)  # starts


class Path(NamedTuple):
    """A fit of Dahl."""

    s0: float
    alpha: float
    level: float  # of friction, as a multiple of the curve's
    data: Data
    jacobian: Reals  # of log s0, alpha, log level

    def model(self, curve: Curve) -> Model:
        """Its force along a cycle."""
        return lambda loop: force_along(DAHL, words(curve, self.s0, self.alpha, self.level), loop)

    def intervals(self, curve: Curve, blocks: Sequence[Sequence[Loop]]) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of s0 and alpha; each block holds all swings.

        What is not known of the sensors' delays lets friction turn earlier or later, and goes into both.
        """
        model = self.model(curve)

        def late(loop: Loop) -> Reals:
            return model(loop) + TIMING_S * np.gradient(loop.force_n) * len(loop.force_n) / loop.period_s

        residual = scaled_residuals(self.data, model)
        alone = [scaled_residuals(Data(tuple(loops), self.data.std_n), model) for loops in blocks]
        shifted = np.abs(np.linalg.pinv(self.jacobian) @ (scaled_residuals(self.data, late) - residual))
        wide = np.minimum(half_widths(self.jacobian, residual, alone) + shifted, WIDEST)
        factor = math.exp(float(wide[0]))
        low, high = max(self.alpha - float(wide[1]), 0.0), self.alpha + float(wide[1])
        return {"s0": (self.s0, self.s0 / factor, self.s0 * factor), "alpha": (self.alpha, low, high)}


def words(curve: Curve, s0: float, alpha: float, level: float = 1.0) -> list[float]:
    """As the compiled model reads them: sliding slowly, friction is at fs."""
    return [level * curve.fs, curve.sigma, s0, alpha]


def fit_path(data: Data, curve: Curve, s0: float) -> Path:
    """From a first idea of s0."""
    found = min((_search(data, curve, [math.log(s0), shape, 0.0]) for shape in _SHAPES), key=lambda r: float(r.cost))
    x = found.x
    return Path(math.exp(x[0]), float(x[1]), math.exp(x[2]), data, np.asarray(found.jac))


def _search(data: Data, curve: Curve, start: list[float]) -> Any:
    def residuals(x: Reals) -> Reals:
        own = words(curve, math.exp(x[0]), float(x[1]), math.exp(x[2]))
        return scaled_residuals(data, lambda loop: force_along(DAHL, own, loop))

    low = np.array([math.log(_S0[0]), _SHAPE[0], math.log(_LEVEL[0])])
    high = np.array([math.log(_S0[1]), _SHAPE[1], math.log(_LEVEL[1])])
    return least_squares(residuals, np.clip(start, low + 1e-3, high - 1e-3), bounds=(low, high), diff_step=1e-4,
                         x_scale=(0.1, 0.1, 0.01), ftol=1e-6, xtol=1e-6, max_nfev=60)  # fmt: skip
