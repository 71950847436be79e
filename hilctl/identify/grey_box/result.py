"""What the grey box says: numbers with intervals for what the data fix, none for what they do not, and why.

What an error of an assumption does to the others joins their intervals (`widened`). Some numbers could be searched, but
take up whatever else the model lacks, and bend the others with them. Held where they most likely are, they do not; and
how far the others move when such a one moves by its standard error is known from a second search.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import to_builtins

from hilctl.identify.grey_box.structure import Direction
from hilctl.params.finite import finite
from hilctl.results.quantity import Flag

By = Literal["linear", "profile", "fixed", "nothing"]


class Estimate(NamedTuple):
    """One parameter with its 95 % interval; no numbers where the data do not say what it is."""

    name: str
    unit: str
    value: float | None
    low: float | None
    high: float | None
    by: By
    at_bound: int  # -1, 0, 1: where the search ended
    why: str  # why there is no number

    def within(self, limits: tuple[float, float]) -> "Estimate":
        """With no part of the interval where nothing makes sense."""
        if self.low is None or self.high is None:
            return self
        return self._replace(low=max(self.low, limits[0]), high=min(self.high, limits[1]))


class Invariant(NamedTuple):
    """A product of powers that the data fix, of parameters that they may not; a single parameter is one, too."""

    name: str
    powers: Mapping[str, int]  # of sums, as they are written
    unit: str
    value: float
    low: float
    high: float
    by: By
    sd: float  # linear; infinite where a bound is met


class Fit(NamedTuple):
    """An identified machine."""

    estimates: tuple[Estimate, ...]
    invariants: tuple[Invariant, ...]
    directions: tuple[Direction, ...]  # what the data do not fix
    values: Mapping[str, float]  # one of the machines that behave alike: to simulate with, not to report
    fit_percent: Mapping[str, float]  # equation 29, by output; the worst of several records
    start_percent: Mapping[str, float]
    history: tuple[float, ...]  # percent of all outputs as weighed, at the start and after each iteration
    iterations: int  # steps that were accepted
    trials: int
    ended: str
    rank: int
    free: int
    gap: float
    singular_values: tuple[float, ...]
    noise: Mapping[str, float]  # what is left of each output, rms
    agreeing: tuple[int, int]  # starts that ended at the same machine, of how many
    flags: tuple[Flag, ...]

    def estimate(self, name: str) -> Estimate:
        """By name; KeyError where there is none."""
        return {one.name: one for one in self.estimates}[name]

    def invariant(self, name: str) -> Invariant:
        """By name, as it is written; KeyError where there is none."""
        return {one.name: one for one in self.invariants}[name]

    def after(self, before: "Fit") -> "Fit":
        """The same, as the end of a search that `before` began."""
        return self._replace(
            start_percent=before.start_percent, history=(*before.history, *self.history[1:]), agreeing=before.agreeing,
            iterations=before.iterations + self.iterations, trials=before.trials + self.trials,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        return {
            "parameters": {one.name: {**finite(one._asdict()), "name": one.name} for one in self.estimates},
            "invariants": {one.name: finite({**one._asdict(), "powers": dict(one.powers)}) for one in self.invariants},
            "not_fixed": [{**one._asdict(), "parts": dict(one.parts)} for one in self.directions],
            "fit_percent": dict(self.fit_percent),
            "start_percent": dict(self.start_percent),
            "history_percent": list(self.history),
            "iterations": self.iterations,
            "trials": self.trials,
            "ended": self.ended,
            "rank": self.rank,
            "free": self.free,
            "gap": finite(self.gap),
            "singular_values": list(self.singular_values),
            "noise": dict(self.noise),
            "starts": {"agreeing": self.agreeing[0], "of": self.agreeing[1]},
            "flags": to_builtins(self.flags),
        }


NORMAL = 1.96  # standard errors of half an interval of 95 %


def widened(fit: Fit, beside: Fit, limits: Callable[[str], tuple[float, float]]) -> Fit:
    """The fit with intervals for an assumption that may be off; `beside`: where that is a standard error off."""
    moved = {one.name: one.value for one in beside.estimates}
    turned = {one.name: one.value for one in beside.invariants}
    return fit._replace(
        estimates=tuple(_wide(one, moved.get(one.name)).within(limits(one.name)) for one in fit.estimates),
        invariants=tuple(_wide(one, turned.get(one.name)) for one in fit.invariants),
    )


Bounded = TypeVar("Bounded", Estimate, Invariant)


def _wide(one: Bounded, other: float | None) -> Bounded:
    if one.value is None or one.low is None or one.high is None or one.by == "fixed" or other is None:
        return one
    shift = abs(other - one.value)
    reach = NORMAL * shift
    low, high = one.value - math.hypot(one.value - one.low, reach), one.value + math.hypot(one.high - one.value, reach)
    if isinstance(one, Invariant):
        return one._replace(low=low, high=high, sd=math.hypot(one.sd, shift))
    return one._replace(low=low, high=high)
