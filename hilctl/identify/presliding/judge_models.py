"""LuGre, GMS or Dahl: each is fitted to every second cycle, and judged by the others.

The cycles that judge have noise of their own, so that many free elements gain nothing by following noise. The measure
is the difference of the sums of squares, over what the better law leaves a point: twice the logarithm of the ratio of
their likelihoods. Position noise is slow, and several points share it, hence a high threshold.

Dahl's law has a flat sliding curve. Where the measured one falls, it is no choice; that it describes the reversals best
is reported all the same.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.presliding.estimate_bristles import Bristles, fit_bristles
from hilctl.identify.presliding.estimate_cycles import Cycles, Reals
from hilctl.identify.presliding.estimate_loop import Loop, loop_of
from hilctl.identify.presliding.estimate_path import Path, fit_path
from hilctl.identify.presliding.estimate_residuals import Data, Model, scaled_residuals
from hilctl.identify.presliding.estimate_slips import Slips, gathered, on_grid, refine, words
from hilctl.identify.presliding.estimate_travel import Travel
from hilctl.identify.presliding.model import GMS, force_along
from hilctl.identify.presliding.model_curve import Curve

ELEMENTS = 4  # unless more are clearly better
MORE = (6, 10)
CLEARLY = 0.15  # better: what is left must fall by such a share
DECIDED = 50.0  # difference of the scaled sums of squares
HOPELESS = 500.0  # likewise: elements need not be refined
FLAT = 1.05  # fs over fc: a curve that falls by less has no falling branch
POOR = 25.0  # left a point, in variances: neither law describes that
_SHORTEST, _LONGEST = 0.04, 20.0  # yields of the grid, in the travel of the turn


class Comparison(NamedTuple):
    """What each law leaves unexplained in cycles that it has not seen."""

    lugre: float  # sum of squares a point, in variances: 1 where noise alone is left
    gms: float  # likewise, of the elements that do best
    points: int
    bristles: Bristles
    slips: Slips | None  # None where LuGre does better than any set of elements could
    elements: Model  # the force of the convex problem's elements along a cycle
    dahl: float  # as lugre
    path: Path
    flat: bool  # the sliding curve: Dahl's law is a choice
    undamped: bool = False  # LuGre's bristles show no damping of their own: on a flat curve they are Dahl's spring

    @property
    def lead(self) -> float:
        """Of LuGre over GMS; negative where GMS is better."""
        best = max(min(self.lugre, self.gms), 1.0)
        return self.points * (self.gms - self.lugre) / best

    @property
    def lead_of_dahl(self) -> float:
        """Over the better of the two."""
        other = min(self.lugre, self.gms)
        return self.points * (other - self.dahl) / max(min(other, self.dahl), 1.0)

    @property
    def decided(self) -> bool:
        """Whether the data say which. Between LuGre and Dahl alone they need not: the one contains the other."""
        if self.kind == "dahl":
            return self.points * (self.gms - self.dahl) / max(self.dahl, 1.0) > DECIDED
        return abs(self.lead) > DECIDED

    @property
    def kind(self) -> Literal["lugre", "gms", "dahl"]:
        """The best one; undecided, the one with fewer parameters."""
        if self.flat and (self.lead_of_dahl > -DECIDED or (self.undamped and self.lugre <= self.gms)):
            return "dahl"
        return "gms" if self.lead < -DECIDED else "lugre"

    @property
    def left(self) -> dict[str, float]:
        """What each of those leaves that can be chosen, the least first."""
        left = {"lugre": self.lugre, "gms": self.gms, **({"dahl": self.dahl} if self.flat else {})}
        return dict(sorted(left.items(), key=lambda one: one[1]))

    @property
    def poor(self) -> bool:
        """Whether none will do."""
        return min(self.left.values()) > POOR


def compare(swings: Sequence[Cycles], facts: Facts, curve: Curve, travel: Travel, elements: int = 0) -> Comparison:
    """Fits all three. `elements`: how many GMS shall have; 0: as many as pay."""
    train = tuple(loop_of(c.part(0, 2), facts) for c in swings)
    unseen = tuple(loop_of(c.part(1, 2), facts) for c in swings)
    bristles = fit_bristles(train, curve, min(1.1 * travel.stiffness_n_m, 5e10))
    data, test = bristles.data, Data(unseen, bristles.data.std_n)
    d, k = on_grid(data, curve, _SHORTEST * travel.travel_m, _LONGEST * travel.travel_m)
    many: Model = partial(_force_of_grid, curve, d, k)
    path = fit_path(data, curve, bristles.s0)
    found = Comparison(
        _left(test, bristles.model(curve)), _left(test, many), test.size, bristles, None, many,
        _left(test, path.model(curve)), path, curve.fs <= FLAT * curve.fc,
    )  # fmt: skip
    if found.lead > HOPELESS:
        return found
    slips = refine(data, curve, *gathered(d, k, elements or ELEMENTS))
    left = _left(test, slips.model(curve))
    if not elements:
        for count in MORE:
            if left < (1 + CLEARLY) * found.gms:
                break
            more = refine(data, curve, *gathered(d, k, count))
            now = _left(test, more.model(curve))
            if now > (1 - CLEARLY) * left:
                break
            slips, left = more, now
    return found._replace(gms=min(left, found.gms), slips=slips)


def _left(data: Data, model: Model) -> float:
    r = scaled_residuals(data, model)
    return float(r @ r) / (len(r) - len(data.loops))


def _force_of_grid(curve: Curve, d: Reals, k: Reals, loop: Loop) -> Reals:
    """The sum over all elements of the grid, as many at a time as a law may have."""
    some = k > 0
    d, k = d[some], k[some]
    still = curve._replace(sigma=0.0)
    parts = [
        force_along(GMS, words(curve if i == 0 else still, k[i : i + 10], d[i : i + 10]), loop)
        for i in range(0, len(d), 10)
    ]
    return np.asarray(np.sum(parts, axis=0))
