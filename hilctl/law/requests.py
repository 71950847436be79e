"""What may be asked of the law, and how it refuses."""

from enum import IntEnum

import numpy as np

from hilctl.law.reference import MOTION
from hilctl.params import record_of
from hilctl.signals import ALARMS, SENSORS


class RequestKind(IntEnum):
    """One request is handled at a tick's boundary."""

    NONE = 0
    ARM = 1  # action: 1 proves the signs again and forgets the null
    TRACK = 2  # run the motion
    STOP = 3  # decelerate, then hold
    OFF = 4  # decelerate if need be, ramp to null, switch off
    RESET = 5  # clear the latched trip
    TRIP = 6  # the service's own trip: a lost lease
    SUPPLY = 7  # action: the level of the supply that is asked for, 1 low or 2 high


class Edge(IntEnum):
    """How a channel stands to the level that a motion waits for."""

    NONE = 0
    ABOVE = 1
    BELOW = 2
    RISING = 3
    FALLING = 4


# Of an input: these and its index in SENSORS.
AT_FAULT, SILENT = 64, 128


class Refusal(IntEnum):
    """Why a request was not taken. An input has two: NAME while it reads 1, INPUT_NAME without a valid reading."""

    _ignore_ = ["_name"]  # noqa: RUF012  enum reads it

    ACCEPTED = 0
    WRONG_MODE = 1
    TRIPPED = 2
    MOVING = 3
    CAUSE_PRESENT = 5
    SENSOR = 6
    UNKNOWN = 7
    LOAD = 8
    SUPPLY_CHANGES = 9
    CALLED_OFF = 10
    for _name in ALARMS:
        vars()[_name.upper()] = AT_FAULT + SENSORS.index(_name)
        vars()[f"INPUT_{_name.upper()}"] = SILENT + SENSORS.index(_name)


REFUSAL_TEXTS: dict[Refusal, str] = {
    Refusal.WRONG_MODE: "not in this mode",
    Refusal.TRIPPED: "a trip is latched; look at `hilctl status`, correct the cause, then reset",
    Refusal.MOVING: "the table moves faster than arming.rest_speed_m_s; wait until it stands",
    Refusal.CAUSE_PRESENT: "the cause of the trip is still present; correct it first",
    Refusal.SENSOR: "a required sensor gives no valid reading; look at `hilctl status`",
    Refusal.UNKNOWN: "no such request",
    Refusal.LOAD: "the load needs more pressure than the low supply can hold (two thirds of machine.Ps_low between the "
    "chambers); move to where it is held with less, or `hilctl off`",
    Refusal.CALLED_OFF: "it was called off before its time came",
    Refusal.SUPPLY_CHANGES: "the supply pressure is on its way to another level; wait until it is there",
    **{Refusal(AT_FAULT + SENSORS.index(name)): f"{alarm.meaning}; {alarm.remedy}" for name, alarm in ALARMS.items()},
    **{Refusal(SILENT + SENSORS.index(name)): f"sensors.{name} is present, but its input gives no valid reading; "
       "check its wiring" for name in ALARMS},
}

REQUEST = record_of(
    [
        ("kind", np.int64),
        ("id", np.int64),
        ("trip", np.int64),  # for TRIP
        ("action", np.int64),
        ("bank", np.int64),  # waveform bank of the motion
        # of a motion that waits in the loop (loop/parked.py): not before this tick, or after a sample with this
        ("at_tick", np.int64),
        ("edge", np.int64),
        ("channel", np.int64),  # its place in a sample
        ("level", np.float64),
        ("motion", MOTION),
    ]
)
