"""Armstrong's seven parameters: a spring that breaks away, sliding that remembers its speed and its last rest.

(B. Armstrong-Hélouvry, P. Dupont, C. Canudas de Wit: A survey of models, analysis tools and compensation methods for
the control of machines with friction, Automatica 30, 1994.)

    sticking   F = kt x                                               x from where nothing is bent
    sliding    F = {fc + fv |v| + dFs / [1 + (v(t - tauL)/vs)^2]} sgn v
    dFs = dfsa + (dfsinf - dfsa) t2 / (t2 + gamma)                    over fc, not over dfsa; t2: time of the last stick

The law does not say when it changes over. Here:

- It breaks away when the spring, pulled on in the direction of v, reaches fc + dFs(t2), with t2 still growing. Under a
  held v that is a quadratic for the instant. The force goes on from there, but for fv |v| and for what v(t - tauL) has
  already taken off; both vanish with the speed of breaking away.
- It sticks when v becomes zero or changes its sign, with the spring bent to the force without fv v of that instant,
  so that the force does not jump, and with t2 = 0. A stop without reversal forgets the dwell before: where the spring
  then holds more than the new break-away, the next motion lets go of it at once.

Passive: a slide ends with its spring bent by at most the fc + dFs with which it began, and while sliding F v >= 0.
Sliding lets go at the level itself and not at what sliding then takes, or a lag could give energy away. Limits: no
hysteresis while it sticks, so no damping either; a slide at steady speed keeps the dFs of its last stick,
hence `slip`, the steady curve, is that of a motion that hardly paused (t2 = 0).

No step can diverge: everything under a held v is in closed form. tauL = 0 is no memory: a slide then ends at v = 0,
whatever the speed held before was.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.friction.delay import GRID, ROOM, rt_delayed, rt_remember
from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Problem, note, number
from hilctl.rt.jit import jit

FC, FV, DFSA, DFSINF, VS, GAMMA, TAUL, KT = range(8)
WAY, SPRING, DWELL, PAST = range(4)  # of sliding (0: it sticks); force of the spring; t2; v(t - tauL) of a slide

SHORTEST_S = 1e-6  # a memory that is shorter is none


class Armstrong(Law, kw_only=True):
    """A spring that breaks away, and sliding with memory."""

    model: Annotated[Literal["armstrong"], note("name of the model")] = "armstrong"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the sliding level at high speed, without fv v")]
    fv: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")] = 0.0
    dfsa: Annotated[float, number(0, 1e7, "N", "static friction over fc after a stick of no duration")]
    dfsinf: Annotated[float, number(0, 1e7, "N", "static friction over fc after a long rest, at least dfsa")]
    vs: Annotated[float, number(1e-5, 10, "m/s", "Stribeck speed, at which half of the static excess is left")]
    gamma: Annotated[float, number(1e-6, 1e6, "s", "rest after which the excess is half-way from dfsa to dfsinf")]
    tauL: Annotated[float, number(0, 0.05, "s", "frictional memory: sliding depends on the speed this long ago")] = 0.0
    kt: Annotated[float, number(1e3, 1e12, "N/m", "stiffness while stuck")]

    def words(self) -> list[float]:
        """In the order of the compiled law."""
        return [self.fc, self.fv, self.dfsa, self.dfsinf, self.vs, self.gamma, self.tauL, self.kt]

    @property
    def viscous(self) -> float:
        """The viscous part."""
        return self.fv

    @property
    def reach(self) -> float:
        """Of the bristles."""
        return (self.fc + self.dfsinf) / self.kt

    @property
    def spring(self) -> float:
        """While it sticks."""
        return self.kt

    @property
    def damping(self) -> float:
        """None while it sticks."""
        return 0.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Static friction rises with the time of rest; a memory has a length that can be kept."""
        if self.dfsinf < self.dfsa:
            limit = f"must be at least dfsa = {self.dfsa:g} N: static friction rises with the time of rest"
            yield Problem(f"{at}.dfsinf", self.dfsinf, limit)
        if 0 < self.tauL < SHORTEST_S:
            yield Problem(f"{at}.tauL", self.tauL, f"must be 0 or at least {SHORTEST_S:g} s", "0 is no memory")


