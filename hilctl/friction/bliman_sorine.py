"""Bliman–Sorine: friction as a linear system in the path (P.-A. Bliman and M. Sorine, 1991 and 1995).

Along the path s, ds = |v| dt, with the direction w = sgn v as its input:

    second order    x1' = (f1 w - x1) / (eta eps),   x2' = (-f2 w - x2) / eps,   F = x1 + x2 + sigma v
    first order     x1' = (fc w - x1) / eps,                                     F = x1 + sigma v

Two springs in parallel, the fast one braking and the slow one helping: F overshoots, then settles at fc = f1 - f2.
While v keeps its sign each x approaches its end exponentially, so every step with v held is exact and none diverges:

    x += (end - x) (1 - exp(-|v| dt / length)).

From rest with nothing bent F = f1 (1 - exp(-s/(eta eps))) - f2 (1 - exp(-s/eps)), which is greatest after

    s_p = eta eps / (1 - eta) ln(f1 / (eta f2)):     F_p = fc + e,   e = f2 (1 - eta) (eta f2 / f1)^(eta / (1 - eta))

and from steady sliding the other way it is fc + 2 e at the same s_p: there both springs begin bent. At rest the
stiffness is (f1/eta - f2) / eps, of the first order fc / eps.

The force depends on the path only: the peak is passed at every reversal at the same distance at every speed, so a
Stribeck curve over the speed, dwell time and rates of loading do not show. The first order is Dahl's with alpha = 1.
Passive: the real part of f1/(1 + i eta q) - f2/(1 + i q) is positive at every q for f1 > f2 and eta < 1, so the
system takes energy from every course of w. Limit: it drifts under a biased vibration.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from hilctl.friction.model import Kind, Law, Model
from hilctl.params import Problem, note, number
from hilctl.rt.jit import jit

# First order: the level, and how far it takes. Second order: both levels, and how far either takes.
SIGMA, F1, LENGTH1, F2, LENGTH2 = range(5)
X1, X2 = range(2)  # words of the state, in N


class FirstOrder(Law, kw_only=True):
    """One exponential approach to the Coulomb level."""

    model: Annotated[Literal["bliman-sorine-1"], note("name of the model")] = "bliman-sorine-1"
    fc: Annotated[float, number(1e-3, 1e7, "N", "Coulomb friction: the level that sliding tends to")]
    sigma: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")] = 0.0
    eps: Annotated[float, number(1e-9, 1, "m", "path over which the force approaches fc; fc/eps is the stiffness")]

    def words(self) -> list[float]:
        """In the order of the compiled law."""
        return [self.sigma, self.fc, self.eps]

    @property
    def reach(self) -> float:
        """Of the slowest spring."""
        return self.eps

    @property
    def spring(self) -> float:
        """At rest with nothing bent."""
        return self.fc / self.eps

    @property
    def damping(self) -> float:
        """Only the viscous part."""
        return self.sigma


class SecondOrder(Law, kw_only=True):
    """A fast spring that brakes and a slow one that helps: a peak at break-away."""

    model: Annotated[Literal["bliman-sorine-2"], note("name of the model")] = "bliman-sorine-2"
    f1: Annotated[float, number(1e-3, 1e7, "N", "level of the fast spring")]
    f2: Annotated[float, number(0, 1e7, "N", "level of the slow spring; f1 - f2 is what sliding tends to")]
    sigma: Annotated[float, number(0, 1e7, "N·s/m", "viscous slope; the machine's B must not repeat it")] = 0.0
    eta: Annotated[float, number(1e-3, 0.999, "", "how much shorter the fast spring's path is")]
    eps: Annotated[float, number(1e-9, 1, "m", "path of the slow spring; eta eps is the fast one's")]

    def words(self) -> list[float]:
        """In the order of the compiled law."""
        return [self.sigma, self.f1, self.eta * self.eps, self.f2, self.eps]

    @property
    def fc(self) -> float:
        """What sliding tends to."""
        return self.f1 - self.f2

    @property
    def peak(self) -> float:
        """The greatest force on the way from rest with nothing bent; fc without a slow spring."""
        return self.fc + excess(self.f1, self.f2, self.eta)

    @property
    def peak_after_reversal(self) -> float:
        """The greatest force after steady sliding the other way."""
        return self.fc + 2 * excess(self.f1, self.f2, self.eta)

    @property
    def peak_path(self) -> float:
        """How far either peak lies from where the motion begins, in m."""
        if self.f2 == 0:
            return math.inf
        return self.eta * self.eps / (1 - self.eta) * math.log(self.f1 / (self.eta * self.f2))

    @property
    def reach(self) -> float:
        """Of the slowest spring."""
        return self.eps

    @property
    def spring(self) -> float:
        """At rest with nothing bent."""
        return (self.f1 / self.eta - self.f2) / self.eps

    @property
    def damping(self) -> float:
        """Only the viscous part."""
        return self.sigma

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Sliding must brake."""
        if self.f1 <= self.f2:
            yield Problem(f"{at}.f1", self.f1, f"must be greater than f2 = {self.f2:g} N: sliding tends to f1 - f2")


