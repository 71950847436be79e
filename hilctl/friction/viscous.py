"""Viscous friction with an exponent.

    f = fv |v|^dv sgn v              dv = 1: a dashpot; 2: a choke; below 1: a film that shears more easily the faster

fv is the force at 1 m/s. Passive: f v = fv |v|^(dv+1). Nothing is held at rest.

The law does not jump, and yet its kind is the one that does, with nothing to hold. For dv < 1 the slope has no limit at
v = 0: the law brings a mass to rest in a finite time, and a step across zero would throw it to the other side, again
and again. Of this kind the twin ends its step where v = 0 and begins another there, with one sign of friction
throughout; where friction is too steep for the step even so, below some µm/s at the most, the mass stands still.
"""

import math
from typing import Annotated, Any, Literal

from hilctl.friction.directions import both, rt_side
from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Params, note, number
from hilctl.rt.jit import jit

FV, DV = range(2)
NAMES = ("fv", "dv")
WIDTH = len(NAMES)

FASTEST_M_S = 20.0  # what a rig file may ask for at most
SLOWEST_M_S = 1e-3  # that the paper measures; a slope that grows without bound below it is no reason to refuse


class Negative(Params, kw_only=True):
    """The negative direction, where it differs."""

    fv: Annotated[float | None, number(0, 1e7, "N·(s/m)^dv", "force at 1 m/s in the negative direction")] = None
    dv: Annotated[float | None, number(0.1, 3, "", "exponent of the speed in the negative direction")] = None


class Viscous(Law, kw_only=True):
    """A power of the speed."""

    model: Annotated[Literal["viscous"], note("name of the model")] = "viscous"
    fv: Annotated[float, number(0, 1e7, "N·(s/m)^dv", "force at 1 m/s; the machine's B must not repeat it")]
    dv: Annotated[float, number(0.1, 3, "", "exponent of the speed; 1 is a dashpot")] = 1.0
    negative: Negative = Negative()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, NAMES)

    @property
    def viscous(self) -> float:
        """The slope at 1 m/s, of the chord or of the tangent, the smaller; and of the directions the smaller."""
        return least_slope(self.words())

    @property
    def steepest(self) -> float:
        """The greatest slope between the slowest and the fastest speed of a table."""
        return greatest_slope(self.words())

    @property
    def damping(self) -> float:
        """The slope at v = 0; infinite below dv = 1."""
        return slope_at_zero(self.words())


def slope_at_zero(words: list[float]) -> float:
    """Of both directions the mean; the words are those of the power in either."""
    pairs = zip(words[FV::WIDTH], words[DV::WIDTH], strict=True)
    return 0.5 * sum(0.0 if fv == 0.0 or dv > 1 else fv if dv == 1 else math.inf for fv, dv in pairs)


def least_slope(words: list[float]) -> float:
    """At 1 m/s; the words are those of the power in either direction."""
    return min(fv * min(dv, 1.0) for fv, dv in zip(words[FV::WIDTH], words[DV::WIDTH], strict=True))


def greatest_slope(words: list[float]) -> float:
    """Over all speeds of a table; the words are those of the power in either direction."""
    pairs = zip(words[FV::WIDTH], words[DV::WIDTH], strict=True)
    slopes = [fv * dv * (SLOWEST_M_S if dv < 1 else FASTEST_M_S) ** (dv - 1) for fv, dv in pairs]
    return float(max(slopes))


@jit()
def rt_power(fv: float, dv: float, direction: float, v: float) -> float:
    """The force. From dv = 1 on its slope is finite at v = 0, and it goes through there by itself."""
    if dv == 1.0:
        force = fv * v
    elif dv > 1.0:
        force = fv * abs(v) ** (dv - 1.0) * v
    else:
        force = direction * fv * abs(v) ** dv
    return force + 0.0 * v  # no number where v is none


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Friction of moving in a direction, continued to where v has just left it."""
    at = rt_side(direction, WIDTH)
    return rt_power(p[at + FV], p[at + DV], direction, v)


@jit()
def rt_hold(p: Any, direction: float) -> float:
    """Nothing."""
    return 0.0


MODELS = (
    Model(
        "viscous", 4, Kind.JUMPS, Viscous, "a power of the speed",
        rt_slip, hold=rt_hold, typical={"fv": 3251.0, "dv": 1.0},
    ),
)  # fmt: skip
