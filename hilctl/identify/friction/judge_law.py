"""Which law, and whether the directions differ: an F-test for these, BIC for that.

    BIC = n ln(RSS/n) + k ln n          F = [(RSS_0 - RSS_1)/(k_1 - k_0)] / [RSS_1/(n - k_1)]

A falling branch may begin anywhere, and where there is none, chance offers something that looks like one somewhere: vs
counts as two parameters, as the place of a change does.

Directions whose curves differ by less than SMALL of the greatest force are taken for alike whatever the test says: the
sensors' gains are no better known, and a law with one curve can have bristles.

Of laws whose BIC is within 4 of the best, the one with the fewest parameters is taken; where that is close, it is said.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.friction.fit_outliers import EXACTLY
from hilctl.identify.friction.fit_problem import Directions, Fitted, Scaled, fit_form
from hilctl.identify.friction.model_curve import FORCE
from hilctl.identify.friction.model_laws import FORMS, Form
from hilctl.identify.friction.model_ranges import Ranges

LEVEL = 0.001  # of the F-tests: so often, directions that are alike are taken for different
SMALL = 0.005  # of the greatest force
NO_EVIDENCE = 4.0  # in BIC: odds of 7 to 1; one more parameter for nothing gains as much in one campaign of 200


class Step(NamedTuple):
    """An F-test of a richer hypothesis about the directions."""

    richer: Directions
    over: Directions
    f: float
    probability: float  # of an F as great where the simpler one is true
    difference: float  # the most between the two curves, of the greatest force
    taken: bool


class Tried(NamedTuple):
    """A law on the points: as it was fitted, or why it could not be."""

    form: Form
    fitted: Fitted | None
    steps: tuple[Step, ...]
    bic: float
    refused: str = ""


def try_form(form: Form, scaled: Scaled, ranges: Ranges, chosen: Any, hypotheses: tuple[Directions, ...]) -> Tried:
    """The law under the simplest hypothesis that the F-tests leave; the first of `hypotheses` is the simplest."""
    current, steps = fit_form(form, hypotheses[0], scaled, ranges, chosen), []
    if current is None or current.freedom < 1:
        return Tried(form, None, (), math.inf, f"needs {form.speeds} different speeds and more points than parameters")
    for richer in hypotheses[1:]:
        other = fit_form(form, richer, scaled, ranges, chosen)
        if other is None or other.freedom < 1 or other.words <= current.words:  # for a law of few words not richer
            continue
        step = f_test(current, other)
        steps.append(step)
        current = other if step.taken else current
    return Tried(form, current, tuple(steps), bic(current))


def f_test(simple: Fitted, rich: Fitted) -> Step:
    """Whether the richer hypothesis is needed."""
    from scipy.stats import f

    more = rich.words - simple.words
    rest = max(rich.squares, EXACTLY**2) / rich.freedom
    value = max(simple.squares - rich.squares, 0.0) / more / rest
    probability = float(f.sf(value, more, rich.freedom))
    difference = _difference(simple, rich)
    taken = probability < LEVEL and (rich.directions != Directions.APART or difference > SMALL)
    return Step(rich.directions, simple.directions, float(value), probability, difference, taken)


def _difference(simple: Fitted, rich: Fitted) -> float:
    """The most between two curves at the points, of the greatest force."""
    left = {fitted.directions: np.zeros(simple.blocks[0].chosen.shape) for fitted in (simple, rich)}
    greatest = 0.0
    for fitted in (simple, rich):
        for block in fitted.blocks:
            left[fitted.directions][block.chosen] = block.residuals()
            greatest = max(greatest, float(np.max(np.abs(block.data[FORCE]))))
    return float(np.max(np.abs(left[rich.directions] - left[simple.directions]))) / greatest


def bic(fitted: Fitted) -> float:
    """Bayes' information criterion, the variance unknown; each vs counts twice."""
    n = fitted.points
    words = fitted.words + (len(fitted.blocks) if fitted.form.falls else 0)
    return float(n * math.log(max(fitted.squares, EXACTLY**2) / n) + words * math.log(n))


def try_all(
    scaled: Scaled, ranges: Ranges, chosen: Any, hypotheses: tuple[Directions, ...], forms: tuple[Form, ...] = FORMS
) -> list[Tried]:
    """Every law."""
    return [try_form(form, scaled, ranges, chosen, hypotheses) for form in forms]


def best_of(tried: list[Tried]) -> tuple[Tried, Fitted] | None:
    """The simplest of those whose BIC is no evidence against them; None where none could be fitted."""
    least = min(t.bic for t in tried)
    near = [(t, t.fitted) for t in tried if t.fitted is not None and t.bic <= least + NO_EVIDENCE]
    return min(near, key=lambda pair: (pair[1].words, pair[0].bic), default=None)


def weights(tried: list[Tried]) -> list[float]:
    """How likely each law is against the others, all alike before the data."""
    values = np.array([t.bic for t in tried])
    share = np.exp(-0.5 * (values - values.min()))
    return [float(s) for s in share / share.sum()]
