"""The tick in C: its records and constants from ours, built, and called on our memory."""

import ctypes
import math
from enum import IntEnum
from typing import Any

from firmware_bridge.driver import COMMAND, READINGS
from hilctl.bench.tick_course import TURN
from hilctl.bench.yardstick import build, c_records
from hilctl.errors import HilctlError
from hilctl.friction import MODELS, stribeck
from hilctl.law import adapt, delivery, effort, estimate, feed, landing, sensors, stillness
from hilctl.law.adapt import ADAPT, Adapt
from hilctl.law.arming import ARMING, Arming
from hilctl.law.delivery import DELIVERY
from hilctl.law.edges import SHARP
from hilctl.law.effort import EFFORT
from hilctl.law.estimate import ESTIMATE, Estimator
from hilctl.law.feed import LINEAR, Feed
from hilctl.law.freshness import FRESH, RETURN_S
from hilctl.law.guards import GUARD
from hilctl.law.inverse import CROSSING, INVERSE
from hilctl.law.limits import JUDGED, Limits
from hilctl.law.notch import HIGHEST, NOTCH, NOTCHES, RESIDUE, STEPS, Notch
from hilctl.law.output import OUTPUT
from hilctl.law.own_loop import OwnLoop
from hilctl.law.pid import PID, Pid
from hilctl.law.pressure_signs import FIT
from hilctl.law.reference import ENDLESS_S, HISTORY, MOTION, POINT, REJOIN, Kind, history, smooth
from hilctl.law.reference.chirp import CHIRP
from hilctl.law.reference.external import EXTERNAL
from hilctl.law.reference.move import MOVE
from hilctl.law.reference.sine import SINE
from hilctl.law.reference.stop import STOP
from hilctl.law.reference.triangle import TRIANGLE
from hilctl.law.reference.wave import WAVE
from hilctl.law.search import PRESSURE_S, SEARCH
from hilctl.law.sensors import CHECKED, Sensor, Sensors
from hilctl.law.settings import BLENDED, FRICTION, PID_FEEDBACK, RIG_FEEDBACK, SETTINGS, Law
from hilctl.law.signs import SIGNS
from hilctl.law.state import STATE
from hilctl.law.stillness import STILL
from hilctl.law.three_state import THREE_STATE, ThreeState
from hilctl.law.valve_stage import SLACK, SOFT, VALVE, ValveStage
from hilctl.machine import GRAVITY, Machine
from hilctl.params import dtype_of
from hilctl.signals import ALARMS, SAMPLE, SENSOR_KINDS, SENSORS, Action, Mode, Status, Trip
from hilctl.signals import Arming as Step

