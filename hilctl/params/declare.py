"""How parameters are declared: tables, leaves, bounds, and what is said about a refused value."""

import difflib
import math
import types
import typing
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from hilctl.errors import BAD_VALUE, HilctlError

P = TypeVar("P", bound="Params")


if TYPE_CHECKING:  # a type checker does not see that msgspec's subclasses are frozen like their base

    class _Frozen(msgspec.Struct):
        pass

else:

    class _Frozen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
        pass


class Params(_Frozen):
    """A table of declared parameters; frozen. A subclass may override `inconsistencies`.

    Where a required parameter follows an optional one, the subclass says `kw_only=True`.
    """

    def inconsistencies(self, at: str) -> "Iterator[Problem]":
        """Problems between several values that are each within their own bounds; `at` is the table's key."""
        return iter(())


def extended(base: type[P], name: str, fields: Iterable[tuple[str, Any, object]]) -> type[P]:
    """The table with further entries behind its own: name, type, default. For entries that come from a list."""
    made = msgspec.defstruct(name, fields, bases=(base,), frozen=True, module=base.__module__,
                             namespace={"__doc__": base.__doc__})  # fmt: skip
    return typing.cast("type[P]", made)


class Problem(NamedTuple):
    """One refused value: its key, the value (UNSET: none), what is allowed, what to do."""

    key: str
    value: object
    limit: str
    remedy: str = ""

    def __str__(self) -> str:
        if self.value is msgspec.UNSET:  # there is no value to show
            text = f"{self.key}: {'missing' if self.limit == 'is required' else self.limit}"
        else:
            text = f"{self.key}: {self.value!r} refused, {self.limit}"
        return f"{text}; {self.remedy}" if self.remedy else text


class BadValues(HilctlError, ValueError):
    """A mapping that was refused whole, with every problem found in it."""

    code = BAD_VALUE

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        key, value = (problems[0].key, problems[0].value) if problems else ("", None)
        super().__init__("\n".join(str(p) for p in problems), key=key, value=value)


# Which way a protection's value is changed when it protects less. `down` of a choice: towards its first.
Loosens = Literal["up", "down", "both", "never"]


class Leaf(NamedTuple):
    """One declared parameter, for validation, documents and the wire."""

    path: str
    kind: Literal["float", "int", "bool", "choice", "choices", "floats", "text"]
    unit: str
    low: float
    high: float
    default: object
    meaning: str
    choices: tuple[str, ...] = ()
    max_length: int = 0
    optional: bool = False  # may be left open: None
    loosens: Loosens | None = None  # None: not declared; a limit must declare it


def number(low: float, high: float, unit: str, meaning: str, *, loosens: Loosens | None = None) -> msgspec.Meta:
    """A real number between two finite bounds, both included."""
    return msgspec.Meta(ge=low, le=high, description=meaning, extra={"unit": unit, "loosens": loosens})


def whole(low: int, high: int, unit: str, meaning: str, *, loosens: Loosens | None = None) -> msgspec.Meta:
    """A whole number between two finite bounds, both included."""
    return msgspec.Meta(ge=low, le=high, description=meaning, extra={"unit": unit, "loosens": loosens})


def numbers(low: float, high: float, unit: str, meaning: str, *, max_length: int) -> msgspec.Meta:
    """A list of real numbers, each between two finite bounds; at most `max_length` of them."""
    return msgspec.Meta(
        max_length=max_length, description=meaning, extra={"unit": unit, "low": low, "high": high}
    )


def note(meaning: str, *, loosens: Loosens | None = None) -> msgspec.Meta:
    """The meaning of a parameter that has no bounds: a switch, a choice, a text."""
    return msgspec.Meta(description=meaning, extra={"unit": "", "loosens": loosens})


class Field(NamedTuple):
    """One entry of a table: a leaf, or a table again."""

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
    meta = typing.get_args(annotation)[1] if typing.get_origin(annotation) is Annotated else None
    loosens = (meta.extra or {}).get("loosens") if meta is not None else None
    return _plain_leaf(name, annotation, default)._replace(loosens=loosens)


def _plain_leaf(name: str, annotation: Any, default: object) -> Leaf:
    base, meta = annotation, msgspec.Meta(description="", extra={"unit": ""})
    if typing.get_origin(annotation) is Annotated:
        base, meta = typing.get_args(annotation)[:2]
    extra = meta.extra or {}
    low = meta.ge if meta.ge is not None else extra.get("low", -math.inf)
    high = meta.le if meta.le is not None else extra.get("high", math.inf)
    meaning, unit = meta.description or "", extra.get("unit", "")
    if typing.get_origin(base) in (types.UnionType, typing.Union) and typing.get_args(base)[1] is type(None):
        return _plain_leaf(name, Annotated[typing.get_args(base)[0], meta], default)._replace(optional=True)
    if base is bool:
        return Leaf(name, "bool", unit, 0, 1, default, meaning)
    if base is str:
        return Leaf(name, "text", unit, low, high, default, meaning)
    if typing.get_origin(base) is Literal:
        return Leaf(name, "choice", unit, 0, 0, default, meaning, choices=typing.get_args(base))
    if typing.get_origin(base) is tuple and typing.get_origin(typing.get_args(base)[0]) is Literal:
        return Leaf(name, "choices", unit, 0, 0, default, meaning, choices=typing.get_args(typing.get_args(base)[0]))
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
def fields_of(table: type[Params]) -> tuple[Field, ...]:
    """The entries of a table, in the order of their declaration."""
    hints = typing.get_type_hints(table, include_extras=True)
    out = []
    for field in msgspec.structs.fields(table):
        annotation, default = hints[field.name], _default_of(field)
        base = typing.get_args(annotation)[0] if typing.get_origin(annotation) is Annotated else annotation
        if isinstance(base, type) and not isinstance(base, types.GenericAlias) and issubclass(base, Params):
            out.append(Field(field.name, None, base, default))
        else:
            out.append(Field(field.name, _leaf_of(field.name, annotation, default), None, default))
    return tuple(out)


@cache
def leaves(table: type[Params], at: str = "") -> tuple[Leaf, ...]:
    """Every parameter below a table, with its dotted path."""
    out: list[Leaf] = []
    for field in fields_of(table):
        path = f"{at}.{field.name}" if at else field.name
        if field.table is not None:
            out.extend(leaves(field.table, path))
        elif field.leaf is not None:
            out.append(field.leaf._replace(path=path))
    return tuple(out)


_SHOWN = 24  # names in a hint


def nearest(key: str, known: "list[str] | tuple[str, ...]") -> str:
    """A hint: the known key that is most like this one, or all of them where they are few."""
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f", and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"known: {', '.join(known[:_SHOWN])}{more}"


def join(at: str, key: str) -> str:
    """A dotted key below another."""
    return f"{at}.{key}" if at else key


def plain(value: Params) -> dict[str, Any]:
    """The table as nested dictionaries."""
    return {
        f.name: plain(getattr(value, f.name)) if f.table is not None else getattr(value, f.name)
        for f in fields_of(type(value))
    }


def flatten(value: Params, at: str = "") -> dict[str, Any]:
    """The table as one dictionary of dotted paths."""
    out: dict[str, Any] = {}
    for f in fields_of(type(value)):
        path, item = join(at, f.name), getattr(value, f.name)
        if f.table is not None:
            out.update(flatten(item, path))
        else:
            out[path] = item
    return out
