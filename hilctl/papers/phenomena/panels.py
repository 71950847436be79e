"""What all pictures share: the style, a colour a law, several small pictures side by side."""

from collections.abc import Sequence
from typing import Any

from hilctl.papers.phenomena.stand import Stand

STYLE: Any = {
    "figure.figsize": (7.2, 3.9), "figure.dpi": 110, "figure.constrained_layout.use": True, "savefig.bbox": "tight",
    "font.size": 9, "axes.titlesize": 10, "axes.titlelocation": "left", "axes.grid": True, "grid.color": "0.92",
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "legend.fontsize": 8,
    "lines.linewidth": 1.4,
}  # fmt: skip


class _Colours(dict[str, str]):
    """A colour of its own for each law; grey for one that nobody has thought of."""

    def __missing__(self, law: str) -> str:
        return "0.35"


# Functions of the speed in warm colours, laws with a past in cool ones.
COLOURS = _Colours(
    {
        "coulomb": "#8c6d31", "viscous": "#b5651d", "static": "#d6a000", "stribeck": "#e6842a", "karnopp": "#c8361d",
        "tanh": "#a5527f", "breakaway": "#d16ba5", "breakaway-rotational": "#d16ba5", "armstrong": "#6a3d9a",
        "dahl": "#7f8c8d", "lugre": "#1b6ca8", "bliman-sorine-1": "#17a2a2", "bliman-sorine-2": "#0b7a75",
        "gms": "#2e8b3d",
    }
)  # fmt: skip


def first_of(stands: Sequence[Stand], *names: str) -> list[Stand]:
    """Those of the stands that a picture shows best, in its order."""
    by_name = {stand.name: stand for stand in stands}
    return [by_name[name] for name in names if name in by_name]


def panels(plt: Any, count: int, *, columns: int, width: float = 8.6, height: float = 2.2) -> tuple[Any, list[Any]]:
    """A figure of so many axes, in rows."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(width, height * rows), squeeze=False)
    axes = list(grid.flat)
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]
