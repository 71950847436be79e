"""The figures of a study by simulation."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.report.pictures.style import AFTER, BEFORE, DASHES, MARKERS, SHADES, below, new
from hilctl.report.series import thinned
from hilctl.results.runs import Influence, StudiedRuns

Rows = Sequence[Mapping[str, Any]]
_PANELS = 4
_BARS = 8


def numbers(rows: Rows, column: str) -> npt.NDArray[np.float64]:
    """A column of the table; nan where a run has none."""
    return np.array([row.get(column, np.nan) for row in rows], np.float64)


def shown_outcomes(made: StudiedRuns) -> list[str]:
    """Columns, without what they begin with for the halves, that are drawn."""
    names = list(dict.fromkeys(bare(one.column) for one in made.spreads if one.most != one.low
                               and not one.column.startswith("gain.")))  # fmt: skip
    wanted = ("error_rms_m", "error_peak_m", "distortion_percent", "acceleration_error_percent")
    return [name for end in wanted for name in names if name.endswith(end)][:_PANELS]


def bare(column: str) -> str:
    """Without the half."""
    return column.removeprefix("without.").removeprefix("with.")


def distributions(made: StudiedRuns, rows: Rows) -> Any:
    """Share of the runs that stay below a value, for each outcome."""
    names = shown_outcomes(made)
    if not names:
        return None
    figure, axes = new(-(-len(names) // 2), min(2, len(names)), 0.5 + 1.9 * -(-len(names) // 2))
    halves = ["without.", "with."] if made.compensation == "both" else [""]
    for name, ax in zip(names, axes.flat, strict=False):
        for half, colour, dashes in zip(halves, (BEFORE, AFTER) if len(halves) > 1 else (AFTER,), DASHES[::-1],
                                        strict=False):  # fmt: skip
            values = np.sort(numbers(rows, half + name))
            values = values[np.isfinite(values)]
            if not len(values):
                continue
            share = 100 * np.arange(1, len(values) + 1) / len(values)
            label = f"{half.rstrip('.')} compensation" if half else "all runs"
            ax.plot(*thinned(values, share), color=colour, linestyle="-" if half != "without." else dashes, label=label)
        ax.set(xlabel=_labelled(name), ylabel="runs below, %", ylim=(0, 100))
        positive = ax.get_xlim()
        if positive[0] > 0 and positive[1] > 30 * positive[0]:
            ax.set_xscale("log")
    for ax in list(axes.flat)[len(names) :]:
        ax.set_visible(False)
    if len(halves) > 1:
        below(figure, axes)
    return figure


def _labelled(column: str) -> str:
    units = {"_m_s": "m/s", "_m": "m", "_hz": "Hz", "_percent": "%"}
    end = next((end for end in ("_m_s", "_percent", "_hz", "_m") if column.endswith(end)), "")
    name = column.removesuffix(end).replace("_", " ")
    return f"{name}, {units[end]}" if end else name


def strongest(made: StudiedRuns) -> dict[str, list[Influence]]:
    """The outcomes that are decided by something, each with what decides it."""
    found: dict[str, list[Influence]] = {}
    for one in made.influences:
        found.setdefault(one.column, []).append(one)
    certain = {column: ones for column, ones in found.items() if any(one.certain for one in ones)}
    order = sorted(certain, key=lambda column: (column != "tripped", -max(one.share for one in certain[column])))
    return {column: certain[column][:_BARS] for column in order[:_PANELS]}


def influence(made: StudiedRuns) -> Any:
    """What each outcome follows from."""
    found = strongest(made)
    if not found:
        return None
    most = max(map(len, found.values()))
    figure, axes = new(len(found), 1, len(found) * (0.75 + 0.2 * most))
    for (column, strongest_first), ax in zip(found.items(), axes[:, 0], strict=True):
        ones = strongest_first[::-1]
        colours = [AFTER if one.certain else "0.8" for one in ones]
        ax.barh(range(len(ones)), [100 * one.share for one in ones], color=colours, height=0.62)
        ax.set_yticks(range(len(ones)), [f"{one.key}{_sign(one)}" for one in ones])
        ax.set(title=column, xlim=(0, 100))
        ax.grid(axis="y", visible=False)
    axes[-1, 0].set_xlabel("share of the outcome's variance, by ranks, %")
    return figure


def _sign(one: Influence) -> str:
    return "" if one.correlation is None or abs(one.correlation) < 0.05 else " (+)" if one.correlation > 0 else " (−)"


def where(made: StudiedRuns, rows: Rows) -> Any:
    """The runs over the two quantities that matter most for what goes wrong, with how each ended."""
    found = strongest(made)
    if not found:
        return None
    column, ones = next(iter(found.items()))
    keys = [one.key for one in ones if one.correlation is not None and one.certain][:2]
    keys += [one.key for one in made.influences if one.correlation is not None and one.key not in keys]
    keys = list(dict.fromkeys(keys))[:2]
    if len(keys) < 2:
        return None
    figure, axes = new(1, 1, 3.2)
    ax = axes[0, 0]
    how = np.array([ended(made, row) for row in rows])
    x, y = numbers(rows, keys[0]), numbers(rows, keys[1])
    for (name, said), marker, colour in zip({"done": "within the limits", "tripped": "tripped", "refused": "refused",
                                             "impossible": "impossible"}.items(), MARKERS, (SHADES[4], *SHADES[:3]),
                                            strict=False):  # fmt: skip
        at = np.flatnonzero(how == name)[:1500]
        if len(at):
            ax.plot(x[at], y[at], marker, color=colour, markersize=2.2 if name == "done" else 4.0, linestyle="none",
                    label=said)  # fmt: skip
    units = {one.key: one.unit for one in made.varied}
    ax.set(xlabel=f"{keys[0]}, {units[keys[0]]}".rstrip(", "), ylabel=f"{keys[1]}, {units[keys[1]]}".rstrip(", "),
           title=f"by what decides {column}")  # fmt: skip
    for axis, values, scale in ((ax.xaxis, x, ax.set_xscale), (ax.yaxis, y, ax.set_yscale)):
        if values.min() > 0 and values.max() > 30 * values.min():
            scale("log")
        axis.grid(visible=True)
    below(figure, axes)
    return figure


def ended(made: StudiedRuns, row: Mapping[str, Any]) -> str:
    """How a run ended; of both halves the worse."""
    order = list(made.outcomes)
    names = ["without.outcome", "with.outcome"] if made.compensation == "both" else ["outcome"]
    return str(max((row[name] for name in names), key=order.index))
