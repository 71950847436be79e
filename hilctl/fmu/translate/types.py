"""The types of the translated C: numbers, records, arrays, tuples; and what is known while translating."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class Type:
    """A type of C, or of something that never reaches C."""


@dataclass(frozen=True)
class Number(Type):
    """A double, an int64_t, or a bool."""

    c: str


@dataclass(frozen=True)
class Record(Type):
    """A pointer to a struct made of a numpy record."""

    dtype: Any


@dataclass(frozen=True)
class Array(Type):
    """A pointer to the first of many; `shape` is what one index or several lead through."""

    item: Type
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Tuple(Type):
    """A small struct, passed by value."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Nothing(Type):
    """What a function without a value returns."""


@dataclass(frozen=True)
class Known(Type):
    """A Python object that is known while translating: a function, a module, a record's dtype, an enumeration."""


REAL, WHOLE, TRUTH = Number("double"), Number("int64_t"), Number("bool")
NOTHING, KNOWN = Nothing(), Known()
_ORDER = (TRUTH, WHOLE, REAL)


class Value(NamedTuple):
    """An expression in C."""

    text: str
    type: Type
    known: Any = None  # of type Known: the object
    parts: tuple["Value", ...] = ()  # of a tuple that is written out: its items
    writes: bool = False  # a function in it writes memory


def wider(one: Type | None, other: Type) -> Type:
    """The type that holds values of both; TypeError where none does."""
    if one is None or one == other:
        return other
    if one in _ORDER and other in _ORDER:
        return _ORDER[max(_ORDER.index(one), _ORDER.index(other))]
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.items) == len(other.items):
        return Tuple(tuple(wider(a, b) for a, b in zip(one.items, other.items, strict=True)))
    if isinstance(one, Array) and isinstance(other, Array) and one.item == other.item:
        return Array(one.item, ())
    raise TypeError(f"{one} and {other} have no type in common")


def of_field(dtype: "np.dtype[Any]") -> Type:
    """The type of a field of a record."""
    base, shape = dtype.subdtype or (dtype, ())
    item = Record(base) if base.names else {"f": REAL, "i": WHOLE}[base.kind]
    if base.itemsize != 8 and not base.names:
        raise TypeError(f"{base} is not eight bytes wide")
    return Array(item, tuple(shape)) if shape else item
