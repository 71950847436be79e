"""Stribeck–Karnopp in its smooth form: the sign of v becomes tanh(a v/2).

    f = g(|v|) tanh(a v/2) + sigma v              tanh(a v/2) = (1 - e^-av)/(1 + e^-av)

A function without a jump, for solvers that can bear none. The price: nothing sticks. A mass under a constant push below
fs creeps, at about 2 F/(a fs). Passive: both parts have the sign of v.

The paper (Ling and Zhu, vibration measurement on a hydraulic table) takes a = 50, with v in m/s that gives 2.5 % of the
friction at 1 mm/s: 81 N, not 3121 N. For 99 % of it there a must be at least 5300 s/m. The slope at v = 0 is
fs a/2 + sigma: a mass of 500 kg under 3118 N and a = 5300 s/m wants substeps below 60 µs.
"""

import math
from typing import Annotated, Any, Literal

from hilctl.friction.directions import rt_side
from hilctl.friction.model import Kind, Model
from hilctl.friction.stribeck import DELTA, FC, FS, SIGMA, TYPICAL, WIDTH, TwoCurves, rt_level
from hilctl.params import note, number
from hilctl.rt.jit import jit

A = 2 * WIDTH


class Tanh(TwoCurves, kw_only=True):
    """Stribeck's curve that crosses zero smoothly; nothing sticks."""

    model: Annotated[Literal["tanh"], note("name of the model")] = "tanh"
    a: Annotated[float, number(1, 1e7, "s/m", "steepness at v = 0; 5300 gives 99 % of the friction at 1 mm/s")] = 5300.0

    def words(self) -> list[float]:
        """Both directions, and the steepness."""
        return [*super().words(), self.a]

    @property
    def steepest(self) -> float:
        """The slope at v = 0, or a bound of the falling branch's where that is more.

        With x = v/vs the falling part is (fs - fc)/vs delta x^(delta - 1) exp(-x^delta) tanh(a v/2); tanh(y) <= y and
        u exp(-u) <= 1/e make it (fs - fc) (a/2) (delta/e) at most, less than the slope at zero while delta <= e.
        """
        words, half = super().words(), self.a / 2
        return max(
            max(c[FS] * half + c[SIGMA], (c[FS] - c[FC]) * half * c[DELTA] / math.e)
            for c in (words[:WIDTH], words[WIDTH:])
        )

    @property
    def damping(self) -> float:
        """The slope at v = 0."""
        words = super().words()
        return 0.5 * sum(c[FS] * self.a / 2 + c[SIGMA] for c in (words[:WIDTH], words[WIDTH:]))


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """The law; it needs no direction."""
    at = rt_side(v, WIDTH)
    force: float = rt_level(p, at, abs(v)) * math.tanh(0.5 * p[A] * v) + p[at + SIGMA] * v + 0.0 * v  # nan: v is none
    return force


MODELS = (
    Model(
        "tanh", 6, Kind.SMOOTH, Tanh, "Stribeck's curve through zero by a tanh; nothing sticks",
        rt_slip, typical={**TYPICAL, "a": 5300.0},
    ),
)  # fmt: skip
