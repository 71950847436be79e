"""What was found against what the rig file said: each parameter's change, with its interval.

For a simulated rig whose true values are given, they are drawn beside it.
"""

import math
from typing import Any

from hilctl.report.found import friction_of, machine_of, true_value
from hilctl.report.pictures.style import AFTER, BEFORE, INK, below, new
from hilctl.results.commissioned import Commissioned

_LINEAR_TO = 1.0  # %


def draw(result: Commissioned) -> Any:
    """Parameters that were identified and had a value before, in % of it."""
    rows: list[tuple[str, float, float, float, float]] = []
    for key, q in (friction_of(result) | machine_of(result)).items():
        if q.identified and q.before and q.value is not None:
            numbers = (q.value, q.low, q.high, true_value(result, key))
            value, low, high, truth = (_percent(x, q.before) for x in numbers)
            rows.append((key, value, low, high, truth))
    if len(rows) < 2:
        return None
    figure, axes = new(1, 1, 0.75 + 0.22 * len(rows))
    ax = axes[0, 0]
    for at, (_, value, low, high, truth) in enumerate(reversed(rows)):
        error = [[value - low if math.isfinite(low) else 0.0], [high - value if math.isfinite(high) else 0.0]]
        ax.errorbar(value, at, xerr=error, fmt="o", color=AFTER, markersize=4.5, elinewidth=1.6, capsize=2.5,
                    label="identified")  # fmt: skip
        if math.isfinite(truth):
            ax.plot(truth, at, "|", color=BEFORE, markersize=13, markeredgewidth=2, label="the twin's own")
    ax.axvline(0.0, color=INK, linewidth=0.9)
    ax.set_xscale("symlog", linthresh=_LINEAR_TO)
    reach = max(abs(x) for row in rows for x in row[1:] if math.isfinite(x))
    ticks = [t for t in (0.5, 1, 3, 10, 30, 100, 300, 1000) if t <= max(1.0, 1.5 * reach)]
    ticks = [-t for t in reversed(ticks)] + [0] + ticks
    ax.set_xticks(ticks, [f"{t:+g}".replace("-", "−") if t else "0" for t in ticks])
    ax.minorticks_off()
    ax.set_xlim(-1.4 * max(reach, 1.0), 1.4 * max(reach, 1.0))
    ax.set_yticks(range(len(rows)), [row[0] for row in reversed(rows)])
    ax.set(xlabel="change against the value before, %", ylim=(-0.6, len(rows) - 0.4))
    ax.grid(axis="y", visible=False)
    if result.truth:
        below(figure, axes)
    return figure


def _percent(x: float | None, before: float) -> float:
    return math.nan if x is None else 100 * (x - before) / abs(before)
