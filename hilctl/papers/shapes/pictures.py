"""The note's curve and its fit, as a figure and a table."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.papers.declaration import Figure, Part, Table, Text
from hilctl.papers.shapes.example import EXAMPLE, Fits, printed
from hilctl.report.numbers import plain
from hilctl.report.pictures.style import INK, SHADES, below, new


def drawings_of(found: Fits) -> dict[str, Callable[[], Any]]:
    """By name."""
    return {"fit": lambda: _fit(found)}


def parts_of(found: Fits) -> tuple[Part, ...]:
    """In the note's order."""
    rows = tuple(
        (name, *(plain(x) for x in (truth, found.clean.parameters[name].value, one.value, one.low, one.high)))
        for name, truth in EXAMPLE.items() for one in [found.noisy.parameters[name]]
    )  # fmt: skip
    return (
        Part("The example", (
            Text("Eighty points of the example's curve, 0.01 to 20 rad/s in both directions. Each counts in the fit; "
                 "the model is chosen among those that jump at rest and the rotational breakaway law."),
            Figure("fit", "Points with 2 % of noise, the fitted law, and the curve that the note's code draws"),
            Table(("", ">given", ">without noise", ">with 2 %", ">low", ">high"), rows,
                  "parameters and intervals, 95 %"),
        )),
    )  # fmt: skip


def _fit(found: Fits) -> Any:
    figure, axes = new(1, 2, 3.4)
    points = found.noisy.points
    for ax, reach in zip(axes[0], (20.0, 1.0), strict=True):
        w = np.linspace(-reach, reach, 2001)
        near = np.abs(points.speed_m_s) <= reach
        ax.plot(points.speed_m_s[near], points.force_n[near], ".", color=INK, markersize=4, label="points")
        ax.plot(w, found.noisy.friction.curve(w), color=SHADES[0], label="fitted")
        ax.plot(w, printed(w, 1 / np.sqrt(2)), color=SHADES[1], linestyle="--", label="the note's code")
        ax.set_xlabel("speed, rad/s")
    axes[0, 0].set_ylabel("torque, N·m")
    below(figure, axes)
    return figure
