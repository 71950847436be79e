"""The paper's figures, and the tables of the yardsticks."""

from collections.abc import Callable, Mapping
from typing import Any

from hilctl.papers.declaration import Figure, Part, Table, Text
from hilctl.papers.joints.study import ROWS, Study
from hilctl.report.pictures.style import SHADES, below, new
from sim.specimens import Swing

_NAMES = {"lugre": "LuGre", "coulomb": "Coulomb"}


def drawings_of(study: Study) -> dict[str, Callable[[], Any]]:
    """All, by name."""
    return {
        "free": lambda: _beside(study.free, slice(0, 20_000, 5)),
        "driven": lambda: _beside(study.driven, slice(-2 * ROWS, None)),
    }


def parts_of(study: Study) -> tuple[Part, ...]:
    """In the paper's order."""
    yards = tuple(
        (str(y.links), y.law, y.start, f"{y.angles_rad:.1e}", f"{y.speeds_rad_s:.1e}") for y in study.yards
    )
    energy = tuple((str(links), f"{error:.1e}") for links, error in study.energy.items())
    return (
        Part("Figures 4 to 6: released from level", (
            Text("Two rods of 2 kg and 1 m, pins of 50 mm; no couple. The swing decays, and both rods come to rest."),
            Figure("free", "Link 1's angle and speed, and joint 2's normal force, under both friction models"),
        )),
        Part("Figures 7 to 9: driven", (
            Text("6 N·m sin t on both rods; the last two of forty periods. The normal force jumps where a joint's "
                 "speed changes sign."),
            Figure("driven", "The same when driven"),
        )),
        Part("Yardsticks", (
            Text("The equations solved another way (Lagrange's first kind, scipy's solver at a tolerance of 1e-12), "
                 "and energy without friction."),
            Table(("links", "friction", "motion", ">angles off, rad", ">speeds off, rad/s"), yards,
                  "greatest difference"),
            Table((">links", ">energy error"), energy, "in 60 s from level, of the greatest energy"),
        )),
    )  # fmt: skip


def _beside(motions: Mapping[str, Swing], part: slice) -> Any:
    figure, axes = new(3, 1, 6.0, sharex=True)
    for (law, motion), colour in zip(motions.items(), SHADES, strict=False):
        t = motion.time_s[part]
        for ax, column in zip(axes[:, 0], (motion.angles_rad[part, 0], motion.speeds_rad_s[part, 0],
                                           motion.normal_n[part, 1]), strict=True):  # fmt: skip
            ax.plot(t - t[0], column, color=colour, label=_NAMES[law], linewidth=1.1)
    for ax, label in zip(axes[:, 0], ("angle of link 1, rad", "its speed, rad/s", "normal force\nof joint 2, N"),
                         strict=True):  # fmt: skip
        ax.set_ylabel(label)
    axes[-1, 0].set_xlabel("time, s")
    below(figure, axes)
    return figure
