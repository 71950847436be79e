"""Dahl: a spring that gives way gradually, as a stress-strain curve does (P. R. Dahl, 1968).

    dF/dx = s0 |r|^alpha sgn r,    r = 1 - (F/fc) sgn v        plus a viscous sigma v

r is how far F is from the level it tends to. While v keeps its sign F = fc (1 - r) sgn v, so over a path s = |v| dt
|r| falls by d|r|/ds = -k |r|^alpha, k = s0/fc, which has a closed form for every alpha:

    |r| = |r0| exp(E),   E = -k s                                             alpha = 1
                         E = ln(1 - (1-alpha) k s |r0|^(alpha-1)) / (1-alpha)  otherwise

For alpha < 1 the bracket reaches zero after a finite path, and F has then arrived at fc; alpha = 0 is a spring with a
stop; for alpha >= 1 it arrives never. So any step with v held is exact, and none can diverge. Without the bars and the
sign, as the law is often printed, an F beyond fc (a set adopted with a smaller fc) gives no number for a broken alpha,
and for an even one grows without bound.

The force depends on the path only, not on how fast it is passed; it has no Stribeck branch and no break-away peak, and
half a loop does not close: a biased vibration drifts. Passive for every alpha >= 0: what
V(F) = int F / (s0 (1 + |F|/fc)^alpha) dF holds never grows faster than F v.

The directions may differ: fc, sigma and alpha are those of the motion, s0 that of the side to which the spring is bent
(the sign of F), so that it gives back with the stiffness that it was bent with. V then takes s0 of its own side, fc and
alpha of the motion that bends it back. The step is split where F is zero, and remains exact.
"""

import math
from typing import Annotated, Any, Literal

from hilctl.friction.directions import both, rt_side
from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Params, note, number
from hilctl.rt.jit import jit

FC, SIGMA, S0, ALPHA = range(4)
NAMES = ("fc", "sigma", "s0", "alpha")
WIDTH = len(NAMES)
F = 0  # the word of the state that holds the force in newtons, without the viscous part


class Negative(Params, kw_only=True):
    """The negative direction, where it differs."""

    fc: Annotated[float | None, number(1e-3, 1e7, "N", "level that sliding tends to in the negative direction")] = None
    sigma: Annotated[float | None, number(0, 1e7, "N·s/m", "viscous slope in the negative direction")] = None
    s0: Annotated[float | None, number(1e3, 1e12, "N/m", "stiffness of a spring bent to the negative side")] = None
    alpha: Annotated[float | None, number(0, 10, "", "shape in negative motion")] = None


class Dahl(Law, kw_only=True):
    """A spring that yields gradually, in either direction."""

    model: Annotated[Literal["dahl"], note("name of the model")] = "dahl"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the level that sliding tends to")]
    sigma: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")] = 0.0
    s0: Annotated[float, number(1e3, 1e12, "N/m", "stiffness at rest")]
    alpha: Annotated[float, number(0, 10, "", "shape: 0 a spring with a stop, 1 exponential")] = 1.0

    negative: Negative = Negative()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, NAMES)

    @property
    def viscous(self) -> float:
        """The smaller of the two slopes."""
        words = self.words()
        return min(words[SIGMA], words[WIDTH + SIGMA])

    @property
    def reach(self) -> float:
        """Of the bristles, on the side where it is longer."""
        p = self.words()
        return max(p[FC] / p[S0], p[WIDTH + FC] / p[WIDTH + S0])

    @property
    def spring(self) -> float:
        """At F = 0, on the stiffer side."""
        p = self.words()
        return max(p[S0], p[WIDTH + S0])

    @property
    def damping(self) -> float:
        """Only the viscous part."""
        p = self.words()
        return 0.5 * (p[SIGMA] + p[WIDTH + SIGMA])


@jit()
def rt_approach(force: float, level: float, stiffness: float, alpha: float, step_m: float) -> float:
    """The force after a move of step_m in one direction."""
    away = 1.0 - math.copysign(force / level, force * step_m)
    if away == 0.0 or step_m == 0.0:
        return force
    path = stiffness / level * abs(step_m)
    if alpha != 1.0:
        used = (1.0 - alpha) * path * abs(away) ** (alpha - 1.0)
        path = -math.log1p(-used) / (1.0 - alpha) if used < 1.0 else math.inf
    after: float = force - math.copysign(level, step_m) * away * math.expm1(-path)
    return after


@jit()
def rt_unbent_after(force: float, level: float, stiffness: float, alpha: float) -> float:
    """The path after which a spring is straight that is moved against its force."""
    away = 1.0 + abs(force) / level
    path = math.log(away) if alpha == 1.0 else (away ** (1.0 - alpha) - 1.0) / (1.0 - alpha)
    return level / stiffness * path


@jit(inline=True)
def rt_advance(p: Any, z: Any, v: float, dt: float) -> None:
    """The state after dt at constant v."""
    if not math.isfinite(v):
        return
    at, force, step_m = rt_side(v, WIDTH), z[F], v * dt
    stiffness, bent = p[at + S0], p[rt_side(force, WIDTH) + S0]
    if force * v < 0.0 and bent != stiffness:  # it springs back with the stiffness of the other side
        until_m = rt_unbent_after(force, p[at + FC], bent, p[at + ALPHA])
        if until_m >= abs(step_m):
            stiffness = bent
        else:
            force, step_m = 0.0, step_m - math.copysign(until_m, v)
    z[F] = rt_approach(force, p[at + FC], stiffness, p[at + ALPHA], step_m)


@jit()
def rt_force(p: Any, z: Any, v: float) -> float:
    """The force of a state and a speed."""
    force: float = z[F] + p[rt_side(v, WIDTH) + SIGMA] * v
    return force if math.isfinite(v) else math.nan


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Steady sliding."""
    at = rt_side(direction, WIDTH)
    force: float = direction * p[at + FC] + p[at + SIGMA] * v
    return force


MODELS = (
    Model(
        "dahl", 10, Kind.BRISTLES, Dahl, "a spring that gives way gradually, by the path alone",
        rt_slip, advance=rt_advance, force=rt_force, states=1, typical={"fc": 287.0, "sigma": 3251.0, "s0": 1e7},
    ),
)  # fmt: skip
