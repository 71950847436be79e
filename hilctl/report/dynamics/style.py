"""What the pictures of a study share: colours with a meaning."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hilctl.report.pictures.style import AFTER, BEFORE, LEARNED, decades
from hilctl.results.response import Response
from hilctl.signals import CHANNELS

MEASURED, MODEL, OTHER = "0.55", AFTER, BEFORE
BAND, EXTRA = "#12416b22", LEARNED
_UNITS = {channel.name: channel.unit for channel in CHANNELS} | {"time_s": "s", "load_pressure": "Pa", "ui": "V"}
_FACTORS = {"m": (1e3, "mm"), "Pa": (1e-6, "MPa")}


def shown_as(channel: str) -> tuple[float, str]:
    """By what to multiply a channel, and its unit then."""
    unit = _UNITS.get(channel, "")
    return _FACTORS.get(unit, (1.0, unit))


def labelled(channel: str) -> str:
    """Its name and its unit."""
    unit = shown_as(channel)[1]
    name = channel.removesuffix("_m").removesuffix("_pa").removesuffix("_m_s2").replace("_", " ")
    name = {"xd": "reference, delayed", "xr": "reference", "u applied": "command", "u cmd": "command"}.get(name, name)
    return f"{name}, {unit}" if unit else name


def db(magnitude: Any) -> Any:
    """A magnitude in decibels."""
    return 20 * np.log10(np.maximum(magnitude, 1e-300))


def degrees(gain: Any) -> Any:
    """The unwrapped phase of complex gains."""
    return np.rad2deg(np.unwrap(np.angle(gain)))


def with_intervals(
    magnitude: Any, phase: Any, r: Response, colour: str, label: str, factor: float = 1.0, dashes: Any = "-"
) -> None:
    """Magnitude and phase of a measured response, with 95 % intervals."""
    low, high = r.magnitude_interval()
    ends = (db(factor * np.maximum(x, 0.02 * float(np.min(r.magnitude)))) for x in (low, high))
    magnitude.fill_between(r.hz, *ends, color=colour, alpha=0.22, lw=0)
    magnitude.plot(r.hz, db(factor * r.magnitude), color=colour, linestyle=dashes, linewidth=1.1, label=label)
    phase.fill_between(r.hz, *r.phase_interval_deg(), color=colour, alpha=0.22, lw=0)
    phase.plot(r.hz, r.phase_deg, color=colour, linestyle=dashes, linewidth=1.1, label=label)


def frequencies(axes: Iterable[Any]) -> None:
    """Logarithmic, and named below the lowest."""
    for ax in axes:
        ax.set_xscale("log")
        ax.margins(x=0.01)
        decades(ax.xaxis)
        if ax.get_subplotspec().is_last_row():
            ax.set_xlabel("frequency, Hz")
