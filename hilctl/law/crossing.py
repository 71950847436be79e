"""The spool's way across its overlap, as a part of the path that the inverse model knows ahead.

A spool with overlap gives the opening o at the place

    X = (1 - d) o + d S        S: the side on which o is, its sign, or less where the edges are rounded (edges.py)

S jumps where o turns round. No spool does, and while it crosses, flow is missing at the very moment at which friction's
reversal needs it. So the side is spread by four running means (a cubic B-spline of base T) and changes early, and the
valve's lag is made up for on the whole path:

    L{X} = (1 - d) L{o} + d L{S}        L{y} = y + (2 zv/wv) y' + y''/wv²

It changes early by EARLY of T where bristles turn friction round. Where friction jumps it does by EARLY_JUMP, and by up
to EARLY_STUCK more, the smaller the acceleration: the table then sticks longer (inverse.py). The shares gave the least
distortion on the reference rig at 0.5 to 5 Hz, among steps of 0.05, with an overlap of 3 % and a hysteresis of 0.5 %
(2026-11-25).

Here a side is a whole number of 1/FINE, and so are the sums of its running means: they go on by the newest less the
oldest, and stay exact.
"""

import math
from typing import Any

import numpy as np

from hilctl.law.edges import rt_covered
from hilctl.law.feed import CROSS_EARLY
from hilctl.params import record_of
from hilctl.rt.jit import jit

MEANS = 4
WIDEST = 64  # grid points of a running mean
FINE = 1024  # parts of a side
EARLY, EARLY_JUMP, EARLY_STUCK = 0.075, 0.1, CROSS_EARLY - 0.1  # shares of T


def crossing_record(ring: int) -> Any:
    """The memory of a crossing over so many grid points."""
    return record_of(
        [
            ("width", np.int64),  # of each running mean
            ("wanted_s", np.float64),  # T as it is set,
            ("base_s", np.float64),  # and as it is on the grid
            ("last", np.float64),  # opening at the newest grid point
            ("sums", np.int64, (MEANS,)),
            ("means", np.int64, (MEANS, WIDEST)),
            ("side", np.float64, (ring,)),  # S
            ("command", np.float64, (ring,)),  # L{S}
        ]
    )


@jit()
def _rt_mean_side(before: float, now: float, machine: Any) -> int:
    """Of what goes straight from one opening to the next, in parts of FINE."""
    size, overlap = abs(before) + abs(now), 0.5 * (machine.overlap_a + machine.overlap_b)
    if not size > 0.0:  # nor a number
        return 0
    covered = rt_covered(0.5 * abs(before + now), overlap, machine.edge_rounding)
    return round(FINE * covered * (before + now) / size)


@jit()
def rt_crossing_start(base_s: float, room: int, h: float, opening: float, machine: Any, c: Any) -> None:
    """As if the opening had always been this. `room`: grid points of it known beyond the last that is commanded."""
    width = min(max(1, round(base_s / h / MEANS)), WIDEST)
    spare = room - 2 - math.ceil(CROSS_EARLY * MEANS * width)
    c.width = min(width, 1 + 2 * max(spare, 0) // MEANS)
    c.wanted_s, c.base_s, c.last = base_s, MEANS * c.width * h, opening
    value = _rt_mean_side(opening, opening, machine)
    side = value / FINE
    for i in range(MEANS):
        for j in range(WIDEST):
            c.means[i, j] = value
        value *= c.width
        c.sums[i] = value
    for i in range(c.side.size):
        c.side[i] = c.command[i] = side


@jit()
def rt_crossing_step(g: int, opening: float, lag_s: float, lag_s2: float, h: float, machine: Any, c: Any) -> None:
    """The opening at the next grid point g; the side and its command a little behind it."""
    mask, place = c.side.size - 1, g % c.width
    value = _rt_mean_side(c.last, opening, machine)
    c.last = opening
    for i in range(MEANS):
        oldest = c.means[i, place]
        c.means[i, place] = value
        c.sums[i] += value - oldest
        value = c.sums[i]
    all_of_it = float(FINE) * c.width * c.width * c.width * c.width
    g -= MEANS * (c.width - 1) // 2
    c.side[g & mask] = value / all_of_it
    g -= 1
    before, at, after = c.side[(g - 1) & mask], c.side[g & mask], c.side[(g + 1) & mask]
    c.command[g & mask] = at + lag_s * (after - before) / (2.0 * h) + lag_s2 * (after - 2.0 * at + before) / (h * h)


@jit()
def rt_crossing_early_s(jump: float, taken: float, base_s: float) -> float:
    """By how much the side changes early, for friction that jumps by so much (0: bristles); `taken`: mass times
    acceleration.
    """
    if jump == 0.0:
        return EARLY * base_s
    return base_s * (EARLY_JUMP + EARLY_STUCK * math.sqrt(max(1.0 - taken / jump, 0.0)))
