"""The sensors of a rig, the channels of a sample, and what the coded ones mean. Everything that lists them is made
from the tables here; docs/adding-a-sensor.md says how one is added.

A sample is what one tick leaves behind: one row, every field eight bytes wide, so that a row also reads as float64
words.
"""

from enum import IntEnum
from typing import Any, Literal, NamedTuple

import numpy as np

from hilctl.params import record_of


class Mode(IntEnum):
    """What the loop does with the valve. The loop owns it; the service asks."""

    OFF = 0  # outputs at null, not enabled, supply off
    STANDBY = 1  # arming: supply and enable come up, null and polarity are found
    HOLD = 2  # closed loop, the reference stands still
    TRACK = 3  # closed loop, a motion runs
    STOP = 4  # closed loop, the reference decelerates to rest
    NULL = 5  # the spool is ramped to null, then everything is switched off


class Arming(IntEnum):
    """The steps of arming, in order, while the mode is STANDBY."""

    NONE = 0
    REST = 1  # everything off: the table must stand still
    LOW_PRESSURE = 2  # waiting for the low supply
    ENABLE = 3  # enabled at the nominal null
    SEARCH = 4  # of a valve with overlap: an opening that grows until the table moves, either way
    BUMP_UP = 5  # a small opening one way
    BUMP_DOWN = 6  # and the other way: polarity and null follow
    HIGH_PRESSURE = 7  # closed loop at small authority, waiting for the full supply
    SETTLE = 8  # full authority, until at rest


class Status(IntEnum):
    """What a driver's `exchange` returns."""

    OK = 0
    LATE = 1  # the readings are those of an earlier tick
    TIMEOUT = 2
    BAD_CHECKSUM = 3
    BAD_REPLY = 4
    EXCEPTION = 5  # the device answered with an error code
    CLOSED = 6  # the port or the connection is gone
    STALE = 7  # the device repeats an old sample
    OVERWRITTEN = 8  # the readings are valid, but the device held another command than the one that was sent


class Action(IntEnum):
    """What a limit does when it is passed."""

    WARN = 0
    STOP = 1  # decelerate, hold, latched
    NULL = 2  # ramp the spool to null within the deceleration limit, disable, off, latched


