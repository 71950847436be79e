"""The error of every motion that was driven before and after."""

from typing import Any

from hilctl.report.pictures.style import AFTER, BEFORE, CALLED, PALE, below, decades, new
from hilctl.results.commissioned import Commissioned
from hilctl.results.proof import Worth


def draw(result: Commissioned) -> Any:
    """A line a motion, from the error before to the one after."""
    found = [one for one in result.tracking if _rms(one.before) or _rms(one.after)]
    if not found:
        return None
    figure, axes = new(1, 1, 0.85 + 0.25 * len(found))
    ax = axes[0, 0]
    for at, motion in enumerate(reversed(found)):
        before, after = _rms(motion.before), _rms(motion.after)
        if before is not None and after is not None:
            ax.plot([before, after], [at, at], color=PALE, linewidth=2.2, zorder=1)
        for state, rms, mark, colour, face in (
            ("before", before, "o", BEFORE, "white"), ("after", after, "o", AFTER, AFTER),
        ):  # fmt: skip
            if rms is not None:
                ax.plot(rms, at, mark, markersize=6, color=colour, markerfacecolor=face, markeredgewidth=1.6,
                        linestyle="none", label=CALLED[state])  # fmt: skip
    ax.set_yticks(range(len(found)), [motion.name for motion in reversed(found)])
    ax.set(xscale="log", xlabel="error of displacement, rms, µm", ylim=(-0.6, len(found) - 0.4))
    low, high = ax.get_xlim()
    ax.set_xlim(low / 1.2, high * 1.2)
    decades(ax.xaxis)
    ax.grid(axis="y", visible=False)
    below(figure, axes)
    return figure


def _rms(worth: Worth | None) -> float | None:
    """None where there is nothing to draw on a logarithmic axis."""
    return worth.rms_um or None if worth else None
