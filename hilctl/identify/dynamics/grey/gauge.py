"""The same machine written with what can be set at will set, so that the data fix all that is left.

Parameters that sums can do without become zero where they may, and those that others are measured by stay as they are.
Each product of powers then has one parameter of its own, and its interval is that parameter's.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hilctl.identify.dynamics.grey.intervals import How, Sureness, sureness
from hilctl.identify.dynamics.grey.model import Model, Reals
from hilctl.identify.dynamics.grey.problem import Problem
from hilctl.identify.dynamics.grey.result import By, Invariant
from hilctl.identify.dynamics.grey.search import Found, search
from hilctl.identify.dynamics.grey.symmetry import Structure


class Gauged(NamedTuple):
    """The problem that is left, and where it is solved."""

    problem: Problem
    found: Found
    sure: Sureness
    values: Mapping[str, float]  # of the parameters that were free before
    wide: frozenset[str]  # those whose bounds mean nothing, as others can make up for them


def gauged(problem: Problem, x: Reals, structure: Structure, how: How) -> Gauged:
    """Sets what can be set, fits the rest to the end, and says how sure that is."""
    names, model = problem.parameters.free, problem.model
    values = _set(dict(zip(names, map(float, x), strict=True)), structure, model)
    fixed = {name: values[name] for name in (*structure.held, *structure.loose)}
    moved = {name for one in structure.directions for name in one.parts}
    moved |= {name for one in structure.sums if one.name in moved for name in one.parts}
    left = problem.parameters.at([values[n] for n in names], model, fixed, wide=moved)
    smaller = problem._replace(parameters=left)
    found = search(smaller)
    values |= dict(zip(left.free, map(float, found.x), strict=True))
    return Gauged(smaller, found, sureness(smaller, found, how), values, frozenset(moved))


def _set(values: dict[str, float], structure: Structure, model: Model) -> dict[str, float]:
    """The sums gathered in their leaders, as far as the model's limits let them."""
    out = dict(values)
    for one in structure.sums:
        within = [name for name in one.parts if name != one.leader and name in structure.held]
        if not within or any(name in other.parts for name in within for other in structure.sums if other is not one):
            continue
        gathered = sum(part * values[name] for name, part in one.parts.items()) / one.parts[one.leader]
        low, high = model.limits(one.leader)
        if low <= gathered <= high and all(model.limits(name)[0] <= 0.0 for name in within):
            out |= dict.fromkeys(within, 0.0) | {one.leader: gathered}
    return out


def invariants(gauge: Gauged, structure: Structure, units: Mapping[str, str]) -> tuple[Invariant, ...]:
    """What the data fix, with intervals."""
    out = []
    for product, at in zip(structure.products, structure.leaders, strict=True):
        leader = structure.sums[at]
        if leader.leader not in gauge.problem.parameters.free:
            continue  # it is held for a direction without a law
        powers = {one.name: power for one, power in zip(structure.sums, product, strict=True) if power}
        interval = gauge.sure.intervals[leader.leader]
        here = gauge.values[leader.leader]
        if interval.open_low and interval.open_high:
            continue
        value, low, high = (
            _product({**gauge.values, leader.leader: end}, structure, product)
            for end in (here, interval.low, interval.high)
        )
        slope = abs(product[at] * leader.parts[leader.leader] / _sum(gauge.values, leader.parts)) * abs(value)
        unit = _unit(structure, product, units)
        name = _written(powers)
        by: By = interval.by
        sd = slope * interval.sd
        out.append(Invariant(name, powers, unit, value, min(low, high), max(low, high), by, sd))
    return tuple(out)


def _sum(values: Mapping[str, float], parts: Mapping[str, int]) -> float:
    return sum(part * values[name] for name, part in parts.items())


def _product(values: Mapping[str, float], structure: Structure, product: tuple[int, ...]) -> float:
    terms = zip(structure.sums, product, strict=True)
    with np.errstate(divide="ignore"):
        return float(math.prod(np.float64(_sum(values, one.parts)) ** power for one, power in terms if power))


def _written(powers: Mapping[str, int]) -> str:
    """m/beta, (Kc + Ctc) beta, wv^2/m: what is multiplied first."""
    over = " ".join(name if power == 1 else f"{name}^{power}" for name, power in powers.items() if power > 0)
    under = " ".join(name if power == -1 else f"{name}^{-power}" for name, power in powers.items() if power < 0)
    if not under:
        return over
    return f"{over or 1}/({under})" if " " in under and not under.startswith("(") else f"{over or 1}/{under}"


def _unit(structure: Structure, product: tuple[int, ...], units: Mapping[str, str]) -> str:
    powers: dict[str, int] = {}
    for one, power in zip(structure.sums, product, strict=True):
        unit = units[one.leader]
        if power and unit:
            unit = f"({unit})" if any(sign in unit for sign in "·/ ") else unit
            powers[unit] = powers.get(unit, 0) + power
    powers = {unit: power for unit, power in powers.items() if power}
    if len(powers) == 1 and set(powers.values()) == {1}:
        return next(iter(powers)).removeprefix("(").removesuffix(")") if "(s" not in next(iter(powers)) else next(
            iter(powers)
        )[1:-1]
    return _written(powers) if powers else ""
