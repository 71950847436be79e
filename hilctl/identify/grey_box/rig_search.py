"""The search for the rig's own plant: what is free, then a threshold, then leakage at null, where the records show it.

How far what is only assumed may have moved the others joins the intervals.

*The threshold* is the change of its command that is too small to move the valve. What is sent to the spool jumps with
it, so the outputs have no derivative by it and no trust region finds it. It is looked for by the sum of squares itself,
together with the play, for which it is easily taken: both decide when the spool jumps. First everywhere, then closer
and closer about the best. For each pair the others are where the derivatives say that they would end, and after each
round they are fitted again.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from hilctl.experiment.facts import Facts
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.intervals import How
from hilctl.identify.grey_box.model import CannotBe, Model, Record
from hilctl.identify.grey_box.parameters import Choice, Choices, Fixed, Free, Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.result import NORMAL, Fit, widened
from hilctl.identify.grey_box.rig_model import rig_model
from hilctl.results.grey_box import Estimate

SHOWS = 0.95  # of the sum of squares: what is left with a threshold, at most, to be taken for one
HOPES = 0.98  # of the first look at it
_FAR = tuple(0.1 * 1.07**step for step in range(36))  # times the play that is found without any
_SHARES = (0.0, 0.125, 0.25, 0.375, 0.5)  # of the threshold that were in that play
_CLOSER = (0.03, 0.01, 0.004)  # from one to the next, in each round
_AROUND = (-2, -1, 0, 1, 2)


class Tried(NamedTuple):
    """A threshold, the play that goes with it, and what both leave: a sum of squares."""

    threshold: float
    play: float
    left: float


def find_threshold(
    model: Model, records: Sequence[Record], choices: Choices, refitted: Callable[[Tried], Choices]
) -> Tried | None:
    """What leaves least; None where none does better than no threshold.

    `choices` begin where a search without any has ended; `refitted`: with the one that is given, where one ends.
    """
    alike = dict.fromkeys(model.outputs, 1.0)

    def tried(threshold: float, play: float) -> Tried:
        parameters = Parameters(model, {**choices, "threshold": Fixed(threshold), "play": Fixed(play)})
        try:
            found = Problem(model, tuple(records), parameters, alike).triangle(parameters.start)
        except CannotBe:
            return Tried(threshold, play, math.inf)
        return Tried(threshold, play, float(found[-1, -1] ** 2))

    play = Parameters(model, choices).values(Parameters(model, choices).start)["play"]
    none = tried(0.0, play)
    pairs = [(far * play, play - share * far * play) for far in _FAR for share in _SHARES if share * far < 1]
    best = min((tried(*pair) for pair in pairs), key=_left)
    if best.left > HOPES * none.left:
        return None
    for step in _CLOSER:
        choices = refitted(best)
        grid = [(best.threshold * (1 + i * step), best.play * (1 + k * step)) for i in _AROUND for k in _AROUND]
        best = min((tried(*pair) for pair in grid), key=_left)
    return best if best.left < SHOWS * none.left else None


def _left(one: Tried) -> float:
    return one.left


MOST_LEAK = 0.1  # opening of each edge at null
UNSURE = 0.01  # of a threshold that was found: standard error; it is looked for in steps of 0.4 %


class Stand(NamedTuple):
    """Where the search stands."""

    fit: Fit
    choices: Choices

    def on(self, **other: Choice) -> Choices:
        """The choices to go on with from there, some of them other ones."""
        values = self.fit.values
        here = {name: one._replace(start=values[name]) if isinstance(one, Free) else one
                for name, one in self.choices.items()}  # fmt: skip
        return {**here, **other}


Fitted = Callable[[Choices, How], Fit]


def identify_rig(facts: Facts, records: Sequence[Record], choices: Choices, *, starts: int = 0) -> Fit:
    """The machine. What is assumed counts as unsure, unless choices say otherwise; the valve's threshold and leakage at
    null are what the records say of them, where they know better than what is assumed.
    """
    model = rig_model(facts)

    def fitted(choices: Choices, intervals: How) -> Fit:
        return identify(model, records, choices, check=False, intervals=intervals)

    first = identify(model, records, choices, check=False, intervals="linear", starts=starts)
    stand = _with_threshold(model, records, Stand(first, choices), fitted)
    stand = _with_leak(stand, fitted)
    fit = stand.fit
    for name, one in stand.choices.items():
        if isinstance(one, Fixed) and one.sd > 0.0:
            fit = widened(fit, fitted(stand.on(**{name: one.beyond}), "quick"), model.limits)
    return _telling(fit, stand.choices["threshold"])


def _telling(fit: Fit, threshold: Choice) -> Fit:
    """A threshold that was identified is reported as such, with its interval."""
    if not isinstance(threshold, Fixed) or threshold.sd == 0.0:
        return fit
    half = NORMAL * threshold.sd
    low, high = threshold.value - half, threshold.value + half
    told = [
        replace(one, low=low, high=high, by="profile") if one.name == "threshold" else one for one in fit.estimates
    ]
    return fit._replace(estimates=tuple(told))


def _with_threshold(model: Model, records: Sequence[Record], stand: Stand, fitted: Fitted) -> Stand:
    """With the valve's, where it is not known and leaves less than none; otherwise it has none, which is then known."""
    threshold, play, leak = (stand.choices[name] for name in ("threshold", "play", "leak"))
    if not isinstance(threshold, Fixed) or threshold.sd == 0.0:
        return stand
    without = Stand(stand.fit, {**stand.choices, "threshold": Fixed(threshold.value)})
    if not isinstance(play, Free) or not _shows(stand.fit.estimate("play")):
        return without
    if isinstance(leak, Fixed) and leak.sd > 0.0:
        leak = Free(leak.value, 0.0, MOST_LEAK)  # one may pass for the other

    def refitted(tried: Tried) -> Choices:
        choices = stand.on(leak=leak, threshold=Fixed(tried.threshold), play=play._replace(start=tried.play))
        return Stand(fitted(choices, "quick"), choices).on()

    tried = find_threshold(model, records, stand.on(leak=leak), refitted)
    if tried is None:
        return without
    found = Fixed(tried.threshold, UNSURE * tried.threshold)
    choices = stand.on(threshold=found, play=play._replace(start=tried.play))
    return Stand(fitted(choices, "linear").after(stand.fit), choices)


def _shows(play: Estimate) -> bool:
    """Whether the valve has hysteresis to speak of."""
    return not play.at_bound and play.low is not None and play.low > 0.0


def _with_leak(stand: Stand, fitted: Fitted) -> Stand:
    """With leakage at null, where it is assumed and the records know better."""
    assumed = stand.choices["leak"]
    if not isinstance(assumed, Fixed) or assumed.sd == 0.0:
        return stand
    choices = stand.on(leak=Free(assumed.value, 0.0, MOST_LEAK))
    quick = fitted(choices, "quick")
    if not _told(quick.estimate("leak"), assumed):
        return stand
    choices = Stand(quick, choices).on()
    return Stand(fitted(choices, "linear").after(quick).after(stand.fit), choices)


def _told(found: Estimate, assumed: Fixed) -> bool:
    """Whether the records know better: half of the interval is less than a standard error of what is assumed."""
    if found.value is None or found.low is None or found.high is None or found.at_bound:
        return False
    return max(found.high - found.value, found.value - found.low) < assumed.sd
