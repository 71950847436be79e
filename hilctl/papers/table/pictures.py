"""The paper's figures, from our record of its experiment."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.commission.worth import straights, velocity
from hilctl.friction import check_friction
from hilctl.papers.table.algorithm import Identified, curve
from hilctl.papers.table.experiment import Study, Tracked
from hilctl.papers.table.rows import JUDGED_HZ
from hilctl.papers.table.setting import (
    CONTROLLERS,
    FAST_M,
    PD,
    PID,
    SLOW_M,
    SLOWEST_M_S,
    STEEPNESS,
    TABLE_1,
    THREE,
    speed_of,
)
from hilctl.report.pictures import convergence, friction
from hilctl.report.pictures.style import AFTER, BEFORE, CALLED, PALE, REFERENCE, SHADES, STATES, below, new
from hilctl.results.commissioned import Commissioned

_FACTORS = {5.0: SHADES[1], 10.0: SHADES[2], 20.0: SHADES[3], STEEPNESS: SHADES[0], 5300.0: SHADES[5]}
_COLOURS = {PID.name: SHADES[1], PD.name: SHADES[2], THREE.name: SHADES[0]}
_DASHED: Any = {"color": REFERENCE, "linewidth": 1.0, "linestyle": (0, (4, 2))}
_SPEEDS = tuple(speed_of(amplitude) for amplitude in (SLOW_M, FAST_M))


def drawings_of(study: Study, found: Identified) -> dict[str, Callable[[], Any]]:
    """All, by name."""
    return {
        "stribeck": stribeck,
        "sign": sign,
        "input": lambda: given(study),
        "controllers": lambda: controllers(study),
        "pressure": lambda: pressure(study),
        "generations": lambda: convergence.draw(Commissioned(fit=found.fit.told())),
        "curve": lambda: friction.draw(Commissioned(fit=study.fit.told())),
        "compensated": lambda: compensated(study),
    }


def stribeck() -> Any:
    """Figure 1."""
    figure, axes = new(1, 1, 2.8)
    ax = axes[0, 0]
    v = np.linspace(1e-6, 0.6, 600)
    fc, sigma = TABLE_1["fc"], TABLE_1["sigma"]
    for way in (-1.0, 1.0):
        label = {"label": "eq. 1"} if way > 0 else {}
        ax.plot(way * v, way * curve(TABLE_1, v) / 1e3, color=AFTER, **label)
        ax.plot(way * v, way * (fc + sigma * v) / 1e3, label="Coulomb and viscous" if way > 0 else None, **_DASHED)
    ax.plot([0, 0], [-TABLE_1["fs"] / 1e3, TABLE_1["fs"] / 1e3], color=BEFORE, linewidth=2.2, label="at rest")
    ax.set(xlabel="speed, m/s", ylabel="friction, kN")
    ax.margins(x=0)
    below(figure, axes)
    return figure


def sign() -> Any:
    """Figure 2."""
    figure, axes = new(1, 2, 2.9, sharey=True)
    for ax, reach, title in ((axes[0, 0], 1.0, "to the fastest speed"), (axes[0, 1], 0.01, "near the slowest")):
        v, shown = np.linspace(-reach, reach, 2001), 1.0 if reach == 1.0 else 1e3
        for a, colour in _FACTORS.items():
            law = check_friction({"model": "tanh", "a": a, "fc": 1.0, "fs": 1.0, "vs": 0.1, "sigma": 0.0})
            ax.plot(shown * v, law.curve(v), color=colour, linewidth=1.1, label=f"a = {a:g} s/m")
        ax.plot(shown * v, np.sign(v), label="sign", **_DASHED)
        ax.set(title=title, xlabel="speed, m/s" if shown == 1.0 else "speed, mm/s")
        ax.margins(x=0)
    for way in (-1, 1):
        axes[0, 1].axvline(1e3 * way * SLOWEST_M_S, color=PALE, linewidth=1.0)
    axes[0, 0].set_ylabel("smooth sign")
    below(figure, axes, 6)
    return figure


def _rises(one: Tracked, count: int) -> tuple[Any, slice]:
    """Times and samples of so many straights, the first of them upwards."""
    v, found = one.run.samples["vd_m_s"], straights(one.run)
    first = next(k for k, straight in enumerate(found) if v[straight.start] > 0)
    part = slice(found[first].start, found[first:][:count][-1].stop)
    return np.arange(part.stop - part.start) / one.run.rate_hz, part


def given(study: Study) -> Any:
    """Figure 3."""
    figure, axes = new(2, 2, 3.6, sharex=True)
    for column, speed in enumerate(_SPEEDS):
        one = study.under(THREE.name, speed)
        t, part = _rises(one, 4)
        rows = one.run.samples
        for ax, factor, measured, reference in (
            (axes[0, column], 1e3, rows["displacement_m"], rows["xd_m"]),
            (axes[1, column], 1.0, velocity(one.run), rows["vd_m_s"]),
        ):
            ax.plot(t, factor * measured[part], color=AFTER, label="measured, three-variable")
            ax.plot(t, factor * reference[part], label="reference", **_DASHED)
            ax.margins(x=0)
        axes[0, column].set_title(f"{speed:g} m/s")
        axes[1, column].set_xlabel("time, s")
    axes[0, 0].set_ylabel("displacement, mm")
    axes[1, 0].set_ylabel("speed, m/s")
    below(figure, axes)
    return figure


def controllers(study: Study) -> Any:
    """Section 2.2."""
    figure, axes = new(2, 2, 4.4, sharex=True)
    for column, speed in enumerate(_SPEEDS):
        for controller in CONTROLLERS:
            one = study.under(controller.name, speed)
            t, part = _rises(one, 2)
            look: Any = {"color": _COLOURS[controller.name], "linewidth": 1.0}
            axes[0, column].plot(t, 1e3 * one.run.samples["error_m"][part], label=controller.name, **look)
            axes[1, column].plot(t, velocity(one.run)[part], **look)
        axes[1, column].plot(t, one.run.samples["vd_m_s"][part], label="reference", **_DASHED)
        axes[1, column].set_ylim(-2.2 * speed, 2.2 * speed)
        axes[0, column].set_title(f"{speed:g} m/s")
        axes[1, column].set_xlabel("time, s")
        for ax in axes[:, column]:
            ax.margins(x=0)
    axes[0, 0].set_ylabel("error of displacement, mm")
    axes[1, 0].set_ylabel("speed, m/s")
    below(figure, axes)
    return figure


def pressure(study: Study) -> Any:
    """Figure 4."""
    figure, axes = new(2, 1, 4.2, sharex=True)
    area = study.facts["machine.A"]
    for ax, speed, key in zip(axes[:, 0], _SPEEDS, "ab", strict=True):
        level = float(curve(TABLE_1, np.array([speed]))[0]) / area / 1e6
        for controller, colour in ((PD, _COLOURS[PD.name]), (THREE, AFTER)):
            one = study.under(controller.name, speed)
            t, part = _rises(one, 6)
            load = one.run.samples["pressure_a_pa"][part] - one.run.samples["pressure_b_pa"][part]
            ax.plot(t, load / 1e6, color=colour, linewidth=0.8, label=f"measured, {controller.name}")
        ax.plot(t, level * np.sign(one.run.samples["vd_m_s"][part]), label="friction of Table 1 over the area",
                color=BEFORE, linewidth=1.3)  # fmt: skip
        ax.set_ylim(-2.6 * level, 2.6 * level)
        ax.set_title(f"({key}) {speed:g} m/s")
        ax.set_ylabel("pressure difference, MPa")
        ax.margins(x=0)
    axes[1, 0].set_xlabel("time, s")
    below(figure, axes)
    return figure


def compensated(study: Study) -> Any:
    """Section 4: a cycle, before and after."""
    figure, axes = new(1, 2, 3.1, sharey=True)
    for ax, controller in zip(axes[0], (THREE, PID), strict=True):
        one = study.sine(controller.name, JUDGED_HZ)
        for state, made in (("before", one.before), ("after", one.after)):
            cycle = made.picture
            t = np.arange(len(cycle.acceleration_m_s2)) / cycle.rate_hz
            ax.plot(t, cycle.acceleration_m_s2, label=CALLED[state], **STATES[state])
        ax.plot(t, cycle.reference_m_s2, label="reference", **{**_DASHED, "zorder": 3})
        ax.set(title=f"{controller.name}, {JUDGED_HZ:g} Hz, ±{1e3 * one.size.amplitude_m:g} mm", xlabel="time, s")
        ax.margins(x=0)
    axes[0, 0].set_ylabel("acceleration, m/s²")
    below(figure, axes)
    return figure
