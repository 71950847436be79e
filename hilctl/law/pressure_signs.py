"""What the bumps of arming say of the chamber pressures, each by itself, whatever else the oil does.

A pL = m a + f: chamber A goes with the acceleration a and, under friction, with the direction w of the motion, and
chamber B against both. How much friction there is, nobody knows at arming, so neither share is prescribed:

    pA = c0 + c1 t + c2 t^2 + b1 a + b2 w        b1, b2 >= 0        (chamber B: b1, b2 <= 0)

The first three terms take a supply that still rises, chambers that still fill, and the drift of a transducer; each
round of bumps has its own. What is left of all rounds but the first is judged together. w follows the command as late
as valve and oil are. r^2 is the share of what is left of a pressure that b1 and b2 explain. For a sensor that shows
noise alone, r^2 passes 1 - p^(2/v) by chance with the probability p, v being the degrees of freedom: that is the
bound, and never less than `_LEAST`.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.sensors import PRESSURE_A
from hilctl.params import record_of
from hilctl.rt.jit import jit

_CHANCE = 1e-4
_LEAST = 0.25  # noise is seldom white: hum and drifts fit better than by chance
_ONE, _TIME, _SQUARE = range(3)
_SETTLING = 3  # columns, those above
_FORCE, _WAY, _PRESSURE = range(3)  # of what is left
_LEFT = _PRESSURE + 2  # a pressure for each chamber
_COLUMNS = _SETTLING + _LEFT
_FEWEST = 8  # ticks of a round
_ROUNDING = 1e-12  # a share of a sum of squares that is none

FIT = record_of(
    [
        ("t", np.float64),
        ("way", np.float64),  # w
        ("begin", np.float64, (2,)),
        ("column", np.float64, (_COLUMNS,)),
        ("sums", np.float64, (_COLUMNS, _COLUMNS)),  # of products of columns in this round; the upper half
        ("left", np.float64, (_LEFT, _LEFT)),  # of all rounds that count
        ("freedom", np.float64),
        # what was found
        ("found", np.float64, (2,)),  # r with its sign, positive where it is right
        ("bound", np.float64),
    ]
)


@jit()
def rt_fit_restart(s: Any) -> None:
    """At rest, before the first round."""
    s.way = s.freedom = 0.0
    for i in range(_LEFT):
        for j in range(_LEFT):
            s.left[i, j] = 0.0


@jit()
def rt_fit_begin(value: Any, s: Any) -> None:
    """A round of bumps begins. `way` goes on: the round before ended in motion."""
    s.t = 0.0
    for k in range(2):
        s.begin[k] = value[PRESSURE_A + k]
    for i in range(_COLUMNS):
        for j in range(_COLUMNS):
            s.sums[i, j] = 0.0


@jit()
def rt_fit_add(a: float, way: float, lag_s: float, dt_s: float, value: Any, s: Any) -> None:
    """One tick of a bump in direction `way`, which the motion follows by `lag_s`."""
    s.t += dt_s
    s.way += dt_s / (dt_s + lag_s) * (way - s.way)
    c = s.column
    c[_ONE], c[_TIME], c[_SQUARE] = 1.0, s.t, s.t * s.t
    c[_SETTLING + _FORCE], c[_SETTLING + _WAY] = a, s.way
    for k in range(2):
        c[_SETTLING + _PRESSURE + k] = value[PRESSURE_A + k] - s.begin[k]
    for i in range(_COLUMNS):
        for j in range(i, _COLUMNS):
            s.sums[i, j] += c[i] * c[j]


@jit()
def _rt_take_out(k: int, sums: Any) -> None:
    """Takes what column k explains out of those after it."""
    if sums[k, k] <= 0.0:
        return
    for i in range(k + 1, _COLUMNS):
        share = sums[k, i] / sums[k, k]
        for j in range(i, _COLUMNS):
            sums[i, j] -= share * sums[k, j]


@jit()
def _rt_round_off(k: int, least: float, sums: Any) -> None:
    """What is left of a column that only settled is rounding."""
    if sums[k, k] <= least:
        for i in range(_COLUMNS):
            sums[i, k] = sums[k, i] = 0.0


@jit()
def rt_fit_count(s: Any) -> None:
    """At the end of a round: what is left of it counts."""
    n = s.sums[_ONE, _ONE]
    if n < _FEWEST:
        return
    s.freedom += n - _SETTLING
    a, b = _COLUMNS - 2, _COLUMNS - 1
    least_a, least_b = _ROUNDING * s.sums[a, a], _ROUNDING * s.sums[b, b]
    for k in range(_SETTLING):
        _rt_take_out(k, s.sums)
    _rt_round_off(a, least_a, s.sums)
    _rt_round_off(b, least_b, s.sums)
    for i in range(_LEFT):
        for j in range(i, _LEFT):
            s.left[i, j] += s.sums[_SETTLING + i, _SETTLING + j]


@jit()
def _rt_explained(k: int, sign: float, left: Any) -> float:
    """Of chamber k's sum of squares, what force and direction explain with weights of this sign."""
    a, w, both = left[_FORCE, _FORCE], left[_WAY, _WAY], left[_FORCE, _WAY]
    pa, pw = sign * left[_FORCE, _PRESSURE + k], sign * left[_WAY, _PRESSURE + k]
    most = 0.0
    if pa > 0.0 and a > 0.0:
        most = pa * pa / a
    if pw > 0.0 and w > 0.0:
        most = max(most, pw * pw / w)
    spread = a * w - both * both
    ba, bw = w * pa - both * pw, a * pw - both * pa
    if spread > _ROUNDING * a * w and ba > 0.0 and bw > 0.0:
        most = (ba * pa + bw * pw) / spread
    return float(most)


@jit()
def rt_fit_judge(s: Any) -> None:
    """How well each pressure goes with the motion, and the bound."""
    s.found[0] = s.found[1] = 0.0
    s.bound = 1.0
    if s.freedom == 0.0:
        return
    s.bound = max(_LEAST, math.sqrt(-math.expm1(2.0 * math.log(_CHANCE) / (s.freedom - 2.0))))
    for k in range(2):
        whole = s.left[_PRESSURE + k, _PRESSURE + k]
        if whole <= 0.0:
            continue
        right, wrong = _rt_explained(k, 1.0, s.left), _rt_explained(k, -1.0, s.left)
        if k == 1:
            right, wrong = wrong, right
        s.found[k] = -math.sqrt(wrong / whole) if wrong > right else math.sqrt(right / whole)
