"""Static, Coulomb and viscous friction together: the classical law.

    f = fc sgn v + fv |v|^dv sgn v          at v = 0 equal to the applied force, up to fs

Passive: f v = fc |v| + fv |v|^(dv+1). The force falls from fs to fc in one jump at breakaway, where Stribeck's curve
falls over some mm/s: a mass pulled through a spring goes in jerks at every speed below some limit. What is held at rest
cannot be known from v: the caller of the law writes the applied force to z[0].
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.friction.directions import both, rt_side
from hilctl.friction.karnopp import APPLIED
from hilctl.friction.levels import refuse_low_breakaway
from hilctl.friction.model import Kind, Law, Model
from hilctl.friction.viscous import greatest_slope, least_slope, rt_power, slope_at_zero
from hilctl.params import Params, Problem, note, number
from hilctl.rt.jit import jit

FC, FS, FV, DV = range(4)
NAMES = ("fc", "fs", "fv", "dv")
WIDTH = len(NAMES)


class Negative(Params, kw_only=True):
    """The negative direction, where it differs."""

    fc: Annotated[float | None, number(0, 1e7, "N", "Coulomb friction in the negative direction")] = None
    fs: Annotated[float | None, number(0, 1e7, "N", "static friction in the negative direction")] = None
    fv: Annotated[float | None, number(0, 1e7, "N·(s/m)^dv", "viscous force at 1 m/s in the negative direction")] = None
    dv: Annotated[float | None, number(0.1, 3, "", "exponent of the speed in the negative direction")] = None


class Static(Law, kw_only=True):
    """One level at rest, a lower one in motion, and a power of the speed."""

    model: Annotated[Literal["static"], note("name of the model")] = "static"
    fc: Annotated[float, number(0, 1e7, "N", "Coulomb friction: the sliding level, without the viscous part")]
    fs: Annotated[float, number(0, 1e7, "N", "static friction: the most that is held at rest, at least fc")]
    fv: Annotated[float, number(0, 1e7, "N·(s/m)^dv", "viscous force at 1 m/s; the machine's B must not repeat it")] = 0
    dv: Annotated[float, number(0.1, 3, "", "exponent of the speed in the viscous part; 1 is a dashpot")] = 1.0
    negative: Negative = Negative()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, NAMES)

    @property
    def jump(self) -> float:
        """From one direction's sliding level to the other's."""
        return self.words()[FC] + self.words()[WIDTH + FC]

    def _powers(self) -> list[float]:
        words = self.words()
        return [*words[FV:WIDTH], *words[WIDTH + FV :]]

    @property
    def viscous(self) -> float:
        """The slope at 1 m/s, of the chord or of the tangent, the smaller; and of the directions the smaller."""
        return least_slope(self._powers())

    @property
    def steepest(self) -> float:
        """The greatest slope between the slowest and the fastest speed of a table."""
        return greatest_slope(self._powers())

    @property
    def damping(self) -> float:
        """The slope at v = 0, where nothing is held."""
        return slope_at_zero(self._powers())

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway cannot take less than sliding, in either direction."""
        yield from refuse_low_breakaway(self, at, "fs", "fc", "N")


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Friction of sliding in a direction, continued to where v has just left it."""
    at = rt_side(direction, WIDTH)
    force: float = direction * p[at + FC] + rt_power(p[at + FV], p[at + DV], direction, v)
    return force


@jit()
def rt_hold(p: Any, direction: float) -> float:
    """What holds the mass at rest against a push in this direction."""
    force: float = p[rt_side(direction, WIDTH) + FS]
    return force


@jit()
def rt_static(p: Any, z: Any, v: float, dt: float) -> float:
    """The law; z[0] is the caller's applied force, not changed here."""
    if v == 0.0:
        held: float = min(max(z[APPLIED], -rt_hold(p, -1.0)), rt_hold(p, 1.0))
        return held
    return rt_slip(p, math.copysign(1.0, v), v)


MODELS = (
    Model(
        "static", 5, Kind.JUMPS, Static, "one level at rest, a lower one in motion, and a power of the speed",
        rt_slip, hold=rt_hold, law=rt_static, states=1, typical={"fc": 287.0, "fs": 3118.0, "fv": 3251.0, "dv": 1.0},
    ),
)  # fmt: skip
