"""The harmonics of a sine's acceleration, before and after.

Friction that is alike in both directions makes odd ones; they are joined. Even ones are dots.
"""

from typing import Any

import numpy as np

from hilctl.report.pictures.style import CALLED, STATES, below, new
from hilctl.report.series import alike, by_frequency, row
from hilctl.results.commissioned import Commissioned
from hilctl.results.proof import Cycle

_MARKS = {"before": "o", "after": "s"}
_LEAST = 1e-3  # of the fundamental, %: below is no more than the sensor's noise


def draw(result: Commissioned) -> Any:
    """A panel a frequency; harmonics from the second on."""
    found = [(f, {"before": sine.before, "after": sine.after}) for f, sine in by_frequency(result.sines)]
    found = [(f, sine) for f, sine in found if any(_lines(cycle, f) is not None for cycle in sine.values())]
    if not found:
        return None
    columns = min(2, len(found))
    rows = -(-len(found) // columns)
    figure, axes = new(rows, columns, 0.45 + 2.1 * rows, sharex=True, sharey=True)
    for ax, (frequency, sine) in zip(axes.flat, found, strict=False):
        for state, mark in _MARKS.items():
            lines = _lines(sine[state], frequency)
            if lines is not None:
                at, percent = lines
                odd = np.rint(at / frequency) % 2 == 1
                size, colour = 3.2 if len(at) < 60 else 1.8, STATES[state]["color"]
                face = "white" if state == "before" and size > 3 else colour
                ax.plot(at[odd], percent[odd], marker=mark, markersize=size, markerfacecolor=face, color=colour,
                        linewidth=0.7, label=CALLED[state])  # fmt: skip
                ax.plot(at[~odd], percent[~odd], ".", markersize=2.4, color=colour, markeredgewidth=0,
                        label=f"{CALLED[state]}, even")  # fmt: skip
        ax.set(yscale="log", title=f"{frequency:g} Hz")
    for ax in axes.flat[len(found) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_ylabel("harmonic, % of the first")
    for column in range(columns):
        lowest = max(row for row in range(rows) if row * columns + column < len(found))
        axes[lowest, column].set_xlabel("frequency, Hz")
        axes[lowest, column].tick_params(labelbottom=True)
    axes[0, 0].set_xlim(left=0.0)
    bottom, top = axes[0, 0].get_ylim()
    axes[0, 0].set_ylim(max(bottom, _LEAST), top)
    for ax in axes[:, 0]:
        ax.yaxis.set_major_formatter(lambda x, _: f"{x:g}")
    below(figure, axes)
    return figure


def _lines(cycle: Cycle | None, frequency: float) -> Any:
    percent = row(cycle.harmonics_percent if cycle else None)
    at, percent = alike(frequency * np.arange(2, len(percent) + 2), percent)
    some = percent > 0
    return (at[some], percent[some]) if np.any(some) else None
