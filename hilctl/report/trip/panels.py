"""Which channels explain which trip: the panels of its page, the first one what was judged."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.report.pictures.style import SHADES, new
from hilctl.signals import Trip

BEFORE_S, AFTER_S = 2.0, 1.0
_MOST = 4000  # points of a line


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


def draw(trip: Trip, times_s: npt.NDArray[np.float64], rows: Any) -> Any:
    """Around the trip, which is at 0 s."""
    panels = PANELS.get(trip, _OTHERS)
    figure, axes = new(len(panels), 1, 1.75 * len(panels), sharex=True)
    every = max(1, len(times_s) // _MOST)
    for panel, ax in zip(panels, axes[:, 0], strict=True):
        for k, channel in enumerate(panel.channels):
            values = panel.factor * rows[channel].astype(np.float64)
            if not np.isnan(values).all():
                ax.plot(times_s[::every], values[::every], color=SHADES[k], linewidth=1.0, label=channel)
        ax.axvline(0.0, color="0.2", linewidth=0.9, linestyle="--")
        ax.set_ylabel(panel.label)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)
    axes[-1, 0].set_xlabel("time after the trip, s")
    return figure
