"""LuGre along the measured cycles: s0 and s1, and the level of friction beside them.

The level is free, by a few percent: the curve comes from another experiment, on another day. s1 works like a delay of
s1/s0 between force and position, 1 ms on the reference rig; so what is not known of the sensors' delays is not known of
s1 either, and goes into its interval.

Where asked, either side has its own stiffness and damping: two ratios more, of the negative to the positive side. They
are found around the geometric means of both sides, to which they are nearly orthogonal.
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
    MOST_APART,
    TIMING_S,
    Data,
    Model,
    apart,
    around,
    scaled_residuals,
    spread,
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
_SHARED = 3  # parameters of both sides
ALIKE = (1.0, 1.0)


class Bristles(NamedTuple):
    """A fit of LuGre."""

    s0: float  # of both sides, the geometric mean
    s1: float  # likewise
    level: float  # of friction, as a multiple of the curve's
    data: Data
    jacobian: Reals  # of the logarithms of s0, s1, level, and of the ratios where they are free
    ratios: tuple[float, float] = ALIKE  # of s0 and of s1: negative over positive side

    @property
    def sided(self) -> bool:
        """Whether either side has its own."""
        return bool(self.jacobian.shape[1] > _SHARED)

    def model(self, curve: Curve) -> Model:
        """Its force along a cycle."""
        own = words(curve, self.s0, self.s1, self.level, ratios=self.ratios)
        return lambda loop: force_along(LUGRE, own, loop)

    def intervals(self, curve: Curve, blocks: Sequence[Sequence[Loop]], late_s: float = 0.0
                  ) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of s0 and s1; each block holds all swings. `late_s`: the accelerometer's filter."""
        wide = spread(self.data, self.jacobian, self.model(curve), blocks, self._rows())
        fastest = max(self.data.loops, key=lambda loop: float(np.ptp(loop.a_m_s2)))
        turn_s = math.sqrt(8 * curve.fs / self.s0 / float(np.ptp(fastest.a_m_s2)))  # through 2 fs/s0, from rest
        found: dict[str, tuple[float, float, float]] = {}
        for i, at in enumerate(("", "negative.") if self.sided else ("",)):
            s0, s1 = (apart(mean, ratio)[i] for mean, ratio in zip((self.s0, self.s1), self.ratios, strict=True))
            half0, half1 = (float(half) for half in wide[2 * i : 2 * i + 2])
            late = s0 * max(TIMING_S, _FILTER * late_s**2 / turn_s)
            low1 = 0.0 if s1 < _NOTHING * s0 else s1 * math.exp(-half1)
            found[f"{at}s0"] = around(s0, half0)
            found[f"{at}s1"] = (s1, max(low1 - late, 0.0), s1 * math.exp(half1) + late)
        return found

    def sides(self, curve: Curve, blocks: Sequence[Sequence[Loop]]) -> dict[str, tuple[float, float, float]]:
        """Value, low, high of the ratios, where they are free."""
        wide = spread(self.data, self.jacobian, self.model(curve), blocks, np.eye(5)[_SHARED:])
        return {name: around(ratio, float(half))
                for name, ratio, half in zip(("s0", "s1"), self.ratios, wide, strict=True)}  # fmt: skip

    def _rows(self) -> Reals:
        """What makes the logarithms of either side's s0 and s1 from those that were fitted."""
        if not self.sided:
            return np.eye(2, _SHARED)
        return np.array([[1, 0, 0, -0.5, 0], [0, 1, 0, 0, -0.5], [1, 0, 0, 0.5, 0], [0, 1, 0, 0, 0.5]], float)


def words(curve: Curve, s0: float, s1: float, level: float = 1.0, ratios: tuple[float, float] = ALIKE) -> list[float]:
    """As the compiled model reads them."""
    sides = zip(apart(s0, ratios[0]), apart(s1, ratios[1]), strict=True)
    return [*curve.words(level), *(word for side in sides for word in (*side, VD_M_S))]


def by_side(alike: Bristles, curve: Curve) -> Bristles:
    """From a fit with both sides alike: with their ratios free."""
    start = np.concatenate((np.log([alike.s0, alike.s1, alike.level]), np.log(alike.ratios)))
    return _found(_search(alike.data, curve, start), alike.data)


def fit_bristles(loops: tuple[Loop, ...], curve: Curve, s0: float, data: Data | None = None) -> Bristles:
    """From a first idea of s0. Without `data`, the weights are made on the way."""
    starts = [np.log([s0 * factor, 1e-3 * s0 * factor, 1.0]) for factor in FROM]
    for _ in range(2):
        known = data or weighed(loops, partial(stiffness_along, LUGRE, _words(curve, starts[0])))
        found = min((_search(known, curve, start) for start in starts), key=lambda r: float(r.cost))
        starts = [found.x]
        if data is not None:
            break
    return _found(found, known)


def _found(found: Any, data: Data) -> Bristles:
    s0, s1, level, *ratios = (float(value) for value in np.exp(found.x))
    return Bristles(s0, s1, level, data, np.asarray(found.jac), (ratios[0], ratios[1]) if ratios else ALIKE)


def _words(curve: Curve, logs: Reals) -> list[float]:
    s0, s1, level, *ratios = (float(value) for value in np.exp(logs))
    return words(curve, s0, s1, level, (ratios[0], ratios[1]) if ratios else ALIKE)


def _search(data: Data, curve: Curve, start: Reals) -> Any:
    def residuals(logs: Reals) -> Reals:
        return scaled_residuals(data, lambda loop: force_along(LUGRE, _words(curve, logs), loop))

    free, more = len(start), len(start) - _SHARED
    low = np.log([_S0[0], _S0[0] * _PER_S[0], _LEVEL[0], *(1 / MOST_APART,) * more])
    high = np.log([_S0[1], _S0[1] * _PER_S[1], _LEVEL[1], *(MOST_APART,) * more])
    return least_squares(residuals, np.clip(start, low + 1e-3, high - 1e-3), bounds=(low, high), diff_step=1e-4,
                         x_scale=(0.1, 0.3, 0.01, 0.1, 0.3)[:free], ftol=1e-6, xtol=1e-6, max_nfev=60)  # fmt: skip


def passive_vd(curve: Curve, s1: float, s0: float) -> float:
    """The usual vd, or the largest with which these bristles never feed energy back."""
    own = curve._asdict()
    own.pop("other")

    def active(vd: float) -> bool:
        return first_active_speed(LuGre(**own, s0=s0, s1=s1, vd=vd)) is not None

    if not active(VD_M_S):
        return VD_M_S
    low, high = 1e-4, VD_M_S
    for _ in range(30):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if active(middle) else (middle, high)
    return 0.95 * low
