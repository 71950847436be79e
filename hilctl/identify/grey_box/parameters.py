"""Which parameters are searched, which are known, and which follow from others.

    choices = {"m": Free(16.0, 0.0, 50.0), "KL": Fixed(1e5), "Ctc": Tied(0.1, {"Kc": 1.0})}
    chosen(choices, fixed={"m": 500.0}, free={"A": None}, tied={"Ctc": (0.1, {"Kc": 1.0})})       as a user asks

A tied parameter is `factor` times powers of others, so `Tied(0.1, {"Kc": 1})` is a tenth of Kc; several that follow
one another are a group. One that a user frees starts where the rig file has it, between the bounds that are given, or a
factor of five about it.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hilctl.identify.grey_box.model import Model
from hilctl.params import BadValues, Problem, nearest
from hilctl.results.response import Reals

FAR = 100.0  # times and part: how far a parameter may go whose bounds mean nothing by themselves


class Free(NamedTuple):
    """Searched between two ends."""

    start: float
    low: float
    high: float


class Fixed(NamedTuple):
    """Known; with a standard error, assumed."""

    value: float
    sd: float = 0.0

    @property
    def beyond(self) -> "Fixed":
        """Known, a standard error away."""
        return Fixed(self.value + self.sd)


class Tied(NamedTuple):
    """`factor` times the others, each to its power."""

    factor: float
    powers: Mapping[str, float]


Choice = Free | Fixed | Tied
Choices = Mapping[str, Choice]


def free_from(start: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]) -> dict[str, Choice]:
    """Each parameter that has a start, free between its bounds."""
    return {name: Free(value, *bounds[name]) for name, value in start.items()}


class Parameters:
    """The choices for a model, checked: from the search's vector to the model's parameters and back."""

    def __init__(self, model: Model, choices: Choices) -> None:
        problems = list(_problems(model, choices))
        if problems:
            raise BadValues(problems)
        self.choices = dict(choices)
        ends = {name: _within(model, name, one) for name, one in choices.items() if isinstance(one, Free)}
        self.free = tuple(ends)
        self.start: Reals = np.array([one.start for one in ends.values()])
        self.low: Reals = np.array([one.low for one in ends.values()])
        self.high: Reals = np.array([one.high for one in ends.values()])
        self.scale: Reals = np.where(self.start != 0, np.abs(self.start), self.high - self.low)
        self.tied = {name: one for name, one in choices.items() if isinstance(one, Tied)}
        self.moving = (*self.free, *self.tied)

    def values(self, x: Sequence[float] | Reals) -> dict[str, float]:
        """Every parameter that was chosen, for a vector of the free ones."""
        out = {name: one.value for name, one in self.choices.items() if isinstance(one, Fixed)}
        out |= dict(zip(self.free, map(float, x), strict=True))
        for name, one in self.tied.items():
            out[name] = one.factor * math.prod(out[other] ** power for other, power in one.powers.items())
        return out

    def chain(self, x: Sequence[float] | Reals) -> Reals:
        """The derivatives of the moving parameters (the free, then the tied) by the free ones."""
        values = self.values(x)
        out = np.zeros((len(self.moving), len(self.free)))
        out[: len(self.free)] = np.eye(len(self.free))
        for row, one in enumerate(self.tied.values(), len(self.free)):
            for other, power in one.powers.items():
                if other in self.free:
                    rest = math.prod(values[o] ** p for o, p in one.powers.items() if o != other)
                    slope = one.factor * rest * power * values[other] ** (power - 1) if power else 0.0
                    out[row, self.free.index(other)] = slope
        return out

    def at(
        self, x: Sequence[float] | Reals, model: Model, fixed: Mapping[str, float], wide: Collection[str] = ()
    ) -> "Parameters":
        """The same, starting at x, with some of the free ones fixed; the `wide` may go far."""
        choices: dict[str, Choice] = dict(self.choices)
        for name, value, low, high in zip(self.free, map(float, x), self.low, self.high, strict=True):
            ends = _far(value, float(high), *model.limits(name)) if name in wide else (float(low), float(high))
            choices[name] = Fixed(fixed[name]) if name in fixed else Free(min(max(value, ends[0]), ends[1]), *ends)
        return Parameters(model, choices)


def _far(value: float, high: float, lowest: float, highest: float) -> tuple[float, float]:
    """A hundredth and a hundred times, within what makes sense; from nothing, where that does."""
    up = min(FAR * value, highest) if value > 0 else min(high, highest)
    return lowest if lowest == 0 else max(value / FAR, lowest), up


def _within(model: Model, name: str, one: Free) -> Free:
    """Its ends within those of the model, its start between them."""
    low, high = model.limits(name)
    low, high = max(low, one.low), min(high, one.high)
    return Free(min(max(one.start, low), high), low, high)


def _problems(model: Model, choices: Choices) -> Iterator[Problem]:
    for name, one in choices.items():
        if name not in model.names:
            yield Problem(name, "", "no such parameter", nearest(name, model.names))
            continue
        low, high = model.limits(name)
        if isinstance(one, Free):
            if not (math.isfinite(one.low) and math.isfinite(one.high) and one.low < one.high):
                yield Problem(name, (one.low, one.high), "its bounds must be finite, the lower one first")
            elif not one.low <= one.start <= one.high:
                yield Problem(name, one.start, f"must start within its bounds, {one.low:g} to {one.high:g}")
            elif one.high < low or one.low > high:
                yield Problem(name, (one.low, one.high), f"its bounds must meet the model's, {low:g} to {high:g}")
        elif isinstance(one, Fixed):
            if not low <= one.value <= high:
                yield Problem(name, one.value, f"must be {low:g} to {high:g}")
        else:
            for other in one.powers:
                if other not in choices or isinstance(choices[other], Tied):
                    yield Problem(name, other, "is tied to a parameter that is neither free nor fixed")
    missing = [name for name in model.names if name not in choices and not model.known(name)]
    for name in missing:
        yield Problem(name, "", "is missing", "say whether it is Free, Fixed or Tied")
    if not any(isinstance(one, Free) for one in choices.values()):
        yield Problem("choices", list(choices), "must leave at least one parameter free")


ABOUT = 5.0  # times and part: the bounds of a parameter that is freed without any

Bounds = tuple[float, float]
Tie = tuple[float, dict[str, float]]  # a factor, and others each to its power


def chosen(
    choices: Choices, *, fixed: Mapping[str, float], free: Mapping[str, Bounds | None], tied: Mapping[str, Tie],
    keys: Mapping[str, str],
) -> dict[str, Choice]:  # fmt: skip
    """The choices. `keys`: the rig file's keys, which are as good as names. BadValues names what is wrong."""
    ours = {key.removeprefix("machine."): name for name, key in keys.items()}

    def name_of(text: str) -> str:
        bare = text.removeprefix("machine.")
        return bare if bare in choices else ours.get(bare, bare)

    named = [(f"{way}.{text}", name_of(text)) for way, told in (("fix", fixed), ("free", free), ("tie", tied))
             for text in told]  # fmt: skip
    others = [(f"tie.{text}", name_of(other)) for text, (_, powers) in tied.items() for other in powers]
    problems = [*_strangers(choices, named + others), *_twice(named)]
    if problems:
        raise BadValues(problems)
    made = dict(choices)
    made |= {name_of(text): Fixed(float(value)) for text, value in fixed.items()}
    for text, bounds in free.items():
        made[name_of(text)] = _free(f"free.{text}", choices[name_of(text)], bounds)
    for text, (factor, powers) in tied.items():
        made[name_of(text)] = Tied(factor, {name_of(other): power for other, power in powers.items()})
    return made


def _strangers(choices: Choices, named: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    for place, name in named:
        if name not in choices:
            limit = f"no such parameter; there are {', '.join(choices)}"
            yield Problem(place, name, limit, nearest(name, list(choices)))


def _twice(named: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for place, name in named:
        if name in seen:
            yield Problem(place, name, f"is asked for by {seen[name]} as well", "say one of them")
        seen[name] = place


def _free(place: str, before: Choice, bounds: Bounds | None) -> Free:
    if isinstance(before, Free):
        start, low, high = before
    else:
        start = before.value if isinstance(before, Fixed) else 0.0
        low, high = start / ABOUT, start * ABOUT
    if bounds is not None:
        low, high = bounds
        if not low < high:
            raise BadValues([Problem(place, f"{low:g}:{high:g}", "must be LOW:HIGH, the lower one first")])
        if not low <= start <= high:
            start = (low * high) ** 0.5 if low > 0 else 0.5 * (low + high)
    if not low < high:
        raise BadValues([Problem(place, start, "has no size in the rig file", "give its bounds, LOW:HIGH")])
    return Free(start, low, high)
