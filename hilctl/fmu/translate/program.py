"""A C program made of compiled functions: each for the types of its arguments, after those that it calls.

The subset of Python that `rt_` functions are written in is small: numbers, records and arrays of eight-byte words,
tuples, `if`, `for … in range`, `while`, and functions of `math`. What is outside of it is refused with its place.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.fmu.translate.types import NOTHING, REAL, WHOLE, Array, Record, Tuple, Type, of_field


class NotTranslatable(HilctlError):
    """A function uses something that this translation to C does not know."""


class Made:
    """A function in C."""

    def __init__(self, name: str, returns: Type, writes: bool) -> None:
        self.name, self.returns, self.writes = name, returns, writes


Translate = Callable[["Program", Callable[..., Any], tuple[Type, ...], str], tuple[Made, str]]


class Program:
    """Collects structs, tables and functions in the order in which C wants them."""

    def __init__(self, root: "np.dtype[Any]", name: str, translate: Translate) -> None:
        self._translate = translate
        self._records: dict[Any, str] = {}
        self._structs: list[str] = []
        self._tuples: dict[Tuple, str] = {}
        self._tables: dict[tuple[Any, ...], str] = {}
        self._functions: list[str] = []
        self._made: dict[Any, Made] = {}
        self._names: set[str] = set()
        self.record(root, name)

    def record(self, dtype: "np.dtype[Any]", name: str) -> str:
        """The name of the struct of a record; the struct is written when it is first asked for."""
        if dtype in self._records:
            return self._records[dtype]
        members = []
        for field in dtype.names or ():
            inner = dtype.fields[field][0]  # type: ignore[index]
            base, shape = inner.subdtype or (inner, ())
            kind = of_field(base)
            c = self.record(base, field.rstrip("0123456789")) if isinstance(kind, Record) else self.c(kind)
            members.append(f"    {c} {field}{f'[{int(np.prod(shape))}]' if shape else ''};")
        made = self._fresh(name[:1].upper() + name[1:])
        self._records[dtype] = made
        self._structs.append(f"typedef struct {{\n{chr(10).join(members)}\n}} {made};\n")
        return made

    def c(self, kind: Type) -> str:
        """A type as C writes it."""
        if kind == NOTHING:
            return "void"
        if isinstance(kind, Record):
            return f"{self.record(kind.dtype, 'Record')} *"
        if isinstance(kind, Array):
            return self.c(kind.item) + ("" if isinstance(kind.item, Record) else " *")
        if isinstance(kind, Tuple):
            return self._tuple(kind)
        return kind.c  # type: ignore[attr-defined,no-any-return]

    def _tuple(self, kind: Tuple) -> str:
        if kind not in self._tuples:
            members = "".join(f" {self.c(item)} f{k};" for k, item in enumerate(kind.items))
            alike = all(item == REAL for item in kind.items)
            self._tuples[kind] = self._fresh(f"Reals{len(kind.items)}" if alike else f"Tuple{len(self._tuples)}")
            self._structs.append(f"typedef struct {{{members} }} {self._tuples[kind]};\n")
        return self._tuples[kind]

    def table(self, numbers: tuple[Any, ...], name: str) -> tuple[str, Type]:
        """A constant array."""
        item = WHOLE if all(isinstance(n, int) for n in numbers) else REAL
        if numbers not in self._tables:
            made = self._tables[numbers] = self._fresh(f"table_{name.strip('_').lower()}")
            listed = ", ".join(map(repr, numbers))
            self._structs.append(f"static const {self.c(item)} {made}[{len(numbers)}] = {{{listed}}};\n")
        return self._tables[numbers], item

    def function(self, plain: Callable[..., Any], types: tuple[Type, ...]) -> Made:
        """The function for arguments of these types."""
        key = (plain, types)
        if key not in self._made:
            made, text = self._translate(self, plain, types, self._fresh(plain.__name__.lstrip("_")))
            self._made[key] = made
            self._functions.append(text)
        return self._made[key]

    def text(self) -> tuple[str, str]:
        """The types, for a header; and the functions."""
        return "\n".join(self._structs), "\n".join(self._functions)

    def _fresh(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name


def source_of(plain: Callable[..., Any]) -> str:
    """The text of a function; of one that was written by a program, the text that it carries."""
    written: str | None = getattr(plain, "source", None)
    if written is not None:
        return written
    try:
        return textwrap.dedent(inspect.getsource(plain))
    except (OSError, TypeError):
        raise NotTranslatable(f"{plain.__module__}.{plain.__qualname__}: its source is not there") from None
