"""How much evidence there is against each sliding law: its BIC above the least one."""

from typing import Any

from hilctl.report.pictures.style import AFTER, INK, PALE, new
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned

_LINEAR_TO = 10.0  # in BIC: odds of 150 to 1; beyond, the axis is logarithmic
_NO_EVIDENCE = 4.0  # what the fit does not count as evidence


def draw(result: Commissioned) -> Any:
    """A bar a law; one law alone is no comparison."""
    fit = result.fit
    laws = [(law.law, law.above_best) for law in fit.laws] if fit else []
    known = sorted(((name, above) for name, above in laws if above is not None), key=lambda one: -one[1])
    if fit is None or len(known) < 2:
        return None
    figure, axes = new(1, 1, 0.75 + 0.27 * len(known))
    ax, kept = axes[0, 0], fit.law
    ax.barh(
        [called(name) for name, _ in known], [above for _, above in known], height=0.6,
        color=[AFTER if name == kept else PALE for name, _ in known],
    )  # fmt: skip
    for at, (name, above) in enumerate(known):
        ax.annotate(
            f"{above:.1f}" + ("  taken" if name == kept else ""), (above, at), xytext=(4, 0), va="center",
            textcoords="offset points", color=INK, fontsize=8, bbox={"facecolor": "white", "linewidth": 0, "pad": 0.8},
        )  # fmt: skip
    ax.axvline(_NO_EVIDENCE, color=INK, linewidth=0.9, linestyle=(0, (1, 1.5)), zorder=0)
    ax.set_xscale("symlog", linthresh=_LINEAR_TO)
    ticks = [0, 4, 10] + [t for t in (30, 100, 300, 1000, 3000, 10_000) if t < 3 * known[0][1]]
    ax.set_xticks(ticks, [f"{t:,}".replace(",", "\u202f") for t in ticks])
    ax.minorticks_off()
    ax.set(xlabel="BIC above the least one")
    ax.set_xlim(0, 2.2 * max(known[0][1], 10.0))
    ax.grid(axis="y", visible=False)
    return figure
