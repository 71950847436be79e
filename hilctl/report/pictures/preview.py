"""The distortion over the shift in time of the compensation."""

from typing import Any

import numpy as np

from hilctl.report.numbers import plain
from hilctl.report.pictures.style import AFTER, BEFORE, new
from hilctl.results.commissioned import Commissioned


def draw(result: Commissioned) -> Any:
    """Every shift that was tried; the one that is kept stands out."""
    search = result.preview
    if search is None or not search.tried:
        return None
    tried = np.array(sorted(search.tried))
    figure, axes = new(1, 1, 2.5)
    ax, kept_s = axes[0, 0], search.extra_preview_s
    ax.plot(1e3 * tried[:, 0], tried[:, 1], "o-", color=AFTER, markersize=4, linewidth=0.9, label="tried")
    ax.plot(1e3 * kept_s, search.percent, "o", markersize=11, markerfacecolor="none", markeredgecolor=BEFORE,
            markeredgewidth=2, label=f"kept: {plain(1e3 * kept_s, 3)} ms")  # fmt: skip
    ax.legend(loc="best")
    ax.set(xlabel="law.feed.extra_preview_s, ms", ylabel="distortion (THD), %")
    ax.set_ylim(0.0, 1.12 * max(float(tried[:, 1].max()), 1e-6))
    return figure
