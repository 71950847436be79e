"""LuGre along the measured cycles: s0 and s1, and the level of friction beside them.

The level is free, by a few percent: the curve comes from another experiment, on another day. s1 works like a delay of
s1/s0 between force and position, 1 ms on the reference rig; so what is not known of the sensors' delays is not known of
s1 either, and goes into its interval.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

from hilctl.friction.lugre import LuGre, first_active_speed
from hilctl.identify.presliding.estimate_cycles import Reals
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_residuals import (
    TIMING_S,
    WIDEST,
    Data,
    Model,
    half_widths,
    scaled_residuals,
    weighed,
)
from hilctl.identify.presliding.model import LUGRE, force_along, stiffness_along
from hilctl.identify.presliding.model_curve import Curve

VD_M_S = 0.1
_FILTER = 2.0  # times late²/turn: what a filter that is late by this much adds to a turn of that length; measured on
# the twin, 0.02 to 0.2 ms for s0 from 3e7 to 1e9
_S0 = (1e5, 1e11)
_PER_S = (1e-6, 0.03)  # s1/s0: the bristles' own time
FROM = (0.4, 1.0, 2.5)  # times the first idea of s0
_LEVEL = (0.7, 1.4)
_NOTHING = 1e-5  # s1/s0 in seconds: less damping than any delay that is known


class Bristles(NamedTuple):
    """A fit of LuGre."""

    s0: float
    s1: float
    level: float  # of friction, as a multiple of the curve's
    data: Data
    jacobian: Reals  # of the logarithms of s0, s1, level

    def model(self, curve: Curve) -> Model:
        """Its force along a cycle."""
        return lambda loop: force_along(LUGRE, words(curve, self.s0, self.s1, self.level), loop)

    def intervals(self, curve: Curve, blocks: Sequence[Sequence[Loop]], late_s: float = 0.0
                  ) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of s0 and s1; each block holds all swings. `late_s`: the accelerometer's filter."""
        model = self.model(curve)
        residual = scaled_residuals(self.data, model)
        alone = [scaled_residuals(Data(tuple(loops), self.data.std_n), model) for loops in blocks]
        wide = half_widths(self.jacobian, residual, alone)
        low0, high0 = (self.s0 * math.exp(way * min(float(wide[0]), WIDEST)) for way in (-1, 1))
        low1, high1 = (self.s1 * math.exp(way * min(float(wide[1]), WIDEST)) for way in (-1, 1))
        fastest = max(self.data.loops, key=lambda loop: float(np.ptp(loop.a_m_s2)))
        turn_s = math.sqrt(8 * curve.fs / self.s0 / float(np.ptp(fastest.a_m_s2)))  # through 2 fs/s0, from rest
        late = self.s0 * max(TIMING_S, _FILTER * late_s**2 / turn_s)
        if self.s1 < _NOTHING * self.s0:
            low1 = 0.0
        return {"s0": (self.s0, low0, high0), "s1": (self.s1, max(low1 - late, 0.0), high1 + late)}


def words(curve: Curve, s0: float, s1: float, level: float = 1.0, vd: float = VD_M_S) -> list[float]:
    """As the compiled model reads them."""
    return [level * curve.fc, level * curve.fs, curve.vs, curve.sigma, curve.delta, s0, s1, vd]


def fit_bristles(loops: tuple[Loop, ...], curve: Curve, s0: float, data: Data | None = None) -> Bristles:
    """From a first idea of s0. Without `data`, the weights are made on the way."""
    starts = [np.log([s0 * factor, 1e-3 * s0 * factor, 1.0]) for factor in FROM]
    for _ in range(2):
        known = data or weighed(loops, partial(stiffness_along, LUGRE, _words(curve, starts[0])))
        found = min((_search(known, curve, start) for start in starts), key=lambda r: float(r.cost))
        starts = [found.x]
        if data is not None:
            break
    s0, s1, level = (float(value) for value in np.exp(found.x))
    return Bristles(s0, s1, level, known, np.asarray(found.jac))


def _words(curve: Curve, logs: Reals) -> list[float]:
    s0, s1, level = (float(value) for value in np.exp(logs))
    return words(curve, s0, s1, level)


def _search(data: Data, curve: Curve, start: Reals) -> Any:
    def residuals(logs: Reals) -> Reals:
        return scaled_residuals(data, lambda loop: force_along(LUGRE, _words(curve, logs), loop))

    low = np.log([_S0[0], _S0[0] * _PER_S[0], _LEVEL[0]])
    high = np.log([_S0[1], _S0[1] * _PER_S[1], _LEVEL[1]])
    return least_squares(residuals, np.clip(start, low + 1e-3, high - 1e-3), bounds=(low, high), diff_step=1e-4,
                         x_scale=(0.1, 0.3, 0.01), ftol=1e-6, xtol=1e-6, max_nfev=60)  # fmt: skip


def passive_vd(curve: Curve, s1: float, s0: float) -> float:
    """The usual vd, or the largest with which these bristles never feed energy back."""
    def active(vd: float) -> bool:
        return first_active_speed(LuGre(**curve._asdict(), s0=s0, s1=s1, vd=vd)) is not None

    if not active(VD_M_S):
        return VD_M_S
    low, high = 1e-4, VD_M_S
    for _ in range(30):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if active(middle) else (middle, high)
    return 0.95 * low
