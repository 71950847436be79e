"""The threshold of a valve: the change of its command that is too small to move it.

What is sent to the spool jumps with it, so the outputs have no derivative by it and no trust region finds it. It is
looked for by the sum of squares itself, together with the play, for which it is easily taken: both decide when the
spool jumps. First everywhere, then closer and closer about the best. For each pair the others are where the derivatives
say that they would end, and after each round they are fitted again.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hilctl.identify.dynamics.grey.model import CannotBe, Model
from hilctl.identify.dynamics.grey.parameters import Choices, Fixed, Parameters
from hilctl.identify.dynamics.grey.problem import Problem
from hilctl.identify.dynamics.grey.record import Record

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


__all__ = ["Tried", "find_threshold"]
