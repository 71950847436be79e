"""LuGre, GMS or Dahl: each is fitted to every second cycle, and judged by the others.

The cycles that judge have noise of their own, so that many free elements gain nothing by following noise. What each
model leaves in them is what its probability is made of (judge_odds).

The two sides of the bristles are alike here unless the cycles that judge say otherwise; then all models get a ratio.

Dahl's law has a flat sliding curve. Where the measured one falls, it is no choice; that it describes the reversals best
is reported all the same.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.presliding import estimate_bristles, estimate_path, judge_odds
from hilctl.identify.presliding.estimate_bristles import Bristles, fit_bristles
from hilctl.identify.presliding.estimate_cycles import Cycles, Reals
from hilctl.identify.presliding.estimate_loop import Loop, loop_of
from hilctl.identify.presliding.estimate_path import Path, fit_path
from hilctl.identify.presliding.estimate_residuals import Data, Model, scaled_residuals
from hilctl.identify.presliding.estimate_slips import Slips, gathered, on_grid, refine, words
from hilctl.identify.presliding.estimate_travel import Travel
from hilctl.identify.presliding.model import GMS, force_along
from hilctl.identify.presliding.model_curve import Curve
from hilctl.results.reversals import Kind

ELEMENTS = 4  # unless more are clearly better
MORE = (6, 10)
CLEARLY = 0.15  # better: what is left must fall by such a share
HOPELESS = 40.0  # likewise, of the logarithm of the odds: elements need not be refined
UNLIKE = 0.4  # likewise: the models are compared with sides of their own; what is reported says judge_fits
SIMPLEST_FIRST: tuple[Kind, ...] = ("dahl", "lugre", "gms")
FLAT = 1.05  # fs over fc: a curve that falls by less has no falling branch
POOR = 25.0  # left a point, in variances: neither law describes that
_SHORTEST, _LONGEST = 0.04, 20.0  # yields of the grid, in the travel of the turn


class Comparison(NamedTuple):
    """What each law leaves unexplained in cycles that it has not seen."""

    unseen: Data
    residuals: Mapping[Kind, Reals]  # of all three, in standard deviations
    bristles: Bristles
    slips: Slips | None  # None where LuGre does better than any set of elements could
    elements: Model  # the force of the elements that do best along a cycle
    path: Path
    flat: bool  # the sliding curve: Dahl's law is a choice
    undamped: bool = False  # LuGre's bristles have no damping of their own: on a flat curve they are Dahl's spring

    def model(self, kind: Kind, curve: Curve) -> Model:
        """Its force along a cycle, as it was fitted to the others."""
        if kind == "gms":
            return self.elements
        return self.bristles.model(curve) if kind == "lugre" else self.path.model(curve)

    @property
    def sided(self) -> bool:
        """Whether the sides of the bristles are not alike."""
        return self.bristles.sided

    @property
    def every(self) -> dict[Kind, float]:
        """What each model leaves: the sum of squares a point, in variances, 1 where noise alone is left."""
        return {kind: _per_point(self.unseen, residual) for kind, residual in self.residuals.items()}

    @property
    def left(self) -> dict[Kind, float]:
        """The same of those that can be chosen, the least first."""
        left = {kind: value for kind, value in self.every.items() if self.flat or kind != "dahl"}
        return dict(sorted(left.items(), key=lambda one: one[1]))

    @property
    def independent(self) -> float:
        """As how many independent points the cycles count."""
        return judge_odds.independent(self.residuals[next(iter(self.left))], self.sizes)

    @property
    def sizes(self) -> list[int]:
        """Points of each cycle."""
        return [len(loop.force_n) for loop in self.unseen.loops]

    @property
    def probabilities(self) -> dict[Kind, float]:
        """Of those that can be chosen, the greatest first."""
        found = judge_odds.of_springs(self.left, self.independent)
        if self.flat and self.undamped:  # what is left of LuGre is Dahl's with alpha = 1
            found["dahl"] += found.pop("lugre")
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    @property
    def kind(self) -> Kind:
        """The one that is chosen; undecided, the one with the fewest parameters of those that are about as probable."""
        found = self.probabilities
        choice = judge_odds.choice(found)
        if choice != "undecided":
            return choice
        return next(kind for kind in SIMPLEST_FIRST if found.get(kind, 0.0) >= 1 - judge_odds.LEVEL)

    @property
    def ruled_out(self) -> bool:
        """Whether Dahl's law describes the cycles best, which the sliding curve rules out."""
        return not self.flat and judge_odds.choice(judge_odds.of_springs(self.every, self.independent)) == "dahl"

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
    path = fit_path(data, curve, bristles.s0)
    bristles, path = _by_side(bristles, path, curve, test)
    ratio = bristles.ratios[0]
    d, k = on_grid(data, curve, _SHORTEST * travel.travel_m, _LONGEST * travel.travel_m, ratio)
    many: Model = partial(_force_of_grid, curve, d, k, ratio)
    residuals: dict[Kind, Reals] = {
        "lugre": scaled_residuals(test, bristles.model(curve)), "gms": scaled_residuals(test, many),
        "dahl": scaled_residuals(test, path.model(curve)),
    }  # fmt: skip
    found = Comparison(test, residuals, bristles, None, many, path, flat(curve))
    if _log_odds(test, residuals["gms"], residuals["lugre"]) > HOPELESS:
        return found
    slips = _elements(found, curve, gathered(d, k, elements or ELEMENTS))
    best, left = many, found.every["gms"]
    for count in () if elements else MORE:
        now = _left(test, slips.model(curve))
        if now < (1 + CLEARLY) * left:
            break
        more = _elements(found, curve, gathered(d, k, count))
        if _left(test, more.model(curve)) > (1 - CLEARLY) * now:
            break
        slips = more
    if _left(test, slips.model(curve)) < left:
        best = slips.model(curve)
    return found._replace(slips=slips, elements=best, residuals={**residuals, "gms": scaled_residuals(test, best)})


