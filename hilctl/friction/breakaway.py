"""Breakaway friction as Simscape has it, translational and rotational: smooth, with its peak at a given speed.

    f = sqrt(2 e) (fbrk - fc) exp(-(v/vst)^2) v/vst + fc tanh(v/vcoul) + sigma v
        vst = sqrt(2) vbrk,  vcoul = vbrk/10

The first part, Stribeck's, is greatest at vst/sqrt(2) = vbrk, and is fbrk - fc there: so f(vbrk) = fbrk + sigma vbrk,
less 4e-9 fc. Passive while fbrk >= fc: every part has the sign of v. Nothing sticks; a mass under a constant push below
fbrk creeps, at less than vbrk. The slope is greatest at v = 0, sqrt(e) (fbrk - fc)/vbrk + 10 fc/vbrk + sigma, which
limits the time step of its integration. Simscape calls sigma f. The rotational law is the same function in other
units.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.friction.directions import both, rt_side
from hilctl.friction.levels import refuse_low_breakaway
from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Params, Problem, note, number
from hilctl.rt.jit import jit

BRK, C, VBRK, SIGMA = range(4)
WIDTH = 4
STRIBECK_SHARE = math.sqrt(2.0)  # vst / vbrk
COULOMB_SHARE = 0.1  # vcoul / vbrk
NORM = math.sqrt(2.0 * math.e)  # makes the greatest value of exp(-x²) x one

TRANSLATION = ("fbrk", "fc", "vbrk", "sigma")
ROTATION = ("tbrk", "tc", "wbrk", "sigma")


class Negative(Params, kw_only=True):
    """The negative direction, where it differs."""

    fbrk: Annotated[float | None, number(0, 1e7, "N", "breakaway force in the negative direction")] = None
    fc: Annotated[float | None, number(0, 1e7, "N", "Coulomb friction in the negative direction")] = None
    vbrk: Annotated[float | None, number(1e-6, 10, "m/s", "breakaway speed in the negative direction")] = None
    sigma: Annotated[float | None, number(0, 1e7, "N·s/m", "viscous slope in the negative direction")] = None


class Peaked(Law, kw_only=True):
    """What both have in common: their slopes."""

    @property
    def viscous(self) -> float:
        """The smaller of the two slopes."""
        return min(self.words()[SIGMA::WIDTH])

    @property
    def steepest(self) -> float:
        """The slope at v = 0."""
        return max(slopes_at_zero(self.words()))

    @property
    def damping(self) -> float:
        """The slope at v = 0."""
        return 0.5 * sum(slopes_at_zero(self.words()))


class Breakaway(Peaked, kw_only=True):
    """A smooth law whose peak, the breakaway force, lies at a given speed."""

    model: Annotated[Literal["breakaway"], note("name of the model")] = "breakaway"
    fbrk: Annotated[float, number(0, 1e7, "N", "breakaway force: the peak, without sigma v; at least fc")]
    fc: Annotated[float, number(0, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    vbrk: Annotated[float, number(1e-6, 10, "m/s", "breakaway speed: where the peak is")]
    sigma: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")] = 0.0
    negative: Negative = Negative()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, TRANSLATION)

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway cannot take less than sliding, in either direction."""
        yield from refuse_low_breakaway(self, at, "fbrk", "fc", "N")


class NegativeRotation(Params, kw_only=True):
    """The negative direction, where it differs."""

    tbrk: Annotated[float | None, number(0, 1e7, "N·m", "breakaway torque in the negative direction")] = None
    tc: Annotated[float | None, number(0, 1e7, "N·m", "Coulomb friction in the negative direction")] = None
    wbrk: Annotated[float | None, number(1e-6, 1000, "rad/s", "breakaway speed in the negative direction")] = None
    sigma: Annotated[float | None, number(0, 1e7, "N·m·s/rad", "viscous slope in the negative direction")] = None


class BreakawayRotation(Peaked, kw_only=True):
    """The same for a joint."""

    model: Annotated[Literal["breakaway-rotational"], note("name of the model")] = "breakaway-rotational"
    tbrk: Annotated[float, number(0, 1e7, "N·m", "breakaway torque: the peak, without sigma w; at least tc")]
    tc: Annotated[float, number(0, 1e7, "N·m", "Coulomb friction: the level at high speed, without sigma w")]
    wbrk: Annotated[float, number(1e-6, 1000, "rad/s", "breakaway speed: where the peak is")]
    sigma: Annotated[float, number(0, 1e7, "N·m·s/rad", "viscous slope")] = 0.0
    negative: NegativeRotation = NegativeRotation()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, ROTATION)

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway cannot take less than turning, in either direction."""
        yield from refuse_low_breakaway(self, at, "tbrk", "tc", "N·m")


def slopes_at_zero(words: list[float]) -> list[float]:
    """Of both directions. Nowhere else is a part of the law as steep, be it up or down."""
    return [
        NORM * (brk - c) / (STRIBECK_SHARE * v) + c / (COULOMB_SHARE * v) + sigma
        for brk, c, v, sigma in (words[:WIDTH], words[WIDTH:])
    ]


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """The law; it needs no direction."""
    at = rt_side(v, WIDTH)
    x = v / (STRIBECK_SHARE * p[at + VBRK])
    stribeck = NORM * (p[at + BRK] - p[at + C]) * math.exp(-x * x) * x  # no number at an infinite speed
    force: float = stribeck + p[at + C] * math.tanh(v / (COULOMB_SHARE * p[at + VBRK])) + p[at + SIGMA] * v
    return force


MODELS = (
    Model(
        "breakaway", 7, Kind.SMOOTH, Breakaway, "smooth, with its peak at a given speed; nothing sticks",
        rt_slip, typical={"fbrk": 3118.0, "fc": 287.0, "vbrk": 0.01, "sigma": 3251.0},
    ),
    Model(
        "breakaway-rotational", 8, Kind.SMOOTH, BreakawayRotation, "the same for a joint: a torque over its speed",
        rt_slip, typical={"tbrk": 50.0, "tc": 20.0, "wbrk": 0.2, "sigma": 0.1}, rotary=True,
    ),
)  # fmt: skip
