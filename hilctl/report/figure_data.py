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
    across, up = _label(ax, "x") or "x", _label(ax, "y") or _title(ax)
    head: list[str] = []
    columns: list[list[str]] = []
    before: list[str] | None = None
    for label, x, y in _named(ax):
        if x != before:
            head.append(across)
            columns.append(x)
            before = x
        head.append(": ".join(part for part in (label, up) if part) or "name")
        columns.append(y)
    longest = max(map(len, columns), default=0)
    rows = zip(*(column + [""] * (longest - len(column)) for column in columns), strict=True)
    return Data(_title(ax) or up or f"panel {number}", tuple(head), list(rows))


def _title(ax: Any) -> str:
    return str(ax.get_title(loc="left") or ax.get_title()).replace("\n", " ")


def _label(ax: Any, which: str) -> str:
    """What an axis is labelled with; of panels in a row or a column only the outer one says it."""
    span = "colspan" if which == "x" else "rowspan"
    place = getattr(ax.get_subplotspec(), span)
    others = (one for one in ax.figure.axes if getattr(one.get_subplotspec(), span) == place)
    labels = (str(getattr(one, f"get_{which}label")()) for one in (ax, *others))
    return next((label for label in labels if label), "").replace("\n", " ")


def _named(ax: Any) -> Iterator[tuple[str, list[str], list[str]]]:
    """By its label: what is drawn piece by piece under one label is one. Beside labelled lines others only adorn."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    lines = list(_lines(ax))
    labelled = any(not line.label.startswith("_") for line in lines)
    for number, line in enumerate(lines, 1):
        label = line.label
        if label.startswith("_"):
            if labelled:
                continue
            label = f"line {number}" if len(lines) > 1 else ""
        x, y = found.setdefault(label, ([], []))
        x += _texts(ax.xaxis, line.x)
        y += _texts(ax.yaxis, line.y)
    return ((label, x, y) for label, (x, y) in found.items())


def _lines(ax: Any) -> Iterator[_Line]:
    """Lines, points with their intervals, bars and bands, as they were drawn; not what only marks a place."""
    intervals = {id(held[0]): held for held in ax.containers if hasattr(held, "has_yerr")}
    caps = {id(cap) for held in intervals.values() for cap in held[1]}
    for line in ax.get_lines():
        if id(line) in caps or line.get_transform() != ax.transData or not len(line.get_xdata()):
            continue
        held = intervals.get(id(line), line)
        yield _Line(str(held.get_label()), line.get_xdata(), line.get_ydata())
        if held is not line:
            yield from _ends(held)
    for bars in (held for held in ax.containers if hasattr(held, "orientation")):
        across = bars.orientation == "horizontal"
        x = [bar.get_x() + bar.get_width() / (1 if across else 2) for bar in bars]
        yield _Line("", x, [bar.get_y() + bar.get_height() / (2 if across else 1) for bar in bars])
    for band in (held for held in ax.collections if type(held).__name__ == "FillBetweenPolyCollection"):
        yield from _band(band)


def _ends(held: Any) -> Iterator[_Line]:
    """Of the bars of its intervals."""
    label = held.get_label()
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
    named: dict[float, str] = {}
    if type(axis.get_major_locator()).__name__ in ("FixedLocator", "StrCategoryLocator"):
        texts = [tick.get_text() for tick in axis.get_ticklabels()]
        if not all(_number(text) for text in texts):
            named = dict(zip((float(at) for at in axis.get_ticklocs()), texts, strict=True))
    return [named.get(float(x)) or (f"{float(x):.{_DIGITS}g}" if np.isfinite(x) else "") for x in values]


def _number(text: str) -> bool:
    """Whether a tick's label is a number, as a person writes it."""
    return not text.replace("\u202f", "").replace(",", "").replace(".", "").lstrip("+−-").strip("0123456789")