@jit()
def rt_static(p: Any, dwell: float) -> float:
    """dFs after a stick of this duration."""
    static: float = p[DFSA] + (p[DFSINF] - p[DFSA]) * dwell / (dwell + p[GAMMA])
    return static


@jit()
def rt_sliding(p: Any, static: float, v: float) -> float:
    """What sliding takes at a past speed v, without fv v."""
    ratio = v / p[VS]
    level: float = p[FC] + static / (1.0 + ratio * ratio)
    return level


@jit()
def rt_until_it_breaks(p: Any, pulled: float, rate: float, dwell: float) -> float:
    """The time until a spring pulled with so many N/s reaches fc + dFs, both growing.

    rate t - rise t = missing for the chord `rise` of dFs from now to then, times (dwell + gamma + t): a quadratic.
    """
    missing = p[FC] + rt_static(p, dwell) - pulled
    if missing <= 0.0:
        return 0.0
    age = dwell + p[GAMMA]
    b = rate * age - (p[DFSINF] - p[DFSA]) * p[GAMMA] / age - missing
    root = math.sqrt(b * b + 4.0 * rate * missing * age)
    until: float = 2.0 * missing * age / (b + root) if b > 0.0 else 0.5 * (root - b) / rate
    return until


@jit()
def rt_stick(p: Any, z: Any, v: float, dt: float) -> None:
    """A step that begins in a stick, until it breaks away."""
    way, rate = math.copysign(1.0, v), p[KT] * abs(v)
    free = rt_until_it_breaks(p, way * z[SPRING], rate, z[DWELL]) if rate > 0.0 else math.inf
    if free < dt:
        z[WAY] = way
        z[DWELL] += free
        z[SPRING] = way * (p[FC] + rt_static(p, z[DWELL]))
    else:
        z[SPRING] += p[KT] * (v * dt)
        z[DWELL] += dt


@jit(inline=True)
def rt_advance(p: Any, z: Any, v: float, dt: float) -> None:
    """The state after dt at constant v."""
    if not math.isfinite(v):
        return
    if z[WAY] * v <= 0.0:
        if z[WAY] != 0.0:
            z[SPRING] = z[WAY] * rt_sliding(p, rt_static(p, z[DWELL]), z[PAST])
            z[WAY] = z[DWELL] = 0.0
        rt_stick(p, z, v, dt)
    if p[TAUL] > 0.0:
        rt_remember(z, v, dt, p[TAUL])
        if z[WAY] != 0.0:
            z[PAST] = rt_delayed(z, p[TAUL])


@jit(inline=True)
def rt_force(p: Any, z: Any, v: float) -> float:
    """The force of a state and a speed."""
    if not math.isfinite(v):
        return math.nan
    if z[WAY] == 0.0:
        held: float = z[SPRING]
        return held
    past = z[PAST] if p[TAUL] > 0.0 else v
    slides: float = z[WAY] * rt_sliding(p, rt_static(p, z[DWELL]), past) + p[FV] * v
    return slides


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Steady sliding that hardly paused."""
    force: float = direction * rt_sliding(p, p[DFSA], v) + p[FV] * v
    return force


MODELS = (
    Model(
        "armstrong", 9, Kind.BRISTLES, Armstrong, "a spring that breaks away, by the time of rest and with a memory",
        rt_slip, advance=rt_advance, force=rt_force, states=GRID + ROOM,
        typical={
            "fc": 287.0, "fv": 3251.0, "dfsa": 1500.0, "dfsinf": 2831.0, "vs": 0.115, "gamma": 1.0, "tauL": 0.005,
            "kt": 1e8,
        },
    ),
)  # fmt: skip