# Inner ones first. A record's name in C is its declaration's, or its state's.
_RECORDS: dict[str, Any] = {
    "Machine": dtype_of(Machine), "Friction": FRICTION,
    "Sensor": dtype_of(Sensor), "Sensors": dtype_of(Sensors), "Checked": CHECKED, "Still": STILL, "Effort": EFFORT,
    "Delivery": DELIVERY,
    "Estimator": dtype_of(Estimator), "Estimate": ESTIMATE, "Feed": dtype_of(Feed), "Linear": LINEAR,
    "Pid": dtype_of(Pid), "PidState": PID, "ThreeState": dtype_of(ThreeState), "ThreeStateState": THREE_STATE,
    "Fresh": FRESH,
    "Notch": dtype_of(Notch), "NotchState": NOTCH, "Notches": NOTCHES,
    "ValveStage": dtype_of(ValveStage), "ValveState": VALVE, "Landing": landing.LANDING,
    "Adapt": dtype_of(Adapt), "AdaptState": ADAPT, "OwnLoop": dtype_of(OwnLoop), "Law": dtype_of(Law),
    "Output": OUTPUT,
    "Arming": dtype_of(Arming), "Fit": FIT, "Signs": SIGNS, "Search": SEARCH, "Arm": ARMING,
    "Limits": dtype_of(Limits), "Guard": GUARD, "Settings": SETTINGS,
    "Move": MOVE, "Sine": SINE, "Triangle": TRIANGLE, "Chirp": CHIRP, "Wave": WAVE, "Stop": STOP,
    "External": EXTERNAL,
    "Motion": MOTION, "Point": POINT, "History": HISTORY, "Rejoin": REJOIN, "Crossing": CROSSING, "Inverse": INVERSE,
    "Command": COMMAND, "Readings": READINGS, "Turn": TURN, "Sample": SAMPLE, "State": STATE,
}  # fmt: skip
_CODES: dict[str, type[IntEnum]] = {
    "Mode": Mode, "Step": Step, "Status": Status, "Action": Action, "Trip": Trip, "Kind": Kind,
}  # fmt: skip
_CONSTANTS: dict[str, float] = {
    "SETTINGS_WORDS": len(BLENDED), "PID_FEEDBACK": PID_FEEDBACK, "RIG_FEEDBACK": RIG_FEEDBACK,
    "SENSOR_COUNT": sensors.COUNT, "RETURN_S": RETURN_S,
    "SLACK": SLACK, "SOFT": SOFT, "SHARP": SHARP,
    **{k: getattr(landing, k) for k in ("SWING", "PLAY", "SETTLED", "LASTS", "WIDER", "CREEP_PER_S")},
    "TO_NULL_S": landing.TO_NULL_S, "LANDING_BLEND_S": landing.BLEND_S, "LANDING_LAG_S": landing.LAG_S,
    "LANDING_FIRST": landing.FIRST, "BAND_KEPT": landing.KEPT,
    "NOTCH_HIGHEST": HIGHEST, "NOTCH_RESIDUE": RESIDUE, "NOTCH_STEPS": STEPS,
    "ADAPT_CALM_S": adapt.CALM_S, "ADAPT_LEAK_S": adapt.LEAK_S, "ADAPT_FORGETS_S": adapt.FORGETS_S,
    "ADAPT_OVERLAP": adapt.OVERLAP, "ADAPT_GAIN": adapt.GAIN, "ADAPT_USED": adapt.USED, "ADAPT_LEAST": adapt.LEAST,
    "ADAPT_CLEAR_S": adapt.CLEAR_S, "ADAPT_MOST": adapt.MOST, "ADAPT_DROP": adapt.DROP,
    "ADAPT_SURE": adapt.SURE, "ADAPT_NEAR": adapt.NEAR, "ADAPT_FAR": adapt.FAR,
    "ADAPT_NULL_ENDS": adapt.NULL_ENDS, "ADAPT_OVERLAP_ENDS": adapt.OVERLAP_ENDS, "ADAPT_GAIN_ENDS": adapt.GAIN_ENDS,
    "LONGEST_OWED": delivery.LONGEST, "LONGEST_OWED_TICKS": delivery.LONGEST_TICKS,
    "EFFORT_LEAK": effort.LEAK, "MOST_OWED_S": delivery.MOST_S,
    **{name: getattr(delivery, name) for name in ("NONE", "FIRST", "ALL", "COURSES", "FORGOTTEN_S", "OF_LATE")},
    "PRESSURE_S": PRESSURE_S,
    "WATCHED": stillness.WATCHED, "STILL_TURNS": stillness.TURNS, "STILL_STEPS": stillness.STEPS,
    "STILL_READINGS": stillness.READINGS,
    **{name: getattr(estimate, name) for name in ("LINE", "STRAIGHT", "STRAIGHT_S", "REFILLED", "FOLLOWS_S",
                                                 "FOLLOWS_TICKS")},
    "LENGTH": history.LENGTH, "FLANK": smooth.FLANK, "ENDLESS_S": ENDLESS_S,
    "PI": math.pi, "GRAVITY": GRAVITY, "SMOOTH_M_S": feed.SMOOTH_M_S, "SMOOTH_S": feed.SMOOTH_S,
    "SMOOTH_TICKS": feed.SMOOTH_TICKS, "CROSS_EARLY": feed.CROSS_EARLY, "GRID_S": feed.GRID_S,
    "WITHOUT_S": feed.WITHOUT_S,
    **{name.upper(): MODELS[name].code for name in ("stribeck", "karnopp", "lugre")},
    **{k: getattr(stribeck, k) for k in ("FC", "FS", "VS", "SIGMA", "DELTA", "WIDTH")},
    **{k: getattr(sensors, k) for k in ("DISPLACEMENT", "ACCELERATION", "PRESSURE_A", "PRESSURE_B", "SUPPLY", "SPOOL",
                                        "EMERGENCY")},
}  # fmt: skip


def _lists() -> str:
    """What is done for each sensor, as lists of macros: X(index, sensor, reading) and X(index, trip, limit)."""
    optional = [f"X({k}, {kind.name}, {kind.channel})" for k, kind in enumerate(SENSOR_KINDS) if not kind.required]
    inputs = [f"X({SENSORS.index(name)}, {ALARMS[name].trip.value}, {name})" for name in JUDGED]
    return f"#define EACH_OPTIONAL(X) {' '.join(optional)}\n#define EACH_INPUT(X) {' '.join(inputs)}\n"


class Yardstick:
    """The library, ready to run on our memory."""

    def __init__(self, folder: str) -> None:
        library = build("tick.c", folder, {"tick_records.h": c_records(_RECORDS, _CODES, _CONSTANTS) + _lists()})
        if library.tick_size() != STATE.itemsize:
            raise HilctlError(f"tick.c: its state has {library.tick_size()} bytes, ours {STATE.itemsize}")
        library.tick_blended(BLENDED.ctypes.data_as(ctypes.c_void_p))
        self._run = library.tick_run
        self._run.restype = None
        memory, whole = ctypes.c_void_p, ctypes.c_int64
        self._run.argtypes = [memory, memory, memory, memory, memory, whole, memory, whole, whole]

    def play(self, state: Any, command: Any, readings: Any, turns: Any, samples: Any, bank: Any) -> None:
        """As tick_course.rt_play. `state` is an array of one."""
        self._run(state.ctypes.data, command.__array_interface__["data"][0], readings.ctypes.data, turns.ctypes.data,
                  samples.ctypes.data, len(samples), bank.ctypes.data, len(bank) // 8, len(readings))
