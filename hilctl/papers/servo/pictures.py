"""The paper's figures, from our record of its experiment."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.identify.dynamics.study import Check
from hilctl.papers.servo.beside import ITERATIONS, Beside, Searches
from hilctl.papers.servo.tables import BELOW_HZ, V_PER_M, Case, Paper, corrector_of, gain_of
from hilctl.report.dynamics.style import MEASURED, MODEL, OTHER, db, degrees, frequencies, with_intervals
from hilctl.report.pictures.style import INK, SHADES, below, new
from hilctl.report.series import thinned

_FROM_S, _TO_S = 8.5, 11.5
_ORDERS = (4, 5, 6, 7, 9)


def drawings_of(paper: Paper, also: Beside) -> dict[str, Callable[[], Any]]:
    """All, by name."""
    made: dict[str, Callable[[], Any]] = {
        "sweep": lambda: sweep(paper),
        "response": lambda: response(paper),
        "searches": lambda: searches(also.searches),
        "fit": lambda: fitted(paper.noisy),
        "model": lambda: model(paper),
        "orders": lambda: orders(paper),
    }
    step = paper.step
    return made if step is None else {**made, "step": lambda: stepped(step)}


def sweep(paper: Paper) -> Any:
    """Input and output, recorded and prepared."""
    figure, axes = new(2, 2, 3.4, width=7.2, width_ratios=[3, 1])
    was, now = paper.prepared.original, paper.prepared.channels
    t = np.arange(len(was["ui"])) / paper.prepared.rate_hz
    near = (t >= _FROM_S) & (t < _FROM_S + 0.1)
    for row, name, factor, label in zip(axes, ("ui", "displacement"), (1.0, 1e3), ("input, V", "output, mm"),
                                        strict=True):  # fmt: skip
        for ax, part in ((row[0], slice(None)), (row[1], near)):
            ax.plot(*thinned(t[part], factor * was[name][part]), color=MEASURED, linewidth=0.8, label="recorded")
            ax.plot(*thinned(t[part], factor * now[name][part]), color=MODEL, linewidth=0.8, label="prepared")
            ax.margins(x=0)
        row[0].set_ylabel(label)
    axes[1, 0].set_xlabel("time, s")
    axes[1, 1].set_xlabel("a tenth of a second of it")
    below(figure, axes)
    return figure


def response(paper: Paper) -> Any:
    """The measured response and the truth's; and the corrector's own."""
    figure, axes = new(2, 2, 4.2, sharex="col")
    r = paper.response
    with_intervals(axes[0, 0], axes[1, 0], r, MODEL, "measured", V_PER_M)
    axes[0, 0].plot(r.hz, db(np.abs(paper.exact) * V_PER_M), color=INK, linewidth=0.8, label="the servo's own")
    axes[1, 0].plot(r.hz, degrees(paper.exact), color=INK, linewidth=0.8)
    for ax, one in ((axes[0, 0], paper.bandwidth.gain), (axes[1, 0], paper.bandwidth.phase)):
        if one is not None:
            ax.axvline(one.hz, color=OTHER, linewidth=0.9, linestyle=(0, (2, 2)), label=f"{one.hz:.1f} Hz")
    corrector = corrector_of(r.hz)
    axes[0, 1].plot(r.hz, db(np.abs(corrector)), color=SHADES[2])
    axes[1, 1].plot(r.hz, degrees(corrector), color=SHADES[2])
    axes[0, 0].set_title("the servo: magnitude, dB")
    axes[1, 0].set_title("phase, °")
    axes[0, 1].set_title("the corrector: magnitude, dB")
    axes[1, 1].set_title("phase, °")
    frequencies(axes.flat)
    below(figure, axes)
    return figure


def fitted(case: Case) -> Any:
    """The record beside the model at the start and at the end."""
    figure, axes = new(3, 1, 4.8, sharex=True)
    t = np.arange(len(case.started)) * case.record.dt_s
    part = (t >= _FROM_S) & (t < _TO_S)
    x = 1e3 * case.record.measured()[:, 0]
    for ax, made, label in ((axes[0, 0], case.started, "start"), (axes[1, 0], case.ended, "identified")):
        ax.plot(t[part], x[part], color=MEASURED, linewidth=0.8, label="measured")
        ax.plot(t[part], 1e3 * made[part], color=MODEL if label != "start" else OTHER, linewidth=0.8, label=label)
        ax.set_ylabel("mm")
    axes[2, 0].plot(t[part], x[part] - 1e3 * case.started[part], color=OTHER, linewidth=0.6)
    axes[2, 0].plot(t[part], x[part] - 1e3 * case.ended[part], color=MODEL, linewidth=0.6)
    axes[2, 0].set_ylabel("what is left, mm")
    axes[2, 0].set_xlabel("time, s")
    axes[0, 0].margins(x=0)
    below(figure, axes)
    return figure


def searches(found: Searches) -> Any:
    """How soon each comes to the score of the true parameters."""
    figure, axes = new(1, 1, 2.8)
    ax = axes[0, 0]
    for scores, colour, label in ((found.paper, OTHER, "Algorithm 1"), (found.ours, MODEL, "the product's solver")):
        left = found.truth - scores
        at = np.flatnonzero(left > 0)
        ax.semilogy(at, left[at], "o-", markersize=3, color=colour, label=label)
    ax.set_xlabel("iterations")
    ax.set_ylabel("score left, %")
    ax.set_xlim(-0.5, ITERATIONS + 0.5)
    below(figure, axes)
    return figure


def model(paper: Paper) -> Any:
    """The identified model's response beside the measured one, and the start's."""
    figure, axes = new(2, 1, 4.2, sharex=True)
    r, hz = paper.response, paper.response.hz
    with_intervals(axes[0, 0], axes[1, 0], r, MEASURED, "measured", V_PER_M)
    start = {line.name: line.start for line in paper.lines}
    for values, colour, label in ((start, OTHER, "start"), (paper.noisy.fit.values, MODEL, "identified")):
        gain = gain_of(values, hz)
        axes[0, 0].plot(hz, db(np.abs(gain) * V_PER_M), color=colour, linewidth=1.0, label=label)
        axes[1, 0].plot(hz, degrees(gain), color=colour, linewidth=1.0)
    axes[0, 0].set_ylabel("magnitude, dB")
    axes[1, 0].set_ylabel("phase, °")
    frequencies(axes.flat)
    below(figure, axes)
    return figure


def orders(paper: Paper) -> Any:
    """The magnitude's ratio by order, ours and the paper's method."""
    figure, axes = new(1, 2, 3.2, sharey=True)
    r = paper.response.within(0.0, BELOW_HZ)
    hz = np.linspace(r.hz[0], r.hz[-1], 400)
    levy = {one.order: one for one in paper.levy}
    for ax, of, title in ((axes[0, 0], paper.family.of, "ours"), (axes[0, 1], levy.get, "plain least squares")):
        ax.plot(r.hz, V_PER_M * r.magnitude, "o", color=MEASURED, markersize=2.5, label="measured")
        for index, order in enumerate(_ORDERS):
            one: Any = of(order)
            ax.plot(hz, V_PER_M * np.abs(one.transfer.gain(hz)), color=SHADES[index], linewidth=0.9,
                    label=f"order {order}")  # fmt: skip
        ax.set_title(title)
        ax.set_xlabel("frequency, Hz")
    axes[0, 0].set_ylim(0, 1.25 * V_PER_M * float(r.magnitude.max()))
    below(figure, axes, 6)
    return figure


def stepped(one: Check) -> Any:
    """The identified model on a step."""
    figure, axes = new(1, 1, 2.6)
    ax = axes[0, 0]
    at = int(np.argmax(np.abs(one.driven - one.driven[0]) > 1e-3 * np.ptp(one.driven)))
    part = slice(max(0, at - round(0.02 * one.rate_hz)), at + round(0.12 * one.rate_hz))
    t = 1e3 * (np.arange(len(one.measured)) - at)[part] / one.rate_hz
    ax.plot(t, 1e3 * one.driven[part] / V_PER_M, color=OTHER, linewidth=0.9, label="reference")
    ax.plot(t, 1e3 * one.measured[part], color=MEASURED, linewidth=2.2, label="measured")
    ax.plot(t, 1e3 * one.modelled[part], color=MODEL, linewidth=1.0, label="identified")
    ax.set_ylabel("mm")
    ax.set_xlabel("time, ms")
    ax.margins(x=0)
    below(figure, axes)
    return figure
