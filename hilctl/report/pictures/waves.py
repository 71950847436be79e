"""One cycle of a sine's acceleration, before and after, and the reference that it should follow."""

from typing import Any

import numpy as np

from hilctl.report.part import Part
from hilctl.report.pictures.style import CALLED, REFERENCE, STATES, below, new

_REFERENCE: Any = {"color": REFERENCE, "linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 3}


def draw(told: Part) -> Any:
    """A panel a frequency."""
    found = [(f, sine) for f, sine in told["sines"].by_number if _drawn(sine)]
    if not found:
        return None
    columns = min(2, len(found))
    rows = -(-len(found) // columns)
    figure, axes = new(rows, columns, 0.45 + 2.2 * rows)
    for ax, (frequency, sine) in zip(axes.flat, found, strict=False):
        for state in STATES:
            a = sine[state]["acceleration_m_s2"].row
            ax.plot(_ms(sine, a, frequency), a, label=CALLED[state], **STATES[state]) if len(a) else None
        reference = _first(sine, "reference_m_s2").row
        if len(reference):
            ax.plot(_ms(sine, reference, frequency), reference, label="reference", **_REFERENCE)
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


def _drawn(sine: Part) -> bool:
    return any(np.any(np.isfinite(sine[state]["acceleration_m_s2"].row)) for state in STATES)


def _ms(sine: Part, values: Any, frequency: float) -> Any:
    """The times of one cycle."""
    rate_hz = _first(sine, "rate_hz").number or len(values) * frequency
    return 1e3 * np.arange(len(values)) / rate_hz


def _first(sine: Part, key: str) -> Part:
    """Of the sine, or of the first of its states that has it."""
    found = [sine[key], *(sine[state][key] for state in STATES)]
    return next((part for part in found if part), Part())
