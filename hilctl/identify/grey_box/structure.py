"""What the data do not fix, in the parameters' own terms, and what they do: derived from derivatives alone.

Directions that are not identifiable show as singular values at the level of rounding, many decades below the rest;
directions that are badly determined do not. Where the rank is short, some changes of the parameters leave every output
as it is. At one point they are vectors; the law behind them shows in how these turn from point to point:

- a *shift* is the same vector everywhere in the parameters themselves: (Kc, Ctc) by (+1, -1). Then only sums count.
  They take the place of the parameters that are in them.
- a *scaling* is the same vector everywhere in the parameters' logarithms: beta, m, ... times any number. Then only
  products of powers count.

So the null spaces of several points, each in both coordinates, are intersected, and what is common is written in whole
numbers. What is neither stays a vector that holds near one point only.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from hilctl.results.response import Reals

GAP = 1e6  # between two neighbouring singular values: below it, nothing is fixed
_ROUNDING = 1e-16


class Rank(NamedTuple):
    """What derivatives say."""

    rank: int
    singular_values: tuple[float, ...]
    gap: float  # across the rank; to the level of rounding where all directions are fixed
    null: Reals  # orthonormal columns, in units of `lengths`
    lengths: Reals  # of the derivatives' columns

    def null_in(self, scale: Reals) -> Reals:
        """The directions that are not fixed, as orthonormal columns in units of `scale`."""
        lengths = np.where(self.lengths > 0, self.lengths, 1.0)
        turned = self.null / (lengths * scale)[:, None]
        if not turned.shape[1]:
            return turned
        return np.asarray(np.linalg.qr(turned / np.abs(turned).max(0))[0])


def rank_of(jacobian: Reals) -> Rank:
    """Of a Jacobian, or of the triangle that stands for it."""
    lengths = np.linalg.norm(jacobian, axis=0)
    count = len(lengths)
    _, found, right = np.linalg.svd(jacobian / np.where(lengths > 0, lengths, 1.0))
    values = np.zeros(count)
    values[: len(found)] = found[:count]
    floor = max(values[0], 1.0) * _ROUNDING
    steps = np.append(values[1:], 0.0)
    gaps = values / np.maximum(steps, floor)
    wide = [k for k in range(count - 1) if gaps[k] >= GAP]
    rank = wide[0] + 1 if wide else count
    return Rank(rank, tuple(values.tolist()), float(gaps[rank - 1]), right[rank:].T.copy(), lengths)


LARGEST = 12  # numerator and denominator of what counts as a small fraction
APART = 1e-4  # of a fraction: the spaces come from singular vectors, good to 1e-7 or so


def echelon(rows: Any) -> Reals:
    """The reduced row echelon form of independent rows: it depends on their span alone. Pivots come first by column."""
    work = np.array(rows, float)
    at = 0
    for column in range(work.shape[1]):
        if at == len(work):
            break
        best = at + int(np.argmax(np.abs(work[at:, column])))
        if abs(work[best, column]) < 1e-6:
            continue
        work[[at, best]] = work[[best, at]]
        work[at] /= work[at, column]
        for other in range(len(work)):
            if other != at:
                work[other] -= work[other, column] * work[at]
        at += 1
    return work[:at]


def whole(row: Any, largest: int = LARGEST) -> tuple[int, ...] | None:
    """The row times the least number that makes it whole; None where it is none of small fractions."""
    fractions = [Fraction(float(value)).limit_denominator(largest) for value in row]
    if any(abs(float(f) - v) > APART or abs(f.numerator) > largest for f, v in zip(fractions, row, strict=True)):
        return None
    common = math.lcm(*(f.denominator for f in fractions))
    return tuple(int(f * common) for f in fractions)


def whole_rows(rows: Any) -> tuple[tuple[int, ...], ...]:
    """Whole rows that span what these do, as far as there are such; the rest is left out."""
    if not len(rows):
        return ()
    found = (whole(row) for row in echelon(rows))
    return tuple(row for row in found if row is not None)


def crosswise(rows: Sequence[Sequence[int]], count: int) -> dict[int, tuple[int, ...]]:
    """Whole rows at right angles to all of these, that span everything that is: one for each column without a pivot.

    By that column: it stands in no other of these rows.
    """
    made = echelon(np.array(rows, float).reshape(len(rows), count))
    pivots = [int(np.argmax(np.abs(row) > 0.5)) for row in made]  # 1 there, and 0 before
    out = {}
    for column in (c for c in range(count) if c not in pivots):
        row = np.eye(count)[column]
        row[pivots] = -made[:, column]
        exact = whole(row, LARGEST**2)
        assert exact is not None, "small whole numbers are crossed by small fractions"
        out[column] = exact
    return out


def common_space(spaces: Sequence[Reals]) -> Reals:
    """Orthonormal rows of what lies in every one of these spaces (orthonormal columns each)."""
    size = spaces[0].shape[0]
    if any(space.shape[1] == 0 for space in spaces):
        return np.zeros((0, size))
    outside = sum((np.eye(size) - space @ space.T for space in spaces), np.zeros((size, size)))
    values, vectors = np.linalg.eigh(outside)
    return np.asarray(vectors[:, values < 1e-8].T)


Kind = Literal["scaling", "shift", "local"]


class Direction(NamedTuple):
    """A change of the parameters that the data do not see."""

    kind: Kind
    parts: Mapping[str, float]  # exponents; coefficients; or relative changes
    text: str


class Sum(NamedTuple):
    """A sum of parameters that acts as one."""

    parts: Mapping[str, int]
    leader: str  # stands in no other sum

    @property
    def name(self) -> str:
        """As it is written."""
        text = ""
        for name, factor in self.parts.items():
            sign = ("-" if factor < 0 else "+") if text or factor < 0 else ""
            text += f" {sign} " if text else sign
            text += name if abs(factor) == 1 else f"{abs(factor)} {name}"
        return text if len(self.parts) == 1 and text in self.parts else f"({text})"


class Structure(NamedTuple):
    """All of it. What takes the parameters' places are sums; a single parameter is a sum of one."""

    directions: tuple[Direction, ...]
    sums: tuple[Sum, ...]
    products: tuple[tuple[int, ...], ...]  # exponents of the sums: what is fixed
    leaders: tuple[int, ...]  # of each product: the sum that stands in no other
    held: tuple[str, ...]  # parameters that can be set at will, as what is fixed holds for any value of theirs
    loose: tuple[str, ...]  # the same, where no law is seen: what they bear on holds for these values only


