"""LuGre: bristles of mean deflection z, which bend before they slip.

    z' = v - c z,  c = s0 |v| / g(|v|)         F = s0 z + s1(v) z' + sigma v,  s1(v) = s1 exp(-(v/vd)^2)

In steady motion z = sgn(v) g/s0 =: zs and F is Stribeck's curve. c passes 1e5 1/s on a stiff machine, so z is never
stepped by a Runge–Kutta rule: with v held over dt its solution is exact,

    z += (zs - z) (1 - exp(-c dt)),

which cannot diverge and needs no case for v = 0. The model is passive (it never feeds energy back) only while |v|/g
<= 4 (s1(v) + sigma) / s1(v)^2; a constant s1 (a large vd) breaks that at some speed, hence vd. It is refused where it
does so below `passive_to`.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from hilctl.friction.model import Kind, Model
from hilctl.friction.stribeck import SIGMA, TYPICAL, WIDTH, Curve, rt_level, rt_slip_alike
from hilctl.params import Problem, note, number
from hilctl.rt.jit import jit

S0, S1, VD = WIDTH, WIDTH + 1, WIDTH + 2
Z = 0  # the word of the state that holds the deflection in metres


class LuGre(Curve, kw_only=True):
    """Bristles on Stribeck's curve."""

    model: Annotated[Literal["lugre"], note("name of the model")] = "lugre"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    s0: Annotated[float, number(1e3, 1e12, "N/m", "stiffness of the bristles, before sliding")]
    s1: Annotated[float, number(0, 1e9, "N·s/m", "damping of the bristles at rest")]
    vd: Annotated[float, number(1e-5, 100, "m/s", "speed at which the bristles' damping has fallen to 1/e")] = 0.1

    passive_to: Annotated[
        float, number(1e-4, 100, "m/s", "speed up to which the bristles must not generate energy")
    ] = 100.0

    def words(self) -> list[float]:
        """The curve and the bristles."""
        return [self.fc, self.fs, self.vs, self.sigma, self.delta, self.s0, self.s1, self.vd]

    @property
    def reach(self) -> float:
        """Of the bristles."""
        return self.fs / self.s0

    @property
    def spring(self) -> float:
        """The bristles."""
        return self.s0

    @property
    def damping(self) -> float:
        """The bristles' own, and the viscous part."""
        return self.s1 + self.sigma

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Beyond the curve's own: the passivity limit."""
        yield from super().inconsistencies(at)
        speed = first_active_speed(self)
        if speed is not None:
            yield Problem(
                f"{at}.vd",
                self.vd,
                f"the model feeds energy back at {speed:.3g} m/s: |v|/g must stay below 4 (s1(v) + sigma)/s1(v)^2",
                "reduce vd or s1, or passive_to where the rig is never faster",
            )


def first_active_speed(law: LuGre) -> float | None:
    """The lowest speed of a fine grid at which the passivity condition fails, or None. Beyond 6 vd s1(v) is nothing."""
    v = min(6 * law.vd, law.passive_to) * 1.01 ** np.arange(-1000.0, 1.0)
    g = law.fc + (law.fs - law.fc) * np.exp(-((v / law.vs) ** law.delta))
    s1 = law.s1 * np.exp(-((v / law.vd) ** 2))
    active = v[v * s1 * s1 > 4 * (s1 + law.sigma) * g]
    return float(active[0]) if active.size else None


@jit()
def rt_deflect(p: Any, z: float, v: float, dt: float) -> float:
    """The deflection after dt at constant v, exactly."""
    level = rt_level(p, 0, abs(v))
    settled = math.copysign(level, v) / p[S0]
    after: float = z - (settled - z) * math.expm1(-p[S0] * abs(v) / level * dt)
    return after


@jit()
def rt_bristle_force(p: Any, z: float, v: float) -> float:
    """F of a deflection and a speed."""
    fall = v / p[VD]
    bending = v - p[S0] * abs(v) / rt_level(p, 0, abs(v)) * z
    force: float = p[S0] * z + p[S1] * math.exp(-fall * fall) * bending + p[SIGMA] * v
    return force


@jit()
def rt_advance(p: Any, z: Any, v: float, dt: float) -> None:
    """The state after dt at constant v."""
    if math.isfinite(v):
        z[Z] = rt_deflect(p, z[Z], v, dt)


@jit()
def rt_force(p: Any, z: Any, v: float) -> float:
    """The force of a state and a speed."""
    force: float = rt_bristle_force(p, z[Z], v)  # asked behind it: a branch before it costs a quarter of it
    return force if math.isfinite(v) else math.nan


MODELS = (
    Model(
        "lugre", 2, Kind.BRISTLES, LuGre, "bristles that bend before they slip, on Stribeck's curve",
        rt_slip_alike, advance=rt_advance, force=rt_force, states=1,
        typical={**TYPICAL, "s0": 1e8, "s1": 1e5},
    ),
)  # fmt: skip
