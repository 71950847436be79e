"""The pictures: each law's steady curve, and one picture a phenomenon. matplotlib is needed here and nowhere else."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.errors import NoFigures
from hilctl.friction import Kind
from hilctl.papers.phenomena import breaking, lag, presliding, steady, stick_slip, vibration
from hilctl.papers.phenomena.panels import COLOURS, STYLE, first_of, panels
from hilctl.papers.phenomena.stand import Stand, stand_for

Picture = Callable[[Any, Sequence[Stand]], Any]


def draw(laws: Sequence[str], folder: Path) -> list[Path]:
    """Writes the pictures of these laws into the folder, which is made if need be; NoFigures without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise NoFigures from None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    stands, written = [stand_for(law) for law in laws], []
    with plt.rc_context(STYLE):
        for name, picture in PICTURES.items():
            figure = picture(plt, stands)
            if figure is not None:
                path = folder / f"{name}.png"
                figure.savefig(path, metadata={"Software": None})  # the same picture gives the same bytes
                plt.close(figure)
                written.append(path)
    return written


def _curves(plt: Any, stands: Sequence[Stand]) -> Any:
    figure, axes = panels(plt, len(stands), columns=4, width=9.6, height=1.9)
    for stand, ax in zip(stands, axes, strict=True):
        unit = stand.size.speed
        v = unit * np.concatenate([-np.geomspace(0.5, 1e-6, 700), np.geomspace(1e-6, 0.5, 700)])
        friction = stand.friction.curve(v)
        scale = 1.0 if stand.size.force_unit == "N·m" else 1e3
        ax.plot(v[:700], friction[:700] / scale, v[700:], friction[700:] / scale, color=COLOURS[stand.name])
        if stand.kind == Kind.JUMPS and stand.level:
            ax.plot([0, 0], [-stand.level / scale, stand.level / scale], color=COLOURS[stand.name], linewidth=2.6)
        if stand.kind == Kind.BRISTLES:
            ax.plot([0, 0], friction[[699, 700]] / scale, color=COLOURS[stand.name], linestyle=":")
        ax.set(title=stand.name, xlabel="speed, rad/s" if unit != 1.0 else "speed, m/s")
        ax.set_ylabel("torque, N·m" if scale == 1.0 else "friction, kN")
    return figure


