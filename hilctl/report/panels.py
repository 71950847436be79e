"""Channels over time: which of them share an axis, and which explain which trip, first what was judged."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.report.pictures.style import DASHES, SHADES, new
from hilctl.report.series import Reals, thinned
from hilctl.signals import Trip


class Panel(NamedTuple):
    """Channels that share an axis, and what is multiplied for its unit."""

    label: str
    channels: tuple[str, ...]
    factor: float = 1.0


PLACE = Panel("displacement, mm", ("xr_m", "position_m", "displacement_m"), 1e3)
ERROR = Panel("error, mm", ("error_m",), 1e3)
SPEED = Panel("velocity, m/s", ("vr_m_s", "velocity_m_s"))
SHAKE = Panel("acceleration, m/s²", ("ar_m_s2", "acceleration_m_s2"))
COMMAND = Panel("valve command", ("u_cmd", "u_feed", "spool"))
PRESSURES = Panel("pressure, MPa", ("pressure_a_pa", "pressure_b_pa", "supply_pressure_pa"), 1e-6)
TERMS = Panel("feedback terms", ("u_position", "u_integral", "u_velocity", "u_pid_p", "u_pid_i"))
TIMES = Panel("time, µs", ("wake_ns", "exchange_ns", "law_ns"), 1e-3)
MISSED = Panel("periods skipped", ("skipped",))
LINK = Panel("status of the exchange", ("status",))
ERRORS = Panel("failed and lost", ("link_errors", "link_lost"))
REJECTED = Panel("rejected, as bits", ("rejected",))
AGE = Panel("age of readings, ms", ("age_max_ns", "pressure_a_age_ns", "pressure_b_age_ns"), 1e-6)
LIMITED = Panel("limited; supply; enable", ("saturated", "supply", "enabled"))
MODE = Panel("mode, step of arming", ("mode", "arming"))
INPUTS = Panel("inputs", ("emergency_stop", "oil_level", "oil_filter"))

_SENSOR = (PLACE, SHAKE, REJECTED, AGE, PRESSURES)
_LATE = (TIMES, MISSED, PLACE, COMMAND)
_DEVICE = (LINK, ERRORS, TIMES, PLACE, COMMAND)
_ARMING = (PLACE, COMMAND, PRESSURES, MODE, LIMITED)
_STIFF = (COMMAND, SPEED, PRESSURES, LIMITED, PLACE)
_OTHERS = (PLACE, ERROR, COMMAND, PRESSURES, MODE)
PANELS: dict[Trip, tuple[Panel, ...]] = {
    Trip.POSITION: (PLACE, SPEED, ERROR, COMMAND, PRESSURES),
    Trip.VELOCITY: (SPEED, PLACE, COMMAND, PRESSURES),
    Trip.ACCELERATION: (SHAKE, SPEED, PLACE, COMMAND, PRESSURES),
    Trip.PRESSURE: (PRESSURES, COMMAND, PLACE, SHAKE),
    Trip.TRACKING_ERROR: (ERROR, PLACE, TERMS, COMMAND, PRESSURES),
    **dict.fromkeys((Trip.SENSOR_INVALID, Trip.SENSOR_RANGE, Trip.SENSOR_STUCK, Trip.SENSOR_STALE, Trip.SENSOR_DRIFT,
                     Trip.SENSOR_REVERSED, Trip.SENSOR_DEAD, Trip.PRESSURES_EXCHANGED, Trip.PRESSURE_AGE), _SENSOR),
    **dict.fromkeys((Trip.SATURATION, Trip.NO_MOTION, Trip.HOLD_EFFORT, Trip.READ_BACK, Trip.COMMAND), _STIFF),
    **dict.fromkeys((Trip.DRIVER, Trip.DRIVER_RAISED, Trip.OVERWRITTEN), _DEVICE),
    **dict.fromkeys((Trip.LATE_TICKS, Trip.SERVICE_LOST), _LATE),
    **dict.fromkeys((Trip.POLARITY, Trip.ARMING, Trip.NULL_NOT_CONFIRMED, Trip.NOT_AT_REST, Trip.ARMING_TRAVEL),
                    _ARMING),
    Trip.SUPPLY_PRESSURE: (PRESSURES, LIMITED, COMMAND, PLACE),
    **dict.fromkeys((Trip.EMERGENCY_STOP, Trip.OIL_LEVEL, Trip.OIL_FILTER), (INPUTS, PLACE, COMMAND, PRESSURES)),
}  # fmt: skip
USUAL = (PLACE, ERROR, SPEED, SHAKE, COMMAND, PRESSURES)  # of a recording


def panels_of(trip: Trip) -> tuple[Panel, ...]:
    """The panels that explain it."""
    return PANELS.get(trip, _OTHERS)


def channels_of(panels: Sequence[Panel]) -> list[str]:
    """All of them, each once."""
    return list(dict.fromkeys(channel for panel in panels for channel in panel.channels))


def draw(panels: Sequence[Panel], times_s: Reals, values: Mapping[str, Any], label: str, mark_s: float | None = None
         ) -> Any:  # fmt: skip
    """One under the other over the same time; a channel that the rig lacks is left out, and a panel of these."""
    there = [(panel, shown) for panel in panels if (shown := _shown(panel, values))]
    if not there:
        return None
    figure, axes = new(len(there), 1, 0.5 + 1.2 * len(there), sharex=True)
    for (panel, shown), ax in zip(there, axes[:, 0], strict=True):
        for k, (channel, numbers) in enumerate(shown.items()):
            ax.plot(*thinned(times_s, panel.factor * numbers), color=SHADES[k], linestyle=DASHES[k], linewidth=1.1,
                    label=channel)  # fmt: skip
        if mark_s is not None:
            ax.axvline(mark_s, color="0.2", linewidth=0.9, linestyle=(0, (1, 1)))
        ax.set_ylabel(panel.label.replace(", ", ",\n"))
        ax.margins(x=0)
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 0.98), ncols=3, borderaxespad=0.0)
    axes[-1, 0].set_xlabel(label)
    return figure


def _shown(panel: Panel, values: Mapping[str, Any]) -> dict[str, Reals]:
    found = {channel: np.asarray(values[channel], np.float64) for channel in panel.channels if channel in values}
    return {channel: numbers for channel, numbers in found.items() if not np.isnan(numbers).all()}
