"""From records and a model to numbers, and to what the records cannot say.

    record = Record({"ui": u}, {"displacement": x}, dt_s)
    fit = identify(ServoModel(known), [record], {"m": Free(16.0, 0.0, 50.0), ...})
    fit.estimate("m").value           None: displacement alone does not say what m is
    fit.invariant("m/beta").value     but this it does

Another output is another entry of the record's, a parameter that is known another entry of the choices: `Fixed(13.5)`.
"""

from collections.abc import Sequence

import numpy as np

from hilctl.identify.frequency.judge import require
from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.identify.grey_box.intervals import How, gauged, invariants
from hilctl.identify.grey_box.judge import estimates, flags
from hilctl.identify.grey_box.model import CannotBe, Model, Record, check_record
from hilctl.identify.grey_box.parameters import Choices, Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.result import Fit
from hilctl.identify.grey_box.search import Found, search, search_many, started
from hilctl.identify.grey_box.structure import Rank, Structure, rank_of, structure_of
from hilctl.params import BadValues
from hilctl.params import Problem as Refusal
from hilctl.results.response import Reals

AROUND = 0.1  # of each parameter's logarithm: how far the points lie that the structure is read from
POINTS = 3
ROUNDS = 3  # of weighing several outputs by what is left of them
QUIET = 1e-9  # of an output's spread: no output counts as less noisy


def identify(
    model: Model,
    records: Sequence[Record],
    choices: Choices,
    *,
    intervals: How = "auto",
    starts: int = 0,
    check: bool = True,
) -> Fit:
    """The machine. Outputs are weighed by what is left of each. `starts`: random ones, too.

    BadValues where choices or records do not belong to the model; RecordFault where a record itself is wrong (unless
    `check` is off); NoStart where the start is no machine.
    """
    if not records:
        raise BadValues([Refusal("records", [], "must hold at least one")])
    for record in records:
        check_record(record, model.inputs, model.outputs)
        if check:
            driver = model.inputs[0]
            require(record.inputs[driver], record.outputs, 1 / record.dt_s, name=driver)
    spread = _spread(records)
    parameters = Parameters(model, choices)
    problem = Problem(model, tuple(records), parameters, spread)
    start = parameters.start
    found, agreeing = search_many(problem, starts)
    first = found
    outputs = sorted({name for record in records for name in record.outputs})
    for _ in range(ROUNDS if len(outputs) > 1 else 0):
        left = _left(problem, found.x)
        if all(left[name] < QUIET * spread[name] for name in outputs):
            break  # of rounding there is nothing to weigh by
        before, weighed = problem.noise, {name: max(left[name], QUIET * spread[name]) for name in outputs}
        problem = started(problem._replace(noise=weighed), found.x)
        found = search(problem)
        if all(abs(weighed[name] / before[name] - 1) < 0.05 for name in outputs):
            break
    rank = rank_of(found.triangle[:, :-1])
    structure = _structure(problem, found.x, rank)
    gauge = gauged(problem, found.x, structure, intervals)
    told = invariants(gauge, structure, model.units)
    return Fit(
        estimates=estimates(problem, found, gauge, structure, told),
        invariants=told,
        directions=structure.directions,
        values=problem.parameters.values(found.x),
        fit_percent=_percent(problem, found.x),
        start_percent=_percent(problem, start),
        history=_history(first, problem._replace(noise=spread)),
        iterations=first.iterations,
        trials=first.trials,
        ended=first.ended,
        rank=rank.rank,
        free=len(parameters.free),
        gap=rank.gap,
        singular_values=rank.singular_values,
        noise=_left(problem, found.x),
        agreeing=agreeing,
        flags=flags(problem, found, gauge, structure, told),
    )


def _spread(records: Sequence[Record]) -> dict[str, float]:
    """Of each output, over all records."""
    out: dict[str, list[float]] = {}
    for record in records:
        for name, values in record.outputs.items():
            out.setdefault(name, []).append(float(np.std(np.asarray(values, float))))
    flat = [Refusal(name, 0.0, "never changes: there is nothing to fit") for name, s in out.items() if not max(s) > 0]
    if flat:
        raise BadValues(flat)
    return {name: max(each) for name, each in out.items()}


def _left(problem: Problem, x: Reals) -> dict[str, float]:
    """What is left of each output, rms over all records."""
    squares: dict[str, list[float]] = {}
    for record, misses in zip(problem.records, problem.misses(x), strict=True):
        for name, column in zip(record.outputs, misses.T, strict=True):
            squares.setdefault(name, []).append(float(np.mean(column**2)))
    return {name: float(np.sqrt(np.mean(each))) for name, each in squares.items()}


def _percent(problem: Problem, x: Reals) -> dict[str, float]:
    """Equation 29 for each output; of several records the worst."""
    out: dict[str, float] = {}
    for record, misses in zip(problem.records, problem.misses(x), strict=True):
        measured = record.measured()
        for at, name in enumerate(record.outputs):
            fit = fit_percent(measured[:, at], measured[:, at] + misses[:, at])
            out[name] = min(fit, out.get(name, fit))
    return out


def _history(found: Found, problem: Problem) -> tuple[float, ...]:
    """All outputs together, as they were weighed."""
    total = 0.0
    for record in problem.records:
        measured = record.measured() / [problem.noise[name] for name in record.outputs]
        total += float(np.sum((measured - measured.mean(0)) ** 2))
    return tuple(100 * (1 - np.sqrt(2 * cost / total)) for cost in found.costs)


def _structure(problem: Problem, x: Reals, rank: Rank) -> Structure:
    """From derivatives at the estimate and around it; one point is enough where all is fixed."""
    names = problem.parameters.free
    first = _inside(problem, x)
    points, random = [first], np.random.default_rng(0)
    while rank.rank < len(names) and len(points) < POINTS:
        point = first * np.exp(random.uniform(-AROUND, AROUND, len(x)))
        try:
            problem.triangle(point)
        except (CannotBe, BadValues):
            continue
        points.append(point)
    return structure_of(names, problem.model.units, points, lambda point: problem.triangle(point)[:, :-1])


def _inside(problem: Problem, x: Reals) -> Reals:
    """The same without zeros, which have no logarithm."""
    floor = 1e-3 * problem.parameters.high
    return np.where((x >= 0) & (x < floor), floor, x)