def _measured(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = list(first_of(stands, "lugre", "gms", "armstrong", "breakaway", "static", "bliman-sorine-2"))
    if not stands:
        return None
    figure, ax = plt.subplots()
    for stand, width in zip(stands, (5.0, 1.2, 1.4, 1.4, 5.0, 1.2), strict=False):  # some lie on each other
        curve = steady.measured_curve(stand, 1e-3, 0.8, 40)
        look = {"color": COLOURS[stand.name], "linewidth": width, "alpha": 0.35 if width > 2 else 1.0}
        ax.semilogx(curve.speeds, curve.friction / 1e3, label=stand.name, **look)
    ax.set(title="Steady sliding, measured speed by speed", xlabel="speed, m/s", ylabel="friction, kN")
    ax.set_xticks([1e-3, 1e-2, 1e-1, 0.8], ["0.001", "0.01", "0.1", "0.8"])
    ax.set_ylim(bottom=0.0)
    figure.legend(loc="outside right center")
    return figure


def _presliding(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "karnopp", "tanh", "armstrong", "lugre", "gms", "dahl")
    if not stands:
        return None
    figure, axes = panels(plt, len(stands), columns=3)
    for stand, ax in zip(stands, axes, strict=True):
        for swing, shade in ((0.7, 1.0), (0.45, 0.55)):
            run = presliding.swung(stand, presliding.PERIODS_S[1], swing)
            colour, label = COLOURS[stand.name], f"± {100 * swing:.0f} % of break-away"
            ax.plot(1e6 * (run.x - np.mean(run.x)), run.q / stand.level, color=colour, alpha=shade, label=label)
        ax.set(title=stand.name, xlabel="displacement, µm", ylabel="push / break-away", ylim=(-0.85, 0.85))
        if np.ptp(ax.get_xlim()) < 1.0:
            ax.set_xlim(-5, 5)
    figure.legend(*_grey_legend(axes[0]), loc="outside lower center", ncols=2)
    return figure


def _grey_legend(ax: Any) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    return [Line2D([], [], color="0.2", alpha=h.get_alpha()) for h in handles], labels


def _memory(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "gms", "lugre", "dahl", "armstrong")
    if not stands:
        return None
    figure, axes = panels(plt, len(stands), columns=2, width=7.6, height=2.7)
    for stand, ax in zip(stands, axes, strict=True):
        both = presliding.nested(stand)
        run, colour = both.looped, COLOURS[stand.name]
        straight = both.straight
        ax.plot(1e6 * straight.x, straight.q / stand.level, color="0.75", linewidth=3.0, label="straight up")
        ax.plot(1e6 * run.x, run.q / stand.level, color=colour, label="with an inner loop")
        for at in (both.first, both.again):
            ax.plot(1e6 * run.x[at], run.q[at] / stand.level, "o", color=colour, markersize=4)
        closes = presliding.memory(stand)
        told = {True: "closes, and is forgotten", False: "stays open"}[bool(closes.shows)]
        told = "no loop" if closes.why.startswith("no loop") else told
        ax.set(title=f"{stand.name}: {told}", xlabel="displacement, µm", ylabel="push / break-away")
        ax.legend(loc="lower right")
    return figure


def _lag(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "lugre", "gms", "armstrong", "stribeck")
    if not stands:
        return None
    figure, axes = panels(plt, len(stands), columns=2, width=7.6, height=2.7)
    for stand, ax in zip(stands, axes, strict=True):
        base = lag.swung(stand, 0.05)
        ax.plot(1e3 * base.v, base.friction, color="0.6", linewidth=1.0, linestyle="--", label="very slowly")
        for frequency, alpha in zip(lag.FREQUENCIES_HZ, (0.5, 1.0), strict=True):
            run = lag.swung(stand, frequency)
            ax.plot(1e3 * run.v, run.friction, color=COLOURS[stand.name], alpha=alpha, label=f"{frequency:g} Hz")
            at = len(run.v) // 16
            if stand.name != "stribeck":
                _arrow(ax, 1e3 * run.v[at : at + 9], run.friction[at : at + 9], COLOURS[stand.name], alpha)
        ax.set(title=stand.name, xlabel="speed, mm/s", ylabel="friction, N")
        ax.legend(loc="best")
    return figure


def _arrow(ax: Any, x: Any, y: Any, colour: str, alpha: float) -> None:
    """Which way the loop goes round."""
    ax.annotate("", (x[-1], y[-1]), (x[0], y[0]), arrowprops={"arrowstyle": "-|>", "color": colour, "alpha": alpha})


def _rate(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "karnopp", "lugre", "gms", "armstrong", "bliman-sorine-2", "dahl")
    if not stands:
        return None
    figure, ax = plt.subplots()
    for stand in stands:
        ax.semilogx(
            breaking.RATES, breaking.by_rate(stand) / 1e3, "o-", markersize=4, color=COLOURS[stand.name],
            label=stand.name,
        )  # fmt: skip
    ax.set(title="Break-away by how fast the push grows", ylabel="break-away force, kN")
    ax.set(xlabel="growth of the push, break-away forces a second", ylim=(0.0, None))
    ax.set_xticks(breaking.RATES, [f"{r:g}" for r in breaking.RATES])
    ax.minorticks_off()
    figure.legend(loc="outside right center")
    return figure


def _dwell(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "karnopp", "lugre", "gms", "armstrong", "bliman-sorine-2", "dahl")
    if not stands:
        return None
    figure, ax = plt.subplots()
    for stand in stands:
        ax.semilogx(
            breaking.DWELLS_S, breaking.by_dwell(stand) / 1e3, "o-", markersize=4, color=COLOURS[stand.name],
            label=stand.name,
        )  # fmt: skip
    ax.set(title="Break-away by how long it has rested", xlabel="rest before the pull, s", ylim=(0.0, None))
    ax.set_ylabel("break-away force, kN")
    ax.set_xticks(breaking.DWELLS_S, [f"{d:g}" for d in breaking.DWELLS_S])
    ax.minorticks_off()
    figure.legend(loc="outside right center")
    return figure


def _stick_slip(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "karnopp", "lugre", "gms", "armstrong", "breakaway", "dahl")
    if not stands:
        return None
    figure, axes = panels(plt, len(stands), columns=3)
    for stand, ax in zip(stands, axes, strict=True):
        slow, fast = stick_slip.pulled(stand), stick_slip.pulled(stand, stick_slip.FAST)
        told = f"{1e3 * stick_slip.SPEED:g} mm/s"
        ax.plot(slow.run.t, slow.spring / 1e3, color=COLOURS[stand.name], label=told)
        ax.plot(fast.run.t, fast.spring / 1e3, color="0.6", linewidth=1.0, label=f"{1e3 * stick_slip.FAST:g} mm/s")
        ax.set(title=stand.name, xlabel="time, s", ylabel="spring, kN")
    figure.legend(*_coloured_legend(axes[0]), loc="outside lower center", ncols=2)
    return figure


def _coloured_legend(ax: Any) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    _, labels = ax.get_legend_handles_labels()
    return [Line2D([], [], color="0.2"), Line2D([], [], color="0.65")], [f"pulled at {label}" for label in labels]


def _vibration(plt: Any, stands: Sequence[Stand]) -> Any:
    stands = first_of(stands, "karnopp", "gms", "armstrong", "lugre", "dahl", "tanh")
    if not stands:
        return None
    figure, ax = plt.subplots()
    for stand in stands:
        run = vibration.shaken(stand)
        ax.plot(run.t, 1e6 * run.x, color=COLOURS[stand.name], label=stand.name)
    ax.set(title="A biased vibration, 10 to 70 % of break-away", xlabel="time, s", ylabel="displacement, µm")
    figure.legend(loc="outside right center")
    return figure


PICTURES: dict[str, Picture] = {
    "curves": _curves,
    "steady-sliding": _measured,
    "presliding": _presliding,
    "memory": _memory,
    "lag": _lag,
    "break-away-rate": _rate,
    "break-away-rest": _dwell,
    "stick-slip": _stick_slip,
    "vibration": _vibration,
}
