"""A parameter that is assumed, not searched: what an error of the assumption does to the others joins their intervals.

Some numbers could be searched, but take up whatever else the model lacks, and bend the others with them. Held where
they most likely are, they do not; and how far the others move when such a one moves by its standard error is known from
a second search.
"""

import math
from collections.abc import Callable

from hilctl.identify.dynamics.grey.result import Estimate, Fit, Invariant

NORMAL = 1.96  # standard errors of half an interval of 95 %


def widened(fit: Fit, beside: Fit, limits: Callable[[str], tuple[float, float]]) -> Fit:
    """The fit with intervals for an assumption that may be off; `beside`: where that is a standard error off."""
    moved = {one.name: one.value for one in beside.estimates}
    turned = {one.name: one.value for one in beside.invariants}
    return fit._replace(
        estimates=tuple(_wide(one, moved.get(one.name)).within(limits(one.name)) for one in fit.estimates),
        invariants=tuple(_wide_invariant(one, turned.get(one.name)) for one in fit.invariants),
    )


def _wide(one: Estimate, other: float | None) -> Estimate:
    if one.value is None or one.low is None or one.high is None or one.by == "fixed" or other is None:
        return one
    reach = NORMAL * abs(other - one.value)
    return one._replace(low=one.value - math.hypot(one.value - one.low, reach),
                        high=one.value + math.hypot(one.high - one.value, reach))  # fmt: skip


def _wide_invariant(one: Invariant, other: float | None) -> Invariant:
    if other is None:
        return one
    shift = abs(other - one.value)
    return one._replace(
        low=one.value - math.hypot(one.value - one.low, NORMAL * shift),
        high=one.value + math.hypot(one.high - one.value, NORMAL * shift), sd=math.hypot(one.sd, shift),
    )  # fmt: skip
