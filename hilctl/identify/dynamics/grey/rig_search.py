"""The search for the rig's own plant: what is free, then a threshold, then leakage at null, where the records tell of
them; and how far what is only assumed may have moved the others.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.grey.assumed import NORMAL, widened
from hilctl.identify.dynamics.grey.identify import identify
from hilctl.identify.dynamics.grey.intervals import How
from hilctl.identify.dynamics.grey.model import Model
from hilctl.identify.dynamics.grey.parameters import Choice, Choices, Fixed, Free
from hilctl.identify.dynamics.grey.record import Record
from hilctl.identify.dynamics.grey.result import Estimate, Fit
from hilctl.identify.dynamics.grey.rig import rig_model
from hilctl.identify.dynamics.grey.threshold import Tried, find_threshold

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
        one._replace(low=low, high=high, by="profile") if one.name == "threshold" else one for one in fit.estimates
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


__all__ = ["identify_rig"]
