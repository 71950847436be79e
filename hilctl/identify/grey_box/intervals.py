"""How sure each parameter is: where the sum of squares passes what the residuals' scatter allows.

The linear interval is x ± t s, with the covariance that the residuals' colour makes (`scatter`) of the parameters that
met no bound. It is given where the outputs at its ends are as far off as it says. Where they are not, or a bound is
nearer, the profile is: the parameter held at one value after another, the others fitted again, until the squares have
grown as much as they do at the end of a linear interval. Where residuals follow the input, both are wider by how far
the parameter may be bent by what the model lacks (`scatter`).

First the same machine is written with what can be set at will set (`gauged`), so that the data fix all that is left.
Parameters that sums can do without become zero where they may, and those that others are measured by stay as they are.
Each product of powers then has one parameter of its own, and its interval is that parameter's.
"""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from hilctl.identify.grey_box.model import CannotBe, Model
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.scatter import SILENT, Scatter, scatter
from hilctl.identify.grey_box.search import Found, NoStart, search
from hilctl.identify.grey_box.structure import Structure
from hilctl.results.grey_box import By, Invariant
from hilctl.results.response import Reals

How = Literal["auto", "linear", "profile", "quick"]  # quick: linear, and no interval at a bound

CONFIDENCE = 0.95
AGREE = 0.1  # of what the sum of squares grows by
_FINE = 0.003  # of the root of that: where an end is found
_STEPS = 12
_AT_BOUND = 1e-9  # of a parameter's range: closer to its bound there is nothing to search
_LAZY = 1e-4  # the tolerance of a search whose sum of squares alone matters


class Interval(NamedTuple):
    """Of one free parameter."""

    low: float
    high: float
    by: Literal["linear", "profile"]
    sd: float  # of the linear theory, and of what may bend it; infinite at a bound
    open_low: bool  # no end on this side: it is the bound's
    open_high: bool


class Sureness(NamedTuple):
    """Of all free parameters of a problem whose data fix them all."""

    intervals: dict[str, Interval]
    scatter: Scatter

    @property
    def variance(self) -> float:
        """Of a residual, in units of the noise it was weighed with."""
        return self.scatter.variance


def sureness(problem: Problem, found: Found, how: How = "auto") -> Sureness:
    """The intervals around what was found."""
    from scipy.stats import t

    spread = scatter(problem, found)
    out = {}
    for at, name in enumerate(problem.parameters.free):
        quantile = float(t.ppf(0.5 + CONFIDENCE / 2, spread.freedom[at]))
        out[name] = _interval(problem, found, spread, at, quantile, how)
    return Sureness(out, spread)


def _interval(problem: Problem, found: Found, spread: Scatter, at: int, quantile: float, how: How) -> Interval:
    low, high = problem.parameters.low[at], problem.parameters.high[at]
    sd = math.inf if found.at_bound[at] else math.sqrt(spread.covariance[at, at])
    value, half = float(found.x[at]), math.hypot(quantile * sd, spread.bent(at))
    if how == "quick" and math.isinf(half):
        return Interval(value, value, "linear", 0.0, False, False)
    sd = half / quantile
    within = low < value - half and value + half < high
    silent = spread.variance < SILENT**2
    if how == "auto" and within and not silent:
        silent = _straight(problem, found, spread, at, half)
    if math.isfinite(half) and (how in ("linear", "quick") or silent):
        return Interval(value - half, value + half, "linear", sd, False, False)
    allowed = math.hypot(math.sqrt(spread.variance) * float(spread.widths[at]) * quantile, spread.bend)
    way = spread.white[:, at] / spread.white[at, at] if math.isfinite(sd) else np.eye(len(found.x))[at]
    step = half if math.isfinite(half) else quantile * float(spread.spreads[at])
    ends = [_end(problem, found, at, sign, step, allowed, way) for sign in (-1.0, 1.0)]
    return Interval(ends[0][0], ends[1][0], "profile", sd, ends[0][1], ends[1][1])


def _straight(problem: Problem, found: Found, spread: Scatter, at: int, half: float) -> bool:
    """Whether the outputs at both ends, the others following, are off by what the linear theory says."""
    way = spread.white[at] / spread.white[at, at] * half
    expected = spread.variance * (half**2 / spread.white[at, at])
    for sign in (-1.0, 1.0):
        x = found.x + sign * way
        if np.any(x <= problem.parameters.low) or np.any(x >= problem.parameters.high):
            return False
        try:
            squares = float(np.sum(problem.triangle(x)[:, -1] ** 2))
        except CannotBe:
            return False
        if abs(squares - found.squares - expected) > AGREE * expected:
            return False
    return True


def _end(
    problem: Problem, found: Found, at: int, sign: float, step: float, allowed: float, way: Reals
) -> tuple[float, bool]:
    """Where the profile's root passes `allowed`, and whether it is the bound instead.

    `step`: the first distance to try, 0 if none is known; `way`: how the other parameters follow.
    """
    parameters, name = problem.parameters, problem.parameters.free[at]
    bound = float(parameters.high[at] if sign > 0 else parameters.low[at])
    value = float(found.x[at])
    room = abs(bound - value)
    if room <= _AT_BOUND * float(parameters.high[at] - parameters.low[at]):
        return bound, True
    inside, at_inside = 0.0, 0.0
    outside, at_outside = math.inf, math.inf
    step, x, at_x = min(step or 0.1 * room, room), found.x, 0.0
    for _ in range(_STEPS):
        if step <= 0.0:
            return bound, True
        ahead = x + sign * (step - at_x) * way
        x_held, off = _held(problem, ahead, name, value + sign * step, found.squares)
        if off <= allowed:
            if step >= room:
                return bound, True
            inside, at_inside = step, off
            x, at_x = x_held, step
        else:
            outside, at_outside = step, off
        if abs(off - allowed) <= _FINE * allowed:
            break
        if math.isinf(outside):
            step = min(max(step * allowed / max(off, 1e-3 * allowed), 1.2 * step), 3 * step, room)
        elif math.isinf(at_outside):
            step = 0.5 * (inside + outside)
        else:
            share = (allowed - at_inside) / (at_outside - at_inside)
            step = inside + min(max(share, 0.05), 0.95) * (outside - inside)
    return value + sign * step, False


def _held(problem: Problem, x: Reals, name: str, value: float, least: float) -> tuple[Reals, float]:
    """The others fitted again; how far the outputs are then off, as the root of the growth of the squares."""
    names = problem.parameters.free
    if len(names) == 1:
        try:
            squares = float(np.sum(problem.triangle(np.array([value]))[:, -1] ** 2))
        except CannotBe:
            return x, math.inf
        return x, math.sqrt(max(squares - least, 0.0))
    held = problem._replace(parameters=problem.parameters.at(x, problem.model, {name: value}))
    try:
        found = search(held, _LAZY)
    except NoStart:
        return x, math.inf
    whole = dict(zip(held.parameters.free, found.x, strict=True)) | {name: value}
    return np.array([whole[each] for each in names]), math.sqrt(max(found.squares - least, 0.0))


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
        ends = value, min(low, high), max(low, high)
        out.append(Invariant(*ends, unit, name=name, powers=powers, by=by, sd=sd))
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
