"""What the serial driver's exchange works on: a record, and behind it the buffers."""

from typing import Any

import numpy as np

from firmware_bridge.serial_frame.frames import MOST_BODY, MOST_STUFFED
from firmware_bridge.serial_frame.messages import SCALED
from hilctl.params import record_of
from hilctl.signals import SENSORS

CHUNK = 512

STATE: "np.dtype[Any]" = record_of(
    [
        # set by the driver
        ("fd", np.int64),  # -1: closed
        ("timeout_ns", np.int64),
        ("tick_ns", np.int64),  # of the device
        ("session", np.int64),
        ("boot", np.int64),
        ("time_to_live_us", np.int64),
        ("sees_emergency", np.int64),  # the rig file has an emergency stop: its reading tells why the device tripped
        ("inputs", np.int64),  # bit k: the board has the k-th of signals.INPUTS
        ("scale", np.float64, (len(SCALED),)),  # of a count; 0: no such sensor
        # the dialogue
        ("sequence", np.int64),  # of the frame that was sent last
        ("sent_ns", np.int64),
        ("asked", np.int64),  # the last command asked for an output: enable or supply
        ("flush", np.int64),  # no answer to the last frame: the line may hold old bytes
        ("length", np.int64),  # of the frame that is coming in
        ("overflow", np.int64),
        # the device, as it said last
        ("device_state", np.int64),
        ("device_trip", np.int64),
        ("device_flags", np.int64),
        ("fault", np.int64),  # the code of its last refusal
        ("raw_tick", np.int64),
        ("device_tick", np.int64),  # does not wrap
        ("ticked_ns", np.int64),  # when its tick was last another
        ("sampled_ns", np.int64),
        ("known", np.int64),  # readings have arrived
        ("values", np.float64, (len(SENSORS),)),
        # counters
        ("exchanges", np.int64),
        ("answered", np.int64),
        ("timeouts", np.int64),
        ("bad_frames", np.int64),
        ("bad_replies", np.int64),
        ("discarded", np.int64),  # whole, but not the answer to the question
        ("faults", np.int64),
        ("stale", np.int64),
        ("lost", np.int64),  # of our commands, as the device counts them
    ]
)

# What `health` reports: the device first, then errors.
COUNTERS = (
    "boot", "device_tick", "device_state", "device_trip", "exchanges", "answered", "timeouts", "bad_frames",
    "bad_replies", "discarded", "faults", "fault", "stale", "lost",
)  # fmt: skip

BODY_AT = int(STATE.itemsize)
FRAME_AT = BODY_AT + MOST_BODY
SEND_AT = FRAME_AT + MOST_STUFFED + 1
CHUNK_AT = SEND_AT + 128  # a delimiter, RESET, ARM, CYCLIC: 1 + 15 + 23 + 20
BYTES = CHUNK_AT + CHUNK


def new_state() -> Any:
    """Memory for one driver: closed."""
    state = np.zeros(BYTES, np.uint8)
    record(state).fd = -1
    return state


def record(state: Any) -> Any:
    """The record at the head of a driver's memory."""
    return state[: STATE.itemsize].view(STATE)[0]
