"""Coulomb friction: one level at every speed.

    f = fc sgn v             at v = 0 equal to the applied force, up to fc

Passive: f v = fc |v|. It has no falling branch, so nothing creeps jerkily under it, and nothing that moves slowly is
damped by it. What it holds at rest cannot be known from v: the caller of the law writes the applied force to z[0].
"""

import math
from typing import Annotated, Any, Literal

from hilctl.friction.directions import both, rt_side
from hilctl.friction.karnopp import APPLIED
from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Params, note, number
from hilctl.rt.jit import jit

NAMES = ("fc",)
WIDTH = len(NAMES)


class Negative(Params, kw_only=True):
    """The negative direction, where it differs."""

    fc: Annotated[float | None, number(0, 1e7, "N", "Coulomb friction in the negative direction")] = None


class Coulomb(Law, kw_only=True):
    """A constant force against the motion."""

    model: Annotated[Literal["coulomb"], note("name of the model")] = "coulomb"
    fc: Annotated[float, number(0, 1e7, "N", "Coulomb friction: the force at any speed, and the most held at rest")]
    negative: Negative = Negative()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, NAMES)

    @property
    def jump(self) -> float:
        """From one direction's level to the other's."""
        return sum(self.words())


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Friction of sliding in a direction."""
    force: float = direction * p[rt_side(direction, WIDTH)] + 0.0 * v  # no number where v is none
    return force


@jit()
def rt_hold(p: Any, direction: float) -> float:
    """What holds the mass at rest against a push in this direction."""
    force: float = p[rt_side(direction, WIDTH)]
    return force


@jit()
def rt_coulomb(p: Any, z: Any, v: float, dt: float) -> float:
    """The law; z[0] is the caller's applied force, not changed here."""
    if v == 0.0:
        held: float = min(max(z[APPLIED], -rt_hold(p, -1.0)), rt_hold(p, 1.0))
        return held
    return rt_slip(p, math.copysign(1.0, v), v)


MODELS = (
    Model(
        "coulomb", 3, Kind.JUMPS, Coulomb, "a constant force against the motion",
        rt_slip, hold=rt_hold, law=rt_coulomb, states=1, typical={"fc": 287.0},
    ),
)  # fmt: skip
