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

The directions may differ. The curve is that of the motion; the stiffness is that of the side to which an element is
bent, ki for Fi > 0 and `ratio` ki for Fi < 0, so that it gives back what it holds, Fi²/2 over that stiffness. All
elements share the ratio: an element then yields at alpha_i g-/(ratio ki) in negative motion. The step is split where Fi
is zero, and remains exact. With fs = fc in each direction it is passive always, whatever the ratio.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import UNSET

from hilctl.friction.directions import rt_side
from hilctl.friction.model import Kind, Model
from hilctl.friction.stribeck import FS, SIGMA, TYPICAL, WIDTH, Negative, TwoCurves, rt_level, rt_slip
from hilctl.params import Problem, note, number, numbers, whole
from hilctl.rt.jit import jit

ELEMENTS = 10  # at most
C = 2 * WIDTH
ALPHA, K = C + 1, C + 1 + ELEMENTS  # words of p; the first stiffness that is zero ends the elements
RATIO = K + ELEMENTS  # of the stiffness of an element bent to the negative side, over ki
TOTAL, F, SLIP = 0, 1, 1 + ELEMENTS  # words of z: sum Fi, each Fi, and the way in which each slips, 0 while it sticks
FIRST, LAST = 0.35, 3.5  # the preset's yields in fs/s0, before they are scaled so that its stiffnesses add up to s0
SUM_ERROR = 1e-9  # of the shares: far more than ten of them round, far less than a friction that one would notice


class GmsNegative(Negative, kw_only=True):
    """Curve and elements in the negative direction, where they differ."""

    fc: Annotated[float | None, number(1e-3, 1e7, "N", "Coulomb friction in the negative direction")] = None
    s0: Annotated[
        float | None, number(1e3, 1e12, "N/m", "total stiffness of elements bent to the negative side, each its share")
    ] = None


class Gms(TwoCurves, kw_only=True):
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
    negative: GmsNegative = GmsNegative()

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

    @property
    def ratio(self) -> float:
        """Of the stiffness of the negative side to that of the positive."""
        own = self.negative.s0
        return 1.0 if own is None else own / math.fsum(self.stiffnesses())

    def words(self) -> list[float]:
        """The curves, the attraction, and the elements."""
        rest = [0.0] * (ELEMENTS - len(self.shares()))
        return [*super().words(), self.C, *self.shares(), *rest, *self.stiffnesses(), *rest, self.ratio]

    @property
    def jump(self) -> float:
        """None: the elements bend."""
        return 0.0

    @property
    def reach(self) -> float:
        """Of the bristles, on the side where it is longer."""
        p, stiffness = super().words(), math.fsum(self.stiffnesses())
        return max(p[FS] / stiffness, p[WIDTH + FS] / (self.ratio * stiffness))

    @property
    def last_yield(self) -> float:
        """The travel after which the softest element yields, on the side where it is longer, in m."""
        p, elements = super().words(), zip(self.shares(), self.stiffnesses(), strict=True)
        softness = max(share / k for share, k in elements)
        return softness * max(p[FS], p[WIDTH + FS] / self.ratio)

    @property
    def spring(self) -> float:
        """The elements, while all of them stick, on the stiffer side."""
        return max(1.0, self.ratio) * math.fsum(self.stiffnesses())

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
    level = rt_level(p, rt_side(v, WIDTH), speed)
    travel, keep = speed * dt, math.exp(-p[C] / level * dt)
    onward = travel if v > 0.0 else travel * p[RATIO]  # over ki: of an element bent towards the motion
    back = travel * p[RATIO] if v > 0.0 else travel
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
            if force >= 0.0:
                force += p[K + i] * onward
            else:
                force += p[K + i] * back
                if force > 0.0:  # it was straight on the way
                    force *= onward / back
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
    force: float = z[TOTAL] + p[rt_side(v, WIDTH) + SIGMA] * v
    return force


MODELS = (
    Model(
        "gms", 13, Kind.BRISTLES, Gms, "springs side by side that slip one after another: reversals are remembered",
        rt_slip, advance=rt_advance, force=rt_force, states=1 + 2 * ELEMENTS,
        typical={**TYPICAL, "s0": 1e8},
    ),
)  # fmt: skip
