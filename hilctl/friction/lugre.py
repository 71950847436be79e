"""LuGre: bristles of mean deflection z, which bend before they slip.

    z' = v - c z,  c = s0 |v| / g(|v|)         F = s0 z + s1(v) z' + sigma v,  s1(v) = s1 exp(-(v/vd)^2)

In steady motion z = sgn(v) g/s0 =: zs and F is Stribeck's curve. c passes 1e5 1/s on a stiff machine, so z is never
stepped by a Runge–Kutta rule: with v held over dt its solution is exact,

    z += (zs - z) (1 - exp(-c dt)),

which cannot diverge and needs no case for v = 0. The model is passive (it never feeds energy back) only while |v|/g
<= 4 (s1(v) + sigma) / s1(v)^2; a constant s1 (a large vd) breaks that at some speed, hence vd. It is refused where it
does so below `passive_to`.

The directions may differ. The curve, s1 and vd are those of the motion; s0 is that of the side to which the bristles
are bent, so that they hold the energy s0 z²/2 whichever way they come back, and the condition above stays the same in
each direction. A stiffness by the sign of v would give energy away: bent stiffly and let back softly, it returns more
than it took. On the way from one side to the other the step is split where z is zero, and remains exact.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from hilctl.friction.directions import both, rt_side
from hilctl.friction.model import Kind, Model
from hilctl.friction.stribeck import FS, NAMES, SIGMA, TYPICAL, WIDTH, Negative, TwoCurves, rt_level, rt_slip
from hilctl.params import Problem, note, number
from hilctl.rt.jit import jit

BRISTLES = ("s0", "s1", "vd")
SIDE = len(BRISTLES)
S0, S1, VD = range(2 * WIDTH, 2 * WIDTH + SIDE)
Z = 0  # the word of the state that holds the deflection in metres


class LuGreNegative(Negative, kw_only=True):
    """Curve and bristles in the negative direction, where they differ."""

    fc: Annotated[float | None, number(1e-3, 1e7, "N", "Coulomb friction in the negative direction")] = None
    s0: Annotated[float | None, number(1e3, 1e12, "N/m", "stiffness of bristles bent to the negative side")] = None
    s1: Annotated[float | None, number(0, 1e9, "N·s/m", "damping of the bristles in negative motion")] = None
    vd: Annotated[float | None, number(1e-5, 100, "m/s", "speed at which that damping has fallen to 1/e")] = None


class LuGre(TwoCurves, kw_only=True):
    """Bristles on Stribeck's curve, for either direction."""

    model: Annotated[Literal["lugre"], note("name of the model")] = "lugre"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    s0: Annotated[float, number(1e3, 1e12, "N/m", "stiffness of the bristles, before sliding")]
    s1: Annotated[float, number(0, 1e9, "N·s/m", "damping of the bristles at rest")]
    vd: Annotated[float, number(1e-5, 100, "m/s", "speed at which the bristles' damping has fallen to 1/e")] = 0.1
    negative: LuGreNegative = LuGreNegative()

    passive_to: Annotated[
        float, number(1e-4, 100, "m/s", "speed up to which the bristles must not generate energy")
    ] = 100.0

    def words(self) -> list[float]:
        """The curves, and the bristles of either side."""
        return [*super().words(), *both(self, BRISTLES)]

    @property
    def jump(self) -> float:
        """None: the bristles bend."""
        return 0.0

    @property
    def reach(self) -> float:
        """Of the bristles, on the side where it is longer."""
        p = self.words()
        return max(p[FS] / p[S0], p[WIDTH + FS] / p[SIDE + S0])

    @property
    def spring(self) -> float:
        """The bristles, on the stiffer side."""
        p = self.words()
        return max(p[S0], p[SIDE + S0])

    @property
    def damping(self) -> float:
        """The bristles' own, and the viscous part."""
        p = self.words()
        return 0.5 * (p[S1] + p[SIGMA] + p[SIDE + S1] + p[WIDTH + SIGMA])

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Beyond the curve's own: the passivity limit, in either direction."""
        yield from super().inconsistencies(at)
        forward, backward = (_active_from(self.words(), way, self.passive_to) for way in (0, 1))
        own = any(getattr(self.negative, name) is not None for name in (*NAMES, *BRISTLES))
        for speed, table, vd in ((forward, at, self.vd), (backward if own else None, f"{at}.negative", None)):
            if speed is not None:
                yield Problem(
                    f"{table}.vd",
                    self.words()[SIDE + VD] if vd is None else vd,
                    f"the model feeds energy back at {speed:.3g} m/s: |v|/g must stay below 4 (s1(v) + sigma)/s1(v)^2",
                    "reduce vd or s1, or passive_to where the rig is never faster",
                )


def first_active_speed(law: LuGre) -> float | None:
    """The lowest speed of a fine grid at which the passivity condition fails in either direction, or None."""
    found = [_active_from(law.words(), way, law.passive_to) for way in (0, 1)]
    return min((speed for speed in found if speed is not None), default=None)


def _active_from(words: list[float], way: int, passive_to: float) -> float | None:
    """The same in one direction. Beyond 6 vd s1(v) is nothing."""
    fc, fs, vs, sigma, delta = words[way * WIDTH : (way + 1) * WIDTH]
    s1, vd = words[way * SIDE + S1], words[way * SIDE + VD]
    v = min(6 * vd, passive_to) * 1.01 ** np.arange(-1000.0, 1.0)
    g = fc + (fs - fc) * np.exp(-((v / vs) ** delta))
    damping = s1 * np.exp(-((v / vd) ** 2))
    active = v[v * damping * damping > 4 * (damping + sigma) * g]
    return float(active[0]) if active.size else None


@jit()
def rt_deflect(p: Any, z: float, v: float, dt: float) -> float:
    """The deflection after dt at constant v, exactly."""
    level = rt_level(p, rt_side(v, WIDTH), abs(v))
    spring = p[S0 + rt_side(v, SIDE)]
    if z * v < 0.0:
        back = p[S0 + rt_side(z, SIDE)]
        if back != spring:  # it springs back with the stiffness of the other side, until it is straight
            until = math.log1p(back * abs(z) / level) * level / (back * abs(v))
            if until >= dt:
                spring = back
            else:
                z, dt = 0.0, dt - until
    settled = math.copysign(level, v) / spring
    after: float = z - (settled - z) * math.expm1(-spring * abs(v) / level * dt)
    return after


@jit()
def rt_bristle_force(p: Any, z: float, v: float) -> float:
    """F of a deflection and a speed."""
    at, side, spring = rt_side(v, WIDTH), rt_side(v, SIDE), p[S0 + rt_side(z, SIDE)]
    fall = v / p[VD + side]
    bending = v - spring * abs(v) / rt_level(p, at, abs(v)) * z
    force: float = spring * z + p[S1 + side] * math.exp(-fall * fall) * bending + p[at + SIGMA] * v
    return force


@jit(inline=True)
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
        rt_slip, advance=rt_advance, force=rt_force, states=1,
        typical={**TYPICAL, "s0": 1e8, "s1": 1e5},
    ),
)  # fmt: skip
