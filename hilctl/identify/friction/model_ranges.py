"""Within which ranges the words of the curve are searched: the paper's, wide ones, or what the data allow."""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from hilctl.identify.friction.fit_points import Points
from hilctl.params import BadValues, Params, Problem, check, fields_of, numbers

Range = tuple[float, ...]


class BadRanges(BadValues):
    """Ranges that hold no law: an end missing, ends swapped, fs nowhere above fc."""


class Ranges(Params, kw_only=True):
    """Two ends for each word of the curve; equal ends hold it. The defaults are the paper's, for its own rig."""

    fc: Annotated[Range, numbers(0, 1e7, "N", "range of Coulomb friction", max_length=2)] = (100.0, 500.0)
    fs: Annotated[Range, numbers(0, 1e7, "N", "range of static friction", max_length=2)] = (2500.0, 4000.0)
    vs: Annotated[Range, numbers(1e-5, 10, "m/s", "range of the Stribeck speed", max_length=2)] = (0.01, 0.4)
    sigma: Annotated[Range, numbers(0, 1e7, "N·s/m", "range of the viscous slope", max_length=2)] = (2500.0, 4000.0)
    delta: Annotated[Range, numbers(0.3, 4, "", "range of the falling branch's shape", max_length=2)] = (0.3, 4.0)
    dv: Annotated[Range, numbers(0.1, 3, "", "range of the speed's exponent", max_length=2)] = (0.1, 3.0)

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Two ends each, the lower first, and room for fs above fc."""
        for field in fields_of(type(self)):
            ends, key = getattr(self, field.name), f"{at}.{field.name}"
            if len(ends) != 2:
                yield Problem(key, list(ends), "must be two numbers, the lower first")
            elif ends[0] > ends[1]:
                yield Problem(key, list(ends), "must begin with the lower end", "swap them")
        if len(self.fs) == len(self.fc) == 2 and self.fs[1] < self.fc[0]:
            limit = f"must reach fc's lower end, {self.fc[0]:g} N"
            yield Problem(f"{at}.fs", list(self.fs), limit, "what breaks away is not less than what slides")

    def ends(self, name: str) -> tuple[float, float]:
        """Of one word."""
        low, high = getattr(self, name)
        return float(low), float(high)


PAPER = Ranges()


def check_ranges(given: Any, at: str = "ranges") -> Ranges:
    """Ranges from a table; what it leaves out is the paper's. BadRanges with every problem."""
    try:
        return check(Ranges, given, at)
    except BadValues as bad:
        raise BadRanges(bad.problems) from None


def ranges_for(points: Points, vs: tuple[float, float] | None = None) -> Ranges:
    """Ranges as wide as the data can say anything about, or wider in vs.

    A branch that has fallen before the slowest speed, or hardly begins to fall before the fastest, leaves no trace in
    the data: a third of the one and three times the other, where exp(-(1/3)^-2) is 1e-4.
    """
    force = float(np.abs(points.force_n).max())
    speeds = np.abs(points.speed_m_s)
    slowest, fastest = float(speeds.min()), float(speeds.max())
    slope = min(10 * force / fastest, 1e7)
    reach = vs or (min(max(slowest / 3, 1e-5), 5.0), min(3 * fastest, 10.0))
    return Ranges(
        fc=(0.0, min(3 * force, 1e7)), fs=(0.0, min(5 * force, 1e7)), vs=reach, sigma=(0.0, slope),
    )  # fmt: skip
