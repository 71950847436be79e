"""The opening at which the table begins to move, either way: what arming needs of a valve with overlap.

A bump within the overlap moves nothing, and proves nothing. So pulses follow, up and down in turn and each pair by a
step larger, until the table has moved either way or the limit is reached; a way that has moved it is left out. The null
is halfway between both openings. Half of their distance is the overlap and what it takes until a motion is seen.

Pulses, for no sensor need be alive: without overlap and unseen the table goes up by a pulse and down again, where an
opening that stays would take it to its end.

A motion is seen when displacement has gone by `least_m` since the pulse began, which a table that sinks slowly does
not: up for a pulse up, and in either direction while the sign of the valve is not known. Displacement may then be dead,
too: an acceleration that integrates to `least_m_s` also shows a motion.

Once the load pressure has changed by `answer_pa` the valve is open, and a motion must be seen within `beyond`: else the
table is blocked, or moves unseen, and the search ends before its limit.
"""

from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

SEARCH = record_of(
    [
        ("step", np.float64),  # by which a pair of pulses is larger than the one before
        ("pulse_s", np.float64),
        ("way", np.float64),  # 1: up, -1: down
        ("opening", np.float64),  # of this pulse
        ("in_pulse_s", np.float64),  # the pulse, and as long closed after it
        ("begin_m", np.float64),  # displacement as it began
        ("felt_m_s", np.float64),  # acceleration since, integrated
        ("rest_pa", np.float64),  # load pressure before the valve was enabled,
        ("load_pa", np.float64),  # now, averaged over PRESSURE_S,
        ("least_pa", np.float64),  # and its least difference from the first in this pulse: what is trapped leaks away
        ("answered_up", np.float64),  # openings at which it answered, 0 before
        ("answered_down", np.float64),
        ("up", np.float64),  # openings at which the table moved, 0 before
        ("down", np.float64),
    ]
)

SEARCHING, FOUND, EXHAUSTED = 0, 1, 2
PRESSURE_S = 0.01
_ROUNDING = 1e-9


@jit()
def _rt_pulse(way: float, opening: float, x: float, s: Any) -> None:
    s.way, s.opening, s.in_pulse_s = way, opening, 0.0
    s.begin_m, s.felt_m_s = x, 0.0
    s.least_pa = abs(s.load_pa - s.rest_pa)


@jit()
def rt_search_start(step: float, pulse_s: float, x: float, load_pa: float, s: Any) -> None:
    """With a pulse upwards."""
    s.step, s.pulse_s = step, pulse_s
    s.up = s.down = s.answered_up = s.answered_down = 0.0
    s.load_pa = load_pa
    _rt_pulse(1.0, step, x, s)


@jit()
def rt_search_opening(s: Any) -> float:
    """From the null, with its sign."""
    found = s.up if s.way > 0.0 else s.down
    return float(s.way * s.opening) if s.in_pulse_s < s.pulse_s and found == 0.0 else 0.0


@jit()
def rt_search(limit: float, beyond: float, answer_pa: float, least_m: float, least_m_s: float, known: bool, x: float,
              a: float, load_pa: float, dt_s: float, s: Any) -> int:  # fmt: skip
    """One tick: SEARCHING, FOUND, or EXHAUSTED: no motion was seen at the largest opening."""
    s.in_pulse_s += dt_s
    s.felt_m_s += dt_s * a
    s.load_pa += dt_s / (dt_s + PRESSURE_S) * (load_pa - s.load_pa)
    loaded_pa, went_m = abs(s.load_pa - s.rest_pa), x - s.begin_m
    s.least_pa = min(s.least_pa, loaded_pa)
    moved = s.way * went_m >= least_m
    if not known:
        moved = abs(went_m) >= least_m or abs(s.felt_m_s) >= least_m_s
    answered = s.in_pulse_s <= s.pulse_s and loaded_pa - s.least_pa >= answer_pa
    if s.way > 0.0:
        s.up = s.opening if moved and s.up == 0.0 else s.up
        s.answered_up = s.opening if answered and s.answered_up == 0.0 else s.answered_up
    else:
        s.down = s.opening if moved and s.down == 0.0 else s.down
        s.answered_down = s.opening if answered and s.answered_down == 0.0 else s.answered_down
    if s.in_pulse_s < 2.0 * s.pulse_s:
        return SEARCHING
    if s.up > 0.0 and s.down > 0.0:
        return FOUND
    way = -s.way
    if (s.up if way > 0.0 else s.down) > 0.0:
        way = s.way
    opening = s.opening + s.step if way == s.way or way > 0.0 else s.opening
    answered_at = s.answered_up if way > 0.0 else s.answered_down
    most = min(limit, answered_at + beyond) if answered_at > 0.0 else limit
    if opening > most + _ROUNDING:
        return EXHAUSTED
    _rt_pulse(way, opening, x, s)
    return SEARCHING
