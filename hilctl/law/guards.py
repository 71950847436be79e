"""The guard: every limit, every tick. The first trip is latched with its tick, value and limit.

A limit trips when it is passed for as many ticks in a row as it says. The position limit looks ahead by the distance
that the stop takes, from the reaction (`ticks`, and the lead at which the reference is evaluated) to rest. Standing
outside it is a warning only, so that a table that sank while switched off can be moved back in.
"""

from typing import Any

import numpy as np

from hilctl.law.reference.stop import rt_stopping_reach
from hilctl.law.sensors import (
    ACCELERATION,
    COUNT,
    DISPLACEMENT,
    FILTER,
    LEVEL,
    PRESSURE_A,
    PRESSURE_B,
    SPOOL,
    SUPPLY,
    rt_failed,
)
from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.signals import Action, Mode, Trip

_TRIPS = len(Trip)

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
        ("spool_model", np.float64),
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
              g: Any) -> None:
    if not passed:
        g.in_a_row[trip] = 0
        return
    g.warnings |= 1 << trip
    g.in_a_row[trip] += 1
    if armed and g.in_a_row[trip] >= rule.ticks and rule.action != Action.WARN:
        rt_latch(trip, rule.action, value, limit, sensor, tick, g)


@jit()
def _rt_guard_position(limits: Any, x: float, v: float, reaction_s: float, rest_m_s: float, armed: bool, tick: int,
                       g: Any) -> None:
    rule = limits.position
    stopping = limits.stopping
    ahead = x + rt_stopping_reach(v, stopping.deceleration_m_s2, stopping.jerk_m_s3, reaction_s)
    if ahead > rule.max_m:
        if v > rest_m_s:
            _rt_judge(Trip.POSITION.value, True, ahead, rule.max_m, rule, -1, armed, tick, g)
        else:
            g.warnings |= 1 << Trip.POSITION.value
            g.in_a_row[Trip.POSITION.value] = 0
    elif ahead < rule.min_m:
        if v < -rest_m_s:
            _rt_judge(Trip.POSITION.value, True, ahead, rule.min_m, rule, -1, armed, tick, g)
        else:
            g.warnings |= 1 << Trip.POSITION.value
            g.in_a_row[Trip.POSITION.value] = 0
    else:
        g.in_a_row[Trip.POSITION.value] = 0


@jit()
def _rt_guard_sensors(limits: Any, c: Any, v: float, driven: bool, armed: bool, tick: int, g: Any) -> None:
    invalid, outside, stale = -1, -1, -1
    unjudged = limits.driver.action == Action.WARN  # failed exchanges: somebody must protect
    worst_stuck, stuck = 0.0, -1
    for k in range(COUNT):
        blind = c.reason[k] == Trip.SENSOR_INVALID or (unjudged and c.reason[k] == Trip.DRIVER)
        if c.in_a_row[k] >= limits.sensing.ticks and blind:
            invalid = k
        if c.in_a_row[k] >= limits.sensing.ticks and c.reason[k] == Trip.SENSOR_RANGE:
            outside = k
        if c.in_a_row[k] >= limits.stale.ticks and c.reason[k] == Trip.SENSOR_STALE:
            stale = k
        if k <= PRESSURE_B and c.still_s[k] > worst_stuck:
            worst_stuck, stuck = c.still_s[k], k
    _rt_sensor(Trip.SENSOR_INVALID.value, invalid, limits.sensing.action, 0.0, 0.0, armed, tick, g)
    if outside >= 0:
        _rt_sensor(Trip.SENSOR_RANGE.value, outside, limits.sensing.action, c.last_raw[outside], 0.0, armed, tick, g)
    if stale >= 0:
        _rt_sensor(Trip.SENSOR_STALE.value, stale, limits.stale.action, c.age_s[stale], c.allowed_s[stale], armed, tick,
                   g)
    window_s = limits.stuck.window_s
    if driven and worst_stuck > window_s:
        _rt_sensor(Trip.SENSOR_STUCK.value, stuck, limits.stuck.action, worst_stuck, window_s, armed, tick, g)
    way_m, most_m = c.still_s[DISPLACEMENT] * abs(v), limits.stuck.way_m
    if driven and way_m > most_m:
        _rt_sensor(Trip.SENSOR_STUCK.value, DISPLACEMENT, limits.stuck.action, way_m, most_m, armed, tick, g)


