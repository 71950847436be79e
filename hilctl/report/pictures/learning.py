"""How the distortion falls as a motion is repeated and its drive corrected."""

from typing import Any

import numpy as np

from hilctl.report.pictures.style import MARKERS, SHADES, decades, new
from hilctl.report.series import by_frequency, row
from hilctl.results.commissioned import Commissioned


def draw(result: Commissioned) -> Any:
    """A line a frequency; the repeat numbered 0 is the motion as it is."""
    found = [(f, row(repeat.percent for repeat in one.repeats)) for f, one in by_frequency(result.learning)]
    found = [(f, percent) for f, percent in found if np.any(percent > 0)]
    if not found:
        return None
    figure, axes = new(1, 1, 2.7)
    ax = axes[0, 0]
    for number, (frequency, percent) in enumerate(found):
        look = number % len(SHADES)
        ax.plot(
            np.arange(len(percent)), percent, marker=MARKERS[look], markersize=4.5, color=SHADES[look],
            label=f"{frequency:g} Hz",
        )  # fmt: skip
    most = max(len(percent) for _, percent in found)
    ax.set(yscale="log", xlabel="repeats learned from", ylabel="distortion (THD), %")
    low, high = ax.get_ylim()
    ax.set_ylim(low / 1.3, high * 1.3)
    decades(ax.yaxis)
    ax.set_xticks(range(0, most, max(1, most // 10)))
    ax.set_xlim(-0.3, max(most - 1, 1) + 0.3)
    figure.legend(loc="outside right center")
    return figure
