"""From what was found to estimates, and to what has to be known before they are used."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hilctl.identify.grey_box.intervals import Gauged
from hilctl.identify.grey_box.parameters import Fixed, Free, Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.scatter import SILENT
from hilctl.identify.grey_box.search import Found
from hilctl.identify.grey_box.structure import Structure
from hilctl.results.grey_box import Estimate, Invariant, estimate, nothing_of
from hilctl.results.quantity import Flag
from hilctl.results.response import Reals

WHITE = 0.2  # correlation of neighbouring residuals
HELD_BACK = 25.0  # squares by which bounds make the fit worse, in units of a residual's: five standard deviations
LOOSE = 1.0  # of the value: a 95 % interval that reaches so far says little


def estimates(
    problem: Problem, found: Found, gauge: Gauged, structure: Structure, told: Sequence[Invariant]
) -> tuple[Estimate, ...]:  # fmt: skip
    """Every parameter of the choices, with a number where the data fix it."""
    model, parameters = problem.model, problem.parameters
    alone = {one.name: one for one in told if list(one.powers.values()) == [1]}
    ends = dict(zip(parameters.free, found.at_bound, strict=True))
    out = []
    for name, choice in parameters.choices.items():
        unit, at = model.units[name], ends.get(name, 0)
        if isinstance(choice, Fixed):
            out.append(estimate(name, unit, (choice.value, choice.value, choice.value), "fixed"))
        elif name in alone:
            one = alone[name]
            out.append(estimate(name, unit, one.ends, one.by, at).within(model.limits(name)))
        elif name in parameters.tied and (tied := _tied(parameters, name, alone)) is not None:
            out.append(estimate(name, unit, tied, "linear"))
        else:
            out.append(nothing_of(name, unit, at, _why(name, parameters, structure)))
    return tuple(out)


def _tied(
    parameters: Parameters, name: str, alone: Mapping[str, Invariant]
) -> tuple[float, float, float] | None:
    """Value and interval of what follows parameters that the data fix; None where they do not."""
    tie, value, log_low, log_high = parameters.tied[name], parameters.tied[name].factor, 0.0, 0.0
    for other, power in tie.powers.items():
        choice = parameters.choices[other]
        if isinstance(choice, Fixed):
            value *= choice.value**power
            continue
        if other not in alone:
            return None
        middle, *outer = alone[other].ends
        value *= middle**power
        with np.errstate(divide="ignore"):
            ends = sorted(power * float(np.log(np.float64(max(end, 0.0)) / middle)) for end in outer)
        log_low, log_high = log_low + ends[0], log_high + ends[1]
    return value, value * float(np.exp(log_low)), value * float(np.exp(log_high))


def _why(name: str, parameters: Parameters, structure: Structure) -> str:
    """Why there is no number."""
    moved = (name, *(parameters.tied[name].powers if name in parameters.tied else ()))
    texts = [one.text for one in structure.directions if any(each in one.parts for each in moved)]
    if texts:
        return f"not fixed by these data: {'; '.join(texts)} changes nothing that was measured"
    return "not identifiable between its bounds from these data"


def flags(
    problem: Problem, found: Found, gauge: Gauged, structure: Structure, told: Sequence[Invariant]
) -> tuple[Flag, ...]:  # fmt: skip
    """What is not as it should be."""
    return (*_open(structure), *_bounds(problem, found, gauge), *_loose(told), *_coloured(problem, found.x, gauge))


def _open(structure: Structure) -> Iterator[Flag]:
    """Directions that nothing in the data fixes."""
    for one in structure.directions:
        name = ", ".join(one.parts)
        if one.kind == "shift":
            text = f"{one.text}: the data see only what they add up to"
            yield Flag("not fixed", name, text, f"fix or tie all but one of {name} from other knowledge")
        else:
            text = f"{one.text}: no output changes"
            yield Flag("not fixed", name, text, f"measure another output, or fix one of {name}")


def _bounds(problem: Problem, found: Found, gauge: Gauged) -> Iterator[Flag]:
    """Where the search ended at the end of a range that matters."""
    reached = {n: at for n, at in zip(problem.parameters.free, found.at_bound, strict=True) if at}
    lost = (found.squares - gauge.found.squares) / max(gauge.sure.variance, SILENT**2)
    for name, end in reached.items():
        choice = problem.parameters.choices[name]
        assert isinstance(choice, Free)
        if end < 0 and choice.low == 0.0 == problem.model.limits(name)[0] and name not in gauge.wide:
            yield Flag("none", name, f"{name} = 0: none of it shows", "correct if the rig has none")
            continue
        at = found.x[problem.parameters.free.index(name)]
        if name not in gauge.wide or lost > HELD_BACK:
            text = f"{name} = {at:.5g} is an end of its range, {choice.low:g} to {choice.high:g}"
            yield Flag("bound", name, text, "widen its bounds if the machine allows it, or doubt the model")


def _loose(told: Sequence[Invariant]) -> Iterator[Flag]:
    for one in told:
        value, low, high = one.ends
        if high - low > 2 * LOOSE * abs(value):
            text = f"{one.name} = {value:.4g}, {low:.3g} to {high:.3g}: wider than the value"
            yield Flag("imprecise", one.name, text, "record longer, or with more amplitude")


def _coloured(problem: Problem, x: Reals, gauge: Gauged) -> Iterator[Flag]:
    """What is left and follows itself, and what follows the input."""
    following = iter(gauge.sure.scatter.followed)
    for record, misses in zip(problem.records, problem.misses(x), strict=True):
        place = f" in {record.name}" if len(problem.records) > 1 else ""
        for name, column in zip(record.outputs, misses.T, strict=True):
            own, seen = column - column.mean(), next(following, None)
            power = float(own @ own)
            if not power > 1e-16 * float(np.sum(np.asarray(record.outputs[name]) ** 2)):
                continue
            alike = float(own[1:] @ own[:-1]) / power
            if abs(alike) > WHITE:
                left = f"the residuals of {name}{place} are not white (neighbours {alike:+.2f})"
                remedy = "unfiltered samples, with less noise, would make them narrower"
                yield Flag("coloured", name, f"{left}: the intervals allow for it", remedy)
            if seen is not None and seen.worst:
                text = f"the residuals of {name}{place} follow the input ({seen.worst:.1f} standard errors)"
                remedy = "the model lacks something; the intervals are wider by the bias that this may cause"
                yield Flag("follows", name, text, remedy)
