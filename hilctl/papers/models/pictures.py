"""The paper's figures, drawn from the laws."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.papers.models.laws import EXPONENTS, FC, FS, VS, dahl_loop, law
from hilctl.papers.phenomena.stand import path, stand_for
from hilctl.report.pictures.style import AFTER, BEFORE, PALE, SHADES, below, new

_SAMPLE_S = 1e-3


def classical() -> Any:
    """Figure 1."""
    figure, axes = new(1, 4, 2.3, sharey=True)
    v = np.geomspace(1e-6, 0.5, 400)
    models = [("(a) Coulomb", law("coulomb"), FC), ("(b) and viscous", law("static", fs=FC), FC),
              ("(c) and static", law("static"), FS), ("(d) Stribeck", law("stribeck"), FS)]  # fmt: skip
    for ax, (title, friction, rest) in zip(axes.flat, models, strict=True):
        for way in (-1.0, 1.0):
            ax.plot(way * v, friction.curve(way * v) / 1e3, color=AFTER)
        ax.plot([0, 0], [-rest / 1e3, rest / 1e3], color=BEFORE, linewidth=2.2)
        ax.set_title(title)
        ax.set_xlabel("speed, m/s")
    axes[0, 0].set_ylabel("friction, kN")
    return figure


def tangent() -> Any:
    """Figure 2."""
    figure, axes = new(1, 1, 2.8)
    ax = axes[0, 0]
    v = np.linspace(1e-6, 0.5, 600)
    for delta, colour in ((1.0, AFTER), (2.0, BEFORE)):
        ax.plot(v, law("stribeck", delta=delta, sigma=0.0).curve(v) / 1e3, color=colour, label=f"delta = {delta:g}")
    ax.plot([0, VS], [FS / 1e3, FC / 1e3], "--", color="0.4", linewidth=1.0, label="first tangent, delta = 1")
    ax.axhline(FC / 1e3, color=PALE, linewidth=1.0)
    ax.axvline(VS, color=PALE, linewidth=1.0)
    ax.set_xlabel("speed, m/s")
    ax.set_ylabel("friction, kN")
    ax.set_ylim(bottom=0.0)
    below(figure, axes)
    return figure


def karnopp() -> Any:
    """Figure 3."""
    figure, axes = new(2, 1, 3.4, sharex=True)
    stand = stand_for("karnopp")
    run = stand.block().pull(path(0.0, 1.15 * stand.level, 0.0, seconds=1.0, sample_s=_SAMPLE_S), _SAMPLE_S)
    axes[0, 0].plot(run.t, run.q / 1e3, color=PALE, linewidth=3.0, label="push")
    axes[0, 0].plot(run.t, run.friction / 1e3, color=AFTER, label="friction")
    axes[0, 0].set_ylabel("kN")
    axes[1, 0].plot(run.t, run.v, color=AFTER)
    axes[1, 0].set_ylabel("speed, m/s")
    axes[1, 0].set_xlabel("time, s")
    below(figure, axes)
    return figure


def dahl() -> Any:
    """Figure 4."""
    figure, axes = new(1, 1, 3.4)
    ax = axes[0, 0]
    for alpha, colour in zip(EXPONENTS, SHADES, strict=False):
        run = dahl_loop(alpha)
        ax.plot(1e6 * run.x, run.friction / FC, color=colour, label=f"exponent {alpha:g}")
    ax.set_xlabel("displacement, µm")
    ax.set_ylabel("friction over Fc")
    below(figure, axes, 5)
    return figure


DRAWINGS: dict[str, Callable[[], Any]] = {
    "classical": classical, "tangent": tangent, "karnopp": karnopp, "dahl": dahl,
}  # fmt: skip
