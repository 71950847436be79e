"""The speed a fixed while ago, from nothing but speeds that were held for some time each.

What is meant by them is a smooth course: a speed held from a to b is its value at (a + b)/2, and equal speeds in a row
are one run, however many calls gave it (the twin gives each speed twice, half a step before and half a step
after). Between the middles of runs the course is a cubic through the last four. A run of more than the delay, or of
four times the one beside it, is no sample: there the speed was held, as in a rest before a motion, and then jumped.

The course is kept on a grid of delay/PARTS that does not depend on the steps, and is read between its points by
Lagrange's polynomial through twelve. Of a sine of w rad/s the cubic misses (w step)^4 / 43, in one-sided use with steps
near the delay up to ten times as much, and the reading 5.5e-5 (w delay/PARTS)^12: 1e-6 at 100 Hz for steps up to
0.1 ms and delays up to 50 ms. Where two equal samples stand to either side of a crest and count as one, (w step)^2 / 8.
A jump is seen over six grid points to either side, with overshoots of a tenth. With steps longer than the delay the
speed is that of the step.

Nothing but the runs enters the state, so one call is as good as many at the same speed.
"""

import math
from typing import Any

from hilctl.rt.jit import jit

PARTS = 43  # of the delay
ROOM = 50  # grid points kept: those of the delay, six more, and one for rounding
LONGER = 4.0  # a run so many times its neighbour is a hold
SLACK = 1.01  # and one so many times the delay: a step of the delay itself is none, however it was rounded
WEIGHTS = (-1.0, 11.0, -55.0, 165.0, -330.0, 462.0, -462.0, 330.0, -165.0, 55.0, -11.0, 1.0)  # barycentric, of twelve
BEFORE = 5  # of the twelve points, before the one that begins the interval

# Words of the state, beginning after those of the model: the time, the last four runs, the last of them still open.
NOW = 4
BEGIN = 5
SPEED = 9
LAST = 13  # number of the last grid point that no speed to come can change
GRID = 14


@jit()
def rt_remember(z: Any, v: float, dt: float, delay: float) -> None:
    """A speed was held for dt."""
    if v != z[SPEED + 3]:
        if z[NOW] > z[BEGIN + 3]:
            rt_settle(z, delay)
            for k in range(3):
                z[BEGIN + k], z[SPEED + k] = z[BEGIN + k + 1], z[SPEED + k + 1]
        z[BEGIN + 3], z[SPEED + 3] = z[NOW], v
    z[NOW] += dt


@jit()
def rt_settle(z: Any, delay: float) -> None:
    """Keeps the course up to where it begins to pass to its last run, which is over now."""
    spacing = delay / PARTS
    reach, _ = rt_reaches(z, 2, delay)
    last = math.floor((z[BEGIN + 3] - reach) / spacing)
    for j in range(int(max(z[LAST] + 1.0, last - ROOM + 1.0)), int(last) + 1):
        z[GRID + j % ROOM] = rt_course(z, j * spacing, delay)
    z[LAST] = max(z[LAST], last)


@jit()
def rt_length(z: Any, k: int) -> float:
    """How long run k has lasted."""
    length: float = (z[BEGIN + k + 1] if k < 3 else z[NOW]) - z[BEGIN + k]
    return length


@jit()
def rt_sampled(shortest: float, longest: float, delay: float) -> bool:
    """Whether runs of these lengths are samples of a smooth course."""
    return longest <= LONGER * shortest and longest <= SLACK * delay


@jit()
def rt_reaches(z: Any, left: int, delay: float) -> tuple[float, float]:
    """From the end of run `left`: how far before it and behind it the course is on its way to the next run's speed."""
    one, other = rt_length(z, left), rt_length(z, left + 1)
    if not rt_sampled(min(one, other), max(one, other), delay):
        one = other = 0.0
    return 0.5 * one, 0.5 * other


@jit()
def rt_course(z: Any, t: float, delay: float) -> float:
    """The smooth course at t, from the last four runs; beyond the middle of the last one, its speed."""
    left = 3
    while left >= 0 and t < z[BEGIN + left] + 0.5 * rt_length(z, left):
        left -= 1
    if left < 0 or left == 3:
        kept: float = z[SPEED + max(left, 0)]
        return kept
    shortest, longest = math.inf, 0.0
    for k in range(4):
        length = rt_length(z, k)
        shortest, longest = min(shortest, length), max(longest, length)
    if rt_sampled(shortest, longest, delay):
        return rt_cubic(z, t)
    before, behind = rt_reaches(z, left, delay)
    off = t - z[BEGIN + left + 1]
    share = 0.0 if off < -before else 1.0 if off >= behind else (off + before) / (before + behind)
    line: float = z[SPEED + left] + share * (z[SPEED + left + 1] - z[SPEED + left])
    return line


@jit()
def rt_cubic(z: Any, t: float) -> float:
    """Through the middles of the four runs."""
    total = 0.0
    for i in range(4):
        at = z[BEGIN + i] + 0.5 * rt_length(z, i)
        term = z[SPEED + i]
        for j in range(4):
            if j != i:
                other = z[BEGIN + j] + 0.5 * rt_length(z, j)
                term *= (t - other) / (at - other)
        total += term
    return total


@jit()
def rt_delayed(z: Any, delay: float) -> float:
    """The speed `delay` before now."""
    spacing = delay / PARTS
    at = (z[NOW] - delay) / spacing
    first = math.floor(at)
    off = at - first
    above = below = 0.0
    for i in range(len(WEIGHTS)):
        j = int(first) + i - BEFORE
        value = z[GRID + j % ROOM] if j <= z[LAST] else rt_course(z, j * spacing, delay)
        distance = off - (i - BEFORE)
        if distance == 0.0:
            return value
        weight = WEIGHTS[i] / distance
        above += weight * value
        below += weight
    return above / below
