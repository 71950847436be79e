"""The check of a mapping against a declaration: leaf by leaf, every problem at once, bounds of defaults too."""

import math
import typing
from collections.abc import Mapping
from functools import cache

import msgspec

from hilctl.params.declare import BadValues, Leaf, P, Params, Problem, fields_of, join, leaves, nearest, plain
from hilctl.params.tables import put


def check(table: type[P], given: object, at: str = "") -> P:
    """The table with these values, or `BadValues` with every problem. Bounds hold for defaults too."""
    problems: list[Problem] = []
    made = _check_table(table, given, at, problems)
    if problems or made is None:
        raise BadValues(problems)
    return typing.cast(P, made)


def _check_table(table: type[Params], given: object, at: str, problems: list[Problem]) -> Params | None:
    if not isinstance(given, Mapping):
        problems.append(Problem(at, given, "must be a table"))
        return None
    fields = fields_of(table)
    known = tuple(f.name for f in fields)
    strange = [key for key in given if key not in known]
    problems += [Problem(join(at, str(k)), given[k], "no such key", nearest(str(k), known)) for k in strange]
    values: dict[str, object] = {}
    left_open: set[str] = set()
    for field in fields:
        path = join(at, field.name)
        if field.table is not None:
            value = given.get(field.name, {})
            if field.name not in given and isinstance(field.default, Params):
                values[field.name], wrong = _default(field.default, path)
                problems += wrong
            else:
                below = plain(value) if isinstance(value, Params) else value
                values[field.name] = _check_table(field.table, below, path, problems)
        elif field.leaf is not None:
            value = given.get(field.name, field.default)
            if value is None and field.leaf.optional:
                left_open.add(field.name)
            values[field.name] = None if field.name in left_open else _check_leaf(field.leaf, value, path, problems)
    if any(value is None and name not in left_open for name, value in values.items()):
        return None
    made = table(**values)
    problems.extend(made.inconsistencies(at))
    return made


@cache
def _default(table: Params, at: str) -> tuple[Params | None, list[Problem]]:
    """A table as it is declared, checked once: most of a rig's are."""
    problems: list[Problem] = []
    return _check_table(type(table), plain(table), at, problems), problems


def _bounds(leaf: Leaf) -> str:
    unit = f" {leaf.unit}" if leaf.unit else ""
    if leaf.kind == "int":
        return f"must be {leaf.low:.0f} to {leaf.high:.0f}{unit}"
    return f"must be {leaf.low:g} to {leaf.high:g}{unit}"


def _check_number(leaf: Leaf, value: object, path: str, problems: list[Problem]) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        problems.append(Problem(path, value, f"must be a number, {_bounds(leaf)[8:]}"))
        return None
    if not math.isfinite(value):
        problems.append(Problem(path, value, f"must be finite, {_bounds(leaf)[8:]}"))
        return None
    if not leaf.low <= value <= leaf.high:
        problems.append(Problem(path, value, _bounds(leaf)))
        return None
    return value


def _check_choices(leaf: Leaf, value: object, path: str, problems: list[Problem]) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)):
        problems.append(Problem(path, value, "must be a list of some of " + ", ".join(leaf.choices)))
        return None
    strange = [item for item in value if item not in leaf.choices]
    for item in strange:
        limit = "must be one of " + ", ".join(leaf.choices)
        problems.append(Problem(path, item, limit, nearest(str(item), leaf.choices)))
    return None if strange else tuple(name for name in leaf.choices if name in value)


def _check_leaf(leaf: Leaf, value: object, path: str, problems: list[Problem]) -> object:
    if value is msgspec.UNSET:
        bounds = f", {_bounds(leaf)[8:]}" if leaf.kind in ("float", "int") else ""
        problems.append(Problem(path, value, "is required", f"{leaf.meaning}{bounds}"))
        return None
    match leaf.kind:
        case "float":
            number_ = _check_number(leaf, value, path, problems)
            return None if number_ is None else float(number_)
        case "int":
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, float):
                problems.append(Problem(path, value, f"must be a whole number, {_bounds(leaf)[8:]}"))
                return None
            return _check_number(leaf, value, path, problems)
        case "bool":
            if not isinstance(value, bool):
                problems.append(Problem(path, value, "must be true or false"))
                return None
            return value
        case "text":
            if not isinstance(value, str):
                problems.append(Problem(path, value, "must be a text"))
                return None
            return value
        case "choice":
            if value not in leaf.choices:
                hint = nearest(str(value), leaf.choices)
                remedy = hint if hint.startswith("did you mean") else ""  # all of them are named already
                problems.append(Problem(path, value, "must be one of " + ", ".join(leaf.choices), remedy))
                return None
            return value
        case "choices":
            return _check_choices(leaf, value, path, problems)
        case "floats":
            if not isinstance(value, (list, tuple)):
                problems.append(Problem(path, value, "must be a list of numbers"))
                return None
            if len(value) > leaf.max_length:
                problems.append(Problem(path, f"{len(value)} values", f"must be at most {leaf.max_length} values"))
                return None
            items = [_check_number(leaf, item, f"{path}[{i}]", problems) for i, item in enumerate(value)]
            good = tuple(float(item) for item in items if item is not None)
            return good if len(good) == len(items) else None


def assign(base: P, changes: Mapping[str, object], at: str = "") -> P:
    """The same table with some values changed, named by dotted path; all or nothing."""
    known = {leaf.path for leaf in leaves(type(base))}
    problems = [
        Problem(join(at, key), value, "no such key", nearest(key, tuple(known)))
        for key, value in changes.items()
        if key not in known
    ]
    tree = plain(base)
    for key, value in changes.items():
        if key in known:
            put(tree, key, value)
    try:
        made = check(type(base), tree, at)
    except BadValues as bad:
        raise BadValues(problems + bad.problems) from None
    if problems:
        raise BadValues(problems)
    return made