Slopes = Callable[[Reals], Reals]  # the derivatives by the free parameters, or their triangle, at a point


def structure_of(names: Sequence[str], units: Mapping[str, str], points: Sequence[Reals], slopes: Slopes) -> Structure:
    """From the derivatives at several points, of which the first is where the local directions are reported."""
    triangles = [slopes(point) for point in points]
    sums, held = _sums(names, units, points, triangles)
    matrix = np.array([[one.parts.get(name, 0) for name in names] for one in sums], float)
    dual = matrix.T @ np.linalg.inv(matrix @ matrix.T)
    values = [matrix @ point for point in points]
    nulls = [
        rank_of(triangle @ dual).null_in(np.where(value != 0, value, 1.0))
        for triangle, value in zip(triangles, values, strict=True)
    ]
    rows: tuple[tuple[int, ...], ...] = ()
    if all((value != 0).all() for value in values):
        rows = whole_rows(common_space(nulls))
    crossed = crosswise(rows, len(sums))
    directions = [_shift(one) for one in _shifts(names, units, points, triangles)]
    directions += [_scaling(row, sums) for row in rows]
    left = _beyond(nulls[0], rows)
    for row in left:
        parts = {one.name: float(part) for one, part in zip(sums, row, strict=True) if abs(part) > 1e-6}
        text = ", ".join(f"{name} by {100 * part:+.3g} %" for name, part in parts.items())
        directions.append(Direction("local", parts, text))
    fixed = {at: row for at, row in crossed.items() if not len(left) or np.abs(left @ row).max() < 1e-6}
    held += tuple(one.leader for at, one in enumerate(sums) if at not in crossed)
    return Structure(
        tuple(directions), sums, tuple(fixed.values()), tuple(fixed), held, _loose(left, sums, list(crossed))
    )