@jit()
def _rt_sensor(trip: int, sensor: int, action: int, value: float, limit: float, armed: bool, tick: int, g: Any) -> None:
    if sensor < 0:
        return
    g.warnings |= 1 << trip
    if armed and action != Action.WARN:
        rt_latch(trip, action, value, limit, sensor, tick, g)


@jit()
def rt_guard(settings: Any, mode: int, status: int, checked: Any, x: float, v: float, a: float, drift_m_s2: float,
             error_m: float, lead_s: float, driven: bool, u_applied: float, saturated_s: float, supply: int, tick: int,
             g: Any) -> None:  # fmt: skip
    """Judges every limit. `armed` is whether the table can be moved by us: off and null only warn."""
    limits, machine, dt_s = settings.limits, settings.machine, settings.dt_s
    armed = mode == Mode.STANDBY or mode == Mode.HOLD or mode == Mode.TRACK or mode == Mode.STOP
    closed = mode == Mode.HOLD or mode == Mode.TRACK or mode == Mode.STOP
    g.warnings, g.wanted = 0, 0
    # The link first: what it does to the readings is not their sensors' fault.
    _rt_judge(Trip.DRIVER.value, rt_failed(status), float(status), float(limits.driver.ticks), limits.driver, -1, armed,
              tick, g)
    reaction_s = lead_s + dt_s * limits.position.ticks
    _rt_guard_position(limits, x, v, reaction_s, settings.arming.rest_speed_m_s, armed, tick, g)
    _rt_judge(Trip.VELOCITY.value, abs(v) > limits.velocity.max_m_s, v, limits.velocity.max_m_s, limits.velocity, -1,
              armed, tick, g)
    _rt_judge(Trip.ACCELERATION.value, abs(a) > limits.acceleration.max_m_s2, a, limits.acceleration.max_m_s2,
              limits.acceleration, ACCELERATION, armed, tick, g)
    highest = max(checked.value[PRESSURE_A], checked.value[PRESSURE_B])
    _rt_judge(Trip.PRESSURE.value, highest > limits.pressure.max_pa, highest, limits.pressure.max_pa, limits.pressure,
              PRESSURE_A if highest == checked.value[PRESSURE_A] else PRESSURE_B, armed, tick, g)
    _rt_judge(Trip.TRACKING_ERROR.value, closed and abs(error_m) > limits.tracking_error.max_m, error_m,
              limits.tracking_error.max_m, limits.tracking_error, DISPLACEMENT, armed, tick, g)
    _rt_guard_sensors(limits, checked, v, driven, armed, tick, g)
    if saturated_s > limits.saturation.max_s:
        g.warnings |= 1 << Trip.SATURATION.value
        if closed and limits.saturation.action != Action.WARN:
            rt_latch(Trip.SATURATION.value, limits.saturation.action, saturated_s, limits.saturation.max_s, -1, tick, g)
    if settings.sensors.supply_pressure.present != 0 and supply == 2 and closed:
        share = checked.value[SUPPLY] / machine.Ps
        low = share < limits.supply.low
        _rt_judge(Trip.SUPPLY_PRESSURE.value, low or share > limits.supply.high, checked.value[SUPPLY],
                  machine.Ps * (limits.supply.low if low else limits.supply.high), limits.supply, SUPPLY, armed, tick,
                  g)
    if settings.sensors.spool.present != 0:
        lag = settings.dt_s / (settings.dt_s + 2.0 * machine.zv / machine.wv)
        g.spool_model += lag * (u_applied - g.spool_model)
        off, most = checked.value[SPOOL] - g.spool_model, limits.read_back.difference
        _rt_judge(Trip.READ_BACK.value, armed and abs(off) > most, off, most,
                  limits.read_back, SPOOL, armed and dt_s > 0.0, tick, g)
    _rt_judge(Trip.SENSOR_DRIFT.value, abs(drift_m_s2) > limits.drift.max_m_s2, drift_m_s2, limits.drift.max_m_s2,
              limits.drift, ACCELERATION, armed, tick, g)
    # An input that the rig lacks is nan, and passes nothing.
    _rt_judge(Trip.OIL_LEVEL.value, checked.value[LEVEL] > 0.5, 1.0, 0.0, limits.oil_level, LEVEL, armed, tick, g)
    _rt_judge(Trip.OIL_FILTER.value, checked.value[FILTER] > 0.5, 1.0, 0.0, limits.oil_filter, FILTER, armed, tick, g)


@jit()
def rt_cause_present(g: Any) -> bool:
    """Whether what tripped is still there: a reset is refused then."""
    return bool(g.warnings & (1 << g.trip)) and g.trip != Trip.POSITION
