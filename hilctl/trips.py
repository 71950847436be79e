"""The texts of the trips: what happened, which limit decided, what to do. `sentence` adds the figures of one trip.

They stand apart from the numbers of the trips (signals.py), which the compiled loop reads: a changed word compiles
nothing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hilctl.signals import ALARMS, Status, Trip


class TripText(NamedTuple):
    """What a trip means."""

    key: str  # the rig-file key that decides
    unit: str  # of its value and its limit
    meaning: str
    remedy: str


TRIP_TEXTS: dict[Trip, TripText] = {
    Trip.POSITION: TripText("limits.position", "m", "position with its stopping distance passed the limit",
                            "reduce the motion, or widen limits.position within the stroke"),
    Trip.VELOCITY: TripText("limits.velocity", "m/s", "speed passed the limit",
                            "reduce the motion, or raise limits.velocity"),
    Trip.ACCELERATION: TripText("limits.acceleration", "m/s²", "acceleration passed the limit",
                                "reduce the motion, or raise limits.acceleration"),
    Trip.PRESSURE: TripText("limits.pressure", "Pa", "a chamber pressure passed the limit",
                            "check the supply and the specimen, or raise limits.pressure"),
    Trip.TRACKING_ERROR: TripText("limits.tracking_error", "m", "the table did not follow its reference",
                                  "check supply, valve and gains, or raise limits.tracking_error"),
    Trip.SENSOR_INVALID: TripText("sensors", "", "a sensor gave no valid reading", "check the sensor and its cable"),
    Trip.SENSOR_RANGE: TripText("sensors", "", "a sensor left its range",
                                "check the sensor, or its low and high in the rig file"),
    Trip.SENSOR_STUCK: TripText("sensors", "", "a sensor's reading did not change although it should have",
                                "check the sensor, or raise limits.stuck.window_s"),
    Trip.SENSOR_STALE: TripText("limits.stale", "s", "a sensor's reading was too old",
                                "check the link, or raise limits.stale.max_s, or stale_s of that sensor"),
    Trip.SATURATION: TripText("limits.saturation", "s", "the valve command was saturated for too long",
                              "check supply and load, or reduce the motion"),
    Trip.DRIVER: TripText("limits.driver", "", "exchanges with the device failed", "check the link and the device"),
    Trip.LATE_TICKS: TripText("limits.late", "", "too many ticks were missed",
                              "run `hilctl doctor` on this host, or lower loop.rate_hz"),
    Trip.LEASE_LOST: TripText("service.lease_lost", "s", "the client that held the lease fell silent",
                              "restart that client"),
    Trip.RECORDING_LOST: TripText("recording.lost", "", "the recording that the rig file requires ended by "
                                  "itself", "see its reason in `hilctl status`, and make room on its disk"),
    Trip.SERVICE_LOST: TripText("service.timeout_s", "s", "the service fell silent or ended", "restart the service"),
    Trip.SUPPLY_PRESSURE: TripText("limits.supply", "Pa", "the supply pressure left its range",
                                   "check pump and accumulators, or change limits.supply"),
    Trip.READ_BACK: TripText("limits.read_back", "of full opening", "the spool did not follow its command",
                             "check the valve and its amplifier"),
    Trip.POLARITY: TripText("arming.response", "m", "the table moved against the command in the bumps of arming, and "
                            "the accelerometer agrees: the valve is reversed",
                            "reverse the valve's polarity at its amplifier"),
    Trip.SENSOR_REVERSED: TripText("sensors", "", "in the bumps of arming a sensor showed the opposite of what the "
                                   "other sensors showed", "reverse its sign at its conditioner, or its wiring"),
    Trip.SENSOR_DEAD: TripText("sensors", "", "in the bumps of arming a sensor did not show what the other sensors "
                               "showed", "check the sensor, its supply and its cable"),
    Trip.PRESSURES_EXCHANGED: TripText("sensors.pressure_a", "", "in the bumps of arming each pressure behaved as that "
                                       "of the other chamber", "exchange the plugs of the two pressure transducers"),
    Trip.NO_MOTION: TripText("arming.response", "m", "the table did not follow the command in the bumps of arming",
                             "check that the table is free, then the valve's cable, the enable line and the supply; "
                             "for a valve with more overlap raise arming.search_opening"),
    Trip.NULL_NOT_CONFIRMED: TripText("arming.null_max", "of full opening", "the bumps of arming gave no null that "
                                      "repeats and is within the limit; the null of before is kept",
                                      "arm again with nothing touching the table; then adjust the valve's null"),
    Trip.HOLD_EFFORT: TripText("limits.holding", "of full opening", "the valve was opened further than the table's "
                               "speed explains", "check the supply pressure and the enable line, then what blocks the "
                               "table"),
    Trip.ARMING: TripText("arming.timeout_s", "s", "a step of arming did not finish in time",
                          "look in `hilctl events` for the step that waited"),
    Trip.NOT_AT_REST: TripText("arming.rest_speed_m_s", "m/s", "the table moved before anything was switched on",
                               "find what moves it, then arm again; or raise arming.rest_speed_m_s"),
    Trip.ARMING_TRAVEL: TripText("arming.travel_m", "m", "the table went too far in the bumps of arming",
                                 "adjust the valve's null, or set law.valve.null_bias; or lower arming.bump"),
    Trip.COMMAND: TripText("law", "", "the controller's command was not finite", "report it with the recording"),
    Trip.DRIVER_RAISED: TripText("driver", "", "the driver's code raised an error", "see the log; fix the driver"),
    Trip.SHUTDOWN: TripText("", "", "the service was asked to end", "start it again"),
    **{
        alarm.trip: TripText(f"limits.{name}" if alarm.action else f"sensors.{name}", "", alarm.meaning, alarm.remedy)
        for name, alarm in ALARMS.items()
    },
    Trip.SENSOR_DRIFT: TripText("limits.drift", "m/s²", "the accelerometer's zero drifted away from what displacement "
                                "shows", "check the accelerometer, or raise limits.drift.max_m_s2"),
    Trip.PRESSURE_AGE: TripText("law.three_state.pressure_age_s", "s",
                                "the pressures are too old for dynamic-pressure feedback, which is faded out",
                                "sample them faster, or do without: law.three_state.kp_per_mpa = 0"),
    Trip.VALVE_DRIFT: TripText("law.adapt", "", "the valve is learned no further: its null, overlap or flow gain has "
                               "reached its bound (channel learning)", "check valve, supply and oil, then identify it "
                               "again: `hilctl identify plant`; or raise the bound in law.adapt"),
    Trip.OVERWRITTEN: TripText("limits.overwritten", "", "another program changed the command that the device holds",
                               "end the other master; `hilctl status` counts its writes"),
}  # fmt: skip

STATUS_TEXTS: dict[Status, str] = {
    Status.OK: "no error",
    Status.LATE: "a late answer from the device",
    Status.TIMEOUT: "no answer from the device",
    Status.BAD_CHECKSUM: "answers with a wrong checksum",
    Status.BAD_REPLY: "answers that are none of the protocol's",
    Status.EXCEPTION: "the device answered with an error code",
    Status.CLOSED: "the port or the connection is closed",
    Status.STALE: "the device repeats an old sample",
    Status.OVERWRITTEN: "the device holds another command",
}

# Where the limit's number stands below the trip's key, for those that have one number.
_LEAVES = {
    Trip.VELOCITY: "max_m_s", Trip.ACCELERATION: "max_m_s2", Trip.PRESSURE: "max_pa", Trip.TRACKING_ERROR: "max_m",
    Trip.SATURATION: "max_s", Trip.READ_BACK: "difference", Trip.HOLD_EFFORT: "opening",
    Trip.SENSOR_DRIFT: "max_m_s2", Trip.SERVICE_LOST: "", Trip.ARMING: "", Trip.NOT_AT_REST: "",
    Trip.ARMING_TRAVEL: "", Trip.PRESSURE_AGE: "", Trip.POLARITY: "",
}  # fmt: skip


def sentence(trip: Trip, value: float, limit: float, sensor: str = "", controller: Any = None) -> str:
    """What happened, with its figure and unit; the limit and its key; what to do. Codes and flags are no figures.

    `controller`: the rig's tables, where one trip has several limits; None: as when nothing is known of them.
    """
    text = TRIP_TEXTS[trip]
    make = _FIGURES.get(trip, _measured if trip in _LEAVES else _plain)
    happened = text.meaning.replace("a sensor", f"the sensor {sensor}") if sensor else text.meaning
    figure, key = make(trip, value, limit, sensor, controller)
    where = f" ({key})" if key else ""
    return f"{happened}{': ' if figure else ''}{figure}{where}; {text.remedy}"


def general(trip: Trip, sensor: str = "") -> str:
    """The same while its figures are not known."""
    text = TRIP_TEXTS[trip]
    happened = text.meaning.replace("a sensor", f"the sensor {sensor}") if sensor else text.meaning
    where = f" ({_key(trip, sensor)})" if text.key else ""
    return f"{happened}{where}; {text.remedy}"


def _key(trip: Trip, sensor: str) -> str:
    key = TRIP_TEXTS[trip].key
    return f"sensors.{sensor}" if key == "sensors" and sensor else key


def _plain(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return "", _key(trip, sensor)


def _against(trip: Trip, value: float, limit: float, key: str) -> tuple[str, str]:
    unit = f" {TRIP_TEXTS[trip].unit}".rstrip()
    return f"{value:.4g}{unit}, limit {limit:.4g}{unit}", key


def _measured(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    key, leaf = TRIP_TEXTS[trip].key, _LEAVES[trip]
    return _against(trip, value, limit, f"{key}.{leaf}" if leaf else key)


def _position(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return _against(trip, value, limit, f"limits.position.{'max_m' if value >= limit else 'min_m'}")


def _stale(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    own = getattr(controller.sensors, sensor).stale_s if controller is not None and sensor else None
    return _against(trip, value, limit, f"sensors.{sensor}.stale_s" if limit == own else "limits.stale.max_s")


def _supply(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return _against(trip, value, limit, f"limits.supply.{'high' if value >= limit else 'low'}")


def _range(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return f"it read {value:.4g} before gain and offset", f"{_key(trip, sensor)}.low and high"


def _stuck(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    if controller is not None and limit == controller.limits.stuck.way_m:
        return f"the table went {value:.4g} m meanwhile, limit {limit:.4g} m", "limits.stuck.way_m"
    if controller is not None and limit == controller.limits.stuck.window_s:
        return f"for {value:.4g} s, limit {limit:.4g} s", "limits.stuck.window_s"
    return f"for {value:.4g} s, at most {limit:.4g} s at rest before", "limits.stuck.runs"


def _driver(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    status = STATUS_TEXTS.get(Status(int(value)) if int(value) in set(Status) else Status.OK, "")
    if limit < 1.0:
        return f"{status}, in more than {100 * limit:.3g} % of the last second", "limits.driver.share"
    return f"{status} for {limit:.0f} {'tick' if limit == 1.0 else 'ticks in a row'}", "limits.driver.ticks"


def _late(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    late = controller.limits.late if controller is not None else None
    if late is not None and limit == late.rejoin_s:
        stall = f"a stall of {1e3 * value:.3g} ms"
        if value <= limit:
            return f"{stall} past the points of an external reference", "limits.late"
        return f"{stall}, at most {1e3 * limit:.3g} ms are made up for", "limits.late.rejoin_s"
    if limit < 1.0:
        return f"more than {100 * limit:.3g} % of the last second", "limits.late.share"
    if late is not None and limit == late.ticks:
        return f"{value:.0f} in a row, limit {limit:.0f}", "limits.late.ticks"
    return "long stalls, one upon the other", "limits.late"


def _nothing_moved(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    if value != 0.0:
        return f"less than {limit:.3g} m at an opening of {value:.3g}", "arming.search_opening"
    return f"less than {limit:.3g} m", "arming.response"


def _null(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    if controller is not None and limit != controller.arming.null_max:
        return f"the last bumps moved it by {abs(value):.3g} of full opening, limit {limit:.3g}", "arming.bump"
    return _against(trip, value, limit, "arming.null_max")


def _silence(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return _against(trip, value, limit, "service.timeout_s") if value > 0.0 else ("", "service.timeout_s")


def _events(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return f"{max(value, limit):.0f} times within a second, limit {limit:.0f}", "limits.overwritten.events"


def _lease(trip: Trip, value: float, limit: float, sensor: str, controller: Any) -> tuple[str, str]:
    return "", "service.lease_timeout_s, and service.console_idle_s for the console"


_FIGURES: dict[Trip, Callable[[Trip, float, float, str, Any], tuple[str, str]]] = {
    Trip.POSITION: _position,
    Trip.SENSOR_RANGE: _range,
    Trip.SENSOR_STUCK: _stuck,
    Trip.SENSOR_STALE: _stale,
    Trip.DRIVER: _driver,
    Trip.LATE_TICKS: _late,
    Trip.LEASE_LOST: _lease,
    Trip.SERVICE_LOST: _silence,
    Trip.SUPPLY_PRESSURE: _supply,
    Trip.NO_MOTION: _nothing_moved,
    Trip.NULL_NOT_CONFIRMED: _null,
    Trip.OVERWRITTEN: _events,
}
