"""The pictures, one idea each. matplotlib is an extra (`report`)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.commission.tracking import Run
from hilctl.commission.worth import full_cycles, straights, thd, velocity, worth
from hilctl.demo.course import LAWS
from hilctl.errors import NoFigures

_COLOURS = {"pid": "#d95f02", "before": "#1b6ca8", "after": "#2a9d57"}
_REFERENCE = {"color": "0.35", "linewidth": 1.2, "linestyle": (0, (4, 2)), "label": "reference"}
_STYLE: Any = {
    "figure.figsize": (7.2, 4.2), "figure.dpi": 150, "figure.constrained_layout.use": True, "savefig.bbox": "tight",
    "font.size": 10, "axes.titlesize": 11, "axes.titlelocation": "left", "axes.grid": True, "grid.color": "0.9",
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "lines.linewidth": 1.4,
}  # fmt: skip


def draw(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Writes the figures into the folder, which is made if need be; NoFigures where matplotlib is missing."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise NoFigures from None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with plt.rc_context(_STYLE):
        for name, picture in _PICTURES.items():
            figure = picture(plt, runs)
            if figure is not None:
                path = folder / f"{name}.png"
                figure.savefig(path)
                plt.close(figure)
                written.append(path)
    return written


def _legend(figure: Any) -> None:
    """Below the picture, never over it."""
    figure.legend(loc="outside lower center", ncols=3)


def _of(runs: Sequence[Run], kind: str, speed_m_s: float | None = None) -> dict[str, Run]:
    """The finished runs of one motion, by law."""
    return {
        run.law: run
        for run in runs
        if run.why == "done" and run.task.kind == kind and run.task.parameters.get("speed_m_s") == speed_m_s
    }


def _error_over_speed(pyplot: Any, runs: Sequence[Run]) -> Any:
    figure, axes = pyplot.subplots()
    triangles = [run for run in runs if run.task.kind == "triangle"]
    for law, name in LAWS.items():
        mine = [run for run in triangles if run.law == law]
        done = [(run.task.parameters["speed_m_s"], worth(run).rms_um) for run in mine if run.why == "done"]
        axes.loglog(*zip(*done, strict=True), "o-", color=_COLOURS[law], label=name) if done else None
        for run in mine:
            if run.trip and "limit" in run.trip:
                speed = run.task.parameters["speed_m_s"]
                axes.loglog(speed, 1e6 * run.trip["limit"], "x", color=_COLOURS[law], markersize=9, markeredgewidth=2)
                axes.annotate(
                    f"{name}: tripped",
                    (speed, 1e6 * run.trip["limit"]),
                    xytext=(-8, 0),
                    ha="right",
                    va="center",
                    textcoords="offset points",
                    color=_COLOURS[law],
                )
    axes.set(title="Triangles: tracking error over speed", xlabel="speed of the straights, m/s", ylabel="rms error, µm")
    speeds = sorted({run.task.parameters["speed_m_s"] for run in triangles})
    axes.set_xticks(speeds, [f"{v:g}" for v in speeds])
    axes.minorticks_off()
    axes.set_yticks([10, 100, 1000, 10_000], ["10", "100", "1000", "10 000"])
    _legend(figure)
    return figure


def _triangle_in_time(pyplot: Any, runs: Sequence[Run]) -> Any:
    found = _of(runs, "triangle", 0.02)
    if not found:
        return None
    figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(7.2, 5.4), height_ratios=(3, 2))
    for law, run in found.items():
        t = np.arange(len(run.samples["tick"])) / run.rate_hz
        above.plot(t, 1e3 * run.samples["position_m"], color=_COLOURS[law], label=LAWS[law])
        below.plot(t, 1e3 * run.samples["error_m"], color=_COLOURS[law])
    above.plot(t, 1e3 * run.samples["xd_m"], **_REFERENCE)
    above.set(title="Triangle at 20 mm/s", ylabel="displacement, mm")
    below.set(ylabel="error, mm", xlabel="time, s")
    _legend(figure)
    return figure


def _speed_on_a_straight(pyplot: Any, runs: Sequence[Run]) -> Any:
    found = _of(runs, "triangle", 0.02)
    if not found:
        return None
    figure, axes = pyplot.subplots()
    for law, run in found.items():
        straight = straights(run)[1]
        v = 1e3 * np.sign(run.samples["vd_m_s"][straight]) * velocity(run)[straight]
        t = np.arange(len(v)) / run.rate_hz
        axes.plot(t, v, color=_COLOURS[law], label=f"{LAWS[law]}: flat within {worth(run).flatness_percent:.2g} %")
    axes.axhline(20.0, **_REFERENCE)
    axes.set(
        title="Speed on a straight at 20 mm/s, after the table has turned",
        xlabel="time since the reference left the corner, s",
        ylabel="speed, mm/s",
    )
    _legend(figure)
    return figure


def _acceleration_of_a_sine(pyplot: Any, runs: Sequence[Run]) -> Any:
    found = _of(runs, "sine")
    if not found:
        return None
    figure, axes = pyplot.subplots()
    for law, run in found.items():
        part = full_cycles(run)
        cycle = slice(part.start, part.start + round(run.rate_hz / run.task.parameters["frequency_hz"]))
        t = np.arange(cycle.stop - cycle.start) / run.rate_hz
        percent = thd(run)
        label = LAWS[law] if percent is None else f"{LAWS[law]}: THD {percent:.1f} %"
        axes.plot(t, run.samples["acceleration_m_s2"][cycle], color=_COLOURS[law], linewidth=1.0, label=label)
    axes.plot(t, run.samples["ad_m_s2"][cycle], **_REFERENCE)
    axes.set(
        title=f"Acceleration of a {run.task.text}: friction kicks at each reversal",
        xlabel="time, s",
        ylabel="acceleration, m/s²",
    )
    _legend(figure)
    return figure


_PICTURES: dict[str, Callable[[Any, Sequence[Run]], Any]] = {
    "error-over-speed": _error_over_speed,
    "triangle-20-mm-s": _triangle_in_time,
    "speed-20-mm-s": _speed_on_a_straight,
    "sine-acceleration": _acceleration_of_a_sine,
}
