"""LuGre: bristles of mean deflection z, which bend before they slip.

    z' = v - c z,  c = s0 |v| / g(|v|)         F = s0 z + s1(v) z' + sigma v,  s1(v) = s1 exp(-(v/vd)^2)

In steady motion z = sgn(v) g/s0 =: zs and F is Stribeck's curve. c passes 1e5 1/s on a stiff machine, so z is never
stepped by a Runge–Kutta rule: with v held over dt its solution is exact,

    z += (zs - z) (1 - exp(-c dt)),

which cannot diverge and needs no case for v = 0. The model is passive (it never feeds energy back) only while |v|/g
<= 4 (s1(v) + sigma) / s1(v)^2; a constant s1 breaks that at some speed, hence vd.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.friction.stribeck import SIGMA, Curve, rt_level
from hilctl.params import Problem, note, number
from hilctl.rt.jit import jit

S0, S1, VD = 5, 6, 7
Z = 0  # the word of the state that holds the deflection in metres


class LuGre(Curve, kw_only=True):
    """Bristles on Stribeck's curve."""

    model: Annotated[Literal["lugre"], note("name of the model")] = "lugre"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    s0: Annotated[float, number(1e3, 1e12, "N/m", "stiffness of the bristles: the spring felt before sliding")]
    s1: Annotated[float, number(0, 1e9, "N·s/m", "damping of the bristles at rest")]
    vd: Annotated[float, number(1e-5, 100, "m/s", "speed at which the bristles' damping has fallen to 1/e")] = 0.1

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Beyond the curve's own: the passivity limit, at every speed."""
        yield from super().inconsistencies(at)
        speed = first_active_speed(self)
        if speed is not None:
            yield Problem(
                f"{at}.vd",
                self.vd,
                f"the model feeds energy back at {speed:.3g} m/s: |v|/g must stay below 4 (s1(v) + sigma)/s1(v)^2",
                "reduce vd or s1",
            )


def first_active_speed(law: LuGre) -> float | None:
    """The lowest speed of a fine grid at which the passivity condition fails, or None. Beyond 6 vd s1(v) is nothing."""
    for k in range(-1000, 1):
        v = 6 * law.vd * 1.01**k
        g = law.fc + (law.fs - law.fc) * math.exp(-((v / law.vs) ** law.delta))
        s1 = law.s1 * math.exp(-((v / law.vd) ** 2))
        if v * s1 * s1 > 4 * (s1 + law.sigma) * g:
            return v
    return None


@jit()
def rt_deflect(p: Any, z: float, v: float, dt: float) -> float:
    """The deflection after dt at constant v, exactly."""
    level = rt_level(p, abs(v))
    settled = math.copysign(level, v) / p[S0]
    after: float = z - (settled - z) * math.expm1(-p[S0] * abs(v) / level * dt)
    return after


@jit()
def rt_bristle_force(p: Any, z: float, v: float) -> float:
    """F of a deflection and a speed."""
    fall = v / p[VD]
    bending = v - p[S0] * abs(v) / rt_level(p, abs(v)) * z
    force: float = p[S0] * z + p[S1] * math.exp(-fall * fall) * bending + p[SIGMA] * v
    return force


@jit()
def rt_lugre(p: Any, z: Any, v: float, dt: float) -> float:
    """The law: advances z[0] by dt at this speed, returns the force then. Keep dt at 0.1 ms or less where v changes."""
    z[Z] = rt_deflect(p, z[Z], v, dt)
    return rt_bristle_force(p, z[Z], v)
