"""How the parameters settle over the generations of the genetic algorithm: every run, as the paper shows it."""

from typing import Any

import numpy as np

from hilctl.report.part import Part
from hilctl.report.pictures.style import AFTER, INK, below, new

_UNITS = {"fc": "N", "fs": "N", "vs": "m/s", "sigma": "N·s/m", "offset": "N", "fv": "N/(m/s)^dv"}
_COLUMNS = 3


def draw(told: Part) -> Any:
    """A panel a parameter: the best of each generation in thin lines, what was found in the end dotted."""
    found = [s for s in told["fit"]["searches"].parts if _history(s) is not None]
    panels = [(s, i, name) for s in found for i, name in enumerate(s["names"].texts)]
    panels = [(s, i, name) for s, i, name in panels if i < _history(s).shape[2]]
    if not panels:
        return None
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new(rows, columns, 0.5 + 1.75 * rows, sharex=True)
    for ax, (search, index, name) in zip(axes.flat, panels, strict=False):
        history = _history(search)[:, :, index]
        for run in history:
            ax.plot(np.arange(len(run)), run, color=AFTER, linewidth=0.8, alpha=0.55)
        if search["mean"].row.size > index and np.isfinite(search["mean"].row[index]):
            ax.axhline(search["mean"].row[index], color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)))
        unit = told["fit"]["parameters"][name]["unit"].text or _UNITS.get(name, "")
        ax.set_title(name + (f", {unit}" if unit else ""))
        ax.set_xlim(0, max(history.shape[1] - 1, 1))
        ax.margins(y=0.08)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for column in range(columns):
        lowest = max(row for row in range(rows) if row * columns + column < len(panels))
        axes[lowest, column].set_xlabel("generation")
        axes[lowest, column].tick_params(labelbottom=True)
    axes[0, 0].plot([], [], color=AFTER, linewidth=0.8, label=f"{_history(found[0]).shape[0]} runs")
    axes[0, 0].plot([], [], color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)), label="mean of the runs' ends")
    below(figure, axes)
    return figure


def _history(search: Part) -> Any:
    return search["history"].block(3)
