"""Static friction with Stribeck's falling branch, the curve that every other model shares.

    f(v) = g(|v|) sgn v + sigma v,    g(s) = fc + (fs - fc) exp(-(s/vs)^delta)

Friction is the force that resists motion: it has the sign of v. It carries the viscous part sigma v, so the machine's B
counts only what is viscous besides.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.params import Params, Problem, note, number
from hilctl.rt.jit import jit

# The first words of every model's packed parameters.
FC, FS, VS, SIGMA, DELTA = range(5)


class Curve(Params, kw_only=True):
    """The sliding curve: what steady motion feels, whichever model gives it."""

    fc: Annotated[float, number(0, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    fs: Annotated[float, number(0, 1e7, "N", "static friction: the level at breakaway, at least fc")]
    vs: Annotated[float, number(1e-5, 10, "m/s", "Stribeck speed: how soon fs falls to fc")]
    sigma: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")]
    delta: Annotated[float, number(0.3, 4, "", "shape of the falling branch, 2 is Gaussian")] = 2.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway cannot take less than sliding."""
        if self.fs < self.fc:
            yield Problem(f"{at}.fs", self.fs, f"must be at least fc = {self.fc:g} N")


class Stribeck(Curve, kw_only=True):
    """Static: a function of the speed alone, with a jump at v = 0."""

    model: Annotated[Literal["stribeck"], note("name of the model")] = "stribeck"


@jit()
def rt_level(p: Any, speed: float) -> float:
    """g at a speed that is not negative."""
    ratio = speed / p[VS]
    if p[DELTA] == 2.0:
        shape = ratio * ratio
    elif p[DELTA] == 1.0:
        shape = ratio
    else:
        shape = ratio ** p[DELTA]
    level: float = p[FC] + (p[FS] - p[FC]) * math.exp(-shape)
    return level


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Friction of sliding in a direction, continued smoothly to where v has just left it."""
    viscous: float = p[SIGMA] * v
    return direction * rt_level(p, abs(v)) + viscous


@jit()
def rt_stribeck(p: Any, z: Any, v: float, dt: float) -> float:
    """The static law; no state. At rest it gives nothing: what holds then is for the caller to know."""
    if v == 0.0:
        return 0.0
    return rt_slip(p, math.copysign(1.0, v), v)