def flat(curve: Curve) -> bool:
    """Whether it has no falling branch, in neither direction."""
    return all(side.fs <= FLAT * side.fc for side in curve.sides)


def _by_side(bristles: Bristles, path: Path, curve: Curve, test: Data) -> tuple[Bristles, Path]:
    """Either with a ratio of its sides, where the better of them describes unseen cycles better with it."""
    sides = estimate_bristles.by_side(bristles, curve), estimate_path.by_side(path, curve)
    alike = [scaled_residuals(test, one.model(curve)) for one in (bristles, path)]
    own = [scaled_residuals(test, one.model(curve)) for one in sides]
    best, better = (min(ones, key=lambda r: float(r @ r)) for ones in (alike, own))
    return sides if _log_odds(test, best, better) > UNLIKE else (bristles, path)


def _elements(found: Comparison, curve: Curve, start: tuple[Reals, Reals]) -> Slips:
    return refine(found.bristles.data, curve, *start, found.bristles.ratios[0] if found.sided else None)


def _log_odds(data: Data, worse: Reals, better: Reals) -> float:
    """The logarithm of the likelihood ratio of what leaves the second residual to what leaves the first."""
    points = judge_odds.independent(better, [len(loop.force_n) for loop in data.loops])
    return 0.5 * points / judge_odds.TEMPER * float(np.log((worse @ worse) / (better @ better)))


def _left(data: Data, model: Model) -> float:
    return _per_point(data, scaled_residuals(data, model))


def _per_point(data: Data, residual: Reals) -> float:
    return float(residual @ residual) / (len(residual) - len(data.loops))


def _force_of_grid(curve: Curve, d: Reals, k: Reals, ratio: float, loop: Loop) -> Reals:
    """The sum over all elements of the grid, as many at a time as a law may have."""
    some = k > 0
    d, k = d[some], k[some]
    forward, backward = (side._replace(sigma=0.0) for side in curve.sides)
    still = forward._replace(other=backward)
    parts = [
        force_along(GMS, words(curve if i == 0 else still, k[i : i + 10], d[i : i + 10], ratio), loop)
        for i in range(0, len(d), 10)
    ]
    return np.asarray(np.sum(parts, axis=0))
