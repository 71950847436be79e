"""What the data do not fix, in the parameters' own terms, and what they do: derived from derivatives alone.

Where the rank is short, some changes of the parameters leave every output as it is. At one point they are vectors; the
law behind them shows in how these turn from point to point:

- a *shift* is the same vector everywhere in the parameters themselves: (Kc, Ctc) by (+1, -1). Then only sums count.
  They take the place of the parameters that are in them.
- a *scaling* is the same vector everywhere in the parameters' logarithms: beta, m, ... times any number. Then only
  products of powers count.

So the null spaces of several points, each in both coordinates, are intersected, and what is common is written in whole
numbers. What is neither stays a vector that holds near one point only.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from hilctl.identify.dynamics.grey.model import Reals
from hilctl.identify.dynamics.grey.rank import rank_of
from hilctl.identify.dynamics.grey.rational import common_space, crosswise, whole_rows

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
