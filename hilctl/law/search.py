"""The opening at which the table begins to move, either way: what arming needs of a valve with overlap.

A bump within the overlap moves nothing, and proves nothing. So the opening grows from the null, by a bump in the time
of a bump, until the table moves or the limit is reached; the valve closes, and the same follows the other way. The null
is halfway between both openings. Half of their distance is the overlap and what it takes until a motion is seen.

A motion is seen when displacement has gone by `least_m` within about the last `over_s`, which a table that sinks slowly
does not: upwards on the way up, and in either direction while the sign of the valve is not known. Displacement may then
be dead, too: an acceleration that integrates to `least_m_s` over FELT_S also shows a motion.

Once the load pressure has changed by `answer_pa` the valve is open, and a motion must be seen within `beyond`: else the
table is blocked, or moves unseen, and the search ends before its limit.
"""

import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

FELT_S = 0.3  # longer, the accelerometer's bias at rest would pass for a motion

SEARCH = record_of(
    [
        ("way", np.float64),  # 1: up, -1: down
        ("opening", np.float64),
        ("wait_s", np.float64),  # until the second way begins
        ("last_m", np.float64),  # displacement a tick ago
        ("went_m", np.float64),  # over about the last over_s
        ("felt_m_s", np.float64),
        ("rest_pa", np.float64),  # load pressure before the valve was enabled,
        ("load_pa", np.float64),  # now, averaged over PRESSURE_S,
        ("least_pa", np.float64),  # and its least difference from the first on this way: what is trapped leaks away
        ("most", np.float64),  # largest opening of this way
        ("up", np.float64),  # openings at which it moved
        ("down", np.float64),
    ]
)

SEARCHING, FOUND, EXHAUSTED = 0, 1, 2
PRESSURE_S = 0.01


@jit()
def _rt_way(way: float, x: float, s: Any) -> None:
    s.way, s.opening, s.wait_s, s.most = way, 0.0, 0.0, 1.0
    s.last_m, s.least_pa = x, abs(s.load_pa - s.rest_pa)
    s.went_m = s.felt_m_s = 0.0


@jit()
def rt_search_start(x: float, load_pa: float, s: Any) -> None:
    """From the null, upwards."""
    s.up = s.down = 0.0
    s.load_pa = load_pa
    _rt_way(1.0, x, s)


@jit()
def rt_search_opening(s: Any) -> float:
    """From the null, with its sign."""
    return float(s.way * s.opening)


@jit()
def rt_search(rate_per_s: float, limit: float, beyond: float, answer_pa: float, least_m: float, least_m_s: float,
              known: bool, over_s: float, rest_s: float, x: float, a: float, load_pa: float, dt_s: float,
              s: Any) -> int:  # fmt: skip
    """One tick: SEARCHING, FOUND, or EXHAUSTED: no motion was seen at the largest opening."""
    s.load_pa += dt_s / (dt_s + PRESSURE_S) * (load_pa - s.load_pa)
    if s.wait_s > 0.0:
        s.wait_s -= dt_s
        if s.wait_s <= 0.0:
            _rt_way(-1.0, x, s)
        return SEARCHING
    loaded_pa = abs(s.load_pa - s.rest_pa)
    s.least_pa = min(s.least_pa, loaded_pa)
    if loaded_pa - s.least_pa >= answer_pa:
        s.most = min(s.most, s.opening + beyond)
    s.went_m = s.went_m * math.exp(-dt_s / over_s) + x - s.last_m
    s.last_m = x
    s.felt_m_s = s.felt_m_s * math.exp(-dt_s / FELT_S) + dt_s * a
    moved = s.way * s.went_m >= least_m
    if not known:
        moved = abs(s.went_m) >= least_m or abs(s.felt_m_s) >= least_m_s
    if not moved:
        s.opening += rate_per_s * dt_s
        return SEARCHING if s.opening < min(limit, s.most) else EXHAUSTED
    if s.way < 0.0:
        s.down = s.opening
        return FOUND
    s.up = s.opening
    s.opening, s.wait_s = 0.0, rest_s
    return SEARCHING
