"""The guard: every limit, every tick. The first trip is latched with its tick, value and limit.

A limit trips when it is passed for as many ticks in a row as it says; periods that were skipped between two passes
count. What comes and goes fills a leaky bucket (bucket.py). The position limit looks ahead by the distance that the
stop takes, from the reaction (`ticks`, and the lead at which the reference is evaluated) to rest. It is judged twice:
on the position, and on the position as the rig file at the start of the run converts it, which no zeroing has shifted.
Standing outside it is a warning only, so that a table that sank while switched off can be moved back in.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.bucket import rt_events, rt_full, rt_leak
from hilctl.law.limits import JUDGED, JUDGED_AT, RULE
from hilctl.law.reference.stop import rt_stopping_reach
from hilctl.law.sensors import (
    ACCELERATION,
    COUNT,
    DISPLACEMENT,
    PRESSURE_A,
    PRESSURE_B,
    SPOOL,
    SUPPLY,
    rt_failed,
)
from hilctl.law.stillness import READINGS, WATCHED
from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import rows_of
from hilctl.signals import ALARMS, SENSORS, Action, Mode, Status, Trip

_TRIPS = max(Trip) + 1
_INPUTS = len(JUDGED)
_INPUT_AT = tuple(SENSORS.index(name) for name in JUDGED)
_INPUT_TRIPS = tuple(ALARMS[name].trip.value for name in JUDGED)

GUARD = record_of(
    [
        ("warnings", np.int64),  # bit k: limit k passed in this tick
        ("wanted", np.int64),  # the strongest action asked for in this tick
        ("in_a_row", np.int64, (_TRIPS,)),
        ("trip", np.int64),
        ("trip_tick", np.int64),
        ("trip_value", np.float64),
        ("trip_limit", np.float64),
        ("trip_action", np.int64),
        ("trip_sensor", np.int64),  # index in SENSORS, -1 when it is not about one
        ("trips", np.int64),  # since the start
        ("failed", np.float64),  # buckets: of failed exchanges,
        ("overwritten", np.float64),  # of commands that somebody else changed
    ]
)


@jit()
def rt_latch(trip: int, action: int, value: float, limit: float, sensor: int, tick: int, g: Any) -> None:
    """Takes the action and, when nothing is latched yet, keeps the cause."""
    if action > g.wanted:
        g.wanted = action
    if g.trip == 0 and action > 0:
        g.trip, g.trip_tick, g.trip_value, g.trip_limit = trip, tick, value, limit
        g.trip_action, g.trip_sensor = action, sensor
        g.trips += 1


@jit()
def _rt_judge(trip: int, passed: bool, value: float, limit: float, rule: Any, sensor: int, armed: bool, tick: int,
              periods: int, g: Any) -> None:
    if not passed:
        g.in_a_row[trip] = 0
        return
    g.warnings |= 1 << trip
    g.in_a_row[trip] += periods if g.in_a_row[trip] > 0 else 1
    if armed and g.in_a_row[trip] >= rule.ticks and rule.action != Action.WARN:
        rt_latch(trip, rule.action, value, limit, sensor, tick, g)


@jit()
def _rt_guard_position(limits: Any, x: float, shift_m: float, scale: float, v: float, reaction_s: float,
                       rest_m_s: float, armed: bool, tick: int, periods: int, g: Any) -> None:
    """`shift_m` and `scale` lead from the position to the unshifted one."""
    rule, stopping = limits.position, limits.stopping
    ahead = x + rt_stopping_reach(v, stopping.deceleration_m_s2, stopping.jerk_m_s3, reaction_s)
    unshifted = scale * ahead + shift_m
    high, low = max(ahead, unshifted), min(ahead, unshifted)
    if high > rule.max_m and (v > rest_m_s or low >= rule.min_m):
        value, limit, outward = high, rule.max_m, v > rest_m_s
    elif low < rule.min_m:
        value, limit, outward = low, rule.min_m, v < -rest_m_s
    else:
        g.in_a_row[Trip.POSITION.value] = 0
        return
    g.warnings |= 1 << Trip.POSITION.value
    _rt_judge(Trip.POSITION.value, outward, value, limit, rule, -1, armed, tick, periods, g)


@jit()
def _rt_guard_sensors(limits: Any, c: Any, armed: bool, tick: int, g: Any) -> None:
    invalid, outside, stale = -1, -1, -1
    unjudged = limits.driver.action == Action.WARN  # failed exchanges: somebody must protect
    for k in range(COUNT):
        blind = c.reason[k] == Trip.SENSOR_INVALID or (unjudged and c.reason[k] == Trip.DRIVER)
        often = c.in_a_row[k] >= limits.sensing.ticks or c.often & (1 << k) != 0
        if often and blind:
            invalid = k
        if often and c.reason[k] == Trip.SENSOR_RANGE:
            outside = k
        if c.in_a_row[k] >= limits.stale.ticks and c.reason[k] == Trip.SENSOR_STALE:
            stale = k
    _rt_sensor(Trip.SENSOR_INVALID.value, invalid, limits.sensing.action, 0.0, 0.0, armed, tick, g)
    if outside >= 0:
        _rt_sensor(Trip.SENSOR_RANGE.value, outside, limits.sensing.action, c.last_raw[outside], 0.0, armed, tick, g)
    if stale >= 0:
        _rt_sensor(Trip.SENSOR_STALE.value, stale, limits.stale.action, c.age_s[stale], c.allowed_s[stale], armed, tick,
                   g)


@jit()
def _rt_guard_still(rule: Any, w: Any, v: float, driven: bool, armed: bool, tick: int, g: Any) -> None:
    """What stands still while the table is driven, or the valve open; and what has never stood still before."""
    trip, action = Trip.SENSOR_STUCK.value, rule.action
    for k in range(WATCHED):
        window_s = max(rule.window_s, READINGS * w.every_s[k])
        if driven and w.driven_s[k] > window_s:
            _rt_sensor(trip, k, action, w.driven_s[k], window_s, armed, tick, g)
        most_s = max(w.most_s[k], rule.window_s)
        if armed and w.most_s[k] > 0.0 and w.same_s[k] > most_s:
            _rt_sensor(trip, k, action, w.same_s[k], most_s, armed, tick, g)
    way_m = w.driven_s[DISPLACEMENT] * abs(v) if driven else 0.0
    way_m = max(way_m, abs(w.opened_m))
    if way_m > rule.way_m:
        _rt_sensor(trip, DISPLACEMENT, action, way_m, rule.way_m, armed, tick, g)


@jit()
def _rt_sensor(trip: int, sensor: int, action: int, value: float, limit: float, armed: bool, tick: int, g: Any) -> None:
    if sensor < 0:
        return
    g.warnings |= 1 << trip
    if armed and action != Action.WARN:
        rt_latch(trip, action, value, limit, sensor, tick, g)


@jit()
def rt_guard(settings: Any, mode: int, closed: bool, status: int, checked: Any, still: Any, effort: Any, x: float,
             shift_m: float, scale: float, v: float, a: float, drift_m_s2: float, error_m: float, lead_s: float,
             driven: bool, spool_off: float, saturated_s: float, supply: int, tick: int, periods: int,
             g: Any) -> None:  # fmt: skip
    """Judges every limit. `armed` is whether the table can be moved by us: off and null only warn."""
    limits, machine, dt_s = settings.limits, settings.machine, settings.dt_s
    armed = mode == Mode.STANDBY or mode == Mode.HOLD or mode == Mode.TRACK or mode == Mode.STOP
    arming = mode == Mode.STANDBY
    g.warnings, g.wanted = 0, 0
    # The link first: what it does to the readings is not their sensors' fault.
    _rt_guard_link(limits, status, armed, dt_s, tick, periods, g)
    reaction_s, rest_m_s = lead_s + dt_s * limits.position.ticks, settings.arming.rest_speed_m_s
    _rt_guard_position(limits, x, shift_m, scale, v, reaction_s, rest_m_s, armed, tick, periods, g)
    _rt_judge(Trip.VELOCITY.value, abs(v) > limits.velocity.max_m_s, v, limits.velocity.max_m_s, limits.velocity, -1,
              armed, tick, periods, g)
    _rt_judge(Trip.ACCELERATION.value, abs(a) > limits.acceleration.max_m_s2, a, limits.acceleration.max_m_s2,
              limits.acceleration, ACCELERATION, armed, tick, periods, g)
    highest = max(checked.value[PRESSURE_A], checked.value[PRESSURE_B])
    _rt_judge(Trip.PRESSURE.value, highest > limits.pressure.max_pa, highest, limits.pressure.max_pa, limits.pressure,
              PRESSURE_A if highest == checked.value[PRESSURE_A] else PRESSURE_B, armed, tick, periods, g)
    most_m = limits.tracking_error.max_m
    if arming:
        most_m = min(most_m, settings.arming.error_m)
    _rt_judge(Trip.TRACKING_ERROR.value, closed and abs(error_m) > most_m, error_m, most_m, limits.tracking_error,
              DISPLACEMENT, armed, tick, periods, g)
    _rt_guard_sensors(limits, checked, armed, tick, g)
    _rt_guard_still(limits.stuck, still, v, driven, armed, tick, g)
    if saturated_s > limits.saturation.max_s:
        g.warnings |= 1 << Trip.SATURATION.value
        if closed and limits.saturation.action != Action.WARN:
            rt_latch(Trip.SATURATION.value, limits.saturation.action, saturated_s, limits.saturation.max_s, -1, tick, g)
    _rt_guard_effort(limits.holding, effort, tick, g)
    if settings.sensors.supply_pressure.present != 0 and supply != 0:
        share = checked.value[SUPPLY] / machine.Ps
        low = share < limits.supply.low and supply == 2 and closed and not arming  # it comes up
        _rt_judge(Trip.SUPPLY_PRESSURE.value, low or share > limits.supply.high, checked.value[SUPPLY],
                  machine.Ps * (limits.supply.low if low else limits.supply.high), limits.supply, SUPPLY, armed, tick,
                  periods, g)
    if settings.sensors.spool.present != 0 and math.isfinite(spool_off):  # without a reading nothing is known
        most = limits.read_back.difference + settings.law.valve.dither  # the spool is late, and the dither fast
        _rt_judge(Trip.READ_BACK.value, armed and abs(spool_off) > most, spool_off, most,
                  limits.read_back, SPOOL, armed, tick, periods, g)
    _rt_judge(Trip.SENSOR_DRIFT.value, abs(drift_m_s2) > limits.drift.max_m_s2, drift_m_s2, limits.drift.max_m_s2,
              limits.drift, ACCELERATION, armed, tick, periods, g)
    # An input that the rig lacks is nan, and passes nothing.
    rules = rows_of(limits, JUDGED_AT, RULE)
    for i in range(_INPUTS):
        k = _INPUT_AT[i]
        _rt_judge(_INPUT_TRIPS[i], checked.value[k] > 0.5, 1.0, 0.0, rules[i], k, armed, tick, periods, g)


@jit(inline=True)
def _rt_guard_link(limits: Any, status: int, armed: bool, dt_s: float, tick: int, periods: int, g: Any) -> None:
    """Exchanges that fail, in a row or too often; and commands that somebody else has changed."""
    failed, rule = rt_failed(status), limits.driver
    g.failed = rt_leak(g.failed, failed, rule.share, dt_s, periods)
    _rt_judge(Trip.DRIVER.value, failed, float(status), float(rule.ticks), rule, -1, armed, tick, periods, g)
    if failed and armed and rule.action != Action.WARN and rt_full(g.failed, rule.share, dt_s):
        rt_latch(Trip.DRIVER.value, rule.action, float(status), rule.share, -1, tick, g)
    changed, most = status == Status.OVERWRITTEN, limits.overwritten
    g.overwritten = rt_events(g.overwritten, changed, dt_s, periods)
    if changed:
        g.warnings |= 1 << Trip.OVERWRITTEN.value
        if armed and most.action != Action.WARN and g.overwritten >= most.events - 1.0:
            rt_latch(Trip.OVERWRITTEN.value, most.action, g.overwritten, float(most.events), -1, tick, g)


@jit()
def _rt_guard_effort(rule: Any, e: Any, tick: int, g: Any) -> None:
    """A valve that is open for a motion that does not come: nothing acts, and when it acts again the table jumps."""
    if e.beyond <= rule.opening:
        return
    g.warnings |= 1 << Trip.HOLD_EFFORT.value
    if e.over_s > rule.max_s and rule.action != Action.WARN:
        rt_latch(Trip.HOLD_EFFORT.value, rule.action, e.opening, math.copysign(e.explained + rule.opening, e.opening),
                 -1, tick, g)


@jit()
def rt_cause_present(g: Any) -> bool:
    """Whether what tripped is still there: a reset is refused then."""
    return bool(g.warnings & (1 << g.trip)) and g.trip != Trip.POSITION
