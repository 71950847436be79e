"""Blocks of the controller in both forms, plain Python and compiled; and records for them.

A test that uses the fixture `forms` runs twice. It calls the `rt_` functions by their names: first they run as the
Python that they are written in, callees included; then compiled, as entry functions that are kept in the cache, one
for each function and kind of arguments.
"""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hilctl.rt.jit import PLAIN, Jit, record_type
from hilctl.rt.records import words_of


def blank(dtype: Any) -> Any:
    """A record of zeros."""
    return np.zeros(1, dtype)[0]


def filled(dtype: Any, seed: int = 1) -> Any:
    """A record in which no two numbers are alike, and none is 0 or 1."""
    record, rng = blank(dtype), np.random.default_rng(seed)
    numbers = words_of(record)
    real = np.array([real for _, _, real in _words(dtype)])
    numbers[real] = rng.uniform(0.1, 0.9, len(real))[real]
    numbers.view(np.int64)[~real] = 1000 + np.arange(len(real))[~real]
    return record


def changed(before: Any, record: Any) -> dict[str, Any]:
    """What is not as it was: values by dotted names."""
    old, new = words_of(before).view(np.int64), words_of(record).view(np.int64)
    reals, names, out = words_of(record), _words(record.dtype), {}
    for word in np.nonzero(old != new)[0]:
        name, _, real = names[word]
        out[name] = float(reals[word]) if real else int(new[word])
    return out


@functools.cache
def _words(dtype: Any) -> list[tuple[str, int, bool]]:
    return list(_walk(dtype, "", 0))


def _walk(dtype: Any, name: str, at: int) -> Iterator[tuple[str, int, bool]]:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for k, index in enumerate(np.ndindex(shape)):
            yield from _walk(base, f"{name}[{','.join(map(str, index))}]", at + k * base.itemsize // 8)
    elif dtype.names is None:
        yield name, at, dtype.kind == "f"
    else:
        for field in dtype.names:
            inner, offset = dtype.fields[field][:2]
            yield from _walk(inner, f"{name}.{field}" if name else field, at + offset // 8)


_ENTRIES: dict[Any, Jit] = {}


def _call_plain(self: Jit, *arguments: Any) -> Any:
    return self.plain(*arguments)


def _call_compiled(self: Jit, *arguments: Any) -> Any:
    kinds = tuple(_kind(one) for one in arguments)
    entry = _ENTRIES.get((self.plain, kinds))
    if entry is None:
        def signature() -> Any:
            return tuple(record_type(dtype)[::1] if array else record_type(dtype) for dtype, array in kinds)

        entry = _ENTRIES[self.plain, kinds] = Jit(self.plain, signature, cached=True)
    return entry.dispatcher(*arguments)


def _kind(value: Any) -> tuple[Any, bool]:
    if isinstance(value, np.ndarray):
        return value.dtype, True
    if isinstance(value, np.generic):
        return value.dtype, False
    return np.dtype(np.bool_ if isinstance(value, bool) else np.int64 if isinstance(value, int) else np.float64), False


@pytest.fixture(params=["plain"] if PLAIN else ["plain", "compiled"])
def forms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Makes `rt_` functions run in one form; the name of it."""
    if not PLAIN:
        monkeypatch.setattr(Jit, "__call__", _call_plain if request.param == "plain" else _call_compiled)
    return str(request.param)
