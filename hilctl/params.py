"""One declaration of a parameter: from it come its check, its place in a record, and its documentation.

A table of parameters is a `Params` class; a leaf is annotated with `number`, `whole` or `note`:

    class Pid(Params):
        '''Displacement PID.'''

        kp_per_s: Annotated[float, number(0, 500, "1/s", "proportional gain")] = 20.0

`check` walks a mapping (a rig file, a message) leaf by leaf and reports every problem at once; `dtype_of`, `pack` and
`unpack` carry the values to the loop as a record whose fields are all eight bytes wide; `leaves` lists them for
documents and for the wire. Nothing here knows what the parameters are for.
"""

import difflib
import math
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = [
    "Annotated",
    "BadValues",
    "Leaf",
    "Literal",
    "Params",
    "Problem",
    "assign",
    "check",
    "document",
    "dtype_of",
    "flatten",
    "leaves",
    "nearest",
    "note",
    "number",
    "numbers",
    "pack",
    "plain",
    "record_of",
    "unpack",
    "whole",
]

P = TypeVar("P", bound="Params")


class Params(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of declared parameters. A subclass may override `inconsistencies`."""

    def inconsistencies(self, at: str) -> "Iterator[Problem]":
        """Problems between several values that are each within their own bounds; `at` is the table's key."""
        return iter(())


class Problem(NamedTuple):
    """One refused value: which key, what stood there, what is allowed, what to do."""

    key: str
    value: object
    limit: str
    remedy: str = ""

    def __str__(self) -> str:
        shown = "nothing" if self.value is msgspec.UNSET else repr(self.value)
        text = f"{self.key}: {shown} refused, {self.limit}"
        return f"{text}; {self.remedy}" if self.remedy else text


class BadValues(ValueError):
    """A mapping that was refused whole, with every problem found in it."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(p) for p in problems))


class Leaf(NamedTuple):
    """One declared parameter, for validation, documents and the wire."""

    path: str
    kind: Literal["float", "int", "bool", "choice", "floats", "text"]
    unit: str
    low: float
    high: float
    default: object
    meaning: str
    choices: tuple[str, ...] = ()
    max_length: int = 0


def number(low: float, high: float, unit: str, meaning: str) -> msgspec.Meta:
    """A real number between two finite bounds, both included."""
    return msgspec.Meta(ge=low, le=high, description=meaning, extra={"unit": unit})


def whole(low: int, high: int, unit: str, meaning: str) -> msgspec.Meta:
    """A whole number between two finite bounds, both included."""
    return msgspec.Meta(ge=low, le=high, description=meaning, extra={"unit": unit})


def numbers(low: float, high: float, unit: str, meaning: str, *, max_length: int) -> msgspec.Meta:
    """A list of real numbers, each between two finite bounds; at most `max_length` of them."""
    return msgspec.Meta(
        max_length=max_length, description=meaning, extra={"unit": unit, "low": low, "high": high}
    )


def note(meaning: str) -> msgspec.Meta:
    """The meaning of a parameter that has no bounds: a switch, a choice, a text."""
    return msgspec.Meta(description=meaning, extra={"unit": ""})


# --- the declaration, read -----------------------------------------------------------------------------------------


class _Field(NamedTuple):
    name: str
    leaf: Leaf | None  # None: a table
    table: "type[Params] | None"
    default: object  # UNSET: required


def _default_of(field: msgspec.structs.FieldInfo) -> object:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return msgspec.UNSET


def _leaf_of(name: str, annotation: Any, default: object) -> Leaf:
    base, meta = annotation, msgspec.Meta(description="", extra={"unit": ""})
    if typing.get_origin(annotation) is Annotated:
        base, meta = typing.get_args(annotation)[:2]
    extra = meta.extra or {}
    low = meta.ge if meta.ge is not None else extra.get("low", -math.inf)
    high = meta.le if meta.le is not None else extra.get("high", math.inf)
    meaning, unit = meta.description or "", extra.get("unit", "")
    if base is bool:
        return Leaf(name, "bool", unit, 0, 1, default, meaning)
    if base is str:
        return Leaf(name, "text", unit, low, high, default, meaning)
    if typing.get_origin(base) is Literal:
        return Leaf(name, "choice", unit, 0, 0, default, meaning, choices=typing.get_args(base))
    if typing.get_origin(base) in (list, tuple):
        if meta.max_length is None:
            raise TypeError(f"{name}: a list needs a max_length")
        return Leaf(name, "floats", unit, low, high, default, meaning, max_length=meta.max_length)
    if base not in (float, int):
        raise TypeError(f"{name}: {base!r} cannot be a parameter")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise TypeError(f"{name}: a number needs two finite bounds")
    return Leaf(name, "float" if base is float else "int", unit, low, high, default, meaning)


@cache
def _fields(table: type[Params]) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(table, include_extras=True)
    out = []
    for field in msgspec.structs.fields(table):
        annotation, default = hints[field.name], _default_of(field)
        base = typing.get_args(annotation)[0] if typing.get_origin(annotation) is Annotated else annotation
        if isinstance(base, type) and not isinstance(base, types.GenericAlias) and issubclass(base, Params):
            out.append(_Field(field.name, None, base, default))
        else:
            out.append(_Field(field.name, _leaf_of(field.name, annotation, default), None, default))
    return tuple(out)


@cache
def leaves(table: type[Params], at: str = "") -> tuple[Leaf, ...]:
    """Every parameter below a table, with its dotted path."""
    out: list[Leaf] = []
    for field in _fields(table):
        path = f"{at}.{field.name}" if at else field.name
        if field.table is not None:
            out.extend(leaves(field.table, path))
        elif field.leaf is not None:
            out.append(field.leaf._replace(path=path))
    return tuple(out)


def nearest(key: str, known: "list[str] | tuple[str, ...]") -> str:
    """A hint naming the known key that is most like this one, or nothing."""
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


# --- the check -----------------------------------------------------------------------------------------------------


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
    fields = _fields(table)
    known = tuple(f.name for f in fields)
    for key in given:
        if key not in known:
            problems.append(
                Problem(_join(at, str(key)), given[key], "no such key", nearest(str(key), known))
            )
    values: dict[str, object] = {}
    for field in fields:
        path = _join(at, field.name)
        if field.table is not None:
            value = given.get(field.name, field.default)
            if isinstance(value, Params):
                value = plain(value)
            if value is msgspec.UNSET:
                value = {}
            values[field.name] = _check_table(field.table, value, path, problems)
        elif field.leaf is not None:
            value = given.get(field.name, field.default)
            values[field.name] = _check_leaf(field.leaf, value, path, problems)
    if any(value is None for value in values.values()):
        return None
    made = table(**values)
    problems.extend(made.inconsistencies(at))
    return made


def _join(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def _bounds(leaf: Leaf) -> str:
    unit = f" {leaf.unit}" if leaf.unit else ""
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


def _check_leaf(leaf: Leaf, value: object, path: str, problems: list[Problem]) -> object:
    if value is msgspec.UNSET:
        problems.append(Problem(path, value, "is required", leaf.meaning))
        return None
    match leaf.kind:
        case "float":
            number_ = _check_number(leaf, value, path, problems)
            return None if number_ is None else float(number_)
        case "int":
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, float):
                problems.append(Problem(path, value, "must be a whole number"))
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
                problems.append(
                    Problem(path, value, "must be one of " + ", ".join(leaf.choices), nearest(str(value), leaf.choices))
                )
                return None
            return value
        case "floats":
            if not isinstance(value, (list, tuple)):
                problems.append(Problem(path, value, "must be a list of numbers"))
                return None
            if len(value) > leaf.max_length:
                problems.append(Problem(path, f"{len(value)} values", f"must be at most {leaf.max_length} values"))
                return None
            items = [_check_number(leaf, item, f"{path}[{i}]", problems) for i, item in enumerate(value)]
            return None if any(item is None for item in items) else tuple(float(item) for item in items if item is not None)


def assign(base: P, changes: Mapping[str, object], at: str = "") -> P:
    """The same table with some values changed, named by dotted path; all or nothing."""
    known = {leaf.path for leaf in leaves(type(base))}
    problems = [
        Problem(_join(at, key), value, "no such key", nearest(key, tuple(known)))
        for key, value in changes.items()
        if key not in known
    ]
    tree = plain(base)
    for key, value in changes.items():
        if key in known:
            *tables, name = key.split(".")
            node = tree
            for part in tables:
                node = node[part]
            node[name] = value
    try:
        made = check(type(base), tree, at)
    except BadValues as bad:
        raise BadValues(problems + bad.problems) from None
    if problems:
        raise BadValues(problems)
    return made


def plain(value: Params) -> dict[str, Any]:
    """The table as nested dictionaries."""
    return {
        f.name: plain(getattr(value, f.name)) if f.table is not None else getattr(value, f.name)
        for f in _fields(type(value))
    }


def flatten(value: Params, at: str = "") -> dict[str, Any]:
    """The table as one dictionary of dotted paths."""
    out: dict[str, Any] = {}
    for f in _fields(type(value)):
        path, item = _join(at, f.name), getattr(value, f.name)
        if f.table is not None:
            out.update(flatten(item, path))
        else:
            out[path] = item
    return out


# --- the record ----------------------------------------------------------------------------------------------------


def record_of(fields: list[Any]) -> "np.dtype[Any]":
    """A record type that compiled code and plain Python both read by attribute."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


@cache
def dtype_of(table: type[Params]) -> "np.dtype[Any]":
    """The record of a table: every field eight bytes wide; texts stay outside."""
    fields: list[Any] = []
    for f in _fields(table):
        if f.table is not None:
            inner = dtype_of(f.table)
            if inner.itemsize:
                fields.append((f.name, inner))
        elif f.leaf is None or f.leaf.kind == "text":
            continue
        elif f.leaf.kind == "float":
            fields.append((f.name, np.float64))
        elif f.leaf.kind == "floats":
            fields += [(f.name, np.float64, (f.leaf.max_length,)), (f"{f.name}_count", np.int64)]
        else:
            fields.append((f.name, np.int64))
    return record_of(fields)


def pack(value: Params, out: Any = None) -> Any:
    """Writes the table into a record (a new one when none is given) and returns it."""
    if out is None:
        out = np.zeros(1, dtype_of(type(value)))[0]
    for f in _fields(type(value)):
        item = getattr(value, f.name)
        if f.table is not None:
            if dtype_of(f.table).itemsize:
                pack(item, out[f.name])
        elif f.leaf is None or f.leaf.kind == "text":
            continue
        elif f.leaf.kind == "choice":
            out[f.name] = f.leaf.choices.index(item)
        elif f.leaf.kind == "floats":
            out[f.name][: len(item)] = item
            out[f"{f.name}_count"] = len(item)
        else:
            out[f.name] = item
    return out


def unpack(table: type[P], record: Any, texts: P | None = None) -> P:
    """The table that a record holds; texts come from another table of the same kind."""
    values: dict[str, object] = {}
    for f in _fields(table):
        if f.table is not None:
            below = getattr(texts, f.name) if texts is not None else None
            inner = record[f.name] if dtype_of(f.table).itemsize else None
            values[f.name] = unpack(f.table, inner, below)
        elif f.leaf is None or f.leaf.kind == "text":
            values[f.name] = getattr(texts, f.name) if texts is not None else f.default
        elif f.leaf.kind == "choice":
            values[f.name] = f.leaf.choices[int(record[f.name])]
        elif f.leaf.kind == "floats":
            values[f.name] = tuple(float(x) for x in record[f.name][: int(record[f"{f.name}_count"])])
        elif f.leaf.kind == "bool":
            values[f.name] = bool(record[f.name])
        elif f.leaf.kind == "int":
            values[f.name] = int(record[f.name])
        else:
            values[f.name] = float(record[f.name])
    return table(**values)


def real_words(dtype: "np.dtype[Any]", at: int = 0) -> Iterator[tuple[int, str]]:
    """The eight-byte words of a record that hold real numbers: their index and dotted name."""
    for name in dtype.names or ():
        field, offset = dtype.fields[name][:2]  # type: ignore[index]
        base, shape = (field.subdtype[0], field.subdtype[1]) if field.subdtype else (field, ())
        width = base.itemsize
        for i in range(int(np.prod(shape, dtype=int))):
            where = at + offset + i * width
            if base.names:
                for word, inner in real_words(base, where):
                    yield word, f"{name}.{inner}"
            elif base == np.float64:
                yield where // 8, name


Record = npt.NDArray[Any]


# --- the document --------------------------------------------------------------------------------------------------


def document(table: type[Params], at: str = "") -> str:
    """A markdown table of every parameter below a table."""
    rows = ["| key | unit | from | to | default | meaning |", "|---|---|---|---|---|---|"]
    for leaf in leaves(table, at):
        low, high = f"{leaf.low:g}", f"{leaf.high:g}"
        if leaf.kind in ("bool", "text"):
            low = high = ""
        elif leaf.kind == "choice":
            low, high = " \\| ".join(leaf.choices), ""
        default = "required" if leaf.default is msgspec.UNSET else _shown(leaf.default)
        rows.append(f"| `{leaf.path}` | {leaf.unit} | {low} | {high} | {default} | {leaf.meaning} |")
    return "\n".join(rows)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)
