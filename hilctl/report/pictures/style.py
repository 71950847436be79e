"""What all figures share: size and type for a page of A4, and colours that stay apart in grey."""

from collections.abc import Sequence
from typing import Any

_HANDLE, _LETTER = 0.5, 0.07  # inches, of a legend
WIDTH = 5.6  # inches: the type is as large as the page's own, and can be read at half the page's width
RC: Any = {
    "figure.dpi": 200, "savefig.facecolor": "white",
    "font.family": ["DejaVu Sans"], "font.size": 9, "axes.titlesize": 9, "axes.titlelocation": "left",
    "axes.labelsize": 9, "axes.labelcolor": "0.2", "text.color": "0.15",
    "axes.edgecolor": "0.45", "axes.linewidth": 0.7,
    "xtick.color": "0.45", "ytick.color": "0.45", "xtick.labelcolor": "0.2", "ytick.labelcolor": "0.2",
    "xtick.labelsize": 8.5, "ytick.labelsize": 8.5, "axes.grid": True, "grid.color": "0.92", "grid.linewidth": 0.7,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.fontsize": 8.5, "lines.linewidth": 1.3, "svg.fonttype": "path", "svg.hashsalt": "report",
    "axes.unicode_minus": True,
}  # fmt: skip

BEFORE, AFTER, LEARNED, REFERENCE = "#e69f57", "#12416b", "#3a9a8b", "0.45"
INK, PALE = "0.15", "0.72"
STATES = {
    "before": {"color": BEFORE, "linewidth": 1.3, "linestyle": (0, (5, 1.4))},
    "after": {"color": AFTER, "linewidth": 1.3, "linestyle": "-"},
}  # fmt: skip
CALLED = {"before": "before", "after": "with friction compensation"}
# Of things with no order, each with its own dashes or markers: a colour alone is no sign.
SHADES = ("#12416b", "#e08a3c", "#3a9a8b", "#8a4f7d", "#7a7a7a", "#b8a13a")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.4, 1.2, 1.4)), (0, (8, 2)), (0, (3, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")


def new(rows: int = 1, columns: int = 1, height: float = 3.2, width: float = WIDTH, **kinds: Any) -> tuple[Any, Any]:
    """A figure and its axes, always in rows and columns."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(rows, columns, squeeze=False, **kinds)


def below(figure: Any, axes: Any, columns: int = 4) -> None:
    """One legend for all axes, under the picture and never over it."""
    found: dict[str, Any] = {}
    for one in axes if isinstance(axes, Sequence) else axes.flat:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        room = int(figure.get_figwidth() / (_HANDLE + _LETTER * max(map(len, found))))
        columns = max(1, min(columns, len(found), room))
        figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=columns)


def decades(axis: Any) -> None:
    """Numbers as one reads them on a logarithmic axis; some between the decades where there are few of these."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    span = high / low if low > 0 else 1.0
    between = (1.0, 2.0, 5.0) if span < 300 else (1.0, 3.0) if span < 1e4 else (1.0,)
    axis.set_major_locator(LogLocator(base=10, subs=between, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}".replace(",", "\u202f") if x < 1e6 else f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())
