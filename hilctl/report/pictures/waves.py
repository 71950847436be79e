"""One cycle of a sine's acceleration, before and after, and the reference that it should follow."""

from typing import Any

import numpy as np

from hilctl.report.pictures.style import CALLED, REFERENCE, STATES, below, new
from hilctl.report.series import by_frequency
from hilctl.results.commissioned import Commissioned

_REFERENCE: Any = {"color": REFERENCE, "linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 3}


def draw(result: Commissioned) -> Any:
    """A panel a frequency."""
    found = [(f, {"before": sine.before, "after": sine.after}) for f, sine in by_frequency(result.sines)]
    found = [(f, sine) for f, sine in found if any(sine.values())]
    if not found:
        return None
    columns = min(2, len(found))
    rows = -(-len(found) // columns)
    figure, axes = new(rows, columns, 0.45 + 2.2 * rows)
    for ax, (frequency, sine) in zip(axes.flat, found, strict=False):
        cycles = {state: cycle for state, cycle in sine.items() if cycle}
        for state, cycle in cycles.items():
            ax.plot(_ms(cycle.acceleration_m_s2, cycle.rate_hz), cycle.acceleration_m_s2, label=CALLED[state],
                    **STATES[state])  # fmt: skip
        one = next(iter(cycles.values()))
        ax.plot(_ms(one.reference_m_s2, one.rate_hz), one.reference_m_s2, label="reference", **_REFERENCE)
        ax.set_title(f"{frequency:g} Hz")
        ax.margins(x=0.0)
    for ax in axes.flat[len(found) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_ylabel("acceleration, m/s²")
    for column in range(columns):
        lowest = max(row for row in range(rows) if row * columns + column < len(found))
        axes[lowest, column].set_xlabel("time, ms")
    below(figure, axes)
    return figure


def _ms(values: list[float], rate_hz: float) -> Any:
    """The times of one cycle."""
    return 1e3 * np.arange(len(values)) / rate_hz
