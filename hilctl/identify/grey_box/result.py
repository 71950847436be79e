"""What the grey box says: numbers with intervals for what the data fix, none for what they do not, and why.

What an error of an assumption does to the others joins their intervals (`widened`). Some numbers could be searched, but
take up whatever else the model lacks, and bend the others with them. Held where they most likely are, they do not; and
how far the others move when such a one moves by its standard error is known from a second search.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from hilctl.identify.grey_box.structure import Direction
from hilctl.params.finite import finite
from hilctl.results import grey_box as results
from hilctl.results.grey_box import Estimate, Invariant
from hilctl.results.quantity import Flag, closed

Bounded = TypeVar("Bounded", Estimate, Invariant)

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

    def told(self) -> results.Fit:
        """As a result holds it: what is no finite number is None."""
        return results.Fit(
            parameters={one.name: _closed(one) for one in self.estimates},
            invariants={one.name: replace(_closed(one), sd=closed(one.sd)) for one in self.invariants},
            not_fixed=[results.Open(one.kind, finite(one.parts), one.text) for one in self.directions],
            fit_percent=finite(self.fit_percent), start_percent=finite(self.start_percent),
            history_percent=finite(self.history), iterations=self.iterations, trials=self.trials, ended=self.ended,
            rank=self.rank, free=self.free, gap=closed(self.gap), singular_values=finite(self.singular_values),
            noise=finite(self.noise), starts=results.Starts(*self.agreeing), flags=list(self.flags),
        )  # fmt: skip


NORMAL = 1.96  # standard errors of half an interval of 95 %


def widened(fit: Fit, beside: Fit, limits: Callable[[str], tuple[float, float]]) -> Fit:
    """The fit with intervals for an assumption that may be off; `beside`: where that is a standard error off."""
    moved = {one.name: one.value for one in beside.estimates}
    turned = {one.name: one.value for one in beside.invariants}
    return fit._replace(
        estimates=tuple(_wide(one, moved.get(one.name)).within(limits(one.name)) for one in fit.estimates),
        invariants=tuple(_wide(one, turned.get(one.name)) for one in fit.invariants),
    )


def _closed(one: Bounded) -> Bounded:
    """No number that is not finite."""
    return replace(one, value=closed(one.value), low=closed(one.low), high=closed(one.high))


def _wide(one: Bounded, other: float | None) -> Bounded:
    if one.value is None or one.low is None or one.high is None or one.by == "fixed" or other is None:
        return one
    shift = abs(other - one.value)
    reach = NORMAL * shift
    low, high = one.value - math.hypot(one.value - one.low, reach), one.value + math.hypot(one.high - one.value, reach)
    if isinstance(one, Invariant):
        return replace(one, low=low, high=high, sd=math.hypot(math.inf if one.sd is None else one.sd, shift))
    return replace(one, low=low, high=high)
