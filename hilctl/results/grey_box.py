"""A grey box: what the data fix of a physical model's parameters, and what they do not."""

import math
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from hilctl.results.quantity import Flag, Quantity

By = Literal["linear", "profile", "fixed", "nothing"]
How = Annotated[By, Meta(description="the interval: of the linear theory, or of the profile; or that it is given")]


class Estimate(Quantity, frozen=True, kw_only=True):
    """One parameter."""

    name: str
    by: How
    at_bound: Annotated[int, Meta(description="where the search ended: -1 at the lower end of its range, 1 the upper")]

    def within(self, limits: tuple[float, float]) -> "Estimate":
        """With no part of the interval where nothing makes sense."""
        if self.low is None or self.high is None:
            return self
        return replace(self, low=max(self.low, limits[0]), high=min(self.high, limits[1]))


class Invariant(Quantity, frozen=True, kw_only=True):
    """A product of powers that the data fix, of parameters that they may not; a single parameter is one, too."""

    name: str
    powers: Annotated[dict[str, int], Meta(description="of sums, as they are written")]
    by: How
    sd: Annotated[float | None, Meta(description="of the linear theory; null where a bound is met")]

    @property
    def ends(self) -> tuple[float, float, float]:
        """Value, low and high: data that fix it leave none of them open."""
        return (math.nan if self.value is None else self.value, *self.bounds)


class Open(Struct, frozen=True):
    """A change of the parameters that the data do not see."""

    kind: str
    parts: Annotated[dict[str, float], Meta(description="exponents; coefficients; or relative changes")]
    text: str


class Starts(Struct, frozen=True):
    """Searches from random starts."""

    agreeing: Annotated[int, Meta(description="that ended at the same machine")]
    of: int


class Fit(Struct, frozen=True):
    """An identified machine."""

    parameters: dict[str, Estimate]
    invariants: dict[str, Invariant]
    not_fixed: list[Open]
    fit_percent: Annotated[dict[str, float], Meta(description="by output; the worst of several records")]
    start_percent: dict[str, float]
    history_percent: Annotated[list[float], Meta(description="at the start and after each iteration")]
    iterations: int
    trials: int
    ended: str
    rank: int
    free: int
    gap: float | None
    singular_values: list[float]
    noise: Annotated[dict[str, float], Meta(description="what is left of each output, rms")]
    starts: Starts
    flags: list[Flag]


def nothing_of(name: str, unit: str, at_bound: int, why: str) -> Estimate:
    """A parameter that the data do not fix."""
    return Estimate(None, None, None, unit, "not identifiable", why, name=name, by="nothing", at_bound=at_bound)


def estimate(name: str, unit: str, ends: tuple[float, float, float], by: By, at_bound: int = 0) -> Estimate:
    """One with a number: value, low and high."""
    origin: Any = "assumed" if by == "fixed" else "identified"
    return Estimate(*ends, unit, origin, name=name, by=by, at_bound=at_bound)
