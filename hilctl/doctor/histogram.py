"""How often a wake-up was how late: counts between fixed edges, and bars for a terminal."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

# 1, 2, 5, 10 … µs: three to the decade are as many as a person reads.
EDGES_US: tuple[float, ...] = (0.0, *(m * 10.0**e for e in range(6) for m in (1.0, 2.0, 5.0)), 1e6, math.inf)
_LABEL = 15


def counted(late_us: Any) -> tuple[int, ...]:
    """Of each step between two edges."""
    return tuple(int(n) for n in np.histogram(np.maximum(late_us, 0.0), EDGES_US)[0])


def bars(courses: dict[str, Sequence[int]], period_us: float, width: int = 80) -> list[str]:
    """Lines: a step each, a column for each course, bars by the logarithm of the count."""
    shown = sorted({k for counts in courses.values() for k, count in enumerate(counts) if count})
    if not shown:
        return []
    number = max(len(str(max(counts))) for counts in courses.values())
    room = max(4, (width - _LABEL - len(courses) * (number + 3)) // len(courses))
    most = max(max(counts) for counts in courses.values())
    heads = (f"{name:>{number}} {'':<{room}}" for name in courses)
    lines = [f"{'wake-up after':<{_LABEL}}  {'  '.join(heads)}".rstrip()]
    for k in range(shown[0], shown[-1] + 1):
        cells = (f"{counts[k]:>{number}} {_bar(counts[k], most, room):<{room}}" for counts in courses.values())
        late = " late" if EDGES_US[k] >= period_us else ""
        lines.append(f"{_step(k) + late:<{_LABEL}}  {'  '.join(cells)}".rstrip())
    return lines


def _bar(count: int, most: int, room: int) -> str:
    """One character for a single wake-up, all of the room for the commonest."""
    if count == 0:
        return ""
    return "█" * max(1, round(room * math.log10(1 + count) / math.log10(1 + most)))


def _step(k: int) -> str:
    low, high = EDGES_US[k], EDGES_US[k + 1]
    if high == math.inf:
        return f"> {_time(low)}"
    same = (low >= 1000) == (high > 1000) or low == 0
    scale = 1000.0 if high > 1000 and low >= 1000 else 1.0
    return f"{low / scale:g}–{_time(high)}" if same else f"{_time(low)}–{_time(high)}"


def _time(us: float) -> str:
    return f"{us / 1000:g} ms" if us > 500 else f"{us:g} µs"
