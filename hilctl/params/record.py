"""A table as a record for the loop: every field eight bytes wide; choices as their index, lists with a count.

A number that is left open is nan.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from hilctl.params.declare import P, Params, fields_of

_OUTSIDE = ("text", "choices")  # what the loop does not see


class Record(np.void):  # type: ignore[misc]  # which numpy itself inherits from
    """One whose fields are attributes. numpy's own `record` does the same in five times the time, which plain Python
    spends mostly there."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise self._unknown(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except ValueError:
            if name in (self.dtype.names or ()):
                raise
            raise self._unknown(name) from None

    def _unknown(self, name: str) -> AttributeError:
        return AttributeError(f"the record has no field {name}; it has {', '.join(self.dtype.names or ())}")


def record_of(fields: list[Any]) -> "np.dtype[Any]":
    """A record type that compiled code and plain Python both read by attribute."""
    hidden = [field[0] for field in fields if hasattr(Record, field[0])]
    if hidden:
        raise TypeError(f"a record's field cannot be called {', '.join(hidden)}: numpy has attributes of that name")
    return np.dtype((Record, np.dtype(fields, align=True)))


@cache
def dtype_of(table: type[Params]) -> "np.dtype[Any]":
    """The record of a table: every field eight bytes wide; texts stay outside."""
    fields: list[Any] = []
    for f in fields_of(table):
        if f.table is not None:
            inner = dtype_of(f.table)
            if inner.itemsize:
                fields.append((f.name, inner))
        elif f.leaf is None or f.leaf.kind in _OUTSIDE:
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
    for f in fields_of(type(value)):
        item = getattr(value, f.name)
        if f.table is not None:
            if dtype_of(f.table).itemsize:
                pack(item, out[f.name])
        elif f.leaf is None or f.leaf.kind in _OUTSIDE:
            continue
        elif f.leaf.kind == "choice":
            out[f.name] = f.leaf.choices.index(item)
        elif f.leaf.kind == "floats":
            out[f.name][: len(item)] = item
            out[f"{f.name}_count"] = len(item)
        else:
            out[f.name] = np.nan if item is None else item
    return out


def unpack(table: type[P], record: Any, texts: P | None = None) -> P:
    """The table that a record holds; texts come from another table of the same kind."""
    values: dict[str, object] = {}
    for f in fields_of(table):
        if f.table is not None:
            below = getattr(texts, f.name) if texts is not None else None
            inner = record[f.name] if dtype_of(f.table).itemsize else None
            values[f.name] = unpack(f.table, inner, below)
        elif f.leaf is None or f.leaf.kind in _OUTSIDE:
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
            number = float(record[f.name])
            values[f.name] = None if f.leaf.optional and np.isnan(number) else number
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
