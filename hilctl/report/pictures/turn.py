"""Friction over the distance since a reversal: what one looks at to see which law it is."""

from typing import Any

import numpy as np

from hilctl.report.pictures.style import INK, new
from hilctl.report.series import alike, row
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned

_TURNS_AGAIN = 0.97  # of the whole distance
_AMONG = 4  # points, two of each reversal
_LOOKS = {
    "lugre": {"color": "#12416b", "linewidth": 1.6},
    "gms": {"color": "#d9822b", "linewidth": 1.5, "linestyle": (0, (5, 1.5))},
    "dahl": {"color": "#3b7d3b", "linewidth": 1.4, "linestyle": (0, (3, 1.2, 1, 1.2))},
    "jump": {"color": INK, "linewidth": 1.2, "linestyle": (0, (1, 1.3))},
}  # fmt: skip


def draw(result: Commissioned) -> Any:
    """Measured, and each law's; a jump is drawn at the measured level."""
    if result.presliding is None:
        return None
    turn, level = result.presliding.evidence.turn, result.presliding.evidence.level_n
    distance = row(turn.distance_m)
    x, measured = _on_the_way(distance, row(turn.measured_n))
    if not len(x):
        return None
    figure, axes = new(1, 1, 3.3)
    ax = axes[0, 0]
    ax.plot(1e6 * x, measured / 1e3, "o", color="0.6", markersize=2.8, markeredgewidth=0, label="measured")
    for name, law in turn.laws_n.items():
        at, force = _on_the_way(distance, row(law))
        if len(at):
            at, force = _one_line(at), _one_line(force)
            ax.plot(1e6 * at, force / 1e3, label=called(name), **_LOOKS.get(name, {"linewidth": 1.2}))
    if level:
        ends = np.array([0.0, 0.0, float(np.max(x))])
        ax.plot(1e6 * ends, np.array([-level, level, level]) / 1e3, label="a jump", **_LOOKS["jump"])
    ax.set(xlabel="distance since the reversal, µm", ylabel="friction, kN")
    ax.legend(loc="lower right")
    return figure


def _one_line(line: Any) -> Any:
    """Of two reversals whose points lie among each other, the mean."""
    return np.convolve(line, np.full(_AMONG, 1 / _AMONG), "valid") if len(line) > 10 * _AMONG else line


def _on_the_way(distance: Any, force: Any) -> Any:
    """Without the points where the table turns again, which belong to the next reversal."""
    x, f = alike(distance, force)
    going = x < _TURNS_AGAIN * np.max(x, initial=0.0)
    return x[going], f[going]