def excess(f1: float, f2: float, eta: float) -> float:
    """By how much the force passes fc on the way from rest, in N."""
    if f2 == 0:
        return 0.0
    return f2 * (1 - eta) * math.exp(eta / (1 - eta) * math.log(eta * f2 / f1))


def levels(fc: float, peak: float, eta: float) -> tuple[float, float]:
    """f1 and f2 with this sliding level and this peak from rest; ValueError where none have them.

    The excess grows with f2 from zero without bound, so there is exactly one pair.
    """
    if not (0 < fc <= peak < math.inf and 0 < eta < 1):
        raise ValueError(f"fc = {fc:g} N, peak = {peak:g} N, eta = {eta:g}: need 0 < fc <= peak and 0 < eta < 1")
    if peak == fc:
        return fc, 0.0
    low, high = 0.0, fc
    while excess(fc + high, high, eta) < peak - fc:
        high *= 2
    while low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(fc + middle, middle, eta) < peak - fc else (low, middle)
    return fc + high, high


@jit()
def rt_bend(x: float, end: float, path: float) -> float:
    """x after a path in its own length."""
    after: float = x - (end - x) * math.expm1(-path)
    return after


@jit(inline=True)
def rt_advance_1(p: Any, z: Any, v: float, dt: float) -> None:
    """The state of first order after dt at constant v."""
    if math.isfinite(v):
        z[X1] = rt_bend(z[X1], math.copysign(p[F1], v), abs(v) * dt / p[LENGTH1])


@jit(inline=True)
def rt_advance_2(p: Any, z: Any, v: float, dt: float) -> None:
    """The state of second order after dt at constant v."""
    if math.isfinite(v):
        path = abs(v) * dt
        z[X1] = rt_bend(z[X1], math.copysign(p[F1], v), path / p[LENGTH1])
        z[X2] = rt_bend(z[X2], -math.copysign(p[F2], v), path / p[LENGTH2])


@jit()
def rt_force(p: Any, z: Any, v: float) -> float:
    """The force of a state and a speed; the second spring of first order is never bent."""
    force: float = z[X1] + z[X2] + p[SIGMA] * v
    return force if math.isfinite(v) else math.nan


@jit()
def rt_slip(p: Any, direction: float, v: float) -> float:
    """Steady sliding; f2 of first order is zero."""
    force: float = direction * (p[F1] - p[F2]) + p[SIGMA] * v
    return force


MODELS = (
    Model(
        "bliman-sorine-1", 11, Kind.BRISTLES, FirstOrder, "an exponential approach to the Coulomb level along the path",
        rt_slip, advance=rt_advance_1, force=rt_force, states=2,
        typical={"fc": 287.0, "sigma": 3251.0, "eps": 3e-5},
    ),
    Model(
        "bliman-sorine-2", 12, Kind.BRISTLES, SecondOrder, "two springs along the path, with a peak at break-away",
        rt_slip, advance=rt_advance_2, force=rt_force, states=2,
        typical={"f1": 3800.0, "f2": 3513.0, "sigma": 3251.0, "eta": 0.3, "eps": 4e-5},
    ),
)  # fmt: skip
