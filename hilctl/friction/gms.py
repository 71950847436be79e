"""GMS, the generalised Maxwell slip: elements side by side, each a spring that slips at its share of Stribeck's curve.

    sticking  Fi' = ki v                               until |Fi| reaches Li = alpha_i g(|v|); towards v it then slips
    slipping  Fi' = sgn v C (alpha_i - Fi sgn v / g)   = -(C/g) (Fi - sgn v Li), until v comes to zero or changes sign
    F = sum Fi + sigma v,   sum alpha_i = 1

In steady motion every element slips at Li, and F is Stribeck's curve. Before, the elements give way one after another;
where each stands is what the model remembers of past reversals: nested loops close, and then are forgotten.

With v held over dt the solution is exact. A sticking element moves by ki v dt; one that meets Li on the way stays
there; one that slips, or carries more than g(|v|) now allows, comes to Li by exp(-C dt/g), the same for all. Nothing
can diverge: |Fi| stays below alpha_i fs.

Passive while g does not rise: sticking stores, slipping only takes. As the motion slows, g rises and C draws slipping
elements up to it without any travel; while C (alpha_i - |Fi|/g) > ki |v| that stores energy from nowhere, at most
alpha_i^2 (fs^2 - fc^2)/(2 ki) an element and reversal. Cycles lose more than that unless they are as short as the
elements' own deflection and the speed falls within g/C. With fs = fc the model is passive always.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import UNSET

from hilctl.friction.model import Kind, Model
from hilctl.friction.stribeck import SIGMA, TYPICAL, WIDTH, Curve, rt_level, rt_slip_alike
from hilctl.params import Problem, note, number, numbers, whole
from hilctl.rt.jit import jit

ELEMENTS = 10  # at most
C = WIDTH
ALPHA, K = WIDTH + 1, WIDTH + 1 + ELEMENTS  # words of p; the first stiffness that is zero ends the elements
TOTAL, F, SLIP = 0, 1, 1 + ELEMENTS  # words of z: sum Fi, each Fi, and the way in which each slips, 0 while it sticks
FIRST, LAST = 0.35, 3.5  # the preset's yields in fs/s0, before they are scaled so that its stiffnesses add up to s0
SUM_ERROR = 1e-9  # of the shares: far more than ten of them round, far less than a friction that one would notice


class Gms(Curve, kw_only=True):
    """Several springs side by side that slip one after another: hysteresis that remembers its reversals."""

    model: Annotated[Literal["gms"], note("name of the model")] = "gms"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    C: Annotated[float, number(1, 1e12, "N/s", "attraction: rate at which a slipping element follows the curve")] = 1e6
    elements: Annotated[int, whole(1, ELEMENTS, "", "how many, where alpha and k are left out")] = 4
    s0: Annotated[
        float | None, number(1e3, 1e12, "N/m", "total stiffness, if alpha and k are omitted")
    ] = None
    alpha: Annotated[
        tuple[float, ...], numbers(1e-6, 1, "", "each element's share of the curve; 1 together", max_length=ELEMENTS)
    ] = ()
    k: Annotated[
        tuple[float, ...], numbers(1, 1e12, "N/m", "each element's stiffness", max_length=ELEMENTS)
    ] = ()

    def shares(self) -> tuple[float, ...]:
        """alpha, or the preset's: all alike."""
        return self.alpha or (1 / self.elements,) * self.elements

    def stiffnesses(self) -> tuple[float, ...]:
        """k, or the preset's: the elements yield in geometric steps."""
        if self.k:
            return self.k
        softness = np.geomspace(FIRST, LAST, self.elements)
        each = (self.s0 or 0.0) / softness / np.sum(1 / softness)
        return tuple(float(k) for k in each)

    def words(self) -> list[float]:
        """The curve, the attraction, and the elements."""
        rest = [0.0] * (ELEMENTS - len(self.shares()))
        curve = [self.fc, self.fs, self.vs, self.sigma, self.delta]
        return [*curve, self.C, *self.shares(), *rest, *self.stiffnesses(), *rest]

    @property
    def reach(self) -> float:
        """Of the bristles."""
        return self.fs / self.spring

    @property
    def spring(self) -> float:
        """The elements, while all of them stick."""
        return math.fsum(self.stiffnesses())

    @property
    def damping(self) -> float:
        """The viscous part; the elements have none."""
        return self.sigma

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Beyond the curve's own: elements that are whole, or none and a stiffness to make them of."""
        yield from super().inconsistencies(at)
        if len(self.alpha) != len(self.k):
            remedy = "one share and one stiffness an element, or neither list, and s0"
            yield Problem(f"{at}.alpha", f"{len(self.alpha)} values", f"k has {len(self.k)}", remedy)
        elif not self.alpha:
            if self.s0 is None:
                yield Problem(f"{at}.s0", UNSET, "is required", "unless alpha and k list the elements")
        elif self.s0 is not None:
            yield Problem(f"{at}.s0", self.s0, "k says the stiffnesses already", "leave out s0, or alpha and k")
        total = math.fsum(self.alpha)
        if self.alpha and abs(total - 1) > SUM_ERROR:
            yield Problem(f"{at}.alpha", self.alpha, f"must add up to 1, not {total:.10g}", "divide each by their sum")


@jit(inline=True)
def rt_advance(p: Any, z: Any, v: float, dt: float) -> None:
    """Every element after dt at constant v, exactly."""
    if not math.isfinite(v):
        return
    if v == 0.0:
        for i in range(ELEMENTS):
            z[SLIP + i] = 0.0
        return
    way, speed = math.copysign(1.0, v), abs(v)
    level = rt_level(p, 0, speed)
    travel, keep = speed * dt, math.exp(-p[C] / level * dt)
    total = 0.0
    for i in range(ELEMENTS):
        if p[K + i] == 0.0:
            break
        limit = p[ALPHA + i] * level
        force = way * z[F + i]  # towards the motion
        if z[SLIP + i] == way or force >= limit:
            z[SLIP + i] = way
            force = limit + (force - limit) * keep
        else:
            force += p[K + i] * travel
            z[SLIP + i] = 0.0
            if force >= limit:  # it yields on the way, and then is where slipping leads to
                z[SLIP + i] = way
                force = limit
        z[F + i] = way * force
        total += force
    z[TOTAL] = way * total


@jit(inline=True)
def rt_force(p: Any, z: Any, v: float) -> float:
    """The force of a state and a speed."""
    if not math.isfinite(v):
        return math.nan
    force: float = z[TOTAL] + p[SIGMA] * v
    return force


MODELS = (
    Model(
        "gms", 13, Kind.BRISTLES, Gms, "springs side by side that slip one after another: reversals are remembered",
        rt_slip_alike, advance=rt_advance, force=rt_force, states=1 + 2 * ELEMENTS,
        typical={**TYPICAL, "s0": 1e8},
    ),
)  # fmt: skip
