"""Numbers of a result as arrays: what is missing is nan."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Value = TypeVar("Value")
POINTS = 1500  # of a line, about


def row(values: Iterable[float | None] | None) -> Reals:
    """Of a list; empty where there is none."""
    return np.array([np.nan if x is None else x for x in values or ()], np.float64)


def alike(*rows: Any) -> tuple[Any, ...]:
    """Rows of numbers cut to the entries that all of them have."""
    length = min(len(one) for one in rows)
    cut = [one[:length] for one in rows]
    whole = np.all([np.isfinite(one) for one in cut], axis=0)
    return tuple(one[whole] for one in cut)


def by_frequency(named: Mapping[str, Value]) -> list[tuple[float, Value]]:
    """What is kept by frequencies in Hz, in their order."""
    return sorted(((float(key), one) for key, one in named.items()), key=lambda pair: pair[0])


def thinned(t: Any, *series: Any) -> tuple[Any, ...]:
    """Lines as they look: of each stretch of samples the least and the greatest, where there are many.

    No peak is lost, not even in the last stretch, which may be shorter. A stretch without any number stays empty.
    """
    every = -(-len(t) // POINTS)
    if every <= 2:
        return (t, *series)
    begins = np.arange(0, len(t), every)
    out = []
    for one in series:
        values = np.asarray(one, float)
        ends = (np.fmin.reduceat(values, begins), np.fmax.reduceat(values, begins))
        out.append(np.stack(ends, axis=1).ravel())
    return (np.repeat(np.asarray(t)[begins], 2), *out)