class Trip(IntEnum):
    """Why the motion was stopped. The first one is latched with its tick, value and limit."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    ACCELERATION = 3
    PRESSURE = 4
    TRACKING_ERROR = 5
    SENSOR_INVALID = 6
    SENSOR_RANGE = 7
    SENSOR_STUCK = 8
    SENSOR_STALE = 9
    SATURATION = 10
    DRIVER = 11
    LATE_TICKS = 12
    LEASE_LOST = 13
    SERVICE_LOST = 14
    EMERGENCY_STOP = 15
    SUPPLY_PRESSURE = 16
    READ_BACK = 17
    POLARITY = 18
    ARMING = 19
    COMMAND = 20
    DRIVER_RAISED = 21
    SHUTDOWN = 22
    OIL_LEVEL = 23
    OIL_FILTER = 24
    PRESSURE_AGE = 25
    SENSOR_DRIFT = 26
    SENSOR_REVERSED = 27
    SENSOR_DEAD = 28
    PRESSURES_EXCHANGED = 29
    NO_MOTION = 30
    NULL_NOT_CONFIRMED = 31
    HOLD_EFFORT = 32
    OVERWRITTEN = 33
    NOT_AT_REST = 34
    ARMING_TRAVEL = 35
    RECORDING_LOST = 36
    VALVE_DRIFT = 37


class Alarm(NamedTuple):
    """What an input means that reads 1: the rig must not run. Arming is refused meanwhile."""

    trip: Trip
    meaning: str
    remedy: str
    action: Literal["stop", "warn"] | None  # default of its limit; None: no limit, switched off in one step


class SensorKind(NamedTuple):
    """A sensor that a rig may have."""

    name: str  # in the rig file, as in [sensors.NAME]
    channel: str  # in a sample, and in a driver's readings
    unit: str
    quantity: Literal["length", "acceleration", "pressure", "share", "temperature", "input"]
    meaning: str
    low: float = 0.0  # range of an optional sensor unless the rig file says another
    high: float = 0.0
    required: bool = False
    alarm: Alarm | None = None  # of an input


def _input(name: str, alarm: Alarm) -> SensorKind:
    return SensorKind(name, name, "", "input", f"1 while {alarm.meaning}", -0.5, 1.5, alarm=alarm)


# Bit k of the channel `rejected`, and the order of the ages in a driver's readings. A new sensor is added at the end.
SENSOR_KINDS: tuple[SensorKind, ...] = (
    SensorKind("displacement", "displacement_m", "m", "length", "table displacement, as measured", required=True),
    SensorKind("acceleration", "acceleration_m_s2", "m/s²", "acceleration", "table acceleration, as measured",
               required=True),
    SensorKind("pressure_a", "pressure_a_pa", "Pa", "pressure", "pressure in chamber A", required=True),
    SensorKind("pressure_b", "pressure_b_pa", "Pa", "pressure", "pressure in chamber B", required=True),
    SensorKind("supply_pressure", "supply_pressure_pa", "Pa", "pressure", "supply pressure", -1e6, 1e8),
    SensorKind("spool", "spool", "", "share", "spool position", -1.5, 1.5),
    SensorKind("oil_temperature", "oil_temperature_degc", "°C", "temperature", "oil temperature", -40, 150),
    _input("emergency_stop", Alarm(Trip.EMERGENCY_STOP, "the emergency stop is open", "release it", None)),
    _input("oil_level", Alarm(Trip.OIL_LEVEL, "the oil level is low", "look for a leak and fill up", "stop")),
    _input("oil_filter", Alarm(Trip.OIL_FILTER, "the oil filter is clogged", "change the filter", "warn")),
)  # fmt: skip
SENSORS: tuple[str, ...] = tuple(kind.name for kind in SENSOR_KINDS)
REQUIRED: tuple[str, ...] = tuple(kind.name for kind in SENSOR_KINDS if kind.required)  # the first ones
INPUTS: tuple[str, ...] = tuple(kind.name for kind in SENSOR_KINDS if kind.alarm)
ALARMS: dict[str, Alarm] = {kind.name: kind.alarm for kind in SENSOR_KINDS if kind.alarm}  # by the input's name


class Channel(NamedTuple):
    """One field of a sample."""

    name: str
    unit: str
    kind: Literal["f8", "i8"]
    meaning: str


def _reading(kind: SensorKind) -> Channel:
    absent = "" if kind.required else f", nan where the rig has no {'input' if kind.alarm else 'sensor'}"
    return Channel(kind.channel, kind.unit, "f8", kind.meaning + absent)


CHANNELS: tuple[Channel, ...] = (
    # when
    Channel("tick", "", "i8", "index of the tick; counts skipped periods too"),
    Channel("time_ns", "ns", "i8", "CLOCK_MONOTONIC at wake-up; tick times the period on the virtual clock"),
    Channel("skipped", "", "i8", "periods skipped before this tick"),
    Channel("wake_ns", "ns", "i8", "wake-up after the deadline"),
    Channel("exchange_ns", "ns", "i8", "duration of the exchange"),
    Channel("law_ns", "ns", "i8", "duration of the controller in the tick before"),
    Channel("epoch", "", "i8", "the active parameter set"),
    # state
    Channel("mode", "", "i8", "off, standby, hold, track, stop, null"),
    Channel("arming", "", "i8", "step of arming"),
    Channel("motion", "", "i8", "id of the motion that runs, 0 for none"),
    Channel("trip", "", "i8", "the latched trip, 0 for none"),
    Channel("warnings", "", "i8", "bit k: limit k was passed in this tick, with any action"),
    Channel("rejected", "", "i8", "bit k: the reading of sensor k was rejected in this tick and replaced"),
    Channel("status", "", "i8", "the driver's status"),
    Channel("device_tick", "", "i8", "the device's own counter, where it has one"),
    Channel("link_errors", "", "i8", "exchanges that failed, since the start"),
    Channel("link_lost", "", "i8", "commands lost in this session, as counted by the device"),
    # readings, as the sensors' settings make them
    *(_reading(kind) for kind in SENSOR_KINDS),
    Channel("age_max_ns", "ns", "i8", "age of the oldest reading in use, without inputs and oil temperature"),
    Channel("pressure_a_age_ns", "ns", "i8", "age of the pressure in chamber A that is in use"),
    Channel("pressure_b_age_ns", "ns", "i8", "age of the pressure in chamber B that is in use"),
    # estimates
    Channel("position_m", "m", "f8", "estimated position, delayed like the slowest sensor"),
    Channel("velocity_m_s", "m/s", "f8", "estimated velocity, delayed likewise"),
    Channel("acceleration_used_m_s2", "m/s²", "f8", "acceleration, delayed likewise"),
    Channel("load_pressure_pa", "Pa", "f8", "pressure A minus pressure B"),
    Channel("friction_n", "N", "f8", "friction from the sensors: A pL - m a - m g - K x"),
    # reference
    Channel("xr_m", "m", "f8", "reference displacement now"),
    Channel("vr_m_s", "m/s", "f8", "reference velocity now"),
    Channel("ar_m_s2", "m/s²", "f8", "reference acceleration now"),
    Channel("jr_m_s3", "m/s³", "f8", "reference jerk now"),
    Channel("xd_m", "m", "f8", "reference displacement delayed like the estimates"),
    Channel("vd_m_s", "m/s", "f8", "reference velocity delayed like the estimates"),
    Channel("ad_m_s2", "m/s²", "f8", "reference acceleration delayed like the estimates"),
    Channel("error_m", "m", "f8", "delayed reference minus estimated position"),
    Channel("left_m", "m", "f8", "part of error_m that feedback leaves: a table that friction makes swing at rest"),
    # feed-forward
    Channel("blend", "", "f8", "share of the inverse model in the feed-forward (lambda)"),
    Channel("u_linear", "", "f8", "linear feed-forward"),
    Channel("u_inverse", "", "f8", "inverse-model feed-forward"),
    Channel("u_feed", "", "f8", "feed-forward used"),
    Channel("pressure_ref_pa", "Pa", "f8", "load pressure that the reference requires"),
    # feedback
    Channel("pid_share", "", "f8", "share of the PID in the feedback: 1 is PID, 0 is three-state"),
    Channel("u_position", "", "f8", "three-state: position term"),
    Channel("u_integral", "", "f8", "three-state: integral term"),
    Channel("u_velocity", "", "f8", "three-state: velocity term"),
    Channel("u_acceleration", "", "f8", "three-state: acceleration term"),
    Channel("u_pressure", "", "f8", "three-state: dynamic-pressure term"),
    Channel("pressure_share", "", "f8", "share of the dynamic-pressure term: 0 while the pressures are too old"),
    Channel("u_pid_p", "", "f8", "PID: proportional term"),
    Channel("u_pid_i", "", "f8", "PID: integral term"),
    Channel("u_pid_d", "", "f8", "PID: derivative term"),
    Channel("u_law", "", "f8", "output of the controller, before notches and valve stage"),
    Channel("u_notched", "", "f8", "the same after the notches"),
    # output
    Channel("saturated", "", "i8", "1 while the command is limited"),
    Channel("u_cmd", "", "f8", "valve command computed in this tick; acts one tick later"),
    Channel("u_applied", "", "f8", "valve command that was sent in this tick's exchange"),
    Channel("enabled", "", "i8", "enable output"),
    Channel("supply", "", "i8", "supply output: 0 off, 1 low, 2 high"),
    # the valve, as it is learned while the loop runs
    Channel("valve_null", "", "f8", "command at which the valve is taken to be closed"),
    Channel("learned_null", "", "f8", "part of it that was learned since arming"),
    Channel("learned_gain", "", "f8", "flow gain in use beyond machine.Qn, as a share of it: learned"),
    Channel("learned_overlap", "", "f8", "overlap in use beyond that of the rig file, on both sides: learned"),
    Channel("learning", "", "i8", "bit 0: the valve is learned in this tick; bits 1 to 3: null, overlap or gain has "
            "reached its bound, and learning has ended"),
)

NAMES: tuple[str, ...] = tuple(c.name for c in CHANNELS)
SAMPLE: "np.dtype[Any]" = record_of([(c.name, c.kind) for c in CHANNELS])


def document() -> str:
    """The channels as a markdown table."""
    rows = ["| channel | unit | type | meaning |", "|---|---|---|---|"]
    rows += [f"| `{c.name}` | {c.unit} | {c.kind} | {c.meaning} |" for c in CHANNELS]
    return "\n".join(rows)