def _loose(left: Reals, sums: Sequence[Sum], kept: Sequence[int]) -> tuple[str, ...]:
    """One parameter for each direction that no law is seen behind: the one that it moves most."""
    out: list[str] = []
    rest = left.copy()
    for _ in range(len(left)):
        column = max(kept, key=lambda c: float(np.abs(rest[:, c]).max()))
        at = int(np.argmax(np.abs(rest[:, column])))
        out.append(sums[column].leader)
        rest = np.delete(rest - np.outer(rest[:, column] / rest[at, column], rest[at]), at, 0)
        if not len(rest):
            break
    return tuple(out)


def _shifts(
    names: Sequence[str], units: Mapping[str, str], points: Sequence[Reals], triangles: Sequence[Reals]
) -> tuple[dict[str, int], ...]:
    """Whole-numbered changes, among parameters of one unit, that are not seen at any of the points."""
    scale = np.ones(len(names))
    for unit in {units[name] for name in names}:
        same = [i for i, name in enumerate(names) if units[name] == unit]
        scale[same] = max(float(np.exp(np.mean([np.log(abs(p[i]) + 1e-300) for p in points for i in same]))), 1e-300)
    found = []
    spaces = [rank_of(triangle).null_in(scale) for triangle in triangles]
    for row in whole_rows(common_space(spaces)):
        parts = {name: part for name, part in zip(names, row, strict=True) if part}
        if len({units[name] for name in parts}) == 1:
            found.append(parts)
    return tuple(found)


def _sums(
    names: Sequence[str], units: Mapping[str, str], points: Sequence[Reals], triangles: Sequence[Reals]
) -> tuple[tuple[Sum, ...], tuple[str, ...]]:
    """What is left of the parameters when the shifts are taken out, in their order; and what can be set at will."""
    shifts = _shifts(names, units, points, triangles)
    mixed = [name for name in reversed(names) if any(name in shift for shift in shifts)]
    rows = crosswise([[shift.get(name, 0) for name in mixed] for shift in shifts], len(mixed))
    sums = [Sum({name: 1}, name) for name in names if name not in mixed]
    for column, row in rows.items():
        parts = dict(reversed(list(zip(mixed, row, strict=True))))
        sign = -1 if next(part for part in parts.values() if part) < 0 else 1
        sums.append(Sum({name: sign * part for name, part in parts.items() if part}, mixed[column]))
    sums.sort(key=lambda one: list(names).index(one.leader))
    leaders = {one.leader for one in sums}
    return tuple(sums), tuple(name for name in names if name not in leaders)


def _shift(parts: Mapping[str, int]) -> Direction:
    plus = " + ".join(name if part == 1 else f"{part} {name}" for name, part in parts.items() if part > 0)
    less = " + ".join(name if part == -1 else f"{-part} {name}" for name, part in parts.items() if part < 0)
    text = f"more {plus} for less {less}" if plus and less else f"any change of {plus or less}"
    return Direction("shift", {name: float(part) for name, part in parts.items()}, text)


def _scaling(row: Sequence[int], sums: Sequence[Sum]) -> Direction:
    """In the parameters themselves: a sum is scaled by scaling all that is in it."""
    parts = {name: float(power) for one, power in zip(sums, row, strict=True) if power for name in one.parts}
    up = ", ".join(_power(name, power) for name, power in parts.items() if power > 0)
    down = ", ".join(_power(name, -power) for name, power in parts.items() if power < 0)
    text = f"{up} times any number" + (f", {down} divided by it" if down else "")
    return Direction("scaling", parts, text)


def _power(name: str, power: float) -> str:
    return name if power == 1 else f"{name} (to the power {power:g})"


def _beyond(null: Reals, rows: Sequence[Sequence[int]]) -> Reals:
    """What of a null space the whole-numbered rows do not span: rows, each led by its first part."""
    if not null.shape[1]:
        return np.zeros((0, null.shape[0]))
    known = np.linalg.qr(np.array(rows, float).T)[0] if rows else np.zeros((null.shape[0], 0))
    rest = null - known @ (known.T @ null)
    left, size, _ = np.linalg.svd(rest, full_matrices=False)
    kept = left[:, size > 1e-3].T
    return np.array([row / np.abs(row).max() for row in kept]).reshape(-1, null.shape[0])
