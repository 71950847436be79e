"""Readings that stand still, bit by bit, though they should not: a sensor that is stuck, or a line that repeats.

A reading may stand still for good reasons. Three witnesses say that it has none:

driven      the reference moves: no reading may stay the same for longer than `window_s`, nor a displacement over a
            way of `way_m`; a pressure that is read more seldom than the loop runs, as its age at rest says, may be the
            same READINGS times
opened      the loop has opened the valve beyond the opening that moved the table in the bumps of arming, which would
            have made a way of `way_m`: what a slow reference, or none, does not tell
unsteady    the reading never stood still while the table rested before arming, for it shows its own noise: it may not
            stand still for more than `runs` times as long as it did then. Noise spreads over several steps and turns
            round all the time; what creeps, or flickers between two steps, is no witness
"""

import math
from typing import Any

import numpy as np

from hilctl.law.sensors import ACCELERATION, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.params import record_of
from hilctl.rt.jit import jit

WATCHED = PRESSURE_B + 1  # displacement, acceleration and both pressures
READINGS = 30.0  # that are the same, of one that is read seldom
TURNS, STEPS = 16, 3.0  # of a reading that shows noise: it turned round so often, over so many of its steps at least

STILL = record_of(
    [
        ("last", np.float64, (WATCHED,)),
        ("same_s", np.float64, (WATCHED,)),  # for how long the reading has not changed
        ("driven_s", np.float64, (WATCHED,)),  # the same, while driven
        ("opened_m", np.float64),  # the way that the valve's opening would have made since displacement changed last
        ("most_s", np.float64, (WATCHED,)),  # for how long an unsteady reading may stand still; 0: nobody knows
        ("every_s", np.float64, (WATCHED,)),  # how often it is read, as far as it is known
        # at rest before arming
        ("longest_s", np.float64, (WATCHED,)),
        ("low", np.float64, (WATCHED,)),
        ("high", np.float64, (WATCHED,)),
        ("step", np.float64, (WATCHED,)),  # the smallest change
        ("by", np.float64, (WATCHED,)),  # the last change
        ("turns", np.int64, (WATCHED,)),  # changes against the one before
        ("age_s", np.float64, (WATCHED,)),  # mean of those that tell theirs
        ("rested", np.float64),  # ticks
    ]
)


@jit()
def _rt_same(k: int, raw: float, driven: bool, passed_s: float, w: Any) -> None:
    if raw == w.last[k]:
        w.same_s[k] += passed_s
        w.driven_s[k] = w.driven_s[k] + passed_s if driven else 0.0
    else:
        w.same_s[k] = w.driven_s[k] = 0.0


@jit()
def _rt_learn(k: int, raw: float, w: Any) -> None:
    """One reading at rest."""
    if not math.isfinite(raw):
        return
    by = raw - w.last[k]
    if by != 0.0 and math.isfinite(by):
        w.step[k] = min(w.step[k], abs(by))
        w.turns[k] += 1 if by * w.by[k] < 0.0 else 0
        w.by[k] = by
    w.low[k], w.high[k] = min(w.low[k], raw), max(w.high[k], raw)
    w.longest_s[k] = max(w.longest_s[k], w.same_s[k])


@jit()
def rt_still(readings: Any, lost: bool, driven: bool, resting: bool, passed_s: float, w: Any) -> None:
    """The readings of this tick; where the exchange failed there are none. `resting`: the table rests before arming."""
    if lost:
        return
    _rt_same(DISPLACEMENT, readings.displacement_m, driven, passed_s, w)
    _rt_same(ACCELERATION, readings.acceleration_m_s2, driven, passed_s, w)
    _rt_same(PRESSURE_A, readings.pressure_a_pa, driven, passed_s, w)
    _rt_same(PRESSURE_B, readings.pressure_b_pa, driven, passed_s, w)
    if resting:
        _rt_learn(DISPLACEMENT, readings.displacement_m, w)
        _rt_learn(ACCELERATION, readings.acceleration_m_s2, w)
        _rt_learn(PRESSURE_A, readings.pressure_a_pa, w)
        _rt_learn(PRESSURE_B, readings.pressure_b_pa, w)
        w.rested += 1.0
        w.age_s[PRESSURE_A] += (1e-9 * readings.age_ns[PRESSURE_A] - w.age_s[PRESSURE_A]) / w.rested
        w.age_s[PRESSURE_B] += (1e-9 * readings.age_ns[PRESSURE_B] - w.age_s[PRESSURE_B]) / w.rested
    w.last[DISPLACEMENT], w.last[ACCELERATION] = readings.displacement_m, readings.acceleration_m_s2
    w.last[PRESSURE_A], w.last[PRESSURE_B] = readings.pressure_a_pa, readings.pressure_b_pa


@jit()
def rt_still_rest(unknown: bool, w: Any) -> None:
    """The table begins to rest. `unknown`: what was learnt before is of a rig that may be another now."""
    w.rested = 0.0
    for k in range(WATCHED):
        w.low[k] = w.step[k] = math.inf
        w.high[k] = -math.inf
        w.longest_s[k], w.by[k], w.turns[k] = 0.0, 0.0, 0
        w.age_s[k] = 0.0
        if unknown:
            w.most_s[k] = w.every_s[k] = 0.0


@jit()
def rt_still_learnt(runs: float, passed_s: float, w: Any) -> None:
    """It has rested: which readings show noise. One that showed it before, and does not now, is still held to it."""
    for k in range(WATCHED):
        if w.turns[k] >= TURNS and w.high[k] - w.low[k] >= STEPS * w.step[k]:
            w.most_s[k] = runs * (w.longest_s[k] + passed_s)
        w.every_s[k] = 2.0 * w.age_s[k]  # it grows from none to that


@jit()
def rt_still_opened(closed: bool, opening: float, seen: float, speed_m_s: float, passed_s: float, w: Any) -> None:
    """The way that the valve has opened for. `seen`: the opening of the bumps; `speed_m_s`: for a full opening."""
    if w.same_s[DISPLACEMENT] == 0.0 or not closed:
        w.opened_m = 0.0
        return
    beyond = min(abs(opening), 1.0) - seen
    if beyond > 0.0:
        w.opened_m += math.copysign(beyond * speed_m_s * passed_s, opening)
