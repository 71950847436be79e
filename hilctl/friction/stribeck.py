"""Static friction with Stribeck's falling branch, the curve that most other models share.

    f(v) = g(|v|) sgn v + sigma v,    g(s) = fc + (fs - fc) exp(-(s/vs)^delta)

Friction is the force that resists motion: it has the sign of v. It carries the viscous part sigma v, so the machine's B
counts only the additional viscous part. Either direction may have a set of its own.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.friction.directions import both, rt_side
from hilctl.friction.levels import refuse_low_breakaway
from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Params, Problem, note, number
from hilctl.rt.jit import jit

# The first words of the packed parameters of every model with this curve.
FC, FS, VS, SIGMA, DELTA = range(5)
NAMES = ("fc", "fs", "vs", "sigma", "delta")
WIDTH = len(NAMES)

# The reference rig's: as measured with triangles from 0.001 to 0.8 m/s on a hydraulic shaking table.
TYPICAL = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}


class Curve(Law, kw_only=True):
    """The sliding curve: what steady motion feels, whichever model gives it."""

    fc: Annotated[float, number(0, 1e7, "N", "Coulomb friction: the sliding level at high speed, without sigma v")]
    fs: Annotated[float, number(0, 1e7, "N", "static friction: the level at breakaway, at least fc")]
    vs: Annotated[float, number(1e-5, 10, "m/s", "Stribeck speed, over which friction falls from fs to fc")]
    sigma: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")]
    delta: Annotated[float, number(0.3, 4, "", "shape of the falling branch, 2 is Gaussian")] = 2.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway cannot take less than sliding."""
        if self.fs < self.fc:
            yield Problem(f"{at}.fs", self.fs, f"must be at least fc = {self.fc:g} N")


class Negative(Params, kw_only=True):
    """The curve in the negative direction, where it differs."""

    fc: Annotated[float | None, number(0, 1e7, "N", "Coulomb friction in the negative direction")] = None
    fs: Annotated[float | None, number(0, 1e7, "N", "static friction in the negative direction")] = None
    vs: Annotated[float | None, number(1e-5, 10, "m/s", "Stribeck speed in the negative direction")] = None
    sigma: Annotated[float | None, number(0, 1e7, "N·s/m", "viscous slope in the negative direction")] = None
    delta: Annotated[float | None, number(0.3, 4, "", "shape of the branch in the negative direction")] = None


class TwoCurves(Curve, kw_only=True):
    """A curve for either direction."""

    negative: Negative = Negative()

    def words(self) -> list[float]:
        """Both directions."""
        return both(self, NAMES)

    @property
    def jump(self) -> float:
        """From one direction's breakaway to the other's."""
        words = both(self, NAMES)
        return words[FS] + words[WIDTH + FS]

    @property
    def viscous(self) -> float:
        """The smaller of the two slopes."""
        other = self.negative.sigma
        return self.sigma if other is None else min(self.sigma, other)

    @property
    def damping(self) -> float:
        """The viscous part."""
        words = both(self, NAMES)
        return 0.5 * (words[SIGMA] + words[WIDTH + SIGMA])

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway cannot take less than sliding, in either direction."""
        yield from refuse_low_breakaway(self, at, "fs", "fc", "N")


class Stribeck(TwoCurves, kw_only=True):
    """Static: a function of the speed alone, with a jump at v = 0."""

    model: Annotated[Literal["stribeck"], note("name of the model")] = "stribeck"


@jit()
def rt_level(p: Any, at: int, speed: float) -> float:
    """g at a speed that is not negative; the curve's words begin at `at`."""
    ratio = speed / p[at + VS]
    delta = p[at + DELTA]
    if delta == 2.0:
        shape = ratio * ratio
    elif delta == 1.0:
        shape = ratio
    else:
        shape = ratio**delta
    level: float = p[at + FC] + (p[at + FS] - p[at + FC]) * math.exp(-shape)
    return level


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Friction of sliding in a direction, continued smoothly to where v has just left it."""
    at = rt_side(direction, WIDTH)
    viscous: float = p[at + SIGMA] * v
    return direction * rt_level(p, at, abs(v)) + viscous


@jit()
def rt_hold(p: Any, direction: float) -> float:
    """What holds the mass at rest against a push in this direction."""
    force: float = p[rt_side(direction, WIDTH) + FS]
    return force


MODELS = (
    Model(
        "stribeck", 0, Kind.JUMPS, Stribeck, "static friction that falls with the speed",
        rt_slip, hold=rt_hold, typical=TYPICAL,
    ),
)  # fmt: skip
