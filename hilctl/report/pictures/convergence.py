"""How the parameters settle over the generations of the genetic algorithm: every run, as the paper shows it."""

from typing import Any

import numpy as np

from hilctl.report.pictures.style import AFTER, INK, below, new
from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import Search

_COLUMNS, _SQUARE = 3, 4


def draw(result: Commissioned) -> Any:
    """A panel a parameter: the best of each generation in thin lines, what was found in the end dotted."""
    fit = result.fit
    found = [s for s in fit.searches if _history(s).size] if fit else []
    panels = [(s, i, name) for s in found for i, name in enumerate(s.names)]
    if fit is None or not panels:
        return None
    columns = _columns(len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new(rows, columns, 0.5 + 1.75 * rows, sharex=True)
    for ax, (search, index, name) in zip(axes.flat, panels, strict=False):
        history = _history(search)[:, :, index]
        for run in history:
            ax.plot(np.arange(len(run)), run, color=AFTER, linewidth=0.8, alpha=0.55)
        mean = search.mean[index]
        if mean is not None:
            ax.axhline(mean, color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)))
        unit = fit.parameters[name].unit if name in fit.parameters else "N" if name == "offset" else ""
        ax.set_title(name + (f", {unit}" if unit else ""))
        ax.set_xlim(0, max(history.shape[1] - 1, 1))
        ax.locator_params(axis="x", integer=True)
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


def _columns(panels: int) -> int:
    """At most three, and four panels as two by two."""
    return panels // 2 if panels == _SQUARE else min(_COLUMNS, panels)


def _history(search: Search) -> Any:
    return np.array(search.history, float)
