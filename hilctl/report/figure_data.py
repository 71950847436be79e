"""The numbers of a figure, read back from what it draws: a table for each of its panels.

What is drawn is what is given: a long line is thinned before both (`series.thinned`), so that no peak is missing.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

_DIGITS = 7  # more than any picture shows


class Data(NamedTuple):
    """A panel's numbers: columns of texts, with their units in the head."""

    name: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def csv(self) -> str:
        """As a file of comma-separated values."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.head, *self.rows])
        return out.getvalue()


class _Line(NamedTuple):
    label: str
    x: Any
    y: Any


def data_of(figure: Any) -> list[Data]:
    """Of every panel that shows any numbers."""
    made = (_panel(ax, number) for number, ax in enumerate(figure.axes, 1) if ax.get_visible())
    return [data for data in made if data.rows]


def _panel(ax: Any, number: int) -> Data:
    across, up = _name(ax, "x") or "x", _name(ax, "y")
    head: list[str] = []
    columns: list[list[str]] = []
    before: list[str] | None = None
    for line in _lines(ax):
        x, y = _texts(ax.xaxis, line.x), _texts(ax.yaxis, line.y)
        if x != before:
            head.append(across)
            columns.append(x)
            before = x
        head.append(": ".join(part for part in (line.label, up) if part))
        columns.append(y)
    longest = max(map(len, columns), default=0)
    rows = zip(*(column + [""] * (longest - len(column)) for column in columns), strict=True)
    return Data(ax.get_title(loc="left") or ax.get_title() or up or f"panel {number}", tuple(head), list(rows))


def _name(ax: Any, which: str) -> str:
    """What an axis is labelled with; where panels share one, only the outer panel says it. Else the panel's title."""
    shared = getattr(ax, f"get_shared_{which}_axes")().get_siblings(ax)
    labels = (str(getattr(one, f"get_{which}label")()) for one in (ax, *shared))
    return next((label for label in labels if label), "" if which == "x" else ax.get_title(loc="left"))


def _lines(ax: Any) -> Iterator[_Line]:
    """Lines, points with their intervals, bars and bands, as they were drawn; not what only marks a place."""
    caps = {id(cap) for held in ax.containers if hasattr(held, "has_yerr") for cap in held[1]}
    intervals = {id(held[0]): held for held in ax.containers if hasattr(held, "has_yerr")}
    for number, line in enumerate(ax.get_lines(), 1):
        if id(line) in caps or line.get_transform() != ax.transData or not len(line.get_xdata()):
            continue
        held = intervals.get(id(line), line)
        label = str(held.get_label())
        label = f"line {number}" if label.startswith("_") else label
        yield _Line(label, line.get_xdata(), line.get_ydata())
        yield from _ends(held, label)
    for bars in (held for held in ax.containers if hasattr(held, "orientation")):
        middles = [(bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2) for bar in bars]
        if bars.orientation == "horizontal":
            yield _Line("", [bar.get_x() + bar.get_width() for bar in bars], [y for _, y in middles])
        else:
            yield _Line("", [x for x, _ in middles], [bar.get_y() + bar.get_height() for bar in bars])
    for band in (held for held in ax.collections if type(held).__name__ == "FillBetweenPolyCollection"):
        yield from _band(band)


def _ends(held: Any, label: str) -> Iterator[_Line]:
    """Of error bars along y."""
    if getattr(held, "has_yerr", False):
        ends = np.array([segment for segments in held[2] for segment in segments.get_segments() if len(segment)])
        for at, name in enumerate(("low", "high")):
            yield _Line(f"{label}, {name}", ends[:, at, 0], ends[:, at, 1])


def _band(band: Any) -> Iterator[_Line]:
    """A band in one piece is a path: a point at its start, one side, a point at its end, the other side back."""
    label = str(band.get_label())
    label = "band" if label.startswith("_") else label
    for path in band.get_paths():
        count = (len(path.vertices) - 3) // 2
        one, other = path.vertices[1 : count + 1], path.vertices[count + 2 : 2 * count + 2][::-1]
        for name, side in (("low", np.minimum(one, other)), ("high", np.maximum(one, other))):
            yield _Line(f"{label}, {name}", side[:, 0], side[:, 1])


def _texts(axis: Any, values: Iterable[Any]) -> list[str]:
    """Numbers; on an axis of names, these."""
    names = getattr(axis.get_major_formatter(), "seq", None)
    places = [] if names is None else [float(at) for at in axis.get_major_locator()()]
    named = dict(zip(places, names or (), strict=False)) if not _numbers(names or ()) else {}
    return [named.get(float(x)) or (f"{float(x):.{_DIGITS}g}" if np.isfinite(x) else "") for x in values]


def _numbers(names: Iterable[str]) -> bool:
    """Whether tick labels are numbers, written as a person reads them."""
    return any(name.strip("+−\u202f").replace("\u202f", "").isdigit() for name in names)
