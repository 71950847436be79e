"""Proof of the plant's signs: what the bumps of arming say of valve and sensors.

The table goes up for a time T, and down for another, or down first: D and E then change their sign. Two measures of
the way that it went cancel a drift, and twice the bias of an accelerometer cancels nearly:

    D = x(T) - (x(0) + x(2T))/2        of displacement
    E = the same of the acceleration, integrated twice, less its mean at rest

The command says D > 0. What E is to D is taken from all rounds of bumps together, for one that missed ticks says
little of acceleration. The pressures are judged against the motion, once it is proved, by `pressure_signs.py`: chamber
A goes with it, chamber B against it.

    D     E/D   pressures      what is wrong
    -     +     any            the valve is reversed
    -     -, 0  any            displacement is reversed
    0     E     any            displacement is dead, where D is less than half of E; else it moved too little
    0     no E  any            nothing moves
    +     -     any            the accelerometer is reversed
    +     0     any            the accelerometer is dead
    +     +     A -, B +       the pressures are exchanged
    +     +     A or B -       that one is reversed
    +     +     A or B 0       that one is dead
"""

import math
from typing import Any

import numpy as np

from hilctl.law.pressure_signs import FIT, rt_fit_add, rt_fit_begin, rt_fit_count, rt_fit_judge, rt_fit_restart
from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A
from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.signals import Trip

# Of E to D. A sensor that is right shows 1, within its gain's error; bias and noise of a poor one make up 0.2.
_RATIO = 0.4
_SURE, _MAYBE = 5.0, 2.0  # standard deviations of what noise makes up

SIGNS = record_of(
    [
        ("rest_a", np.float64),  # mean acceleration at rest
        ("rest_n", np.float64),
        ("rest_squares", np.float64),  # sum of squares about that mean
        ("v", np.float64),  # acceleration integrated once and twice since the bumps began
        ("s", np.float64),
        ("x_begin", np.float64),
        ("x_turn", np.float64),
        ("s_turn", np.float64),
        ("square", np.float64),  # of D, and D times E, of all rounds
        ("product", np.float64),
        ("shown", np.int64),  # sign of D in the last one
        ("pressures", FIT),
        # what was found
        ("sensor", np.int64),
        ("value", np.float64),
        ("limit", np.float64),
    ]
)


@jit()
def rt_signs_rest(a: float, restart: bool, s: Any) -> None:
    """The accelerometer at rest."""
    if restart:
        s.rest_a = s.rest_n = s.rest_squares = s.square = s.product = 0.0
        rt_fit_restart(s.pressures)
    s.rest_n += 1.0
    off = a - s.rest_a
    s.rest_a += off / s.rest_n
    s.rest_squares += off * (a - s.rest_a)


@jit()
def _rt_noise_m_s2(s: Any) -> float:
    """Of the accelerometer, as it was at rest."""
    return math.sqrt(s.rest_squares / s.rest_n) if s.rest_n > 0.0 else 0.0


@jit()
def rt_signs_begin(value: Any, s: Any) -> None:
    """The bumps begin."""
    s.x_begin = value[DISPLACEMENT]
    s.v = s.s = 0.0
    rt_fit_begin(value, s.pressures)


@jit()
def rt_signs_turn(value: Any, s: Any) -> None:
    """From up to down."""
    s.x_turn, s.s_turn = value[DISPLACEMENT], s.s


@jit()
def rt_signs_step(value: Any, way: float, lag_s: float, dt_s: float, s: Any) -> None:
    """One tick of a bump in direction `way`, which the motion follows by `lag_s`."""
    a = value[ACCELERATION] - s.rest_a
    s.s += dt_s * (s.v + 0.5 * dt_s * a)
    s.v += dt_s * a
    rt_fit_add(a, way, lag_s, dt_s, value, s.pressures)


@jit()
def _rt_sign(value: float, least: float) -> int:
    return 1 if value >= least else (-1 if value <= -least else 0)


@jit()
def _rt_found(trip: int, sensor: int, value: float, limit: float, s: Any) -> int:
    s.sensor, s.value, s.limit = sensor, value, limit
    return trip


@jit()
def rt_signs_drift(value: Any, most_m_s: float, since_s: float, dt_s: float, s: Any) -> int:
    """Of a table that drifts since the valve was enabled: the trip that displacement calls for, or 0."""
    went, by_noise_m_s = value[DISPLACEMENT] - s.x_begin, _rt_noise_m_s2(s) * math.sqrt(since_s * dt_s)
    if abs(s.v) > most_m_s + _SURE * by_noise_m_s and abs(went) < _RATIO * abs(s.s):
        return _rt_found(Trip.SENSOR_DEAD.value, DISPLACEMENT, went, _RATIO * abs(s.s), s)
    return 0


@jit()
def rt_signs_motion(value: Any, first: float, least_m: float, resolved: bool, s: Any) -> int:
    """At the end of both bumps: the trip that valve, displacement and accelerometer call for, or 0. `least_m`: of D;
    `first`: 1 where the first bump went up, -1 where it went down.

    Where the ticks do not resolve the hydraulic mode the integral of acceleration says nothing, and is not judged.
    """
    went = first * (s.x_turn - 0.5 * (s.x_begin + value[DISPLACEMENT]))
    felt = first * (s.s_turn - 0.5 * s.s)
    s.shown = _rt_sign(went, least_m)
    if s.shown == 0:
        dead = abs(felt) >= least_m and abs(went) < 0.5 * abs(felt) and resolved
        return _rt_found(Trip.SENSOR_DEAD.value if dead else Trip.NO_MOTION.value, DISPLACEMENT if dead else -1, went,
                         least_m, s)
    s.square += went * went
    s.product += went * felt
    ratio = s.product / s.square if resolved else 1.0
    agrees = _rt_sign(ratio, _RATIO)
    if s.shown < 0:
        valve = agrees > 0
        return _rt_found(Trip.POLARITY.value if valve else Trip.SENSOR_REVERSED.value, -1 if valve else DISPLACEMENT,
                         went, least_m, s)
    if agrees > 0:
        return 0
    return _rt_found(Trip.SENSOR_REVERSED.value if agrees < 0 else Trip.SENSOR_DEAD.value, ACCELERATION, ratio, _RATIO,
                     s)


@jit()
def rt_signs_unsure(bump_s: float, dt_s: float, s: Any) -> bool:
    """Whether the accelerometer's noise, integrated twice over a bump, hides the way that one round goes."""
    hidden_m = _MAYBE * _rt_noise_m_s2(s) * bump_s * math.sqrt(bump_s * dt_s / 3.0)
    return bool(hidden_m > _RATIO * math.sqrt(s.square))


@jit()
def rt_signs_count(s: Any) -> None:
    """The pressures of this round count: the motion is proved."""
    rt_fit_count(s.pressures)


@jit()
def rt_signs_pressures(s: Any) -> int:
    """The trip that the pressures of all rounds that count call for, or 0."""
    rt_fit_judge(s.pressures)
    found, bound = s.pressures.found, s.pressures.bound
    a, b = _rt_sign(found[0], bound), _rt_sign(found[1], bound)
    if a < 0 and b < 0:
        return _rt_found(Trip.PRESSURES_EXCHANGED.value, -1, found[0], bound, s)
    for k in range(2):
        sign = a if k == 0 else b
        if sign < 0:
            return _rt_found(Trip.SENSOR_REVERSED.value, PRESSURE_A + k, found[k], bound, s)
        if sign == 0:
            return _rt_found(Trip.SENSOR_DEAD.value, PRESSURE_A + k, found[k], bound, s)
    return 0
