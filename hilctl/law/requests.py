"""What may be asked of the law, and how it refuses."""

from enum import IntEnum

import numpy as np

from hilctl.law.reference import MOTION
from hilctl.params import record_of


class RequestKind(IntEnum):
    """One request is handled at a tick's boundary."""

    NONE = 0
    ARM = 1
    TRACK = 2  # run the motion
    STOP = 3  # decelerate, then hold
    OFF = 4  # decelerate if need be, ramp to null, switch off
    RESET = 5  # clear the latched trip
    TRIP = 6  # the service's own trip: a lost lease


class Refusal(IntEnum):
    """Why a request was not taken."""

    ACCEPTED = 0
    WRONG_MODE = 1
    TRIPPED = 2
    MOVING = 3
    EMERGENCY_STOP = 4
    CAUSE_PRESENT = 5
    SENSOR = 6
    UNKNOWN = 7
    OIL_LEVEL = 8
    OIL_FILTER = 9
    INPUT_EMERGENCY_STOP = 10
    INPUT_OIL_LEVEL = 11
    INPUT_OIL_FILTER = 12


REFUSAL_TEXTS: dict[Refusal, str] = {
    Refusal.WRONG_MODE: "not in this mode",
    Refusal.TRIPPED: "a trip is latched; look at `hilctl status`, mend the cause, then reset",
    Refusal.MOVING: "the table moves faster than arming.rest_speed_m_s; wait until it stands",
    Refusal.EMERGENCY_STOP: "the emergency stop is open; release it",
    Refusal.CAUSE_PRESENT: "what tripped is still present; mend it first",
    Refusal.SENSOR: "a required sensor gives no valid reading; look at `hilctl status`",
    Refusal.UNKNOWN: "no such request",
    Refusal.OIL_LEVEL: "the oil level is low; look for a leak, fill the tank",
    Refusal.OIL_FILTER: "the oil filter is clogged; change it",
    Refusal.INPUT_EMERGENCY_STOP: "sensors.emergency_stop is present, but its input tells nothing; check its wiring",
    Refusal.INPUT_OIL_LEVEL: "sensors.oil_level is present, but its input tells nothing; check its wiring",
    Refusal.INPUT_OIL_FILTER: "sensors.oil_filter is present, but its input tells nothing; check its wiring",
}

REQUEST = record_of(
    [
        ("kind", np.int64),
        ("id", np.int64),
        ("trip", np.int64),  # for TRIP
        ("action", np.int64),
        ("bank", np.int64),  # waveform bank of the motion
        ("motion", MOTION),
    ]
)
